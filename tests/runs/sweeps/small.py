"""Small sweeps, and engines that stay in the tests' own process."""

from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import polars as pl

from firstmover.runs.sweeps import Plan, SweepSpec, plan_of, run_sweep
from firstmover.runs.sweeps.batches import Batch, Outcome
from firstmover.runs.sweeps.playing import play_tasks
from firstmover.runs.sweeps.progress import Progress
from firstmover.runs.sweeps.tasks import SweepTask
from firstmover.runs.sweeps.work import carry_out


def document(**changes: Any) -> dict[str, Any]:
    """A sweep of 12 short tasks."""
    learners = [{"name": "stackelucb", "confidence_width": [0.5, 2.0]}, "hedge"]
    fields = {"games": ["shore"], "opponents": ["random"], "learners": learners, "horizons": [5, 8], "seeds": 2}
    return {name: value for name, value in (fields | changes).items() if value is not None}


def plan(**changes: Any) -> Plan:
    return plan_of(SweepSpec.read(document(**changes)))


class Here:
    """An engine without processes; batches for which `lose` says so are lost before they begin."""

    workers, capacity = 2, 4

    def __init__(self, lose: Callable[[Batch], bool] = lambda _: False) -> None:
        self._waiting: deque[Batch] = deque()
        self._lose, self.sizes, self.closed = lose, [], False  # type: ignore[var-annotated]

    def submit(self, batch: Batch) -> None:
        assert len(self._waiting) < self.capacity
        self._waiting.append(batch)

    def finished(self, timeout: float) -> list[tuple[Batch, Outcome | None]]:
        assert timeout > 0
        batch = self._waiting.popleft()
        self.sizes.append(len(batch.tasks))
        return [(batch, None if self._lose(batch) else carry_out(batch))]

    def close(self, at_once: bool = False) -> None:
        self.closed = True
        assert at_once or not self._waiting


class Counting:
    """Plays, and counts how often each task was played."""

    def __init__(self) -> None:
        self.played: list[str] = []

    def __call__(self, tasks: Sequence[SweepTask]) -> list[pl.DataFrame]:
        self.played += [task.key for task in tasks]
        return play_tasks(tasks)


def run(folder: Path, engine: Any = None, **options: Any) -> Progress:
    """Run a small sweep here."""
    changes = options.pop("changes", {})
    return run_sweep(plan(**changes), folder, engine or Here(), document=document(**changes), **options)


def serial(tasks: Sequence[SweepTask]) -> dict[str, pl.DataFrame]:
    """What every task gives when it is played alone."""
    return {task.key: play_tasks([task])[0] for task in tasks}
