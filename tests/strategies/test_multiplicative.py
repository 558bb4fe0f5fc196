import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from firstmover.core.errors import InvalidInput
from firstmover.strategies import MultiplicativeWeights, scaled
from tests.strategies.sequences import SEQUENCES, play, regret

UNIT = (0.0, 1.0)


def refused(sentence):
    return pytest.raises(InvalidInput, match=re.escape(sentence))


def test_fixed_rate_by_hand():
    """n = 2 and T = 8: η = √(8 log 2 / 8) = √log 2; after (1, 0) and (¾, ½) the totals differ by 1.25."""
    weights = MultiplicativeWeights.start(2, UNIT, horizon=8).update(np.array([1.0, 0.0])).update(np.array([0.75, 0.5]))
    assert weights.learning_rate == pytest.approx(np.sqrt(np.log(2)))
    first = 1 / (1 + np.exp(-1.25 * np.sqrt(np.log(2))))
    np.testing.assert_allclose(weights.strategy, [first, 1 - first], rtol=1e-14)


def test_decreasing_rate_by_hand():
    """η_t = √(8 log n / t): after two rounds t = 3, and the whole past is weighed anew with η_3."""
    weights = MultiplicativeWeights.start(3, UNIT)
    assert weights.learning_rate == pytest.approx(np.sqrt(8 * np.log(3)))
    weights = weights.update(np.array([1.0, 0.0, 0.5])).update(np.array([1.0, 0.0, 0.0]))
    odds = np.exp(np.sqrt(8 * np.log(3) / 3) * np.array([2.0, 0.0, 0.5]))
    np.testing.assert_allclose(weights.strategy, odds / odds.sum(), rtol=1e-13)


def test_rewards_are_scaled_by_their_range():
    """(−5, 5): −3 is 0.2 and 4 is 0.9 of the way."""
    np.testing.assert_allclose(scaled(np.array([-3.0, 4.0]), (-5.0, 5.0)), [0.2, 0.9])
    wide = MultiplicativeWeights.start(2, (-5.0, 5.0), horizon=4).update(np.array([-3.0, 4.0]))
    unit = MultiplicativeWeights.start(2, UNIT, horizon=4).update(np.array([0.2, 0.9]))
    np.testing.assert_allclose(wide.strategy, unit.strategy, rtol=1e-14)


@given(arrays(float, (10, 4), elements=st.floats(0, 1)))
def test_fixed_rate_multiplies(rewards):
    """p_{t+1} ∝ p_t exp(η r_t), the paper's update, round by round."""
    weights, p = MultiplicativeWeights.start(4, UNIT, horizon=10), np.full(4, 0.25)
    for row in rewards:
        weights = weights.update(row)
        p = p * np.exp(np.sqrt(8 * np.log(4) / 10) * row)
        p /= p.sum()
        np.testing.assert_allclose(weights.strategy, p, rtol=1e-12)


@given(
    rewards=st.integers(2, 5).flatmap(lambda n: arrays(np.int64, (8, n), elements=st.integers(-20, 20))),
    constant=st.integers(-(10**6), 10**6),
    horizon=st.sampled_from([None, 8]),
)
def test_a_constant_added_to_all_rewards_changes_nothing(rewards, constant, horizon):
    one = other = MultiplicativeWeights.start(rewards.shape[1], None, horizon)
    for row in rewards:
        one, other = one.update(row), other.update(row + constant)
    np.testing.assert_allclose(one.strategy, other.strategy, rtol=1e-6, atol=1e-12)


@pytest.mark.parametrize("horizon", [None, 10])
def test_large_rewards_do_not_overflow(horizon):
    weights = MultiplicativeWeights.start(3, None, horizon)
    for row in 1e6 * np.random.default_rng(0).normal(size=(100, 3)):
        weights = weights.update(row)
        assert np.sum(weights.strategy) == pytest.approx(1.0)


@pytest.mark.parametrize("n_actions", [2, 20])
@pytest.mark.parametrize("name", SEQUENCES)
def test_fixed_rate_regret_bound(name, n_actions):
    """√(T/2 log n): Cesa-Bianchi and Lugosi 2006, Theorem 2.2, and the first term of Theorem 1."""
    played = play(MultiplicativeWeights.start(n_actions, UNIT, horizon=300), SEQUENCES[name], rounds=300)
    assert regret(played) <= np.sqrt(150 * np.log(n_actions))


@pytest.mark.parametrize("rounds", [1, 17, 200])
@pytest.mark.parametrize("n_actions", [2, 20])
@pytest.mark.parametrize("name", SEQUENCES)
def test_decreasing_rate_regret_bound(name, n_actions, rounds):
    """2 √(T/2 log n) + √(log n / 8): Cesa-Bianchi and Lugosi 2006, Theorem 2.3, at any time."""
    played = play(MultiplicativeWeights.start(n_actions, UNIT), SEQUENCES[name], rounds)
    assert regret(played) <= 2 * np.sqrt(rounds / 2 * np.log(n_actions)) + np.sqrt(np.log(n_actions) / 8)


@pytest.mark.parametrize("reward", [1.1, -0.1, np.inf, 1 + 1e-8])
def test_a_reward_outside_the_range_is_refused_never_bent(reward):
    with refused("of action 1 is outside reward_range (0, 1): state the range that rewards can take, or use adahedge"):
        scaled(np.array([0.5, reward]), UNIT)


def test_the_sentence_names_the_reward():
    with refused("reward 12.5 of action 0 is outside reward_range (-5, 5):"):
        MultiplicativeWeights.start(2, (-5.0, 5.0), horizon=3).update(np.array([12.5, 0.0]))


def test_rounding_beyond_the_ends_is_let_pass():
    assert np.all(np.isfinite(scaled(np.array([1 + 1e-10, -1e-10]), UNIT)))


@pytest.mark.parametrize("horizon", [0, -3])
def test_a_horizon_below_one_is_refused(horizon):
    with refused(f"horizon is {horizon}: give 1 or more."):
        MultiplicativeWeights.start(2, UNIT, horizon)


def test_an_empty_range_is_refused():
    with refused("reward_range is (1.0, 1.0): give (smallest, largest), both finite."):
        MultiplicativeWeights.start(2, (1.0, 1.0))


def test_rewards_that_do_not_fit_are_refused():
    for weights in (MultiplicativeWeights.start(2), MultiplicativeWeights.start(2, UNIT)):
        with refused("rewards has 1 number(s): give 2."):
            weights.update(np.array([0.5]))
        with refused("rewards has the value nan at position 0: every number must be finite."):
            weights.update(np.array([np.nan, 0.0]))
