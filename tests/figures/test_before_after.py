"""Before and after: hand-worked differences, boundaries, and the sentences."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.figures.live import Trace
from firstmover.figures.live.before_after import ASSUMED, before_after, welch
from firstmover.matches import Match
from tests.matches.played import new


def told(match: Match, rewards: list[float], first: int = 0) -> None:
    """Rounds that earn these rewards: r = units − 2 y, and y is chosen for the action that was drawn."""
    for number, reward in enumerate(rewards, start=first):
        decision = match.ask(f"R{number}")
        units = 0.0 if decision.label == "none" else 10.0
        match.tell(decision.round_id, "low", (units - reward) / 2)


def test_a_difference_by_hand() -> None:
    """Variances 1 and 4 of 3 rounds each: s² = 5/3, ν = (5/3)² / ((1/3)² + (4/3)²) · 2 = 50/17, t(0.975) = 3.2186."""
    found = welch(np.array([1.0, 2.0, 3.0]), np.array([5.0, 7.0, 9.0]))
    assert found.value == 5.0
    assert found.upper - 5.0 == pytest.approx(3.2186 * np.sqrt(5 / 3), abs=5e-3)
    assert found.lower + found.upper == pytest.approx(10.0)
    assert 0.02 < found.chance < 0.05
    assert welch(np.ones(2), np.ones(2)) == type(found)(0.0, 0.0, 0.0, 1.0)
    assert welch(np.ones(2), np.full(2, 3.0)) == type(found)(2.0, 2.0, 2.0, 0.0)


def test_rounds_are_split_where_they_were_asked_and_the_sentence_says_how_much(tmp_path: Path) -> None:
    match = new(tmp_path)
    told(match, [-20.0, -19.0, -21.0, -20.0])
    told(match, [-10.0, -9.0, -11.0, -10.0], first=4)
    found = before_after(Trace(match.journal), round_id="R4")
    assert (found.before, found.after, found.mean_before, found.mean_after) == (4, 4, -20.0, -10.0)
    assert found.difference is not None
    low, high = found.difference.lower, found.difference.upper
    assert found.sentences[0] == (
        f"From round R4 on you earned {low:.4g} to {high:.4g} more per round; chance alone would differ as much in "
        "less than 1 of 100 such comparisons."
    )
    assert found.sentences[-1] == ASSUMED
    few = before_after(Trace(match.journal), round_id="R7")
    assert few.difference is None
    assert few.sentences == (
        "From round R7 on there are 1 told round, and 7 before: at least 2 on each side are needed for an interval.",
    )


def test_no_difference_and_a_trend_are_called_so(tmp_path: Path) -> None:
    match = new(tmp_path)
    told(match, [-28.0, -27.0, -29.0, -18.0, -17.0, -19.0, -8.0, -29.0])
    found = before_after(Trace(match.journal), round_id="R6")
    assert "which is not significantly different from no change" in found.sentences[0]
    assert found.sentences[1].startswith(
        "Already before, the later half earned 10 more per round than the earlier half"
    )


def test_recorded_changes_are_offered_as_boundaries(tmp_path: Path) -> None:
    match = new(tmp_path)
    told(match, [-20.0, -19.0])
    match.retire("none", reason="closed")
    told(match, [-10.0, -9.0], first=2)
    match.import_history([{"action": "both", "type": "low", "response": 2.0}])
    decision = match.ask("other")
    instead = "north" if decision.label != "north" else "south"
    match.tell("other", "low", 1.0, played=instead, reason="asked to")
    trace = Trace(match.journal)
    listed = before_after(trace)
    assert [each.words for each in listed.boundaries] == [
        f"override in round other: {instead}",
        "import of 1 row",
        "menu: retired none",
    ]
    assert (listed.difference, listed.sentences) == (None, ())
    found = before_after(trace, event=listed.boundaries[2].event)
    assert (found.before, found.after, found.words) == (2, 3, "after menu: retired none")


@pytest.mark.parametrize(
    ("boundary", "words"),
    [
        ({"round_id": "nobody"}, "round 'nobody' was not asked"),
        ({"date": "monday"}, "date is 'monday': give a date such as 2027-05-31."),
        ({"date": "2027-05-31", "event": 3}, "event and date are given: give one of event, round and date."),
    ],
)
def test_unknown_boundaries_are_refused(tmp_path: Path, boundary: dict[str, Any], words: str) -> None:
    match = new(tmp_path)
    told(match, [-1.0, -2.0])
    with pytest.raises(InvalidInput, match=words):
        before_after(Trace(match.journal), **boundary)
    assert before_after(Trace(match.journal), date="2020-01-01").after == 2
    assert before_after(Trace(match.journal), date="2999-01-01").before == 2
