"""What travels to a worker and what comes back: a batch of tasks, and how many of them were done."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import polars as pl

from firstmover.runs.sweeps.tasks import SweepTask

Player = Callable[[Sequence[SweepTask]], list[pl.DataFrame]]
"""Plays tasks and gives what is kept of each, a table for each; a function of a module, so that it can travel."""


@dataclass(frozen=True)
class Batch:
    """Tasks that one worker carries out together, and the folder where it stores what they came to."""

    folder: str
    tasks: tuple[SweepTask, ...]
    play: Player


@dataclass(frozen=True)
class Outcome:
    """What became of a batch: tasks done, what the others raised, time played; all is on the disk when it is told."""

    done: int
    errors: tuple[str, ...]
    seconds: float
