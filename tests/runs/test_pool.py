import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from threadpoolctl import threadpool_info

from firstmover.core.errors import InvalidInput
from firstmover.runs import run_tasks
from firstmover.runs.engines import ENGINES, Workers
from firstmover.runs.pool import ROUNDS_WORTH_A_PROCESS, Clock, carry_out, most_in_flight, play_task, worthwhile
from tests.runs.processes import descendants, listening

ROOT = Path(__file__).parents[2]


@dataclass(frozen=True)
class Telling:
    """A task whose table describes the process that plays it."""

    seed: int
    label: str = "telling"
    rounds: int = 1

    def play(self) -> pl.DataFrame:
        time.sleep(0.3)  # so that both workers are used
        threads = max(pool["num_threads"] for pool in threadpool_info())
        return pl.DataFrame({"pid": [os.getpid()], "threads": [threads], "omp": [os.environ["OMP_NUM_THREADS"]]})


@dataclass(frozen=True)
class Quick(Telling):
    """A task that takes no time."""

    def play(self) -> pl.DataFrame:
        return pl.DataFrame({"seed": [self.seed]})


def test_workers_have_one_thread_and_listen_to_nobody() -> None:
    table = pl.concat(table for _, table in run_tasks([Telling(i) for i in range(4)], workers=2))
    assert table["threads"].to_list() == [1] * 4
    assert set(table["omp"]) == {"1"}
    assert table["pid"].n_unique() == 2
    processes = descendants(os.getpid())
    assert set(table["pid"]) < processes
    assert [address for address in listening(processes) if not address.is_loopback] == []


def test_a_listener_on_every_address_would_be_noticed() -> None:
    with socket.socket() as everywhere:
        everywhere.bind(("0.0.0.0", 0))
        everywhere.listen()
        assert not all(address.is_loopback for address in listening([os.getpid()]))


ENDLESS = """
import time
from dataclasses import dataclass
from pathlib import Path
from firstmover.runs import run_tasks

@dataclass(frozen=True)
class Endless:
    seed: int
    label: str = "endless"
    rounds: int = 1

    def play(self):
        Path(f"begun-{self.seed}").touch()
        time.sleep(600)

if __name__ == "__main__":
    list(run_tasks([Endless(0), Endless(1)], workers=2))
"""


def test_workers_end_with_their_driver(tmp_path: Path) -> None:
    (tmp_path / "endless.py").write_text(ENDLESS)
    driver = subprocess.Popen([sys.executable, "endless.py"], cwd=tmp_path)
    while len(list(tmp_path.glob("begun-*"))) < 2:
        assert driver.poll() is None
        time.sleep(0.05)
    workers = descendants(driver.pid) - {driver.pid}
    driver.kill()
    driver.wait()
    limit = time.monotonic() + 20
    while any(Path(f"/proc/{pid}/cmdline").exists() and b"loky" in _command(pid) for pid in workers):
        assert time.monotonic() < limit, "workers outlive their driver"
        time.sleep(0.1)


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_local_workers_are_as_many_as_asked_for_or_as_cores() -> None:
    entry = ENGINES["local"]
    assert entry.workers(3, None) == 3
    assert entry.workers(None, None) == len(os.sched_getaffinity(0))
    with pytest.raises(InvalidInput, match="workers is 0: give 1 or more"):
        entry.workers(0, None)
    with pytest.raises(InvalidInput, match="address is 'here:1': engine 'local' has none, so leave it out"):
        entry.workers(None, "here:1")


@pytest.mark.parametrize(("rounds", "cores", "processes"), [(2, 8, 1), (59_999, 8, 1), (60_000, 8, 2), (10**6, 4, 4)])
def test_a_process_is_started_for_every_30_000_rounds(
    rounds: int, cores: int, processes: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firstmover.runs.pool.cpu_count", lambda: cores)
    assert ROUNDS_WORTH_A_PROCESS == 30_000
    assert worthwhile([Telling(0, rounds=rounds // 2), Telling(1, rounds=rounds - rounds // 2)]) == processes


@pytest.mark.parametrize(
    ("workers", "rounds", "tasks"), [(3, 50, 6), (3, 49, 300), (1, 50, 4), (2, 50, 4), (1, 1, 200)]
)
def test_two_batches_per_worker_are_in_flight(workers: int, rounds: int, tasks: int) -> None:
    """A batch is one long task or fifty short ones, and joblib has two workers or more."""
    assert most_in_flight(workers, rounds) == tasks


@pytest.mark.parametrize(("workers", "rounds", "sizes"), [(3, 50, [6, 6, 1]), (2, 50, [4, 4, 4, 1]), (1, 9, [13])])
def test_no_more_tasks_are_sent_than_may_be_in_flight(
    workers: int, rounds: int, sizes: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a pool that asks for all that it can get, and gives the results when it gets no more."""
    sent: list[int] = []

    class Greedy:
        def __init__(self, **given: object) -> None:
            assert given["pre_dispatch"] == max(2, workers)

        def __enter__(self) -> "Greedy":
            return self

        def __exit__(self, *_: object) -> None:
            pass

        def __call__(self, calls: Iterable[Any]) -> Iterator[Any]:
            taken = list(calls)
            sent.append(len(taken))
            return (play(*given) for play, given, _ in taken)

    monkeypatch.setattr("firstmover.runs.pool.Parallel", Greedy)
    tasks = [Quick(seed, rounds=rounds) for seed in range(13)]
    outcomes = dict(carry_out(tasks, Workers(workers, "threading"), raising=True))
    assert sorted(outcomes) == list(range(13))
    assert sent == sizes


def test_a_task_has_its_own_seconds() -> None:
    begun = time.perf_counter()
    _, outcome = play_task(0, Quick(0), (), raising=True)
    assert 0 < outcome.seconds <= time.perf_counter() - begun


def test_a_task_that_fails_is_counted_with_its_own_seconds() -> None:
    @dataclass(frozen=True)
    class Failing:
        def play(self) -> pl.DataFrame:
            raise InvalidInput("no.")

    begun = time.perf_counter()
    _, outcome = play_task(0, Failing(), (), raising=False)  # type: ignore[arg-type]
    assert outcome.error == "no."
    assert 0 < outcome.seconds <= time.perf_counter() - begun


def test_what_was_done_before_counts_for_no_speed(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter([0.0, 2.0])
    monkeypatch.setattr("firstmover.runs.pool.perf_counter", lambda: next(now))
    progress = Clock(total=100, done=90, failed=5, rounds=50).count(10)
    assert (progress.done, progress.failed) == (91, 5)
    assert progress.rate == 0.5
    assert progress.left == 8.0


def test_no_tasks_start_no_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firstmover.runs.pool.Parallel", None)
    assert list(run_tasks([])) == []
    assert list(run_tasks([], workers=3)) == []
