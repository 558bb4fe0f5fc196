"""Of all threads of all processes one writes at a time, also while others come and go."""

import threading
import time
from collections.abc import Callable
from contextlib import nullcontext
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

from firstmover.core.errors import StoreUnavailable
from firstmover.matches import database
from tests.matches.played import new
from tests.torture.children import Child
from tests.torture.sizes import sizes

PROMISE = "one writer at a time"
PROCESSES, THREADS = 3, 8


def turns(url: str, inside: Path, seconds: float) -> tuple[int, int]:
    """How often one thread was the writer, and how often it met another inside, or one that would not let it end."""
    engine, until, taken, met = database.engine_for(url), time.monotonic() + seconds, 0, 0
    while time.monotonic() < until:
        try:
            with database.transaction(engine, writing=True):
                taken += 1
                inside.mkdir()
                time.sleep(0.0003)
                inside.rmdir()
        except (FileExistsError, StoreUnavailable):
            met += 1
    return taken, met


def writers(sender: Connection, url: str, inside: Path, seconds: float, careful: bool) -> None:
    """Several threads that write in turns, each with an engine of its own."""
    if not careful:
        database.LOCKING, database.BUSY_SECONDS = nullcontext(), 1.0  # type: ignore[assignment]
    counted: list[tuple[int, int]] = []
    threads = [threading.Thread(target=lambda: counted.append(turns(url, inside, seconds))) for _ in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sender.send([sum(column) for column in zip(*counted, strict=True)])


def race(folder: Path, seconds: float, careful: bool = True) -> tuple[int, int]:
    """How many turns were taken, and in how many of them two were inside."""
    inside = folder / "inside"
    children = [Child(writers, str(folder / "matches.db"), inside, seconds, careful) for _ in range(PROCESSES)]
    counted: list[Any] = [child.end()[0] for child in children]
    return sum(taken for taken, _ in counted), sum(met for _, met in counted)


@pytest.mark.parametrize("seconds", sizes("seconds of racing writers"))
def test_nobody_meets_another_writer(memory: Path, seconds: float, reached: Callable[[str], None]) -> None:
    new(memory).close()
    taken, met = race(memory, seconds)
    assert met == 0
    assert taken > 20 * seconds
    reached(f"{taken:,} turns of {PROCESSES * THREADS} writers in {PROCESSES} processes, {met} met another")


@pytest.mark.slow
def test_teeth_connections_that_are_closed_while_others_take_a_lock(memory: Path) -> None:
    """One in about twenty seconds was met on two busy cores: ten minutes without any would be a chance of 1e-13."""
    new(memory).close()
    assert any(race(memory, 3.0, careful=False)[1] for _ in range(200))


def test_making_a_store_that_exists_takes_no_lock_away(memory: Path) -> None:
    with new(memory) as match, match.journal.alone():
        database.make_file(memory / "matches.db")
        assert Child(tries_to_write, str(memory / "matches.db")).end() == ["locked"]


def tries_to_write(sender: Connection, url: str) -> None:
    """Say whether the store is locked for this process."""
    database.BUSY_SECONDS = 0.1
    try:
        with database.transaction(database.engine_for(url), writing=True):
            sender.send("free")
    except StoreUnavailable:
        sender.send("locked")
