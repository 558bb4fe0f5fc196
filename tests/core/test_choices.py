from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from firstmover.core.arrays import Matrix, Vector, as_array
from firstmover.core.choices import ChoiceReward, best_choice, choice_game, places_of
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box
from firstmover.games import increasing
from firstmover.games.rewards import Bilinear
from firstmover.games.toy.game import shore_game
from firstmover.games.wildlife.game import wildlife_game


def by_linear_program(w, low, high):
    found = linprog(-w, A_eq=np.ones((1, len(w))), b_eq=[1.0], bounds=np.stack([low, high], axis=1))
    return -found.fun if found.status == 0 else None


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10_000), st.integers(2, 6), st.sampled_from([0.1, 0.4, 1.0]))
def test_the_sort_solves_the_linear_program(seed, c, width):
    rng = np.random.default_rng(seed)
    centre = rng.dirichlet(np.ones(c), size=5)
    reach = rng.uniform(0, width, size=(5, c))
    low, high = np.clip(centre - reach, 0, 1), np.clip(centre + reach, 0, 1)
    w = rng.normal(size=(5, c))
    found = best_choice(w, Box(low, high))
    for i in range(5):
        assert found[i] == pytest.approx(by_linear_program(w[i], low[i], high[i]), abs=1e-9)


def test_a_case_by_hand():
    # 0.1 and 0.2 are due; of the 0.7 left, place 1 takes 0.3, place 0 takes 0.3, the last 0.1 goes to place 2
    w, box = np.array([[2.0, 4.0, -1.0]]), Box([[0.1, 0.2, 0.0]], [[0.4, 0.5, 0.9]])
    assert best_choice(w, box)[0] == pytest.approx(0.4 * 2 + 0.5 * 4 - 0.1 * 1)


def test_boxes_that_miss_the_simplex_become_their_nearest_corner_scaled():
    w = np.array([[1.0, 3.0]])
    assert by_linear_program(w[0], np.array([0.9, 0.6]), np.array([1.0, 0.8])) is None
    assert best_choice(w, Box([[0.9, 0.6]], [[1.0, 0.8]]))[0] == pytest.approx((0.9 + 1.8) / 1.5)
    assert best_choice(w, Box([[0.0, 0.0]], [[0.2, 0.3]]))[0] == pytest.approx((0.2 + 0.9) / 0.5)
    assert best_choice(w, Box([[-2.0, -1.0]], [[-1.0, 0.0]]))[0] == pytest.approx(2.0)
    assert best_choice(w, Box([[-5.0, -5.0]], [[9.0, 9.0]]))[0] == pytest.approx(3.0)


def test_the_reward_of_an_indicator_is_that_of_the_location():
    reward = ChoiceReward(increasing(lambda x, y: x[:, 0] * y[:, 0]), np.array([[1.0], [4.0]]))
    x = np.array([[2.0], [3.0]])
    assert np.array_equal(reward.coefficients(x), [[2.0, 8.0], [3.0, 12.0]])
    assert np.array_equal(reward(x, np.array([[0.0, 1.0], [1.0, 0.0]])), [8.0, 3.0])
    point = np.array([[0.25, 0.75], [0.25, 0.75]])
    assert reward.best_in_box(x, Box(point, point)) == pytest.approx(reward(x, point))


def test_a_choice_game_has_indicators_for_responses_and_the_rest_as_it_was():
    game = wildlife_game()
    seen = choice_game(game, places_of(game).centres)
    assert seen.n_outputs == 25
    assert seen.places is None
    assert seen.actions is game.actions
    assert seen.reward_range == game.reward_range


def test_a_game_without_places_is_refused():
    with pytest.raises(InvalidInput, match="game 'shore' declares no places"):
        places_of(shore_game())


def test_coefficients_kept_from_round_to_round_are_those_computed_anew() -> None:
    """Only the columns of places that moved are asked for again, and never where actions can still be written to."""
    rows_asked: list[int] = []

    class Counted(Bilinear):
        def __call__(self, actions: Matrix, responses: Matrix) -> Vector:
            rows_asked.append(len(actions))
            return super().__call__(actions, responses)

    payoffs, rng = np.array([[1.0, -2.0], [3.0, 0.5]]), np.random.default_rng(0)
    actions, locations = as_array("actions", rng.random((5, 2)), ndim=2), rng.random((3, 2))
    reward = ChoiceReward(Counted(payoffs), locations)
    first = reward.coefficients(actions)
    elsewhere = locations.copy()
    elsewhere[1] += 0.5
    moved = replace(reward, locations=elsewhere)
    np.testing.assert_allclose(moved.coefficients(actions), actions @ payoffs @ elsewhere.T)
    np.testing.assert_array_equal(reward.coefficients(actions), first)  # the round before is still what it was
    assert rows_asked == [15, 5, 5]
    other = rng.random((5, 2))
    np.testing.assert_allclose(moved.coefficients(other), other @ payoffs @ elsewhere.T)
    other *= 2
    np.testing.assert_allclose(moved.coefficients(other), other @ payoffs @ elsewhere.T)
