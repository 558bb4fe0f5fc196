"""A sweep on a cluster whose driver and workers are killed at random moments, and what came of it."""

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import polars as pl
from firstmover.runs.sweeps.playing import play_tasks
from firstmover.runs.sweeps.store import RESULTS, ledger

from tests.runs.on_ray.processes import descendants
from tests.runs.on_ray.sweeping import plan

PATIENCE = 300.0


@dataclass
class Story:
    """How often tasks were begun and ended, and whether all results are those of a serial run."""

    begun: Counter
    ended: Counter
    identical: bool

    @staticmethod
    def twice(counts):
        """Executions beyond the first of each task."""
        return sum(counts.values()) - len(counts)


class Sweep:
    """A driver in a process of its own, started again after each of its deaths."""

    def __init__(self, folder, head, count):
        self._folder, self._head, self._count = folder, head, count
        self._diary = folder.with_suffix(".diary")
        self._diary.touch()

    def start(self):
        command = [sys.executable, "-m", "tests.runs.on_ray.sweeping", self._folder, self._head.address, self._count]
        self.driver = subprocess.Popen(
            [str(word) for word in command], env=self._head.env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )

    def lines(self):
        return [line.split() for line in self._diary.read_text().splitlines()]

    def until(self, ends):
        """Wait until so many executions have ended, or the driver has."""
        limit = time.monotonic() + PATIENCE
        while sum(what == "ends" for what, _, _ in self.lines()) < ends and self.driver.poll() is None:
            assert time.monotonic() < limit, "the sweep does not move"
            time.sleep(0.01)

    def kill_driver(self):
        self.driver.kill()
        self.driver.wait()
        self.start()

    def kill_worker(self):
        """The worker that began a task last, if it is one of our cluster's still."""
        pid = int(self.lines()[-1][2])
        if pid in descendants(self._head.pid):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def story(self):
        assert self.driver.wait(PATIENCE) == 0
        counts = {what: Counter(key for said, key, _ in self.lines() if said == what) for what in ("begins", "ends")}
        tasks = plan(self._count).tasks
        held = ledger(self._folder)
        stored = pl.concat([pl.read_parquet(path) for path in (self._folder / RESULTS).glob("*.parquet")])
        serial = zip(tasks, play_tasks_one_by_one(tasks), strict=True)
        whole = set(held) == {task.key for task in tasks} and not any(entry.error for entry in held.values())
        same = all(stored.filter(key=task.key).drop("key").equals(table) for task, table in serial)
        return Story(counts["begins"], counts["ends"], whole and same)


def play_tasks_one_by_one(tasks):
    """The results of a serial run."""
    return [play_tasks([task])[0] for task in tasks]


def killed_sweep(folder, head, *, count, drivers, workers, seed):
    """A sweep of so many tasks whose driver and workers are killed at random moments of it."""
    rng = np.random.default_rng(seed)
    moments = np.sort(rng.integers(1, count - 4, size=drivers + workers))
    sweep = Sweep(folder, head, count)
    sweep.start()
    for moment, kill in zip(moments, rng.permutation(["driver"] * drivers + ["worker"] * workers), strict=True):
        sweep.until(moment)
        time.sleep(rng.uniform(0, 0.05))
        sweep.kill_driver() if kill == "driver" else sweep.kill_worker()
    return sweep.story()
