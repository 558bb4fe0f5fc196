"""Small sweeps, played in the process of the tests, and tasks that misbehave."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import polars as pl

from firstmover.runs import ExperimentSpec, Plan, Progress, SpecTask, plan_of, run_sweep


def document(**changes: Any) -> dict[str, Any]:
    """A sweep of 12 short tasks."""
    learners = [{"name": "stackelucb", "confidence_width": [0.5, 2.0]}, "hedge"]
    fields = {"games": ["shore"], "opponents": ["random"], "learners": learners, "horizons": [5, 8], "seeds": 2}
    return {name: value for name, value in (fields | changes).items() if value is not None}


def plan(**changes: Any) -> Plan:
    return plan_of(ExperimentSpec.read(document(**changes)))


def run(folder: Path, changes: dict[str, Any] | None = None, **options: Any) -> Progress:
    return run_sweep(plan(**changes or {}), folder, **{"workers": 1} | options)


def serial(mine: Plan) -> dict[str, pl.DataFrame]:
    """The result of every task when it is played alone."""
    return {key: task.kept(task.play()) for key, task in zip(mine.keys, mine.tasks, strict=True)}


@contextmanager
def playing(failing: str | None = None) -> Iterator[list[str]]:
    """Documents of the tasks that are played; those with a text in their document raise an error."""
    played: list[str] = []
    play = SpecTask.play

    def noting(task: SpecTask) -> pl.DataFrame:
        if failing is not None and failing in task.document:
            raise ZeroDivisionError("hedged")
        played.append(task.document)
        return play(task)

    with patch.object(SpecTask, "play", noting):
        yield played


@dataclass(frozen=True)
class Deadly(SpecTask):
    """Kills the process that plays it, so many times, counted in a file."""

    counter: str = ""
    times: int = 10**9

    def play(self) -> pl.DataFrame:
        path = Path(self.counter)
        count = path.stat().st_size
        if count < self.times:
            with path.open("ab") as file:
                file.write(b"x")
            os.kill(os.getpid(), signal.SIGKILL)
        return super().play()


def with_deadly(mine: Plan, position: int, counter: Path, times: int = 10**9) -> Plan:
    """The plan with one task that kills its worker."""
    counter.touch()
    task = mine.tasks[position]
    fields = {name: getattr(task, name) for name in task.__dataclass_fields__}
    tasks = list(mine.tasks)
    tasks[position] = Deadly(**fields, counter=str(counter), times=times)
    return replace(mine, tasks=tuple(tasks))
