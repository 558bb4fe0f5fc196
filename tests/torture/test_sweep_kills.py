"""Kills of drivers and workers at random moments: everything completes, nothing changes, little is done twice."""

from functools import cache
from pathlib import Path

import polars as pl
import pytest

from firstmover.sweeps.playing import play_tasks
from firstmover.sweeps.store import ledger, read_results
from tests.torture.sweeping import Killer, plan


@cache
def serial(tasks: int) -> dict[str, pl.DataFrame]:
    """What every task gives when it is played alone, here."""
    return {task.key: play_tasks([task])[0] for task in plan(tasks).tasks}


def check(killer: Killer, tasks: int) -> None:
    """All tasks have the result of playing them alone, and at most 5 % were begun a second time."""
    held = ledger(killer.folder)
    found = pl.concat(read_results(killer.folder, held)).partition_by("key", as_dict=True, include_key=False)
    for key, table in serial(tasks).items():
        assert held[key].error is None
        assert found[(key,)].equals(table)
    assert len(held) == tasks
    again = sum(killer.played().values()) - tasks
    assert again <= 0.05 * tasks, f"{again} of {tasks} tasks were begun again"


@pytest.mark.parametrize(
    ("tasks", "drivers", "workers", "repetition"),
    [(80, 1, 2, 0), *(pytest.param(200, 5, 4, repetition, marks=pytest.mark.slow) for repetition in range(10))],
)
def test_a_sweep_survives_kills(tasks: int, drivers: int, workers: int, repetition: int, tmp_path: Path) -> None:
    killer = Killer(tmp_path, tasks, ("local",), seed=repetition)
    killer.go(drivers, workers)
    check(killer, tasks)
    assert killer.survivors() == []
