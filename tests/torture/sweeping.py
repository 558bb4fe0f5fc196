"""A sweep whose driver and workers are killed: run as a script, it is the driver."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from firstmover.runs import ExperimentSpec, Plan, SpecTask, plan_of, run_sweep
from tests.runs.processes import descendants

JOURNAL = "SWEEP_JOURNAL"
ROOT = Path(__file__).parents[2]
ROUNDS, WORKERS = 240, 2


@dataclass(frozen=True)
class Noted(SpecTask):
    """Played after a line in a journal outside the folder of the sweep."""

    def play(self) -> pl.DataFrame:
        handle = os.open(os.environ[JOURNAL], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        os.write(handle, f"{self.label.replace(' ', '-')}/{self.seed}\n".encode())
        os.close(handle)
        return super().play()


def plan(tasks: int) -> Plan:
    """So many tasks of some 50 ms."""
    learners = [{"name": "stackelucb", "confidence_width": [0.5, 1.0, 2.0, 4.0]}]
    fields = {"games": ["shore"], "learners": learners, "horizons": [ROUNDS], "seeds": tasks // 4, "keep": "rounds"}
    return plan_of(ExperimentSpec.read(fields))


def noted(mine: Plan) -> Plan:
    """The plan whose tasks write to the journal."""
    fields = SpecTask.__dataclass_fields__
    return replace(mine, tasks=tuple(Noted(**{f: getattr(task, f) for f in fields}) for task in mine.tasks))


def workers_of(driver: int) -> list[int]:
    """The processes that a driver started and that play tasks."""
    return [pid for pid in descendants(driver) if pid != driver and _is_worker(pid)]


def _is_worker(pid: int) -> bool:
    try:
        return b"popen_loky" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


class Killer:
    """Starts drivers of one sweep and kills them, or one of their workers, at moments that a seed decides."""

    def __init__(self, folder: Path, tasks: int, seed: int) -> None:
        self.folder, self._tasks = folder / "sweep", tasks
        self._journal, self._rng = folder / "journal.txt", random.Random(seed)
        self._journal.touch()
        self._seen: set[int] = set()
        self._driver = self._start()

    def _start(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "tests.torture.sweeping", str(self.folder), str(self._tasks)]
        paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
        environment = os.environ | {JOURNAL: str(self._journal), "PYTHONPATH": paths}
        return subprocess.Popen(command, cwd=ROOT, env=environment)

    def played(self) -> Counter[str]:
        """How often each task was begun."""
        return Counter(self._journal.read_text().split())

    def go(self, drivers: int, workers: int) -> None:
        """Kill so many of each, in a random order and at random moments, then let the sweep end."""
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
        """Workers of killed drivers that are still there two seconds later."""
        time.sleep(2)
        return [pid for pid in self._seen if _is_worker(pid)]

    def _wait(self, moment: int) -> None:
        while len(self.played()) < moment:
            assert self._driver.poll() is None
            time.sleep(0.02)

    def _kill_worker(self) -> None:
        while not (found := workers_of(self._driver.pid)):
            assert self._driver.poll() is None
            time.sleep(0.02)
        os.kill(self._rng.choice(found), signal.SIGKILL)


if __name__ == "__main__":
    run_sweep(noted(plan(int(sys.argv[2]))), Path(sys.argv[1]), workers=WORKERS)
