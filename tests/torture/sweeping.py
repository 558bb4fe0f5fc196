"""A sweep whose driver and workers are killed: run as a script, it is the driver."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import polars as pl

from firstmover.runs.sweeps import ENGINES, Plan, SweepSpec, plan_of, run_sweep
from firstmover.runs.sweeps.playing import play_tasks
from firstmover.runs.sweeps.tasks import SweepTask

JOURNAL = "SWEEP_JOURNAL"
ROOT = Path(__file__).parents[2]


def document(tasks: int) -> dict[str, Any]:
    """So many tasks of some 50 ms."""
    learners = [{"name": "stackelucb", "confidence_width": [0.5, 1.0, 2.0, 4.0]}]
    return {"games": ["shore"], "learners": learners, "horizons": [60], "seeds": tasks // 4, "keep": "rounds"}


def plan(tasks: int) -> Plan:
    return plan_of(SweepSpec.read(document(tasks)))


def play_and_tell(tasks: Sequence[SweepTask]) -> list[pl.DataFrame]:
    """Play, after a line for each task in a journal outside the sweep's folder."""
    handle = os.open(os.environ[JOURNAL], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    os.write(handle, "".join(f"{task.key}\n" for task in tasks).encode())
    os.close(handle)
    return play_tasks(tasks)


def workers_of(driver: int) -> list[int]:
    """The processes that a driver started and that carry out batches."""
    children = Path(f"/proc/{driver}/task/{driver}/children")
    try:
        found = [int(child) for thread in children.parent.parent.iterdir() for child in _children(thread)]
    except OSError:
        return []
    return [pid for pid in found if _is_worker(pid)]


def _is_worker(pid: int) -> bool:
    try:
        return b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def _children(thread: Path) -> list[str]:
    return (thread / "children").read_text().split()


class Killer:
    """Starts drivers of one sweep and kills them, or one of their workers, at moments that a seed decides."""

    def __init__(self, folder: Path, tasks: int, engine: tuple[str, ...], seed: int) -> None:
        self.folder, self._tasks, self._engine = folder / "sweep", tasks, engine
        self._journal, self._rng = folder / "journal.txt", random.Random(seed)
        self._journal.touch()
        self._seen: set[int] = set()
        self._driver = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "tests.torture.sweeping", str(self.folder), str(self._tasks), *self._engine]
        paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        environment = os.environ | {JOURNAL: str(self._journal), "PYTHONPATH": paths}
        return subprocess.Popen(command, cwd=ROOT, env=environment)

    def played(self) -> Counter[str]:
        """How often each task was begun."""
        return Counter(self._journal.read_text().split())

    def go(self, drivers: int, workers: int) -> None:
        """Kill so many of each, in an order and at moments that chance decides, then let the sweep end."""
        kills = ["driver"] * drivers + ["worker"] * workers
        self._rng.shuffle(kills)
        moments = sorted(self._rng.sample(range(2, int(0.9 * self._tasks)), len(kills)))
        for kill, moment in zip(kills, moments, strict=True):
            self._wait(moment)
            time.sleep(self._rng.random() * 0.05)
            if kill == "driver":
                self._seen.update(workers_of(self._driver.pid))
                self._driver.kill()
                assert self._driver.wait() == -signal.SIGKILL
                self._driver = self._start()
            else:
                self._kill_worker()
        assert self._driver.wait(timeout=600) == 0

    def survivors(self) -> list[int]:
        """Workers of killed drivers that are still there."""
        return [pid for pid in self._seen if _is_worker(pid)]

    def _wait(self, moment: int) -> None:
        while len(self.played()) < moment:
            assert self._driver.poll() is None
            time.sleep(0.02)

    def _kill_worker(self) -> None:
        while not (found := workers_of(self._driver.pid)):
            time.sleep(0.02)
        os.kill(self._rng.choice(found), signal.SIGKILL)


def drive(folder: str, tasks: str, engine: str = "local", address: str | None = None) -> None:
    """Run the sweep with two workers."""
    started = ENGINES[engine].start(2, address)
    run_sweep(plan(int(tasks)), Path(folder), started, document=document(int(tasks)), play=play_and_tell)


if __name__ == "__main__":
    drive(*sys.argv[1:])
