"""Engines carry batches of tasks to other processes, here or elsewhere; they decide nothing and store nothing."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from firstmover.errors import InvalidInput
from firstmover.sweeps.batches import Batch, Outcome
from firstmover.sweeps.engines.here import HereEngine
from firstmover.sweeps.engines.local import LocalEngine
from firstmover.sweeps.engines.ray import RayEngine

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
    """A line of the table: what it is, and how to start it with so many workers at an address, None where not given."""

    summary: str
    start: Callable[[int | None, str | None], Engine]


def _local(workers: int | None, address: str | None) -> Engine:
    if address is not None:
        raise InvalidInput(f"address is {address!r}: engine 'local' has none, so leave it out.")
    return LocalEngine(workers)


def _here(workers: int | None, address: str | None) -> Engine:
    if workers not in (None, 1) or address is not None:
        raise InvalidInput("engine 'here' has one worker and no address: leave both out.")
    return HereEngine()


def _ray(workers: int | None, address: str | None) -> Engine:
    return RayEngine(workers, address)


ENGINES: dict[str, EngineEntry] = {
    "local": EngineEntry("processes of this machine, as many as it has cores", _local),
    "here": EngineEntry("this very process, one task after the other", _here),
    "ray": EngineEntry("a Ray cluster: that of an address, or one of its own on this machine", _ray),
}
