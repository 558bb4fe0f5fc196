"""What takes long is computed before the store is locked, and again if another process was quicker."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firstmover import beliefs
from firstmover.core.errors import Overtaken
from firstmover.matches import Match, State, database, match, state_hash
from tests.matches.played import ASSUMED, ROUTES, new, play, reopened


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A lock is waited for half a second."""
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.5)


def during(monkeypatch: pytest.MonkeyPatch, name: str, act: Callable[[int], object]) -> list[int]:
    """Let something happen while a learner is computed; the calls so far, by number."""
    plain, calls = getattr(State, name), list[int]()

    def computed(self: State, *arguments: Any) -> Any:
        calls.append(len(calls))
        act(len(calls))
        return plain(self, *arguments)

    monkeypatch.setattr(State, name, computed)
    return calls


@pytest.mark.parametrize(
    ("computing", "call"),
    [
        ("corrected_learning", lambda match: match.correct("r1", "low", 7.0, reason="misread")),
        ("changed_learning", lambda match: match.retire("both")),
        ("next_learning", lambda match: match.import_history([{"action": "both", "type": "low", "response": 3.0}])),
    ],
)
def test_another_match_writes_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, computing: str, call: Callable[[Match], Any]
) -> None:
    played, other = new(tmp_path), Match.create(tmp_path / "matches.db", "other", ROUTES)
    play(played, range(3))
    calls = during(monkeypatch, computing, lambda number: other.ask(str(number)))
    assert call(played)
    assert (len(calls), len(other.history())) == (1, 1)
    assert played.verify().state_hash == state_hash(played.state())


def test_a_correction_that_is_overtaken_goes_on_from_what_was_computed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played, other = new(tmp_path), reopened(tmp_path)
    play(played, range(6))
    learnt = list[int]()
    plain = State.corrected_learning

    def computed(self: State, closed: Any) -> Any:
        known = self._again
        learnt.append(0 if known is None else len(known[0]))
        found = plain(self, closed)
        if len(learnt) < 3:
            play(other, range(10 * len(learnt), 10 * len(learnt) + 2))
        return found

    monkeypatch.setattr(State, "corrected_learning", computed)
    assert played.correct("r1", "low", 7.0, reason="misread")
    assert learnt == [0, 6, 8]
    assert played.history()[1].response == {"congestion": 7.0}
    assert played.verify().state_hash == state_hash(played.state()) == state_hash(other.state())


def test_after_some_attempts_other_writers_wait(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played, other = new(tmp_path), reopened(tmp_path)
    play(played, range(3))

    def quicker(number: int) -> None:
        if number <= match.ATTEMPTS:
            other.ask(f"other {number}")

    calls = during(monkeypatch, "corrected_learning", quicker)
    assert played.correct("r1", "low", 7.0, reason="misread")
    assert len(calls) == match.ATTEMPTS + 1
    assert played.verify().state_hash == state_hash(other.state())


def test_what_was_computed_for_an_event_that_was_not_recorded_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(beliefs, "TABLE_LIMIT", 1)  # a belief whose last bits depend on what it was continued with
    played = new(tmp_path, **ASSUMED)
    play(played, range(3))
    played.ask("a")
    with monkeypatch.context() as failing:

        def fail(*_: object, **__: object) -> None:
            raise Overtaken("another process was quicker")

        failing.setattr(played.journal, "append", fail)
        with pytest.raises(Overtaken):
            played.tell("a", "low", 1.0)
    assert played.tell("a", "low", 2.0)
    assert played.verify().state_hash == state_hash(played.state())
