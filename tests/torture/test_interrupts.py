"""Ctrl-C at any moment leaves no lock, loses nothing that was acknowledged, and the match can be used on."""

import os
import random
import signal
import sqlite3
import sys
import time
from collections.abc import Callable
from contextlib import closing
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Semaphore
from pathlib import Path
from typing import Any

import pytest

from firstmover.core.errors import StoreUnavailable
from firstmover.matches import Match, database, interrupts, state_hash
from tests.matches.played import ROUTES, answer, new
from tests.torture.children import Child, context
from tests.torture.sizes import sizes

PROMISE = "Ctrl-C leaves no lock"
WAIT = 1.0
"""Seconds within which another process can write after an interrupt."""


def steps(match: Match, number: int) -> list[tuple[str, Callable[[], Any]]]:
    """What is done in a round, each with the kind of its acknowledgement."""
    name, before = f"r{number}", f"r{number - 1}"
    found: list[tuple[str, Callable[[], Any]]] = [
        ("asked", lambda: match.ask(name)),
        ("told", lambda: match.tell(name, *answer(match.ask(name), number))),
    ]
    if number % 3 == 2:
        found.append(("corrected", lambda: match.correct(before, "low", 7.0 + number % 5, reason="misread")))
    if number % 4 == 3:
        row = {"action": "both", "type": "low", "response": 3.0 + number % 7}
        found.append(("imported", lambda: match.import_history([row], f"file {number}", again=True)))
    return found


def interrupted_player(sender: Connection, go: Semaphore, kind: type[Match], url: str, count: int) -> None:
    """Play through so many interrupts; each exception is kept, as an interactive session keeps the last one."""
    inside, kept, number = [False], [], 0

    def handle(*_: object) -> None:
        arrived.append(True)
        if inside[0]:
            inside[0] = False
            raise KeyboardInterrupt

    arrived: list[bool] = []
    signal.signal(signal.SIGINT, handle)
    match = kind.open(url, "roads")
    sender.send(("ready",))
    while len(kept) < count:
        for said, step in steps(match, number):
            done = False
            while not done:  # every step is idempotent
                try:
                    inside[0] = True
                    step()
                    inside[0], done = False, True
                except KeyboardInterrupt as error:
                    kept.append(error)
                if arrived:
                    arrived.clear()
                    sender.send(("interrupted",))
                    go.acquire()
                    if done:
                        kept.append(KeyboardInterrupt())
            sender.send((said, number))
        number += 1
    sender.send(("state", state_hash(match.state())))
    os._exit(0)


def torment(url: str, kind: type[Match], count: int, seed: int, each: Callable[[int], None] = lambda _: None) -> None:
    """Interrupt a child so many times; after each, this process writes to another match of the store."""
    Match.create(url, "roads", ROUTES).close()
    other, draws, go = Match.create(url, "other", ROUTES), random.Random(seed), context.Semaphore(0)
    child = Child(interrupted_player, go, kind, url, count)
    child.hear(1)
    for number in range(count):
        heard = len(child.said)
        time.sleep(0.03 * draws.random() ** 2)
        assert child.process.pid is not None
        os.kill(child.process.pid, signal.SIGINT)
        while ("interrupted",) not in child.said[heard:]:
            assert len(child.hear(len(child.said) + 1)) > heard
        try:
            other.void(other.ask(f"r{number}").round_id, "a test")
        except StoreUnavailable as error:
            child.kill()
            raise AssertionError(f"the store is locked after interrupt {number + 1}") from error
        go.release()
        each(number + 1)
    said = child.end()
    with Match.open(url, "roads") as match:
        check(match, said[1:-1])
        assert said[-1] == ("state", match.verify().state_hash), "the match that was interrupted has another state"
    other.close()


def check(match: Match, said: list[Any]) -> None:
    """All that was acknowledged is in the store, once."""
    state = match.state()
    for kind, number in (each for each in said if len(each) > 1):
        played = state.rounds[f"r{number}"]
        assert kind not in ("told", "corrected") or played.status == "told", f"{kind} {number} is lost"
    imported = sum(kind == "imported" for kind, *_ in said)
    assert imported <= len(state.imports) <= imported + 1
    corrected = {number - 1 for kind, *rest in said if kind == "corrected" for number in rest}
    assert all(state.rounds[f"r{number}"].corrections == 1 for number in corrected), "a correction is lost or doubled"


@pytest.mark.parametrize(("part", "count"), sizes("interrupts"))
def test_another_process_writes_within_a_second(
    memory: Path, part: int, count: int, monkeypatch: pytest.MonkeyPatch, reached: Callable[[str], None]
) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", WAIT)
    torment(str(memory / "matches.db"), Match, count, part, lambda n: reached(f"{n:,} interrupts, 0 locks left"))


class Forgetful(Match):
    """A match that leaves a connection open when it is interrupted."""

    def _record(self, prepare: Any) -> Any:
        try:
            return super()._record(prepare)
        except KeyboardInterrupt:
            self.left = self._journal.engine.raw_connection()
            self.left.cursor().execute("BEGIN IMMEDIATE")
            raise


def test_teeth_a_connection_that_is_left_open(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "BUSY_SECONDS", WAIT)
    with pytest.raises(AssertionError, match="the store is locked after interrupt"):
        torment(str(memory / "matches.db"), Forgetful, 60, 0)


def interrupted_at(place: int, call: Callable[[], object]) -> tuple[int, BaseException | None]:
    """Press Ctrl-C where a function of Python is called, as Python does; how many there were, and the exception."""
    count = 0

    def profile(_: object, event: str, __: object) -> None:
        nonlocal count
        count += event == "call"
        if event == "call" and count == place:
            signal.raise_signal(signal.SIGINT)

    try:
        sys.setprofile(profile)
        call()
        sys.setprofile(None)
    except KeyboardInterrupt as error:
        sys.setprofile(None)
        return count, error
    return count, None


def sweep(folder: Path, moments: int) -> bool:
    """Interrupt tells at moments that are evenly spread over one; whether any left the store locked."""
    match, kept = new(folder), list[BaseException | None]()
    match.ask("dry")
    total, _ = interrupted_at(0, lambda: match.tell("dry", "low", 1.0))
    for place in range(1, total, total // moments):
        try:
            match.ask(f"r{place}")
            kept.append(interrupted_at(place, lambda name=f"r{place}": match.tell(name, "low", 1.0))[1])  # type: ignore[misc]
            with closing(sqlite3.connect(folder / "matches.db", timeout=0.0, isolation_level=None)) as store:
                store.execute("BEGIN EXCLUSIVE")
            match.tell(f"r{place}", "low", 1.0)
        except (StoreUnavailable, sqlite3.OperationalError):
            return True
    assert any(kept)
    assert {played.status for played in match.history()} == {"told"}
    assert state_hash(match.state()) == match.verify().state_hash
    return False


def swept(sender: Connection, folder: Path, moments: int, deferring: bool) -> None:
    """Say whether a sweep left the store locked."""
    if not deferring:
        interrupts.SIGNALS, database.BUSY_SECONDS = (), 0.1  # type: ignore[assignment]
    sender.send(sweep(folder, moments))
    os._exit(0)


def test_no_moment_of_a_tell_leaves_a_lock_or_half_a_state(memory: Path) -> None:
    assert Child(swept, memory, 60, True).end() == [False]


def test_teeth_signals_that_are_not_deferred(memory: Path) -> None:
    assert Child(swept, memory, 400, False).end() == [True]
