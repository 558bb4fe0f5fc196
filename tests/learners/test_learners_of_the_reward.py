"""GP-UCB and GP-MW by hand: both regress g = r(x, b(x, θ)), here r = 2 − x − y on X = {0, 1, 3}."""

from dataclasses import replace
from math import exp, log, sqrt

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF

from firstmover.beliefs import ConstantWidth
from firstmover.core.contracts import Game
from firstmover.core.records import Box, Feedback
from firstmover.games import decreasing
from firstmover.learners import GPMW, LEARNERS, Setup
from firstmover.learners.mean_rewards import Shares, reward_estimates
from firstmover.learners.reward_regression import upper_bounds

GAME = Game(
    name="reward alone",
    actions=np.array([[0.0], [1.0], [3.0]]),
    reward=decreasing(lambda x, y: 2 - x[:, 0] - y[:, 0]),
    response_domain=Box([-9.0], [9.0]),
    reward_range=(-2.0, 2.0),
    types=np.array([[0.0], [2.0]]),
)
ONE = replace(GAME, types=np.array([[0.0]]))


def test_gp_ucb_by_hand() -> None:
    learner = LEARNERS["gp-ucb"].build(Setup(ONE, RBF(1.0), 1.0, ConstantWidth(0.5)))
    np.testing.assert_array_equal(learner.strategy, [1, 0, 0])  # μ + βσ = ½ everywhere: the first

    learner = learner.observe(Feedback(0, [0.0], [2.2]))
    # The reward −0.2 at x = 0: μ = −0.1 k, σ² = 1 − k²/2 with k = 1, e^−½, e^−4.5;
    # upper bounds −0.1 + 0.354 = 0.254, −0.0607 + 0.4516 = 0.391, −0.0011 + 0.49998 = 0.4989.
    np.testing.assert_array_equal(learner.strategy, [0, 0, 1])

    learner = learner.observe(Feedback(2, [0.0], [-2.0]))
    # The reward 2 − 3 + 2 = 1 at x = 3, far from 0: μ(3) ≈ ½, σ(3) ≈ √½, upper bound 0.853, the largest again.
    np.testing.assert_array_equal(learner.strategy, [0, 0, 1])

    assert upper_bounds(replace(learner, confidence=ConstantWidth(9.0)), np.zeros(1)).min() > 2, "it is not cut"

    learner = learner.observe(Feedback(2, [0.0], [9.0]))
    # The reward −10 drags μ(3) to about (1 − 10) / 3 = −3 and its neighbour's μ(1) to −0.456, upper bound −0.008;
    # x = 0 is too far off to care much: its upper bound falls from 0.254 to 0.237 and is the largest.
    np.testing.assert_array_equal(learner.strategy, [1, 0, 0])


@pytest.mark.parametrize(("beta", "chosen"), [(0.5, 0), (1.0, 1), (2.0, 2)])
def test_gp_ucb_goes_farther_from_its_data_the_larger_beta_is(beta: float, chosen: int) -> None:
    """The reward 0.6 at x = 0: μ = 0.3, 0.182, 0.003 and σ = 0.707, 0.903, 1.000 at x = 0, 1, 3.

    μ + βσ is 0.654, 0.634, 0.503 at β = ½, 1.007, 1.085, 1.003 at β = 1, and 1.714, 1.989, 2.003 at β = 2.
    """
    learner = LEARNERS["gp-ucb"].build(Setup(ONE, RBF(1.0), 1.0, ConstantWidth(beta)))
    assert learner.observe(Feedback(0, [0.0], [1.4])).strategy.argmax() == chosen


def gp_mw(width: float) -> GPMW:
    return LEARNERS["gp-mw"].build(Setup(GAME, RBF(1.0), 1.0, ConstantWidth(width), "fixed-rate", horizon=2))


