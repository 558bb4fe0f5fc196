"""How the runs of a sweep are played, and what is kept of each."""

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from firstmover.runs.play_tasks import SpecTask
from firstmover.runs.sweeps.grid import experiment_of
from firstmover.runs.sweeps.tasks import SweepTask

POINTS = 200
"""Rounds of a run, evenly spread, that are kept of a curve; the last one always."""

CURVE = ("t", "cumulative_regret", "cumulative_reward", "entropy")
"""What is kept of a round in any case."""


def play_tasks(tasks: Sequence[SweepTask]) -> list[pl.DataFrame]:
    """What is kept of each task; several tasks differ in their seed alone, and are played together."""
    documents: list[dict[str, Any]] = [json.loads(task.document) for task in tasks]
    first, seeds = documents[0], [document["seed"] for document in documents]
    spec = experiment_of(first, seeds)
    tables = SpecTask(spec, spec.learners[0], seeds[0]).play_seeds(seeds)
    return [kept(table, first["keep"]) for table in tables]


def kept(table: pl.DataFrame, keep: str) -> pl.DataFrame:
    """The rounds of a run that are kept: the last, some, or all with everything known of them.

    >>> table = pl.DataFrame({"learner": "a", "seed": 1, "t": [1, 2], "cumulative_regret": [0.5, 0.7],
    ...                       "reward": [1.0, 2.0], "entropy": 0.0})
    >>> kept(table, "summary").row(0)
    (2, 0.7, 3.0, 0.0)
    """
    table = table.with_columns(cumulative_reward=pl.col("reward").cum_sum())
    if keep == "rounds":
        return table.drop("learner", "seed")
    points = 1 if keep == "summary" else min(POINTS, len(table))
    rounds = np.linspace(0, len(table) - 1, points).round().astype(int) if points > 1 else [len(table) - 1]
    return table.select(CURVE)[rounds]
