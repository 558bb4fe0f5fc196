"""Auer, Cesa-Bianchi, Freund and Schapire (2002): Exp3 in Figure 1 and Corollary 3.2, Exp3.P in Figure 2."""

from dataclasses import replace
from math import e, exp, log, sqrt

import numpy as np
import pytest

from firstmover.core.contracts import Game
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box, Feedback
from firstmover.games import increasing
from firstmover.learners import Exp3

GAME = Game("three", np.arange(3.0)[:, None], increasing(lambda x, y: x[:, 0] + y[:, 0]), Box([-1.0], [1.0]), (-1, 3))


def test_exp3_by_hand() -> None:
    learner = Exp3.start(GAME, horizon=50)
    gamma = sqrt(3 * log(3) / ((e - 1) * 50))
    assert gamma == pytest.approx(0.195862, abs=1e-6)
    np.testing.assert_allclose(learner.strategy, [1 / 3] * 3, rtol=1e-12)

    learner = learner.observe(Feedback(2, [0.0], [0.0]))
    # r = 2 in (−1, 3) is g = 3/4, and ĝ = g / (1/3) = 2.25 for action 2 alone; log w = (γ/3) · 2.25.
    w = exp(gamma / 3 * 2.25)
    p = [(1 - gamma) / (2 + w) + gamma / 3] * 2 + [(1 - gamma) * w / (2 + w) + gamma / 3]
    np.testing.assert_allclose(learner.strategy, p, rtol=1e-12)

    learner = learner.observe(Feedback(0, [0.0], [-0.2]))
    # r = −0.2 is g = 0.2, over the probability that action 0 had.
    v = exp(gamma / 3 * 0.2 / p[0])
    raw = np.array([v, 1.0, w])
    np.testing.assert_allclose(learner.strategy, (1 - gamma) * raw / raw.sum() + gamma / 3, rtol=1e-12)


def test_exp3p_by_hand() -> None:
    learner = Exp3.with_high_probability(GAME, horizon=50, failure_probability=0.05)
    gamma = 2 * sqrt(0.6 * 3 * log(3) / 50)
    bonus = 2 * sqrt(log(3 * 50 / 0.05)) / sqrt(3 * 50)
    assert (gamma, bonus) == (pytest.approx(0.397744, abs=1e-6), pytest.approx(0.462064, abs=1e-6))

    learner = learner.observe(Feedback(2, [0.0], [0.0]))
    # Every action gains bonus / p, here three times the bonus; action 2 gains ĝ = 2.25 besides; η = γ / 9.
    eta = gamma / 9
    np.testing.assert_allclose(learner.log_weights, eta * (3 * bonus + np.array([0, 0, 2.25])), rtol=1e-12)
    p = learner.strategy
    assert p[0] == pytest.approx((1 - gamma) / (2 + exp(eta * 2.25)) + gamma / 3, rel=1e-12)

    again = learner.observe(Feedback(1, [0.0], [1.0]))
    gain = again.log_weights - learner.log_weights
    np.testing.assert_allclose(gain, eta * (bonus / p + np.array([0, 0.75 / p[1], 0])), rtol=1e-12)
    assert gain[0] > gain[2]  # the rarer action has the larger bonus


def test_the_rates_of_short_games_are_capped() -> None:
    assert Exp3.start(GAME, horizon=1).exploration == 1.0
    assert Exp3.with_high_probability(GAME, horizon=1).exploration == 0.6


@pytest.mark.parametrize("bonus", [0.0, 0.3])
def test_the_estimate_is_unbiased(bonus: float) -> None:
    """Σ_x p[x] · (growth when x is played) = η (g + bonus / p): importance weighting leaves no action out."""
    learner = replace(Exp3.start(GAME, horizon=50), log_weights=np.array([0.3, -0.4, 1.1]), bonus=bonus)
    responses = np.array([0.5, -0.3, 0.9])
    p = learner.strategy
    growth = [learner.observe(Feedback(x, [0.0], [responses[x]])).log_weights - learner.log_weights for x in range(3)]
    g = (np.arange(3) + responses + 1) / 4
    np.testing.assert_allclose(p @ np.array(growth), learner.learning_rate * (g + bonus / p), rtol=1e-12)


def test_noise_beyond_the_range_is_kept() -> None:
    learner = Exp3.start(GAME, horizon=50).observe(Feedback(2, [0.0], [2.0]))  # r = 4, above 3: g = 5/4
    assert learner.log_weights[2] == pytest.approx(learner.learning_rate * 1.25 * 3, rel=1e-12)


def test_what_cannot_be_used_is_refused() -> None:
    with pytest.raises(InvalidInput, match="reward_range of game 'three' is not stated: exp3 needs it"):
        Exp3.start(replace(GAME, reward_range=None), horizon=5)
    for start in (Exp3.start, Exp3.with_high_probability):
        for horizon in (0, -3):
            with pytest.raises(InvalidInput, match=f"horizon is {horizon}: it must be a finite number above 0"):
                start(GAME, horizon)
    with pytest.raises(InvalidInput, match=r"exploration is 1\.2: give a share between 0 and 1"):
        Exp3(GAME, 1.2, 0.1, 0.0, np.zeros(3))
    with pytest.raises(InvalidInput, match="failure_probability is 1: give a number between 0 and 1"):
        Exp3.with_high_probability(GAME, 5, failure_probability=1)


def test_the_estimate_divides_by_the_probability_among_the_allowed_actions() -> None:
    """Of three equal actions two are allowed: action 2 was drawn with 1/2, so that ĝ = (3/4) / (1/2) = 1.5."""
    learner = Exp3.start(GAME, horizon=50)
    seen = learner.observe(Feedback(2, [0.0], [0.0], [True, False, True]))
    np.testing.assert_allclose(seen.log_weights, [0.0, 0.0, learner.learning_rate * 1.5], rtol=1e-12)


def test_a_probability_that_underflows_leaves_the_others_as_they_are() -> None:
    """Without exploration p = (0, ½, ½), and 0 / 0 made every weight NaN."""
    learner = Exp3(GAME, 0.0, 0.1, 0.0, np.array([-800.0, 0.0, 0.0]))
    np.testing.assert_array_equal(learner.strategy, [0.0, 0.5, 0.5])
    seen = learner.observe(Feedback(2, [0.0], [0.0]))
    np.testing.assert_allclose(seen.log_weights, [-800.0, 0.0, 0.1 * 1.5], rtol=1e-12)
    with pytest.raises(InvalidInput, match="action is 0, of probability 0: name the action that was drawn as advised"):
        learner.observe(Feedback(0, [0.0], [0.0]))
    assert learner.observe(Feedback(0, [0.0], [0.0], advised=2)) is learner


def test_a_bonus_needs_exploration() -> None:
    with pytest.raises(InvalidInput, match=r"bonus is 0\.1: give an exploration above 0 too"):
        Exp3(GAME, 0.0, 0.1, 0.1, np.zeros(3))


def test_no_weights_that_are_no_numbers() -> None:
    with pytest.raises(InvalidInput, match="log_weights has the value nan at position 1"):
        Exp3(GAME, 0.1, 0.1, 0.0, np.array([0.0, np.nan, 0.0]))
    tiny = replace(Exp3.start(GAME, horizon=5), exploration=1e-320, log_weights=np.array([-900.0, 0.0, 0.0]))
    with np.errstate(over="ignore"), pytest.raises(InvalidInput, match="log_weights has the value inf at position 0"):
        tiny.observe(Feedback(0, [0.0], [0.5]))
