"""Kills of drivers and workers at random moments: everything completes, nothing changes, little is done twice."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import polars as pl
import pytest

from firstmover.runs.sweeps.playing import play_tasks
from firstmover.runs.sweeps.store import ledger, read_results
from tests.torture.children import parts
from tests.torture.sweeping import Killer, plan

PROMISE = "sweeps under kills"


@cache
def serial(tasks: int) -> dict[str, pl.DataFrame]:
    """What every task gives when it is played alone, here."""
    return {task.key: play_tasks([task])[0] for task in plan(tasks).tasks}


def check(killer: Killer, tasks: int) -> int:
    """All tasks have the result of playing them alone; how many were begun a second time, 5 % at most."""
    held = ledger(killer.folder)
    found = pl.concat(read_results(killer.folder, held)).partition_by("key", as_dict=True, include_key=False)
    for key, table in serial(tasks).items():
        assert held[key].error is None
        assert found[(key,)].equals(table)
    assert len(held) == tasks
    again = sum(killer.played().values()) - tasks
    assert again <= 0.05 * tasks, f"{again} of {tasks} tasks were begun again"
    return again


@pytest.mark.parametrize(("part", "tasks", "drivers", "workers"), parts((80, 1, 2), (200, 5, 4), 10))
def test_a_sweep_survives_kills(  # noqa: PLR0917 - what a fixture gives, and the size
    part: int, tasks: int, drivers: int, workers: int, tmp_path: Path, reached: Callable[[str], None]
) -> None:
    killer = Killer(tmp_path, tasks, ("local",), seed=part)
    killer.go(drivers, workers)
    again = check(killer, tasks)
    assert killer.survivors() == []
    reached(f"{tasks} tasks, {drivers} drivers and {workers} workers killed, {again} begun twice, 0 differ")
