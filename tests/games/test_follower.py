"""Numeric best responses against closed forms, ties and refusals."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box
from firstmover.games import StackelbergGame, harbour, increasing, simplex_grid
from firstmover.games.stackelberg.harbour_game import CREWS, loads_landed, profit
from firstmover.games.stackelberg.opponents import BestInBox, follower

UNIT = Box([0.0], [1.0])
GRID = simplex_grid(2, 0.1)
NO_TYPE = np.zeros(1)


def test_the_closed_form_is_used_where_there_is_one():
    assert follower(harbour()) is loads_landed


@pytest.mark.parametrize("crew", CREWS)
def test_the_numeric_answer_is_the_closed_form(crew):
    game = harbour()
    plain = StackelbergGame(3, game.leader_payoff, profit, game.types, game.response_domain)
    x = simplex_grid(3, 0.2)
    np.testing.assert_allclose(follower(plain)(x, crew), loads_landed(x, crew), atol=2e-8)


@given(peak=st.floats(-0.5, 1.5), sharpness=st.floats(0.1, 100.0))
def test_a_concave_utility_is_climbed_to_its_peak_or_to_the_border(peak, sharpness):
    found = BestInBox(lambda _, y, __: -sharpness * np.abs(y[:, 0] - peak), UNIT)(GRID[:1], NO_TYPE)
    assert found[0, 0] == pytest.approx(np.clip(peak, 0, 1), abs=2e-8)


def test_several_outputs_and_a_box_that_is_no_cube():
    domain = Box([-1.0, 10.0], [1.0, 30.0])
    best = BestInBox(lambda x, y, t: -((y[:, 0] - x[:, 0]) ** 2) - (y[:, 1] - t[0] * (1 + x[:, 1])) ** 2, domain)
    np.testing.assert_allclose(best(GRID, np.array([14.0])), np.c_[GRID[:, 0], 14 * (1 + GRID[:, 1])], atol=1e-5)


def test_of_two_hills_of_equal_height_the_first_is_taken_by_every_strategy():
    hills = BestInBox(lambda _, y, __: -np.minimum((y[:, 0] - 0.25) ** 2, (y[:, 0] - 0.75) ** 2), UNIT)
    np.testing.assert_allclose(hills(GRID, NO_TYPE), np.full((len(GRID), 1), 0.25), atol=1e-8)


def test_the_higher_of_two_hills_is_taken():
    hills = BestInBox(
        lambda x, y, __: np.maximum(x[:, 0] - 9 * np.abs(y[:, 0] - 0.25), 0.5 - 9 * np.abs(y[:, 0] - 0.75)), UNIT
    )
    expected = np.where(GRID[:, :1] >= 0.5, 0.25, 0.75)
    np.testing.assert_allclose(hills(GRID, NO_TYPE), expected, atol=1e-8)


def test_a_follower_who_does_not_care_takes_the_smallest():
    np.testing.assert_array_equal(BestInBox(lambda _, y, __: 0 * y[:, 0], UNIT)(GRID, NO_TYPE), np.zeros((11, 1)))


def test_each_strategy_is_answered_by_itself():
    best = BestInBox(lambda x, y, __: -((y[:, 0] - x[:, 0] ** 2) ** 2), UNIT)
    whole = best(GRID, NO_TYPE)
    np.testing.assert_array_equal(best(GRID[[4]], NO_TYPE), whole[[4]])
    np.testing.assert_array_equal(best(GRID[::-1], NO_TYPE), whole[::-1])


def test_a_domain_of_one_point_leaves_no_choice():
    only = BestInBox(lambda _, y, __: y[:, 0], Box([0.3], [0.3]))
    np.testing.assert_array_equal(only(GRID[:2], NO_TYPE), [[0.3], [0.3]])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: BestInBox(profit, Box([0.0], [np.inf])), "response_domain is unbounded"),
        (lambda: BestInBox(profit, UNIT, points=5), "points is 5: give 6 or more"),
        (
            lambda: BestInBox(lambda _, y, __: y, UNIT)(GRID, NO_TYPE),
            r"follower_utility has shape \(187, 1\): give an array with 1 dim",
        ),
        (
            lambda: BestInBox(lambda _, y, __: y[:, 0], Box(np.zeros(6), np.ones(6)))(GRID, NO_TYPE),
            "points is 17: 11 mixed strategies with 6 outputs need more than 10_000_000 lattice points in all",
        ),
    ],
)
def test_what_cannot_be_searched_is_refused(call, said):
    with pytest.raises(InvalidInput, match=said):
        call()


def test_a_game_with_a_numeric_follower_is_a_game():
    game = StackelbergGame(
        2, increasing(lambda x, y: x[:, 1] * y[:, 0]), lambda x, y, t: -((y[:, 0] - t[0] * x[:, 0]) ** 2), [[1.0]], UNIT
    )
    menu = game.on_grid(0.1)
    earned = menu.reward(menu.actions, follower(game)(menu.actions, menu.types[0]))
    np.testing.assert_allclose(earned, menu.actions[:, 0] * menu.actions[:, 1], atol=1e-8)
