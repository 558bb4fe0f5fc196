"""The words of a rehearsal: its numbers stand in them, also where they are extreme."""

import re
from dataclasses import replace

import numpy as np
import pytest

from firstmover.matches.rehearsal_report import (
    ASSUMPTIONS,
    EARN,
    NOW,
    TRUST,
    WORK,
    can_it_work,
    compared,
    headline,
    may_i_trust,
    report_lines,
    what_it_earns,
    with_floor,
)
from firstmover.simulation.confounding import Confounding
from firstmover.simulation.gains import Gain
from tests.matches.rehearsed import held_out, rehearsal


def by_hand(earned: list[list[float]], present: float = 10.0) -> Gain:
    """A policy with these earnings per season and round, beside a constant present one."""
    rows = np.array(earned)
    return Gain("match", rows, np.full(rows.shape, present))


def test_the_headline_has_the_gain_its_range_and_both_earnings() -> None:
    made = rehearsal(match=by_hand([[11.0, 11.0], [12.0, 14.0]]))  # gains of 10 and 30 %
    assert headline(made) == (
        "In 2 simulated seasons of 2 rounds, firstmover earns 20 % more than what you do now "
        "(the 2 seasons: +10 % to +30 %): 12 per round instead of 10."
    )


def test_of_many_seasons_the_range_is_that_of_nine_in_ten() -> None:
    gains = 10 + np.arange(21.0)[:, None] / 10  # 0, 1, …, 20 %: the quantiles 5 and 95 % are 1 and 19 %
    made = rehearsal(match=by_hand(gains.tolist()))
    assert "earns 10 % more than what you do now (nine of ten seasons: +1 % to +19 %)" in headline(made)


def test_a_match_that_loses_says_so() -> None:
    made = rehearsal(gain=-0.15)
    assert re.search(
        r"firstmover earns 15 % less than what you do now \(nine of ten seasons: −1\d % to −1\d %\)", headline(made)
    )
    assert "It does not pay within the 104 rounds: the median season ends behind what you do now." in what_it_earns(
        made
    )


def test_negative_earnings_gain_when_they_lose_less() -> None:
    made = rehearsal(match=by_hand([[-8.0], [-9.0]], present=-10.0), oracle=by_hand([[-7.0], [-7.0]], present=-10.0))
    assert (
        "earns 1.5 per round more than what you do now (the 2 seasons: +1 per round to +2 per round): −8.5 per round "
        "instead of −10."
    ) in headline(made)
    assert "The best action of every round would earn 1.5 per round more if the opponent were known." in what_it_earns(
        made
    )


def test_gains_over_almost_nothing_are_stated_in_earnings() -> None:
    made = rehearsal(match=by_hand([[1.0], [1.2]], present=0.001))
    assert "earns 1.099 per round more than what you do now (the 2 seasons: +0.999 per round to +1.199 per round)" in (
        headline(made)
    )


def test_a_match_that_earns_the_same() -> None:
    assert "earns as much as what you do now" in headline(rehearsal(match=by_hand([[10.0], [10.0]])))
    assert compared(-0.0004, 10.0) == "as much"
    assert compared(-0.0006, 10.0) == "0.1 % less"


def test_the_answers_follow_the_questions_in_order() -> None:
    lines = report_lines(rehearsal())
    assert lines[0].startswith("In 40 simulated seasons of 104 rounds")
    assert [line for line in lines if line in (WORK, EARN, TRUST)] == [WORK, EARN, TRUST]
    assert lines[-1] == ASSUMPTIONS
    assert lines == rehearsal().lines()


def test_forecasts_are_compared_with_a_constant() -> None:
    made = rehearsal(held_out=held_out(error=6.0, constant=24.0), left_out=3)
    assert can_it_work(made) == [
        "Yes: the error of forecasts is 25 % of that of a constant. The later 90 rounds were forecast, each from those "
        "before it. 180 rounds of kiosk.csv were used; 3 were left out, since their types are not known."
    ]
    assert can_it_work(rehearsal(held_out=held_out(error=23.0)))[0].startswith("Barely: the error of forecasts is 96 %")


def test_responses_that_are_not_forecast_and_bands_that_are_too_narrow_are_named() -> None:
    held = held_out(("apples", "pears"))
    narrow = replace(held, covered=np.array([[0.8, 0.8], [0.9, 0.71]]))
    words = can_it_work(rehearsal(held_out=narrow))
    assert words[1:] == [
        "A constant forecasts these no worse than the model: pears.",
        "The response of the round before forecasts these no worse than the model: pears.",
        "Bands that should hold 90 % of responses held 71 % of pears: the model is surer than it may be.",
    ]
    assert "on average over 2 responses" in words[0]


