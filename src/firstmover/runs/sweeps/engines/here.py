"""This very process: one batch after the other, for notebooks and for looking closely."""

from collections import deque

from firstmover.runs.sweeps.batches import Batch, Outcome
from firstmover.runs.sweeps.work import carry_out


class HereEngine:
    """Carries out a batch when it is asked for what is finished; an error that is no task's own ends the sweep."""

    workers, capacity = 1, 1

    def __init__(self) -> None:
        self._waiting: deque[Batch] = deque()

    def submit(self, batch: Batch) -> None:
        """Keep a batch for later."""
        self._waiting.append(batch)

    def finished(self, timeout: float) -> list[tuple[Batch, Outcome | None]]:  # noqa: ARG002 - nothing is waited for
        """Carry out the next batch."""
        batch = self._waiting.popleft()
        return [(batch, carry_out(batch))]

    def close(self, at_once: bool = False) -> None:
        """There is nobody to let go."""
