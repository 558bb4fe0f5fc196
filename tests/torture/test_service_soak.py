"""A day of service in half an hour, with restarts: memory and descriptors stay flat, and an ask costs few commits."""

import os
import signal
import socket
import sqlite3
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from firstmover.service.client import Client
from firstmover.service.match_pool import MatchPool
from tests.matches.played import ROUTES, answer
from tests.service.processes import Running, Weakness, wait_until
from tests.service.test_hostile import connections
from tests.torture.children import Say, nothing
from tests.torture.sizes import sizes

PROMISE = "service soak"
MEGABYTE = 1 << 20
ALLOWED = 20.0
"""Megabytes by which a process may grow from its first hour to its last, beside what the store grows by."""

COMMITS = 5.0
"""The 99th percentile of an ask, in 99th percentiles of a commit on the same file system during the same hours."""

MATCHES = ("north", "south", "east", "west")
HOURS = 24
"""Hours of a day."""


@dataclass(frozen=True)
class Day:
    """Seconds that stand for an hour, those between two rounds of a match, hours in all, and hours of one life."""

    seconds: float
    pace: float
    hours: int
    life: int


STRANGERS = 150
VIEWS = ("status", "rounds", "views/today", "views/map", "views/learning", "export", "menu", "changes")


@dataclass
class Soaked:
    """Seconds of asks and of commits; megabytes and descriptors at the end of each hour of each life."""

    asks: list[float] = field(default_factory=list)
    commits: list[float] = field(default_factory=list)
    lives: list[list[tuple[float, int]]] = field(default_factory=list)
    told: dict[str, int] = field(default_factory=lambda: dict.fromkeys(MATCHES, 0))
    odd: list[str] = field(default_factory=list)

    @property
    def grown(self) -> tuple[float, int]:
        """The largest growth of one life from its first hour to its last."""
        megabytes = max(life[-1][0] - life[0][0] for life in self.lives)
        return megabytes, max(life[-1][1] - life[0][1] for life in self.lives)

    def __str__(self) -> str:
        (ask, slow_ask), (commit, slow_commit) = (
            1000 * np.quantile(each, [0.5, 0.99]) for each in (self.asks, self.commits)
        )
        return (
            f"{sum(map(len, self.lives))} hours, {len(self.lives) - 1} restarts, {sum(self.told.values()):,} rounds: "
            f"{self.grown[0]:+.1f} MB, {self.grown[1]:+d} descriptors; ask p50 {ask:.1f} ms, p99 {slow_ask:.1f} ms; "
            f"commit p50 {commit:.1f} ms, p99 {slow_commit:.1f} ms"
        )


def committed(path: Path) -> float:
    """Seconds of one durable commit of SQLite, with the settings of a store and about the size of an ask."""
    with closing(sqlite3.connect(path)) as store:
        store.execute("PRAGMA synchronous = EXTRA")
        store.execute("CREATE TABLE IF NOT EXISTS events (content TEXT)")
        start = time.perf_counter()
        with store:
            store.execute("INSERT INTO events VALUES (?)", ("x" * 1000,))
        return time.perf_counter() - start


def player(client: Client, name: str, pace: float, found: Soaked) -> Callable[[], None]:
    """One round: asked, and told what follows from the action."""
    match, numbers = client.create(name, ROUTES), count()

    def play() -> None:
        start = time.perf_counter()
        decision = match.ask()
        found.asks.append(time.perf_counter() - start)
        match.tell(decision.round_id, *answer(decision, next(numbers)))
        found.told[name] += 1
        time.sleep(pace)

    return play


def watcher(http: httpx.Client, pace: float) -> Callable[[], None]:
    """One look at everything that a reader may see."""
    names = count()

    def look() -> None:
        name = MATCHES[next(names) % len(MATCHES)]
        for path in ("/healthz", "/readyz", "/metrics", *(f"/v1/matches/{name}/{view}" for view in VIEWS)):
            status = http.get(path).status_code
            assert status == 200, (path, status)
        time.sleep(pace)

    return look


