"""What a sweep costs beside playing: 1,000 tasks that do nothing, with each engine and with plain multiprocessing.

    python benchmarks/sweep_overhead.py [TASKS] [ENGINE ...]

Workers are warm: a short sweep goes before. A task's cost is the wall time of the whole sweep, from the specification
in memory to results on the disk, divided by the number of tasks; multiprocessing stores nothing.
"""

import sys
import tempfile
import time
from collections.abc import Sequence
from multiprocessing import get_context
from multiprocessing.pool import Pool
from pathlib import Path
from typing import Any

import polars as pl

from firstmover.sweeps import ENGINES, run_sweep
from firstmover.sweeps.engines import Engine
from firstmover.sweeps.grid import Plan
from firstmover.sweeps.tasks import SweepTask, canonical

REPEATS = 5
NOTHING = pl.DataFrame({"t": [1], "cumulative_regret": [0.0]})


def play_nothing(tasks: Sequence[SweepTask]) -> list[pl.DataFrame]:
    """One row for each task."""
    return [NOTHING.clone() for _ in tasks]


def null_plan(count: int, name: str) -> Plan:
    """So many tasks of one family."""
    rows = tuple({"learner": name, "seed": seed} for seed in range(count))
    return Plan("null", "summary", tuple(SweepTask(canonical(row), 1, name) for row in rows), rows)


class Kept:
    """An engine that sweeps leave running."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __getattr__(self, name: str) -> Any:
        return getattr(self._engine, name)

    def close(self, at_once: bool = False) -> None:
        """Not yet."""


def sweep_seconds(engine: Engine, count: int, name: str) -> float:
    """Wall time of a sweep, into a new folder."""
    with tempfile.TemporaryDirectory() as folder:
        plan = null_plan(count, name)
        begun = time.perf_counter()
        progress = run_sweep(plan, Path(folder) / "sweep", Kept(engine), document={}, play=play_nothing)
        seconds = time.perf_counter() - begun
        assert progress.done == count
        return seconds


def pool_seconds(pool: Pool, count: int, name: str) -> float:
    """Wall time of the same tasks handed to a pool, one by one."""
    tasks = [(task,) for task in null_plan(count, name).tasks]
    begun = time.perf_counter()
    pool.map(play_nothing, tasks, chunksize=1)
    return time.perf_counter() - begun


def main(count: int, names: Sequence[str]) -> None:
    """Measure in turn, so that all meet the same machine, and print the best and the median of each."""
    seconds: dict[str, list[float]] = {name: [] for name in (*names, "multiprocessing")}
    engines = {name: ENGINES[name].start(2, None) for name in names}
    try:
        with get_context("spawn").Pool(2) as pool:
            for repeat in range(REPEATS + 1):
                size = count if repeat else 40  # the first wakes the workers
                for name, engine in engines.items():
                    seconds[name].append(sweep_seconds(engine, size, f"{name} {repeat}"))
                seconds["multiprocessing"].append(pool_seconds(pool, size, str(repeat)))
    finally:
        for engine in engines.values():
            engine.close()
    for name, taken in seconds.items():
        each = sorted(1000 * wall / count for wall in taken[1:])
        print(f"{name:16} {each[0]:.3f} ms a task at best, {each[REPEATS // 2]:.3f} ms in the median of {REPEATS}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000, sys.argv[2:] or list(ENGINES))
