"""Engines carry batches of tasks to other processes, here or elsewhere; they decide nothing and store nothing."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from firstmover.core.errors import InvalidInput
from firstmover.runs.sweeps.batches import Batch, Outcome
from firstmover.runs.sweeps.engines.here import HereEngine
from firstmover.runs.sweeps.engines.local import LocalEngine, make_room
from firstmover.runs.sweeps.engines.ray import RayEngine, ray_workers

__all__ = ["ENGINES", "Engine", "EngineEntry", "HereEngine", "LocalEngine", "RayEngine"]


class Engine(Protocol):
    """Submits batches and tells which are finished: `carry_out(batch)` is called in another process for each.

    A batch whose process ended before it did is told with None; the engine does not try it again, and goes on with
    new processes. Whether anything of such a batch was stored, and what to do about it, is its caller's business.
    """

    @property
    def capacity(self) -> int:
        """How many batches may be submitted and unfinished at a time, so that no worker is ever idle."""
        ...

    @property
    def workers(self) -> int:
        """How many batches can run at once."""
        ...

    def submit(self, batch: Batch) -> None:
        """Have a batch carried out; returns at once."""
        ...

    def finished(self, timeout: float) -> list[tuple[Batch, Outcome | None]]:
        """The batches that ended since the last call: waits for the first, at most so many seconds."""
        ...

    def close(self, at_once: bool = False) -> None:
        """Let the workers go; at once ends them in the middle of what they do."""
        ...


@dataclass(frozen=True)
class EngineEntry:
    """A line of the table: what it is, and what it makes of so many workers at an address, None where not given.

    `workers` says how many there will be, None where only the start tells, and starts nothing; it refuses what `start`,
    which starts the engine, refuses.
    """

    summary: str
    workers: Callable[[int | None, str | None], int | None]
    start: Callable[[int | None, str | None], Engine]


def _local_workers(workers: int | None, address: str | None) -> int:
    if address is not None:
        raise InvalidInput(f"address is {address!r}: engine 'local' has none, so leave it out.")
    return make_room(workers)


def _local(workers: int | None, address: str | None) -> Engine:
    return LocalEngine(_local_workers(workers, address))


def _here_workers(workers: int | None, address: str | None) -> int:
    if workers not in (None, 1) or address is not None:
        raise InvalidInput("engine 'here' has one worker and no address: leave both out.")
    return HereEngine.workers


def _here(workers: int | None, address: str | None) -> Engine:
    _here_workers(workers, address)
    return HereEngine()


ENGINES: dict[str, EngineEntry] = {
    "local": EngineEntry("processes of this machine, as many as it has cores", _local_workers, _local),
    "here": EngineEntry("this very process, one task after the other", _here_workers, _here),
    "ray": EngineEntry("a Ray cluster: that of an address, or one of its own on this machine", ray_workers, RayEngine),
}
