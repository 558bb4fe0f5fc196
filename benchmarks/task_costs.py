"""What a task of a sweep costs, part by part, in CPU time: playing, storing, and the driver's share on each engine.

    python benchmarks/task_costs.py [ENGINE ...]

These are the numbers that benchmarks/scale_simulation.py starts from.
"""

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from firstmover.runs.sweeps import ENGINES, SweepSpec, plan_of, run_sweep
from firstmover.runs.sweeps.playing import play_tasks
from firstmover.runs.sweeps.store import Record, ledger, save_batch
from sweep_overhead import Lasting, null
from sweep_overhead import plan as null_plan

from firstmover.core.numerics import one_thread

COMMON = {"horizons": [100], "seeds": 20, "keep": "curves"}
PAPER = (
    {"games": ["routing"], "learners": ["stackelucb", "hedge", "exp3"], **COMMON},
    {"games": ["wildlife"], "opponents": ["single"], "learners": ["single-type", "gp-ucb"], **COMMON},
)
"""The games and learners of the paper."""


def cpu(action: Callable[[], object]) -> tuple[float, float]:
    """CPU and wall seconds."""
    cpu_begun, begun = time.process_time(), time.perf_counter()
    action()
    return time.process_time() - cpu_begun, time.perf_counter() - begun


def playing() -> None:
    """Runs of 100 rounds, alone and twenty together, by game and learner."""
    for spec in PAPER:
        plan = plan_of(SweepSpec.read(spec))
        for learner in spec["learners"]:
            tasks = [task for task, row in zip(plan.tasks, plan.rows, strict=True) if row["learner"] == learner]
            with one_thread():
                play_tasks(tasks[:1])  # what is built once is not counted
                alone = cpu(lambda t=tasks: play_tasks(t[:1]))[0]
                together = cpu(lambda t=tasks: play_tasks(t))[0] / len(tasks) if tasks[0].group else alone
            print(
                f"playing  {learner:12} {1000 * alone:7.1f} ms alone, {1000 * together:7.1f} ms of twenty", flush=True
            )


def storing() -> None:
    """Batches of one and of a hundred, and reading the ledger of them all again."""
    for size in (1, 100):
        with tempfile.TemporaryDirectory() as folder:
            tasks = null_plan(50 * size, "storing").tasks
            batches = [[Record(t, 0.0, null([t])[0]) for t in tasks[i : i + size]] for i in range(0, len(tasks), size)]
            spent, wall = cpu(lambda b=batches, f=folder: [save_batch(Path(f), records) for records in b])
            read = cpu(lambda f=folder: ledger(Path(f)))[0] / len(tasks)
            print(f"storing  {size:3} task(s) {1000 * spent / 50:6.2f} ms CPU, {1000 * wall / 50:6.2f} ms wall a batch")
            print(f"ledger   {size:3} task(s) {1e6 * read:6.1f} µs a task")


def driving(name: str, count: int = 1000) -> None:
    """The driver's CPU a task, in batches as a sweep forms them."""
    engine = ENGINES[name].start(2, None)
    try:
        for size in (40, count):
            with tempfile.TemporaryDirectory() as folder:
                plan, kept, out = null_plan(size, str(size)), Lasting(engine), Path(folder) / "sweep"
                spent, _ = cpu(lambda p=plan, k=kept, o=out: run_sweep(p, o, k, document={}, play=null))
                batches = len(list((out / "results").glob("*.json")))
        print(f"driver   {name:6} {1e6 * spent / count:6.1f} µs CPU a task, {1000 * spent / batches:.2f} ms a batch")
    finally:
        engine.close()


if __name__ == "__main__":
    storing()
    for chosen in sys.argv[1:] or list(ENGINES):
        driving(chosen)
    playing()
