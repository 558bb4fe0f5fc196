"""Two rounds of Algorithm 1 by hand: X = {0, 1, 3}, Θ = {0, 2}, RBF of length 1, λ = 1, β = 1/2, r = y − x/4.

Responses lie in [0, 2], so rewards lie in [0 − 3/4, 2] and are scaled by (r + 0.75) / 2.75; η = √(8 log 3 / 2).
"""

from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.gaussian_process.kernels import RBF

from firstmover.beliefs import ConstantWidth, LemmaWidth
from firstmover.core.contracts import Game
from firstmover.core.records import Box, Feedback
from firstmover.games import decreasing, increasing
from firstmover.learners import LEARNERS, Setup, StackelUCB
from firstmover.learners.optimistic import optimistic_rewards

GAME = Game(
    name="by hand",
    actions=np.array([[0.0], [1.0], [3.0]]),
    reward=increasing(lambda x, y: y[:, 0] - x[:, 0] / 4),
    response_domain=Box([0.0], [2.0]),
    reward_range=(-0.75, 2.0),
    types=np.array([[0.0], [2.0]]),
)
ETA = sqrt(8 * log(3) / 2)


def start(game: Game = GAME, strategy: str = "fixed-rate") -> StackelUCB:
    return LEARNERS["stackelucb"].build(Setup(game, RBF(1.0), 1.0, ConstantWidth(0.5), strategy, horizon=2))


def weights_of(totals: list[float]) -> list[float]:
    """p ∝ exp(η G)."""
    raw = [exp(ETA * total) for total in totals]
    return [w / sum(raw) for w in raw]


def share(reward: float) -> float:
    return (reward + 0.75) / 2.75


def test_the_first_strategy_is_uniform() -> None:
    np.testing.assert_allclose(start().strategy, [1 / 3] * 3, rtol=1e-15)


def test_round_one_by_hand() -> None:
    learner = start().observe(Feedback(1, [0.0], [1.2]))
    # Nothing is known: μ = 0, σ = 1, the box [−½, ½] cut to [0, ½], so r̃ = ½ − x/4 = ½, ¼, −¼,
    # in shares of the range 1.25 / 2.75, 1 / 2.75, 0.5 / 2.75.
    totals = [1.25 / 2.75, 1 / 2.75, 0.5 / 2.75]
    np.testing.assert_allclose(learner.strategy, weights_of(totals), rtol=1e-12)
    np.testing.assert_allclose(learner.strategy, [0.418228, 0.345659, 0.236113], atol=1e-6)


def test_round_two_by_hand_at_the_type_that_was_seen() -> None:
    learner = start().observe(Feedback(1, [0.0], [1.2])).observe(Feedback(2, [0.0], [0.3]))
    # k = exp(−(x − 1)²/2) to the one observation; (K + λ)⁻¹ = 1/2, so μ = 0.6 k and σ² = 1 − k²/2.
    k = [exp(-0.5), 1.0, exp(-2.0)]
    ucb = [0.6 * ki + 0.5 * sqrt(1 - ki**2 / 2) for ki in k]
    np.testing.assert_allclose(ucb, [0.815599, 0.953553, 0.578906], atol=1e-6)
    optimistic = [ucb[0] - 0.0, ucb[1] - 0.25, ucb[2] - 0.75]
    first = [1.25 / 2.75, 1 / 2.75, 0.5 / 2.75]
    expected = weights_of([a + share(b) for a, b in zip(first, optimistic, strict=True)])
    np.testing.assert_allclose(learner.strategy, expected, rtol=1e-12)


def test_round_two_by_hand_at_the_other_type() -> None:
    learner = start().observe(Feedback(1, [0.0], [1.2])).observe(Feedback(2, [2.0], [0.3]))
    # Now z = (x, 2) stands 2 further off: k = exp(−((x − 1)² + 4)/2), and less is known.
    k = [exp(-2.5), exp(-2.0), exp(-4.0)]
    ucb = [0.6 * ki + 0.5 * sqrt(1 - ki**2 / 2) for ki in k]
    optimistic = [ucb[0] - 0.0, ucb[1] - 0.25, ucb[2] - 0.75]
    first = [1.25 / 2.75, 1 / 2.75, 0.5 / 2.75]
    expected = weights_of([a + share(b) for a, b in zip(first, optimistic, strict=True)])
    np.testing.assert_allclose(learner.strategy, expected, rtol=1e-12)


