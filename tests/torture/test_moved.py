"""A store that is moved, deleted or replaced during a call: nothing is acknowledged that is not found in its place."""

import os
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event

from firstmover.core.errors import FirstmoverError
from firstmover.matches import Match, database
from tests.matches.played import ROUTES, answer, new, play
from tests.torture.children import Say, nothing
from tests.torture.sizes import sizes

PROMISE = "store moved underneath"


def moved(path: Path) -> None:
    """Give the store another name, as mv does."""
    path.rename(path.with_name("moved.db"))


def deleted(path: Path) -> None:
    """Delete the name of the store; `kept.db` is another name of the same file."""
    path.unlink()


def emptied(path: Path) -> None:
    """Put an empty file in its place."""
    path.with_name("empty.db").touch()
    path.with_name("empty.db").replace(path)


def replaced(path: Path) -> None:
    """Put a store of another match of the same name in its place."""
    shutil.copy(path.with_name("other.db"), path.with_name("copy.db"))
    path.with_name("copy.db").replace(path)


POINTS = 8
"""Uses of the database in one call."""

DISTURBANCES = (moved, deleted, emptied, replaced)
CALLS: dict[str, Callable[[Match], object]] = {
    "ask": lambda match: match.ask("new"),
    "tell": lambda match: match.tell("pending", *answer(match.ask("pending"), 1)),
    "void": lambda match: match.void("pending", "nobody came"),
    "correct": lambda match: match.correct("r1", "low", 2.5, reason="misread"),
    "record": lambda match: match.record("north", "low", 1.0, record_id="seen"),
    "import": lambda match: match.import_history([{"action": "north", "type": "low", "response": 1.0}]),
    "retire": lambda match: match.retire("south"),
}


@contextmanager
def at_point(engine: Engine, point: int, disturb: Callable[[], None]) -> Iterator[list[int]]:
    """Disturb when the database is used for the time `point`: a transaction begins, a statement, a commit."""
    seen = [0]

    def look(*_: Any) -> None:
        seen[0] += 1
        if seen[0] == point:
            disturb()

    names = ("begin", "before_cursor_execute", "commit")
    for name in names:
        event.listen(engine, name, look)
    try:
        yield seen
    finally:
        for name in names:
            event.remove(engine, name, look)


def events_of(path: Path) -> list[Any]:
    with Match.open(path, "roads") as match:
        return list(match.journal.read())


def disturbed(folder: Path, call: str, disturb: Callable[[Path], None], point: int) -> str:
    """One call during which the store goes; how it ended: acknowledged, refused, or over before that point."""
    path, kept = folder / "matches.db", folder / "kept.db"
    with new(folder) as match:
        play(match, range(2))
        match.ask("pending")
        before = list(match.journal.read())
        os.link(path, kept)
        with at_point(match.journal.engine, point, lambda: disturb(path)) as seen:
            ended, sentence = "acknowledged", ""
            try:
                CALLS[call](match)
            except FirstmoverError as error:
                ended, sentence = "refused", str(error)
        assert ". " not in sentence
        if seen[0] < point:
            return "over"
        known = [each for each in (path, folder / "moved.db") if each.exists() and each.samefile(kept)]
        recorded = events_of(kept)
        assert recorded[: len(before)] == before, "an earlier event changed"
        assert ended == "refused" or known, f"{call} was acknowledged, and its event is in a file without a name"
        check_afterwards(match, path, kept, disturb)
    assert events_of(path)[: len(recorded)] == recorded, "an event was lost"
    with Match.open(path, "roads") as match:
        match.verify()
    return ended


def check_afterwards(match: Match, path: Path, kept: Path, disturb: Callable[[Path], None]) -> None:
    """While the store is gone every call is refused and nothing is written; when it is back the match goes on."""
    found = path.read_bytes() if path.exists() else None
    for call in CALLS.values():
        with pytest.raises(FirstmoverError):
            call(match)
    assert (path.read_bytes() if path.exists() else None) == found, f"something was written after {disturb.__name__}"
    first = events_of(kept)
    kept.replace(path)
    drawn = {each.round_id: each.payload["action"] for each in first if each.kind == "asked"}
    for round_id, action in drawn.items():
        assert match.ask(round_id).action == action, "the action was drawn again"
    CALLS["record"](match)


def cases(number: int) -> Iterator[tuple[str, Callable[[Path], None], int]]:
    """Random calls, disturbances and points."""
    rng = random.Random(4)
    for _ in range(number):
        yield rng.choice(list(CALLS)), rng.choice(DISTURBANCES), rng.randint(1, POINTS)


def go_through(folder: Path, number: int, say: Say = nothing) -> None:
    with Match.create(folder / "other.db", "roads", ROUTES) as other:
        play(other, range(2))
    ends = {"acknowledged": 0, "refused": 0, "over": 0}
    for turn, (call, disturb, point) in enumerate(cases(number)):
        inner = folder / str(turn)
        inner.mkdir()
        shutil.copy(folder / "other.db", inner)
        ends[disturbed(inner, call, disturb, point)] += 1
        shutil.rmtree(inner)
        done = ends["acknowledged"] + ends["refused"]
        say(
            f"{done:,} stores moved, deleted, emptied or replaced during a call: {ends['refused']:,} refused, 0 "
            "acknowledged outside of the store, 0 actions drawn again"
        )
    assert ends["refused"] > number // 3, "the store was never gone during a call"


@pytest.mark.parametrize("number", sizes("stores moved"))
def test_nothing_is_acknowledged_that_is_not_in_the_store(memory: Path, number: int, reached: Say) -> None:
    go_through(memory, number, reached)


def test_teeth_a_commit_that_does_not_look_where_it_went(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "check_place", lambda *_: None)
    with pytest.raises(AssertionError, match="in a file without a name"):
        go_through(memory, 60)
