"""Kills of drivers and workers at random moments: everything completes with the results of a serial run."""

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from firstmover.runs.store import ledger, read_results
from tests.runs.small import serial
from tests.torture.children import parts
from tests.torture.sweeping import Killer, plan

PROMISE = "sweeps under kills"

IN_FLIGHT = 20
"""Tasks that a kill may cost: four that were sent to workers, and results that a busy driver has not stored yet."""


def check(killer: Killer, tasks: int) -> None:
    """All tasks have the result of playing them alone."""
    held = ledger(killer.folder)
    found = pl.concat(read_results(held)).partition_by("key", as_dict=True, include_key=False)
    for key, table in serial(plan(tasks)).items():
        assert held[key].error is None
        assert found[(key,)].equals(table)
    assert len(held) == tasks


@pytest.mark.parametrize(("part", "tasks", "drivers", "workers"), parts((60, 1, 1), (200, 5, 5), 10))
def test_a_sweep_survives_kills(  # noqa: PLR0917 - what a fixture gives, and the size
    part: int, tasks: int, drivers: int, workers: int, tmp_path: Path, reached: Callable[[str], None]
) -> None:
    killer = Killer(tmp_path, tasks, seed=part)
    killer.go(drivers, workers)
    check(killer, tasks)
    again = sum(killer.played().values()) - tasks
    assert again <= IN_FLIGHT * (drivers + workers)
    assert killer.survivors() == []
    reached(f"{tasks} tasks, {drivers} drivers and {workers} workers killed, {again} begun twice, 0 differ")
