"""Nothing depends on the clock of the computer."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from random import Random

import pytest

from firstmover.core.errors import DamagedStore
from firstmover.matches import Journal, Match, events
from firstmover.matches.events import Event
from tests.matches.played import answer, new
from tests.torture.sizes import sizes

PROMISE = "clock-proof"


class Jumping(datetime):
    """A clock that jumps by up to ten years, backwards and forwards, whenever it is looked at."""

    rng = Random(3)
    looks = 0

    @classmethod
    def now(cls, tz: tzinfo | None = None) -> datetime:
        cls.looks += 1
        return datetime(2026, 11, 1, tzinfo=tz or UTC) + timedelta(days=cls.rng.uniform(-3650, 3650))


def play_by(folder: Path, rounds: int) -> None:
    """Rounds, reopened now and then; order, strategies and events are those of a clock that stands still."""
    match = new(folder)
    learner = match.setting.learner()
    for number in range(rounds):
        decision = match.ask(f"r{number}")
        assert decision.strategy.tobytes() == learner.strategy.tobytes()
        demand, congestion = answer(decision, number)
        match.tell(decision.round_id, demand, congestion)
        values = {"demand": demand}, {"congestion": congestion}
        learner = learner.observe(match.setting.feedback(decision.action, *values))
        if number % 20 == 19:
            match.close()
            match = Match.open(folder / "matches.db", "roads")
    assert [view.round_id for view in match.history()] == [f"r{number}" for number in range(rounds)]
    assert match.verify().exact == rounds
    match.close()


@pytest.mark.parametrize("jumps", sizes("jumps of the clock"))
def test_no_jump_changes_the_order(
    memory: Path, jumps: int, reached: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(events, "datetime", Jumping)
    before = Jumping.looks
    play_by(memory, jumps // 2)
    reached(f"{Jumping.looks - before:,} jumps of up to ±10 years, 0 order changes")


def test_teeth_a_journal_in_the_order_of_the_clock(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read = Journal.read

    def by_clock(self: Journal, after: int = 0, *_: object) -> Iterator[Event]:
        first, *others = read(self)
        later = sorted(others, key=lambda event: event.clock)
        return iter([event for event in [first, *later] if event.sequence > after])

    monkeypatch.setattr(events, "datetime", Jumping)
    monkeypatch.setattr(Journal, "read", by_clock)
    with pytest.raises((AssertionError, DamagedStore, KeyError)):
        play_by(memory, 40)
