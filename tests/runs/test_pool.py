import os
import signal
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import polars as pl
import pytest
from firstmover.runs.sweeps.batches import Batch
from firstmover.runs.sweeps.engines import LocalEngine
from firstmover.runs.sweeps.tasks import SweepTask
from firstmover.runs.workers import THREAD_SETTINGS
from threadpoolctl import threadpool_info

from firstmover.core.errors import InvalidInput

LISTENING = "0A"
LOOPBACK = ("0100007F", "00000000000000000000000001000000", "0000000000000000FFFF00000100007F")


def telling(tasks: Sequence[SweepTask]) -> list[pl.DataFrame]:
    """What a worker is like: its process, the threads of its pools, and its settings."""
    row = {
        "pid": os.getpid(),
        "threads": max(pool["num_threads"] for pool in threadpool_info()),
        "polars": pl.thread_pool_size(),
        "settings": " ".join(os.environ[name] for name in THREAD_SETTINGS),
    }
    return [pl.DataFrame([row])] * len(tasks)


def deadly(tasks: Sequence[SweepTask]) -> list[pl.DataFrame]:
    os.kill(os.getpid(), signal.SIGKILL)
    return [pl.DataFrame()] * len(tasks)


def batch(folder: Path, number: int, play: Callable[..., list[pl.DataFrame]]) -> Batch:
    return Batch(str(folder), (SweepTask(f'{{"n":{number}}}', 1, "null"),), play)


def gathered(engine: LocalEngine, count: int) -> list[bool]:
    """Whether each of so many batches ended well."""
    told: list[bool] = []
    while len(told) < count:
        told += [outcome is not None for _, outcome in engine.finished(timeout=60)]
    return told


def sockets(pid: int) -> set[str]:
    """The sockets that a process holds open, by inode."""
    links = []
    for name in os.listdir(f"/proc/{pid}/fd"):
        with suppress(FileNotFoundError):  # closed meanwhile, such as the listing itself
            links.append(os.readlink(f"/proc/{pid}/fd/{name}"))
    return {link[8:-1] for link in links if link.startswith("socket:[")}


def tree(pid: int) -> list[int]:
    """A process and all that it started, and so on."""
    children = [
        child for thread in Path(f"/proc/{pid}/task").glob("*/children") for child in thread.read_text().split()
    ]
    return [pid, *(each for child in children for each in tree(int(child)))]


def listeners(pids: Sequence[int]) -> list[str]:
    """The addresses on which these processes listen for connections from beyond this machine."""
    rows = [
        line.split() for table in ("tcp", "tcp6") for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]
    ]
    mine = set().union(*map(sockets, pids))
    return [r[1] for r in rows if r[3] == LISTENING and r[9] in mine and r[1].split(":")[0] not in LOOPBACK]


def results(folder: Path) -> pl.DataFrame:
    return pl.concat(pl.read_parquet(path) for path in sorted((folder / "results").glob("*.parquet")))


def test_workers_have_one_thread_survive_a_kill_and_listen_to_nobody(tmp_path: Path) -> None:
    before = {name: os.environ.get(name) for name in THREAD_SETTINGS}
    engine = LocalEngine(2)
    try:
        for number in range(4):
            engine.submit(batch(tmp_path, number, telling))
        assert gathered(engine, 4) == [True] * 4
        table = results(tmp_path)
        assert set(table["settings"]) == {"1 1 1 1"}
        assert set(table["threads"]) == set(table["polars"]) == {1}
        assert table["pid"].n_unique() == 2
        assert {name: os.environ.get(name) for name in THREAD_SETTINGS} == before
        processes = tree(os.getpid())
        assert set(table["pid"]) < set(processes)
        assert listeners(processes) == []

        engine.submit(batch(tmp_path, 4, deadly))
        engine.submit(batch(tmp_path, 5, telling))
        assert sorted(gathered(engine, 2)) == [False, True]
        os.kill(results(tmp_path).filter(key=batch(tmp_path, 5, telling).tasks[0].key)["pid"][0], signal.SIGKILL)
        engine.submit(batch(tmp_path, 6, telling))
        engine.submit(batch(tmp_path, 7, telling))
        assert True in gathered(engine, 2)
    finally:
        engine.close()


def test_a_listener_on_every_address_would_be_noticed() -> None:
    import socket

    with socket.socket() as everywhere, socket.socket() as here:
        everywhere.bind(("0.0.0.0", 0))
        everywhere.listen()
        here.bind(("127.0.0.1", 0))
        here.listen()
        assert len(listeners([os.getpid()])) == 1


def test_an_engine_that_is_closed_at_once_leaves_no_worker(tmp_path: Path) -> None:
    engine = LocalEngine(1)
    engine.submit(batch(tmp_path, 0, telling))
    assert gathered(engine, 1) == [True]
    engine.close(at_once=True)
    assert not Path(f"/proc/{results(tmp_path)['pid'][0]}").exists()


def test_it_has_as_many_workers_as_asked_for_or_as_cores() -> None:
    assert LocalEngine(3).workers == 3
    assert LocalEngine(3).capacity == 6
    assert LocalEngine().workers == os.cpu_count()
    with pytest.raises(InvalidInput, match="workers is 0: give 1 or more"):
        LocalEngine(0)


def test_more_workers_than_a_process_can_hold_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource")
    limits, new = [(100, 1000)], []
    monkeypatch.setattr(resource, "getrlimit", lambda _: limits[-1])
    monkeypatch.setattr(resource, "setrlimit", lambda _, pair: new.append(pair))
    with pytest.raises(
        InvalidInput, match="workers is 100: a process may have 1000 files open here, so give at most 78"
    ):
        LocalEngine(100)
    LocalEngine(10).close()
    assert new == [(184, 1000)]