def test_earnings_have_interval_oracle_payback_and_others() -> None:
    match = by_hand([[9.0, 12.0, 12.0, 12.0], [9.0, 11.0, 11.0, 11.0], [9.0, 13.0, 13.0, 13.0]])
    oracle = by_hand([[12.5] * 4] * 3)
    other = replace(by_hand([[9.5] * 4]), name="Exp3")
    words = what_it_earns(rehearsal(match=match, oracle=oracle, others=(other,), recorded=9.9))
    assert words == [
        "In the table, what you did earned 9.9 per round; in the seasons the same decisions earn 10.",
        # gains of 5, 12.5 and 20 %: a deviation of 7.5 %, times t = 4.303 over √3
        "The mean gain is known to ± 19 points by the number of seasons (95 % interval).",
        "That is 90 % of what the best action of every round would earn if the opponent were known, 96 % in the last "
        "quarter of the rounds.",
        "Exploration has paid after 1 round in the median season, which then stays ahead. No season ends behind what "
        "you do now.",
        "Compared with what you do now, other policies earn: Exp3 5 % less. Learners among them played 1 season.",
    ]


def test_a_table_that_earned_something_else_is_a_warning() -> None:
    warning = "The two differ by more than a tenth: the gain is no surer than that."
    assert warning in what_it_earns(rehearsal(recorded=80.0))
    assert warning not in what_it_earns(rehearsal(recorded=95.0))


def test_exploration_that_costs_nothing() -> None:
    oracle = by_hand([[12.0, 12.0]] * 3)
    made = rehearsal(match=by_hand([[11.0, 11.0]] * 3), oracle=oracle)
    assert any("Exploration costs nothing in the median season" in line for line in what_it_earns(made))
    behind = replace(made, match=by_hand([[11.0, 11.0], [11.0, 11.0], [9.0, 9.0]]))
    assert any("33 % of seasons end behind what you do now." in line for line in what_it_earns(behind))


def test_chances_have_their_intervals_and_a_floor_beside_them() -> None:
    match = by_hand([[9.0] * 4 + [11.0] * 9] * 5 + [[11.0] * 13] * 5)  # half of the seasons are behind after 4 rounds
    early = by_hand([[11.0] * 12] * 10)
    whole = by_hand([[11.0] * 13])
    words = may_i_trust(rehearsal(match=match, floored_early=early, floored=whole))
    assert words[1] == (
        "After 4 rounds it is behind what you do now in 50 % (19 to 81 %) of seasons, with a floor in 0 % (0 to 31 %)."
    )
    assert words[2].startswith("After 12 rounds it is behind what you do now in 0 % (0 to 31 %) of seasons")
    assert "10 seasons are few for chances: rehearse 100 before you decide." in words
    assert not any("52 rounds" in line for line in words)


@pytest.mark.parametrize(("rounds", "early"), [(4, True), (12, True), (52, False)])
def test_late_chances_with_a_floor_come_from_the_seasons_played_whole(rounds: int, early: bool) -> None:
    made = rehearsal(seasons=100)
    assert with_floor(made, rounds) is (made.floored_early if early else made.floored)
    assert (with_floor(rehearsal(seasons=90), rounds) is None) == (not early)  # 9 seasons are too few for a chance


def test_a_season_shorter_than_the_first_horizon_has_the_chance_at_its_end() -> None:
    made = rehearsal(seasons=2, rounds=3)
    assert any(line.startswith("After 3 rounds it is behind") for line in may_i_trust(made))


def test_the_cost_of_a_floor_is_stated_also_if_there_is_none() -> None:
    match = by_hand([[10.0, 10.0]])
    for earned, words in (
        (9.5, "It costs 5 %, by 1 season."),
        (11.0, "It earns 10 % more, by 1 season."),
        (10.0, "It makes no difference, by 1 season."),
    ):
        made = rehearsal(match=match, floored=by_hand([[earned, earned]]), floored_early=match)
        assert any(words in line and "at least 95 % of what '2.4' earns" in line for line in may_i_trust(made))


def test_decisions_that_explain_nothing_are_told() -> None:
    words = can_it_work(rehearsal(decisions=1.6))
    assert words[0].startswith("Barely: ")
    assert "does not show that decisions matter" in words[1]
    assert can_it_work(rehearsal(decisions=1.7))[0].startswith("Yes: ")


def test_signs_of_confounding_are_told() -> None:
    signs = Confounding(("price followed sold of the round before.",))
    assert set(signs.lines()) <= set(may_i_trust(rehearsal(confounding=signs)))


def test_the_assumptions_are_always_told() -> None:
    assert "not only from its mean" in ASSUMPTIONS
    assert "competitors who react" in ASSUMPTIONS
    assert NOW in "\n".join(report_lines(rehearsal(seasons=2, rounds=1)))
