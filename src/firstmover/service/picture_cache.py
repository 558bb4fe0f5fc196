"""Records of figures, cached per match; a connection of its own reads each journal, so that players never wait."""

import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event, Lock, get_ident
from typing import Any

from anyio.to_thread import run_sync

from firstmover.core.contracts import ResponseFunction, TrueRewards
from firstmover.core.errors import FirstmoverError, MissingMatch, StoreUnavailable
from firstmover.figures.live import Trace, json_values, map_of
from firstmover.figures.live.learning import learning_curves
from firstmover.matches import Journal
from firstmover.service.match_pool import MatchPool

MOST_FOLLOWED = 16  # matches that are followed at once; of more, the one viewed longest ago is closed
MOST_RECORDS = 32  # records of one match that are kept, those made last
PAUSE_SECONDS = 0.0005  # pause after each round while preloading, so that calls go first


@dataclass(frozen=True)
class Truth:
    """The opponents of a simulation: b, and the reward of every action against a type."""

    respond: ResponseFunction
    rewards: TrueRewards


Build = Callable[[Trace, Truth | None], Any]
"""Makes the record of a figure from a trace that is up to date."""


def learning_record(trace: Trace, _: Truth | None) -> Any:
    """Make the record of the learning curves."""
    return learning_curves(trace)


def map_record(*, plays: bool, chosen: Mapping[str, str]) -> tuple[str, Build]:
    """Return the cache key and the builder of the map, with the pending round for those who play."""

    def build(trace: Trace, truth: Truth | None) -> Any:
        return map_of(trace, reveal=plays, respond=None if truth is None else truth.respond, chosen=chosen)

    return f"map, {plays}, {sorted(chosen.items())}", build


@dataclass
class _Entry:
    """A followed match, and its records, each with the number of the last event."""

    trace: Trace | None = None
    records: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)

    def close(self) -> None:
        if self.trace is not None:
            self.trace.journal.close()
        self.trace, self.records = None, {}


class PictureCache:
    """The records of one store. `record` is thread-safe; `truths` are those of simulated matches, by name."""

    def __init__(self, url: str, truths: Mapping[str, Truth] | None = None) -> None:
        self.url, self.truths = url, truths or {}
        self._entries: dict[str, _Entry] = {}  # the one viewed last stands last
        self._lock, self._stopping, self._preloading = Lock(), Event(), 0

    def record(self, name: str, key: str, build: Build) -> bytes:
        """Return a record as JSON after the last event; it is built once per event."""
        entry = self._entry(name)
        with entry.lock:
            truth = self.truths.get(name)
            try:
                trace = self._trace(entry, name, truth)
            except FirstmoverError:
                entry.close()  # the store may be repaired: the next call reads it again
                raise
            sequence = trace.state.sequence
            if entry.records.get(key, (0,))[0] != sequence:
                current = {other: made for other, made in entry.records.items() if made[0] == sequence}
                content = as_json(build(trace, truth))
                entry.records = dict(list(current.items())[1 - MOST_RECORDS :]) | {key: (sequence, content)}
            return entry.records[key][1]

    def _trace(self, entry: _Entry, name: str, truth: Truth | None) -> Trace:
        """Return a match after its last event; one that was deleted or renamed is looked for by its name again."""
        if entry.trace is not None:
            with suppress(MissingMatch):
                entry.trace.follow()
                if entry.trace.state.name == name:
                    return entry.trace
            entry.close()
        journal = Journal.open(self.url, name, read_only=True)
        with journal.closed_on_error():
            entry.trace = Trace(journal, None if truth is None else truth.rewards, self._between)
        return entry.trace

    def follows(self, name: str) -> bool:
        """Return whether a match has been read, so that its records take no time."""
        entry = self._entries.get(name)
        return entry is not None and entry.trace is not None

    async def preload(self, pool: MatchPool) -> None:
        """Open the matches that are likely to be viewed first, then make their records, one at a time.

        Errors are left to the calls that will meet them. The learner of a pooled match is not built: its players would
        have to wait.
        """
        with suppress(FirstmoverError):
            listed = sorted(await pool.listed(), key=lambda each: (not each.pending, -each.asked))[:MOST_FOLLOWED]
            for each in listed:
                with suppress(FirstmoverError):
                    await (await pool.get(each.name)).run(lambda match: match.sequence)
            for each in listed:
                with suppress(FirstmoverError):
                    await run_sync(self._preload, each.name)

    def _preload(self, name: str) -> None:
        if self._stopping.is_set():
            return
        self._preloading = get_ident()
        try:
            self.record(name, "learning", learning_record)
            self.record(name, *map_record(plays=True, chosen={}))
        finally:
            self._preloading = 0

    def stop(self) -> None:
        """End the reading of journals with an error."""
        self._stopping.set()

    def _between(self) -> None:
        if self._stopping.is_set():
            raise StoreUnavailable("The service is stopping: repeat the call when it is back.")
        if get_ident() == self._preloading:
            time.sleep(PAUSE_SECONDS)

    def _entry(self, name: str) -> _Entry:
        with self._lock:
            entry = self._entries[name] = self._entries.pop(name, _Entry())
            for other in list(self._entries)[: max(0, len(self._entries) - MOST_FOLLOWED)]:
                if self._entries[other].lock.acquire(blocking=False):  # one that is in use stays
                    closed = self._entries.pop(other)
                    closed.close()
                    closed.lock.release()
            return entry

    def close(self) -> None:
        """Close all journals."""
        for entry in self._entries.values():
            with entry.lock:
                entry.close()
        self._entries.clear()


def as_json(record: Any) -> bytes:
    """Serialise a record."""
    return json.dumps(json_values(record), allow_nan=False, separators=(",", ":"), ensure_ascii=False).encode()