@given(action=st.integers(0, 2), response=st.floats(0, 2), other=st.floats(0, 2))
def test_line_5_comes_before_line_7_so_a_response_counts_from_the_next_round_on(
    action: int, response: float, other: float
) -> None:
    """p_2 knows nothing of x_1 and y_1: the optimistic rewards use the belief before this round's observation."""
    learner = start().observe(Feedback(action, [0.0], [response]))
    np.testing.assert_array_equal(learner.strategy, start().observe(Feedback(0, [0.0], [other])).strategy)


def test_a_response_does_count_from_the_next_round_on() -> None:
    low, high = (start().observe(Feedback(1, [0.0], [y])).observe(Feedback(1, [0.0], [1.0])) for y in (0.1, 1.9))
    assert high.strategy[1] > low.strategy[1] + 0.05


def test_the_learner_ends_with_what_it_saw() -> None:
    learner = start().observe(Feedback(1, [0.0], [1.2]))
    prediction = learner.belief.predict(np.array([0.0]))
    np.testing.assert_allclose(prediction.mean[:, 0], [0.6 * exp(-0.5), 0.6, 0.6 * exp(-2.0)], rtol=1e-12)
    np.testing.assert_allclose(prediction.std[1], sqrt(0.5), rtol=1e-12)


def test_a_falling_reward_is_optimistic_at_the_lower_end() -> None:
    game = Game("falling", GAME.actions, decreasing(lambda x, y: x[:, 0] - y[:, 0]), Box([-9.0], [9.0]), (-9, 12))
    rewards = optimistic_rewards(game, start(game, "adahedge").belief, ConstantWidth(0.5), np.array([0.0]))
    np.testing.assert_allclose(rewards, [0.5, 1.5, 3.5], rtol=1e-12)  # lcb = −½


def test_a_stated_range_tightens_the_optimistic_reward() -> None:
    game = Game("capped", GAME.actions, GAME.reward, Box([-9.0], [9.0]), (-0.5, 0.3), GAME.types)
    rewards = optimistic_rewards(game, start(game).belief, ConstantWidth(0.5), np.array([0.0]))
    np.testing.assert_allclose(rewards, [0.3, 0.25, -0.25], rtol=1e-12)


def test_the_width_follows_the_information_gained() -> None:
    """β grows with γ_t = ½ log(1 + 1) after one observation at λ = 1."""
    width = LemmaWidth(rkhs_norm_bound=0.1, noise_std=0.2, regularization=1.0, failure_probability=0.5)
    learner = LEARNERS["stackelucb"].build(Setup(GAME, RBF(1.0), 1.0, width, "adahedge"))
    learner = learner.observe(Feedback(1, [0.0], [1.2]))
    beta = sqrt(0.2**2 * (2 * log(2) + log(2)) + 0.1**2)
    rewards = optimistic_rewards(GAME, learner.belief, width, np.array([0.0]))
    assert rewards[1] == pytest.approx(0.6 + beta * sqrt(0.5) - 0.25, rel=1e-12)


@pytest.mark.parametrize(("horizon", "name"), [(2, "stackelucb"), (None, "anytime")])
def test_started_in_one_call_it_is_the_table_s(horizon: int | None, name: str) -> None:
    history = [Feedback(1, [0.0], [1.2]), Feedback(2, [2.0], [0.3]), Feedback(0, [0.0], [0.9])]
    one = StackelUCB.start(GAME, RBF(1.0), 1.0, confidence_width=0.5, horizon=horizon)
    two = LEARNERS[name].build(Setup(GAME, RBF(1.0), 1.0, ConstantWidth(0.5), "fixed-rate", horizon))
    for feedback in history:
        one, two = one.observe(feedback), two.observe(feedback)
    np.testing.assert_array_equal(one.strategy, two.strategy)
