"""Kills of drivers and workers at random moments: everything completes with the results of a serial run."""

from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from firstmover.runs.pool import most_in_flight
from firstmover.runs.store import ledger, read_results
from firstmover.runs.sweep import SECONDS
from tests.runs.small import serial
from tests.torture.sizes import sizes
from tests.torture.sweeping import ROUNDS, WORKERS, Killer, plan

PROMISE = "sweeps under kills"


def check(killer: Killer, tasks: int) -> None:
    """All tasks have the result of playing them alone."""
    held = ledger(killer.folder)
    found = pl.concat(read_results(held)).partition_by("key", as_dict=True, include_key=False)
    for key, table in serial(plan(tasks)).items():
        assert held[key].error is None
        assert found[(key,)].equals(table)
    assert len(held) == tasks


def most_repeated(killer: Killer, drivers: int, workers: int) -> int:
    """A kill costs the tasks in flight; that of a driver also the results of SECONDS of play, not stored yet."""
    shortest = min(entry.seconds for entry in ledger(killer.folder).values())
    return (drivers + workers) * most_in_flight(WORKERS, ROUNDS) + drivers * (1 + int(SECONDS / shortest))


@pytest.mark.parametrize(("part", "tasks", "drivers", "workers"), sizes("sweeps"))
def test_a_sweep_survives_kills(  # noqa: PLR0917 - what a fixture gives, and the size
    part: int, tasks: int, drivers: int, workers: int, tmp_path: Path, reached: Callable[[str], None]
) -> None:
    killer = Killer(tmp_path, tasks, seed=part)
    killer.go(drivers, workers)
    check(killer, tasks)
    again = sum(killer.played().values()) - tasks
    most = most_repeated(killer, drivers, workers)
    assert again <= most
    assert killer.survivors() == []
    kills = f"{drivers} drivers and {workers} workers killed"
    reached(f"{tasks} tasks, {kills}, {again} of at most {most} begun again, 0 differ")
