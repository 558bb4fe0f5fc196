"""Intervals of responses with the same advice: oracles by hand, and states as they are when a round is told."""

from pathlib import Path

import pytest

from firstmover.matches import Match
from firstmover.matches.turning_points import HALVINGS, STEPS, spans, state_if_told
from tests.matches.test_changes import SHOP
from tests.matches.test_explanation import ONE, started


def stepwise(*turns: float):  # type: ignore[no-untyped-def]
    """Advice that grows by 1 at each of these responses."""
    return lambda value: sum(value >= turn for turn in turns)


@pytest.mark.parametrize(
    "turns",
    [(), (3.3,), (3.3, 8.1), (4.01, 4.3, 4.6, 7.7), (0.1, 9.95)],
    ids=["none", "below", "both sides", "three in one step", "ends"],
)
def test_all_turning_points_are_found(turns: tuple[float, ...]) -> None:
    low, middle, high = 0.0, 5.0, 15.0
    found = spans(stepwise(*turns), low, middle, high)
    assert [which for _, _, which in found] == list(range(len(turns) + 1))
    assert (found[0][0], found[-1][1]) == (low, high)
    finest = (high - middle) / STEPS / 2**HALVINGS
    for (_, end, _), (start, _, _), turn in zip(found[:-1], found[1:], turns, strict=True):
        assert end == start
        assert turn <= end <= turn + finest


def test_an_advice_that_returns_is_three_intervals() -> None:
    found = spans(lambda value: int(4.0 < value < 6.5), 0.0, 5.0, 10.0)
    assert [which for _, _, which in found] == [0, 1, 0]


def test_more_changes_than_are_located_still_cover_all_responses() -> None:
    found = spans(stepwise(5.1, 5.2, 5.3, 5.4, 5.5), 0.0, 5.0, 15.0)
    assert [start for start, _, _ in found[1:]] == [end for _, end, _ in found[:-1]]
    assert found[-1][2] == 5
    assert found[-1][0] <= 6.0


def test_an_expected_response_at_the_end_of_the_domain() -> None:
    assert spans(stepwise(2.0), 0.0, 0.0, 4.0)[0] == (0.0, pytest.approx(2.0, abs=0.01), 0)


@pytest.mark.parametrize("rounds", [5, 6])
def test_the_state_is_that_of_the_match_after_the_tell(tmp_path: Path, rounds: int) -> None:
    """One of both counts has a refit."""
    with started(tmp_path, ONE, rounds) as match:
        match.ask("now")
        state = match.state()
        before = state.sequence, len(state.steps), list(state.pending), len(state.refits)
        after = state_if_told(state, state.rounds["now"], {"type": {}, "response": {"sold": 11.0}})
        assert (state.sequence, len(state.steps), list(state.pending), len(state.refits)) == before
        refits, strategy = len(after.refits), after.decide(None, [])
    with Match.open(tmp_path / "m.db", "shop") as match:
        match.tell("now", None, 11.0)
        assert len(match.state().refits) == refits
        assert match.state().decide(None, []) == pytest.approx(strategy, abs=1e-12)


def test_a_retired_action_is_not_advised_next(tmp_path: Path) -> None:
    with started(tmp_path, ONE) as match:
        label = match.ask("now").label
        assert label in [each.next_action for each in match.explain().outlooks]
        match.retire(label)
        assert label not in [span.action for each in match.explain().outlooks for span in each.spans]


def test_the_types_are_assumed_by_how_often_they_came(tmp_path: Path) -> None:
    with Match.create(tmp_path / "m.db", "shop", SHOP) as match:
        rows = [
            {"action": "3", "type": {"customers": who}, "response": 9.0 + number}
            for number, who in enumerate(["visitors", "locals", "visitors", "visitors"])
        ]
        match.import_history(rows)
        match.ask("now")
        found = match.explain()
    assert [each.opponent_type for each in found.outlooks] == [{"customers": "visitors"}, {"customers": "locals"}]
    assert found.lines()[-1].startswith("If customers is 'locals': ")
