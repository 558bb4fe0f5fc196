"""A child that was forked uses connections of its own, and leaves those of its parent alone."""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from firstmover.core.errors import StoreUnavailable
from firstmover.matches import Match, forks
from firstmover.matches.database import LockedClose
from firstmover.matches.setup import Setting
from tests.matches.played import ROUTES, new, play
from tests.torture.server import Server

PROMISE = "forks"
pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")


def in_child(work: Callable[[], object]) -> int:
    """Fork, do the work in the child, and return its exit code: 0, or 1 after an exception."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        except BaseException as error:
            os.write(2, f"{error!r}\n".encode())
            os._exit(1)
    return child


def ended(child: int) -> int:
    """The exit code of a child."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.mark.parametrize("children", [7])
def test_parent_and_children_play_on_at_once(store: str, children: int, reached: Callable[[str], None]) -> None:
    with Match.create(store, "roads", ROUTES) as match:
        play(match, range(3))  # a connection is in the pool
        forked = [
            in_child(lambda first=10 * number: play(match, range(first, first + 4)))  # type: ignore[misc]
            for number in range(1, children + 1)
        ]
        play(match, range(100, 108))
        assert [ended(child) for child in forked] == [0] * children
        play(match, range(200, 203))
        found = match.verify()
        assert found.rounds == 3 + 4 * children + 8 + 3
        reached(f"{children} children of one open match, 0 errors, {found.rounds} rounds verified")


def sharing(store: str) -> None:
    """Play on in a child and its parent with one connection; ten seconds without an answer end both."""
    signal.alarm(10)
    with Match.open(store, "roads") as match:
        forks.ENGINES = ()  # type: ignore[assignment]
        match.status()  # a connection is in the pool
        child = in_child(lambda: (signal.alarm(10), play(match, range(10, 30))))
        play(match, range(100, 120))
        assert ended(child) == 0


def test_teeth_connections_that_a_child_inherits(server: Server, capfd: pytest.CaptureFixture[str]) -> None:
    """Two processes that share a socket read each other's answers."""
    store = server.new_database()
    Match.create(store, "roads", ROUTES).close()
    assert ended(in_child(lambda: sharing(store))) != 0
    capfd.readouterr()


def test_a_lock_that_another_thread_holds_is_free_in_the_child(tmp_path: Path) -> None:
    with new(tmp_path) as match:
        held, release = threading.Event(), threading.Event()

        def hold() -> None:
            with match._lock:
                held.set()
                release.wait()

        thread = threading.Thread(target=hold)
        thread.start()
        held.wait()
        child = in_child(lambda: play(match, range(2)))
        release.set()
        thread.join()
        assert ended(child) == 0
        assert len(match.history()) == 2


def test_a_child_does_not_touch_a_file_with_an_open_transaction(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forks, "LONGEST_WAIT", 0.0)

    def refused() -> None:
        with pytest.raises(StoreUnavailable, match=r"was in use when this process was forked"):
            match.ask("b")

    with new(tmp_path) as match:
        with match.journal.alone():
            before = (tmp_path / "matches.db-journal").exists()
            assert ended(in_child(refused)) == 0
            assert (tmp_path / "matches.db-journal").exists() == before
        match.ask("a")
        with closing(Match.open(tmp_path / "matches.db", "roads")) as again:
            assert again.verify().rounds == 1
        assert ended(in_child(lambda: match.ask("c"))) == 0


def test_a_fork_waits_for_a_connection_that_is_being_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """SQLite holds a mutex meanwhile, which nobody would release in the child."""
    plain, held = LockedClose.__init__, list[bool]()

    def opened(self: LockedClose, *arguments: Any, **options: Any) -> None:
        held.append(forks.LOCKING.locked())
        plain(self, *arguments, **options)

    monkeypatch.setattr(LockedClose, "__init__", opened)
    with new(tmp_path) as match:
        match.ask("1")
    assert held
    assert all(held)


def test_a_child_computes_what_a_thread_of_the_parent_was_computing() -> None:
    """Python 3.11 computes cached properties under a lock of their class."""
    setting = Setting.of(ROUTES)
    vars(setting).pop("game")
    lock = getattr(Setting.__dict__["game"], "lock", threading.RLock())
    ended, begun = threading.Event(), threading.Event()

    def compute() -> None:
        with lock:
            begun.set()
            ended.wait(60)

    thread = threading.Thread(target=compute)
    thread.start()
    begun.wait(60)
    process = multiprocessing.get_context("fork").Process(target=lambda: setting.game)
    process.start()
    process.join(30)
    alive = process.is_alive()
    ended.set()
    thread.join(60)
    process.kill()
    assert not alive
    assert process.exitcode == 0
