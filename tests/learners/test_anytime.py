"""The recommended StackelUCB: X = {0, 1, 3}, r = y − x/4 or x − y."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from firstmover.beliefs import ConstantWidth, belief_over
from firstmover.core.contracts import Game
from firstmover.core.records import Box
from firstmover.games import Lattice, decreasing, increasing
from firstmover.kernels import on_action, polynomial
from firstmover.learners import StackelUCB
from firstmover.learners.optimistic import best_possible
from firstmover.strategies import AdaHedge

X = np.array([[0.0], [1.0], [3.0]])
RISING = increasing(lambda x, y: y[:, 0] - x[:, 0] / 4)
FALLING = decreasing(lambda x, y: x[:, 0] - y[:, 0])


@pytest.mark.parametrize(
    ("reward", "domain", "reward_range", "best"),
    [
        (RISING, Box([0.0], [2.0]), None, [2.0, 1.75, 1.25]),
        (RISING, Box([0.0], [2.0]), (-0.75, 1.5), [1.5, 1.5, 1.25]),
        (FALLING, Box([0.5], [np.inf]), None, [-0.5, 0.5, 2.5]),
        (RISING, Box([0.0], [np.inf]), None, [0.0, 0.0, 0.0]),
        (Lattice(lambda x, y: y[:, 0] - x[:, 0], 1.0), Box([0.0], [np.inf]), None, [0.0, 0.0, 0.0]),
    ],
)
def test_the_best_possible_rewards_by_hand(reward, domain, reward_range, best):
    np.testing.assert_allclose(best_possible(Game("by hand", X, reward, domain, reward_range)), best, rtol=1e-15)


def test_the_first_move_is_the_most_hopeful_and_is_then_forgotten():
    game = Game("by hand", X, FALLING, Box([0.5], [np.inf]))
    belief = belief_over(on_action(polynomial(1)), 1.0, X, 1)
    learner = StackelUCB.anytime(game, belief, ConstantWidth(1.0))
    np.testing.assert_array_equal(learner.strategy, [0, 0, 1])
    np.testing.assert_array_equal(learner.weights.update(np.zeros(3)).strategy, [1 / 3] * 3)


def test_an_opening_by_hand():
    """p_1 = (0, 1), rewards (3, 1): the gap is 3 − 1 = 2, so η = log 2 / 2 and the odds are 2^((3 − 1)/2) = 2."""
    weights = AdaHedge.opened(np.array([0.0, 1.0])).update(np.array([3.0, 1.0]))
    assert weights.gap == 2
    np.testing.assert_allclose(weights.strategy, [2 / 3, 1 / 3], rtol=1e-15)


@given(rewards=arrays(float, (40, 4), elements=st.floats(-3, 5)), hopes=arrays(float, 4, elements=st.floats(-9, 9)))
def test_the_bound_of_adahedge_holds_whatever_was_hoped(rewards, hopes):
    """max G − Σ p·r ≤ 2 √(V log n) + S (4/3 log n + 2), with V the variances under p and S the largest range."""
    weights, earned, variance = AdaHedge.opened(hopes), 0.0, 0.0
    for row in rewards:
        p = weights.strategy
        earned, variance = earned + p @ row, variance + p @ (row - p @ row) ** 2
        weights = weights.update(row)
    spread, log_n = np.max(np.ptp(rewards, axis=1)), np.log(4)
    bound = 2 * np.sqrt(variance * log_n) + spread * (4 / 3 * log_n + 2)
    assert rewards.sum(axis=0).max() - earned <= bound + 1e-9