def test_gp_mw_by_hand() -> None:
    eta = sqrt(4 * log(3))
    learner = gp_mw(0.5).observe(Feedback(1, [0.0], [0.4]))
    np.testing.assert_allclose(learner.strategy, [1 / 3] * 3, rtol=1e-12)  # the same ½ for all
    learner = learner.observe(Feedback(0, [2.0], [0.0]))
    # The reward 0.6 at z = (1, 0), seen from (x, 2): k = exp(−((x − 1)² + 4)/2), μ = 0.3 k, σ² = 1 − k²/2.
    k = [exp(-2.5), exp(-2.0), exp(-4.0)]
    upper = [0.3 * ki + 0.5 * sqrt(1 - ki**2 / 2) for ki in k]
    raw = [exp(eta * (0.5 + u + 4) / 4) for u in upper]
    np.testing.assert_allclose(learner.strategy, np.array(raw) / sum(raw), rtol=1e-12)


def test_gp_mw_cuts_its_bounds_to_the_range() -> None:
    learner = gp_mw(9.0).observe(Feedback(0, [0.0], [4.0])).observe(Feedback(0, [0.0], [4.0]))
    # μ + 9σ is above 2 for x = 1 and 3 and, with μ = −1 and σ = √½, for x = 0 too: all are cut to 2.
    np.testing.assert_allclose(learner.strategy, [1 / 3] * 3, rtol=1e-12)


def test_gp_mw_without_a_range_cuts_nothing() -> None:
    free = replace(GAME, reward_range=None)
    learner = LEARNERS["gp-mw"].build(Setup(free, RBF(1.0), 1.0, ConstantWidth(9.0), "adahedge"))
    learner = learner.observe(Feedback(0, [0.0], [4.0])).observe(Feedback(0, [0.0], [4.0]))
    assert learner.strategy[2] > learner.strategy[1] > learner.strategy[0]  # the less is known the more is hoped


def test_estimates_over_types_by_hand() -> None:
    """After the reward −2 at (0, 0): μ = −k, σ² = 1 − k²/2 with k = exp(−(x² + θ²)/2); types 0 and 2 by 3 to 1."""
    learner = gp_mw(1.5).observe(Feedback(0, [0.0], [4.0]))
    past = Shares(GAME.types, np.array([0.75, 0.25]))
    found = reward_estimates(learner, GAME, past)
    assert found is not None
    for action, x in enumerate([0.0, 1.0, 3.0]):
        each = [(s, exp(-(x**2 + kind**2) / 2)) for s, kind in ((0.75, 0.0), (0.25, 2.0))]
        std = sum(s * sqrt(1 - k**2 / 2) for s, k in each)
        assert found.expected.mean[action] == pytest.approx(sum(-s * k for s, k in each))
        assert found.expected.below[action] == found.expected.above[action] == pytest.approx(std)
        assert found.optimistic[action] == pytest.approx(found.expected.mean[action] + 1.5 * std)
    assert reward_estimates(gp_mw(9.0), GAME, past).optimistic.tolist() == [2.0] * 3  # type: ignore[union-attr]
    assert reward_estimates(learner, GAME, Shares(GAME.types[:0], np.empty(0))) is None


def test_the_kernel_of_the_reward_is_the_response_s_unless_given() -> None:
    setup = Setup(GAME, RBF(1.0), 1.0, ConstantWidth(0.5))
    for given, k in [(setup, exp(-0.5)), (replace(setup, reward_kernel=RBF(0.5)), exp(-2.0))]:
        belief = given.reward_belief().condition(1, np.array([0.0]), np.array([2.0]))
        np.testing.assert_allclose(belief.predict(np.array([0.0])).mean[:2, 0], [k, 1.0], rtol=1e-12)  # 2 / (1 + λ)


def test_learners_of_the_reward_see_one_number_however_long_the_response() -> None:
    wide = replace(
        GAME, reward=decreasing(lambda x, y: 2 - x[:, 0] - y.sum(axis=1), 2), response_domain=Box([-9, -9], [9, 9])
    )
    one = LEARNERS["gp-mw"].build(Setup(wide, RBF(1.0), 1.0, ConstantWidth(0.5), "adahedge"))
    learner = one.observe(Feedback(1, [0.0], [0.4, 0.2]))
    np.testing.assert_allclose(learner.belief.predict(np.array([0.0])).mean[1], [0.2], rtol=1e-12)  # (2 − 1 − 0.6) / 2
