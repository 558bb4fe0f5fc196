"""Eq. (8) by hand: X = {0, 1, 3}, one type, RBF of length 1, λ = 1, β = 1/2, r = 1 + x/4 − y, y in [0, 3]."""

from math import exp, sqrt

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF

from firstmover.beliefs import ConstantWidth
from firstmover.core.contracts import Game
from firstmover.core.records import Box, Feedback
from firstmover.games import decreasing
from firstmover.learners import LEARNERS, Setup
from firstmover.learners.optimistic import optimistic_rewards

THETA = np.array([0.0])
GAME = Game(
    name="one type",
    actions=np.array([[0.0], [1.0], [3.0]]),
    reward=decreasing(lambda x, y: 1 + x[:, 0] / 4 - y[:, 0]),
    response_domain=Box([0.0], [3.0]),
    types=THETA[None],
)
SETUP = Setup(GAME, RBF(1.0), 1.0, ConstantWidth(0.5))


def test_three_rounds_by_hand() -> None:
    learner = LEARNERS["single-type"].build(SETUP)
    # Before any round lcb = −½, cut to 0: r̃ = 1 + x/4 = 1, 1.25, 1.75.
    np.testing.assert_array_equal(learner.strategy, [0, 0, 1])

    learner = learner.observe(Feedback(2, THETA, [2.0]))
    # At x = 3: μ = 1, σ² = ½, lcb = 1 − ½√½ = 0.6464, r̃ = 1.1036. At x = 1: k = e⁻² = 0.1353, μ = 0.1353 and
    # σ = 0.9954, so lcb is below 0 and r̃ stays 1.25: the largest.
    rewards = optimistic_rewards(GAME, learner.belief, ConstantWidth(0.5), THETA)
    np.testing.assert_allclose(rewards, [1.0, 1.25, 1.75 - 1 + 0.5 * sqrt(0.5)], rtol=1e-12)
    np.testing.assert_array_equal(learner.strategy, [0, 1, 0])

    learner = learner.observe(Feedback(1, THETA, [1.8]))
    # Two observations, 2 I + off-diagonal k with k = e⁻²: α = (2·2 − 1.8k, 2·1.8 − 2k) / (4 − k²).
    k = exp(-2.0)
    alpha = (4 - 1.8 * k) / (4 - k**2), (3.6 - 2 * k) / (4 - k**2)
    mean = k * alpha[0] + alpha[1]  # at x = 1
    std = sqrt(1 - (2 * k**2 + 2 - 2 * k**2) / (4 - k**2))
    lower = mean - 0.5 * std
    np.testing.assert_allclose([mean, std, lower], [0.963839, 0.705479, 0.611100], atol=1e-6)
    rewards = optimistic_rewards(GAME, learner.belief, ConstantWidth(0.5), THETA)
    assert rewards[1] == pytest.approx(1.25 - lower, rel=1e-12)
    # x = 1 is down to 0.639; x = 0, its neighbour, to 0.934; x = 3 is a little worse than before, 1.046, and the best.
    np.testing.assert_allclose(rewards, [0.933918, 0.638900, 1.046158], atol=1e-6)
    np.testing.assert_array_equal(learner.strategy, [0, 0, 1])


def test_ties_go_to_the_first() -> None:
    flat = Game("flat", GAME.actions, decreasing(lambda _, y: -y[:, 0]), GAME.response_domain, types=THETA[None])
    learner = LEARNERS["single-type"].build(Setup(flat, RBF(1.0), 1.0, ConstantWidth(0.5)))
    np.testing.assert_array_equal(learner.strategy, [1, 0, 0])
