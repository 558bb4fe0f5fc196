"""What a sweep will take, before it begins: tasks, time and room on the disk."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

from firstmover.core.errors import counted
from firstmover.core.numerics import one_thread
from firstmover.runs.sweeps.playing import POINTS, play_tasks
from firstmover.runs.sweeps.progress import duration
from firstmover.runs.sweeps.queue import Costs
from firstmover.runs.sweeps.tasks import SweepTask, canonical

ROUNDS = 20
"""Rounds of each family that are played to see what a round costs."""

BUDGET = 5.0
"""Seconds that this may take in all; families beyond count as the average."""

FILES = 3000
"""Bytes that a task's part of its files takes beside its rounds, at most."""


@dataclass(frozen=True)
class Estimate:
    """Tasks, seconds of work for one worker, and bytes on the disk at most."""

    tasks: int
    seconds: float
    size: float

    def words(self, workers: int | None) -> str:
        """One line; where nobody knows yet how many workers there will be, the time is that of one.

        >>> Estimate(1200, 360.0, 5e6).words(workers=2)
        '1,200 tasks to do, about 3 min on 2 workers, at most 5.0 MB'
        """
        hands = "of one worker's time" if workers is None else f"on {counted(workers, 'worker')}"
        time = duration(self.seconds / (workers or 1))
        return f"{counted(self.tasks, 'task')} to do, about {time} {hands}, at most {self.size / 1e6:.1f} MB"


def estimate(tasks: Sequence[SweepTask]) -> Estimate:
    """From a few rounds of each family, played here; rounds that grow longer as a run goes on are not foreseen."""
    costs, widths, started = Costs(), [0.0], perf_counter()
    firsts = list({task.family: task for task in reversed(tasks)}.values())
    for task in reversed(firsts):
        if perf_counter() - started > BUDGET:
            break
        try:
            _try_out(task, costs, widths)
        except Exception:  # the sweep will record what it raises; there is nothing to measure
            continue
    rounds: dict[str, int] = {}
    for task in tasks:
        rounds[task.family] = rounds.get(task.family, 0) + task.rounds
    size = FILES * len(tasks) + max(widths) * sum(map(_rows, tasks))
    return Estimate(len(tasks), costs.total(rounds) or 0.0, size)


def _try_out(task: SweepTask, costs: Costs, widths: list[float]) -> None:
    short = _shortened(task)
    with one_thread():
        play_tasks([_shortened(task, 1)])  # what is built once and kept is not counted
        begun = perf_counter()
        table = play_tasks([short])[0]
    costs.learn([short], perf_counter() - begun)
    widths.append(table.estimated_size() / len(table))


def _shortened(task: SweepTask, rounds: int = ROUNDS) -> SweepTask:
    document = json.loads(task.document)
    rounds = min(rounds, task.rounds)
    return SweepTask(canonical(document | {"rounds": rounds}), rounds, task.family)


def _rows(task: SweepTask) -> int:
    keep = json.loads(task.document)["keep"]
    return {"summary": 1, "curves": min(POINTS, task.rounds), "rounds": task.rounds}[keep]
