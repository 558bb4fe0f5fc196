"""What a task costs that does nothing: a sweep beside plain multiprocessing, in one run on one machine.

    python benchmarks/sweep_overhead.py [TASKS] [WORKERS] [--engine local]

Workers are started and have done a few tasks before the clock runs, on both sides. A null task of the sweep leaves a
row in a Parquet file and a line in its manifest, written, flushed to the disk and renamed; one of multiprocessing
returns a number and leaves nothing. Prints milliseconds a task, the median of five rounds.
"""

import argparse
import multiprocessing
import os
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import polars as pl
from firstmover.runs.sweeps import ENGINES, Engine, Plan, run_sweep
from firstmover.runs.sweeps.tasks import SweepTask

ROUNDS = 5


def null(tasks: Sequence[SweepTask]) -> list[pl.DataFrame]:
    """What is kept of runs that did nothing."""
    return [pl.DataFrame({"t": [1], "cumulative_regret": [0.0]})] * len(tasks)


def nothing(number: int) -> int:
    """A task of plain multiprocessing."""
    return number


class Lasting:
    """An engine that outlives several sweeps."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.workers, self.capacity = engine.workers, engine.capacity
        self.submit, self.finished = engine.submit, engine.finished

    def close(self, at_once: bool = False) -> None:
        """Leave it to whoever started it."""


def plan(tasks: int, name: str) -> Plan:
    """So many null tasks, other ones for every name."""
    axes = [{"learner": "null", "variant": "null", "seed": i} for i in range(tasks)]
    documents = [f'{{"null":"{name}","seed":{i}}}' for i in range(tasks)]
    return Plan(name, "summary", tuple(SweepTask(document, 1, "null") for document in documents), tuple(axes))


def sweep_ms(engine: Engine, tasks: int, folder: Path) -> float:
    """Milliseconds a null task of a sweep."""
    mine = plan(tasks, folder.name)
    started = perf_counter()
    done = run_sweep(mine, folder, Lasting(engine), document={}, play=null).done
    assert done == tasks
    return (perf_counter() - started) / tasks * 1e3


def pool_ms(pool: "multiprocessing.pool.Pool", tasks: int) -> float:
    """Milliseconds a null task of plain multiprocessing, one at a time as they come."""
    started = perf_counter()
    assert sum(1 for _ in pool.imap_unordered(nothing, range(tasks))) == tasks
    return (perf_counter() - started) / tasks * 1e3


def main() -> None:
    """Measure both, in turn."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tasks", nargs="?", type=int, default=1000)
    parser.add_argument("workers", nargs="?", type=int, default=2)
    parser.add_argument("--engine", default="local")
    parser.add_argument("--address", default=None)
    options = parser.parse_args()
    engine = ENGINES[options.engine].start(options.workers, options.address)
    sweeps, pools = [], []
    with TemporaryDirectory() as place, multiprocessing.get_context("spawn").Pool(options.workers) as pool:
        pool_ms(pool, 10)
        sweep_ms(engine, 10, Path(place) / "warm")
        for number in range(ROUNDS):
            pools.append(pool_ms(pool, options.tasks))
            sweeps.append(sweep_ms(engine, options.tasks, Path(place) / f"{number}"))
    engine.close()
    over = median(sweep - pool for sweep, pool in zip(sweeps, pools, strict=True))
    print(f"{options.tasks} null tasks, {options.workers} workers, engine {options.engine}")
    print(f"sweep            {median(sweeps):.3f} ms a task ({min(sweeps):.3f} to {max(sweeps):.3f})")
    print(f"multiprocessing  {median(pools):.3f} ms a task ({min(pools):.3f} to {max(pools):.3f})")
    print(f"overhead         {over:.3f} ms a task")
    print(f"load average     {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
