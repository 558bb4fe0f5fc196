"""A sweep of short tasks that write down when they begin and end, and a driver of it in a process of its own."""

import os
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

from firstmover.runs.sweeps import ENGINES, SweepSpec, plan_of, run_sweep
from firstmover.runs.sweeps.playing import play_tasks

SECONDS = 0.04
"""What a task takes beside its playing: long enough that kills fall into the middle of one."""


def document(count):
    """A specification of so many tasks, an even number."""
    return {"games": ["shore"], "learners": ["exp3", "hedge"], "horizons": [20], "seeds": count // 2, "keep": "curves"}


def plan(count):
    """Its tasks, each to be played alone."""
    whole = plan_of(SweepSpec.read(document(count)))
    return replace(whole, tasks=tuple(replace(task, group=None) for task in whole.tasks))


def play(tasks, diary):
    """Play, and note in a file the beginning and the end of each task."""
    note(diary, "begins", tasks)
    time.sleep(SECONDS * len(tasks))
    tables = play_tasks(tasks)
    note(diary, "ends", tasks)
    return tables


def note(diary, what, tasks):
    """Lines that are written by one call, so that they stay whole."""
    with Path(diary).open("a") as file:
        file.write("".join(f"{what} {task.key} {os.getpid()}\n" for task in tasks))


if __name__ == "__main__":
    folder, address, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    noted = partial(play, diary=str(folder.with_suffix(".diary")))
    run_sweep(plan(count), folder, ENGINES["ray"].start(None, address), document=document(count), play=noted)
