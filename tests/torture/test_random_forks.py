"""Processes that were forked while a match was open play on with it, at once with their parent, or say why not."""

import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import connection, get_context
from pathlib import Path
from typing import Any

import pytest

from firstmover.core.errors import StoreUnavailable
from firstmover.matches import Match, database
from firstmover.matches import forks as inheritance
from tests.matches.played import ROUTES, answer, new
from tests.torture.children import Say, check_acknowledged, nothing
from tests.torture.sizes import sizes

PROMISE = "forks during a match"
PATIENCE = 60
"""Seconds for a child; one that inherited a held lock would wait for ever."""

ROUNDS = 3
"""Of each child, and of its parent meanwhile."""

forking = get_context("fork")
pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")


def rounds(match: Match, name: str) -> list[tuple[Any, ...]]:
    """Play some rounds; all that was acknowledged."""
    said: list[tuple[Any, ...]] = []
    for number in range(ROUNDS):
        decision = match.ask(f"{name} {number}")
        said.append(("asked", decision.round_id, decision.action, decision.probability))
        demand, congestion = answer(decision, number)
        match.tell(decision.round_id, demand, congestion)
        said.append(("told", decision.round_id, {"demand": demand}, {"congestion": congestion}))
    return said


def child(sender: connection.Connection, match: Match, name: str) -> None:
    """Play on with the match of the parent."""
    try:
        sender.send(rounds(match, name))
    except StoreUnavailable as error:
        if "was in use when this process was forked" not in str(error):
            raise
        sender.send([])


@contextmanager
def writing(path: Path, threads: int, pause: float) -> Iterator[None]:
    """Threads of this process that play matches of their own in the same store, with pauses of these seconds."""
    ended, failures = threading.Event(), list[BaseException]()

    def play(name: str) -> None:
        try:
            with Match.create(path, name, ROUTES) as match:
                while not ended.is_set():
                    decision = match.ask()
                    match.tell(decision.round_id, *answer(decision, 1))
                    time.sleep(pause)
        except BaseException as error:
            failures.append(error)

    running = [threading.Thread(target=play, args=(f"other {number}",)) for number in range(threads)]
    for thread in running:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        for thread in running:
            thread.join(PATIENCE)
    assert not failures, failures


def forked(folder: Path, forks: int, threads: int, say: Say = nothing, pause: float = 0.05) -> None:
    """Forks at random moments, each with an open match, while threads of the parent use the store."""
    rng, path, said, refused = random.Random(8), folder / "matches.db", list[Any](), 0
    with new(folder) as match, writing(path, threads, pause):
        for turn in range(forks):
            receiver, sender = forking.Pipe(duplex=False)
            time.sleep(rng.random() * 0.01)
            process = forking.Process(target=child, args=(sender, match, f"child {turn}"))
            process.start()
            sender.close()
            said += rounds(match, f"parent {turn}")
            try:
                assert receiver.poll(PATIENCE), "the child waits for ever"
                heard = receiver.recv()
            except EOFError:
                raise AssertionError("the child raised another error, which it printed") from None
            finally:
                process.join(1)
                process.kill()
            said, refused = said + heard, refused + (heard == [])
            say(
                f"{turn + 1:,} forks beside {threads} writing threads, {len(said):,} acknowledgements, {refused:,} "
                "children refused: 0 lost, 0 doubled"
            )
        check_acknowledged(match, said)
        match.verify()
    assert threads or not refused, "a fork between calls was refused"


@pytest.mark.parametrize(("forks", "threads"), sizes("forks between calls"))
def test_forks_between_calls(memory: Path, forks: int, threads: int, reached: Say) -> None:
    forked(memory, forks, threads, reached)


@pytest.mark.parametrize(("forks", "threads"), sizes("forks during calls"))
def test_forks_while_threads_use_the_store(memory: Path, forks: int, threads: int, reached: Say) -> None:
    forked(memory, forks, threads, reached)


def test_a_store_that_could_not_be_opened_is_not_in_use(memory: Path) -> None:
    with new(memory) as match:
        path = memory / "matches.db"
        path.rename(memory / "moved.db")
        with pytest.raises(StoreUnavailable) as kept:  # and with it the frames that held the connection
            match.ask()
        assert kept.value is not None
        (memory / "moved.db").rename(path)
        assert not list(inheritance.FILES)


class Forgotten(set[str]):
    """Files of which a child does not know that they were in use."""

    def __contains__(self, path: object) -> bool:
        return False


def test_teeth_children_that_use_what_they_inherit(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inheritance, "inherited", Forgotten())
    monkeypatch.setattr(inheritance, "LONGEST_WAIT", 0.0)
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.5)
    monkeypatch.setitem(globals(), "PATIENCE", 5)
    with pytest.raises(AssertionError, match="the child"):
        forked(memory, 40, 3, pause=0.0)
