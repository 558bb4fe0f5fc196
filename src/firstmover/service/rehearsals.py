"""Rehearsals that run beside the service: a few at once, each in a thread, with progress and the result in words."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any, Literal

from anyio.to_thread import run_sync

from firstmover.core.errors import FirstmoverError
from firstmover.matches.csv_reader import read_csv
from firstmover.matches.rehearsal import rehearse
from firstmover.service.errors import Busy, NotFound

MOST_RUNNING = 2
"""Rehearsals that run at once."""

MOST_KEPT = 20
"""Rehearsals that are remembered; of more, the oldest one is forgotten."""


class _Cancelled(Exception):  # noqa: N818 - a signal, caught where it is raised
    """A rehearsal that was cancelled between two seasons."""


@dataclass
class Rehearsing:
    """A rehearsal: `done` of `total` seasons, and in the end its sentences, or the sentence of an error."""

    id: str
    total: int
    done: int = 0
    status: Literal["running", "done", "failed", "cancelled"] = "running"
    lines: list[str] = field(default_factory=list)
    gain: float | None = None
    error: str = ""

    def watch(self, done: int, total: int) -> None:
        """Count the seasons; stop if it was cancelled."""
        if self.status == "cancelled":
            raise _Cancelled
        self.done, self.total = done, total


class Rehearsals:
    """All rehearsals since the service was started."""

    def __init__(self) -> None:
        self._known: dict[str, Rehearsing] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def begin(self, config: dict[str, Any], csv: str, source: str, *, seasons: int, rounds: int) -> Rehearsing:
        """Begin a rehearsal; raise Busy while too many run."""
        if sum(each.status == "running" for each in self._known.values()) >= MOST_RUNNING:
            raise Busy(f"{MOST_RUNNING} rehearsals are running: wait for one of them, or cancel it.")
        found = Rehearsing(token_hex(8), seasons)
        self._known[found.id] = found
        for old in list(self._known)[:-MOST_KEPT]:
            self._known.pop(old).status = "cancelled"

        def play() -> Any:
            table = read_csv(csv, f"file {source!r}")
            return rehearse(config, table, seasons=seasons, rounds=rounds, watch=found.watch)

        task = asyncio.get_running_loop().create_task(self._run(found, play))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return found

    async def _run(self, found: Rehearsing, play: Callable[[], Any]) -> None:
        try:
            rehearsed = await run_sync(play)
            found.lines = rehearsed.lines()
            found.gain = float(rehearsed.match.earned.mean() - rehearsed.match.present.mean())
            found.status = "done"
        except _Cancelled:
            pass
        except FirstmoverError as error:
            found.status, found.error = "failed", str(error)

    def get(self, key: str) -> Rehearsing:
        """Return a rehearsal by its id."""
        if key not in self._known:
            raise NotFound(f"rehearsal {key!r} is not known: begin another one.")
        return self._known[key]

    def cancel(self, key: str) -> bool:
        """Stop a rehearsal after its present season; return whether it was running."""
        running = self.get(key).status == "running"
        if running:
            self.get(key).status = "cancelled"
        return running

    async def close(self) -> None:
        """Cancel all rehearsals and wait for their threads."""
        for key in self._known:
            self.cancel(key)
        for task in list(self._tasks):
            with suppress(asyncio.CancelledError):
                await task
