"""Cost of a task that does nothing: a sweep beside plain multiprocessing, in one run on one machine.

    python benchmarks/sweep_overhead.py [TASKS] [WORKERS]

Workers are started and have done a few tasks before the clock runs, on both sides. A null task of the sweep leaves a
row in a Parquet file and a line in its list, written, flushed to the disk and renamed; one of multiprocessing returns a
number and leaves nothing. Prints milliseconds per task, the median of five rounds.
"""

import argparse
import multiprocessing
import os
from dataclasses import dataclass
from multiprocessing.pool import Pool
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import polars as pl

from firstmover.runs import ExperimentSpec, Plan, SpecTask, run_sweep

ROUNDS = 5
SPEC = ExperimentSpec.read({"games": ["shore"], "learners": ["exp3"], "horizons": [1], "seeds": 1, "keep": "summary"})


@dataclass(frozen=True)
class NullTask(SpecTask):
    """A task that does nothing."""

    def play(self) -> pl.DataFrame:
        """Return one row."""
        return pl.DataFrame({"t": [1], "cumulative_regret": [0.0], "cumulative_reward": [0.0], "entropy": [0.0]})

    def kept(self, table: pl.DataFrame) -> pl.DataFrame:
        """Keep it."""
        return table


def nothing(number: int) -> int:
    """A task of plain multiprocessing."""
    return number


def plan(tasks: int, name: str) -> Plan:
    """So many null tasks, with keys of their own for every name."""
    place = {"learner": "null", "variant": "null", "game": "null", "opponent": "", "horizon": 1}
    rows = tuple(place | {"seed": i} for i in range(tasks))
    keys = tuple(f"{name}-{i}" for i in range(tasks))
    return Plan(
        SPEC, tuple(NullTask(f'{{"n":{i},"of":"{name}"}}', "null", i, 1, "null") for i in range(tasks)), keys, rows
    )


def sweep_ms(tasks: int, workers: int, folder: Path) -> float:
    """Milliseconds per null task of a sweep."""
    mine = plan(tasks, folder.name)
    started = perf_counter()
    assert run_sweep(mine, folder, workers).done == tasks
    return (perf_counter() - started) / tasks * 1e3


def pool_ms(pool: Pool, tasks: int) -> float:
    """Milliseconds per null task of plain multiprocessing, one at a time."""
    started = perf_counter()
    assert sum(1 for _ in pool.imap_unordered(nothing, range(tasks))) == tasks
    return (perf_counter() - started) / tasks * 1e3


def main() -> None:
    """Measure both, in turn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="?", type=int, default=1000)
    parser.add_argument("workers", nargs="?", type=int, default=2)
    options = parser.parse_args()
    sweeps, pools = [], []
    with TemporaryDirectory() as place, multiprocessing.get_context("spawn").Pool(options.workers) as pool:
        pool_ms(pool, 10)
        sweep_ms(10, options.workers, Path(place) / "warm")
        for number in range(ROUNDS):
            pools.append(pool_ms(pool, options.tasks))
            sweeps.append(sweep_ms(options.tasks, options.workers, Path(place) / f"{number}"))
    over = median(sweep - pool for sweep, pool in zip(sweeps, pools, strict=True))
    print(f"{options.tasks} null tasks, {options.workers} workers")
    print(f"sweep            {median(sweeps):.3f} ms per task ({min(sweeps):.3f} to {max(sweeps):.3f})")
    print(f"multiprocessing  {median(pools):.3f} ms per task ({min(pools):.3f} to {max(pools):.3f})")
    print(f"overhead         {over:.3f} ms per task")
    print(f"load average     {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