def hour(running: Running, seconds: float, pace: float, found: Soaked) -> None:
    """Players, a reader, a listener, strangers who hold connections, and commits beside them."""
    ended = threading.Event()

    def repeat(action: Callable[[], Any]) -> None:
        try:
            while not ended.is_set():
                action()
        except Exception as error:
            found.odd.append(repr(error))

    def commit() -> None:
        found.commits.append(committed(running.folder / "commits.db"))
        time.sleep(pace)

    with ExitStack() as stack:
        clients = [stack.enter_context(running.client()) for _ in MATCHES]
        actions = [player(client, name, pace, found) for client, name in zip(clients, MATCHES, strict=True)]
        reading: Any = {"base_url": running.address, "headers": {"authorization": f"Bearer {running.reader}"}}
        watch = watcher(stack.enter_context(httpx.Client(**reading, timeout=60.0)), pace)
        threads = [threading.Thread(target=repeat, args=(each,)) for each in (*actions, watch, commit)]
        for _ in range(STRANGERS):
            stack.enter_context(socket.create_connection(("127.0.0.1", running.port)))
        listener = stack.enter_context(running.client(running.reader))
        heard = listener.open(MATCHES[0]).changes(patience=1.0)
        next(heard)
        for thread in threads:
            thread.start()
        time.sleep(seconds)
        ended.set()
        for thread in threads:
            thread.join()
        heard.close()


def descriptors(running: Running) -> int:
    return len(os.listdir(f"/proc/{running.process.pid}/fd"))


def soaked(folder: Path, day: Day, weakness: Weakness | None = None, say: Say = nothing) -> Soaked:
    """So many hours of some seconds each, and a restart after each life: by turns in peace, and by a kill."""
    found = Soaked()
    for first in range(0, day.hours, day.life):
        running = Running(folder, weakness=weakness)
        ends: list[tuple[float, int]] = []
        found.lives.append(ends)
        idle = connections(running)
        for _ in range(day.life):
            hour(running, day.seconds, day.pace, found)
            wait_until(lambda: connections(running) <= idle)  # noqa: B023 - called at once
            ends.append((running.memory() / MEGABYTE, descriptors(running)))
            say(str(found))
        running.stop(signal.SIGTERM if (first // day.life) % 2 else signal.SIGKILL)
        assert running.said() == "", "nothing is complained about"
    return found


def check(found: Soaked, folder: Path) -> None:
    """Memory, descriptors, and every round that was acknowledged."""
    assert found.odd == []
    stored = (folder / "matches.db").stat().st_size / MEGABYTE
    megabytes, more = found.grown
    assert megabytes <= ALLOWED + stored, f"{megabytes:.1f} MB more"
    assert more <= 0, f"{more} descriptors more"
    running = Running(folder)
    with running.client() as client:
        told = {each["name"]: each["told"] for each in client.matches()}
    running.stop()
    assert told == found.told


@pytest.mark.parametrize(("seconds", "pace", "hours", "life"), sizes("hours of service"))
def test_a_day_of_service(  # noqa: PLR0917 - what a fixture gives, and the size
    tmp_path: Path, seconds: float, pace: float, hours: int, life: int, reached: Say
) -> None:
    found = soaked(tmp_path, Day(seconds, pace, hours, life), say=reached)
    check(found, tmp_path)
    reached(str(found))
    if hours == HOURS:  # times are compared where there are thousands
        assert np.quantile(found.asks, 0.99) < COMMITS * np.quantile(found.commits, 0.99)


def hoard() -> None:
    """Keeps a file open for every call to a match."""
    plain, kept = MatchPool.get, []

    async def get(self: MatchPool, name: str) -> Any:
        kept.append(open(os.devnull))  # noqa: SIM115 - that is the fault
        return await plain(self, name)

    MatchPool.get = get  # type: ignore[method-assign]


def test_teeth_a_service_that_keeps_what_it_opens(tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="descriptors more"):
        check(soaked(tmp_path, Day(0.3, 0.05, 2, 2), hoard), tmp_path)
