import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from firstmover.core.errors import InvalidInput
from firstmover.strategies import AdaHedge
from tests.strategies.sequences import SEQUENCES, play, regret

whole_rewards = st.integers(2, 5).flatmap(lambda n: arrays(np.int64, (8, n), elements=st.integers(-20, 20)))


def fold(rewards):
    weights = AdaHedge.start(rewards.shape[1])
    for row in rewards:
        weights = weights.update(row)
    return weights


def test_hand_worked():
    """(3, 1): infinite rate, p = (½, ½), h = 2, m = 3, Δ = 1 and η = log 2, so p ∝ (2³, 2¹) = (0.8, 0.2).

    (0, 1): h = 0.2 and m = log₂(0.8 + 0.2·2) = log₂ 1.2, so Δ = 0.8 + log₂ 1.2; totals (3, 2) differ by 1.
    """
    one = AdaHedge.start(2).update(np.array([3.0, 1.0]))
    assert one.gap == 1.0
    np.testing.assert_allclose(one.strategy, [0.8, 0.2], rtol=1e-14)
    two = one.update(np.array([0.0, 1.0]))
    gap = 0.8 + np.log2(1.2)
    assert two.gap == pytest.approx(gap, rel=1e-14)
    assert two.learning_rate == pytest.approx(np.log(2) / gap, rel=1e-14)
    first = 1 / (1 + 2 ** (-1 / gap))
    np.testing.assert_allclose(two.strategy, [first, 1 - first], rtol=1e-14)


def test_three_actions_by_hand():
    """(6, 0, 0): h = 2, m = 6, Δ = 4, η = log 3 / 4, so p ∝ (3^1.5, 1, 1)."""
    weights = AdaHedge.start(3).update(np.array([6.0, 0.0, 0.0]))
    np.testing.assert_allclose(weights.strategy, np.array([3**1.5, 1, 1]) / (3**1.5 + 2), rtol=1e-14)


def test_equal_rewards_keep_the_rate_infinite_and_the_weights_uniform():
    weights = AdaHedge.start(3)
    assert weights.learning_rate == np.inf
    same = weights.update(np.full(3, 0.1)).update(np.full(3, -7.3))
    assert same.gap == 0.0
    np.testing.assert_array_equal(same.strategy, np.full(3, 1 / 3))


def test_a_lone_action():
    """Rounding must not open a gap where there is nothing to choose."""
    weights = fold(np.array([[0.3], [0.1], [0.7], [0.2], [1e6]]))
    assert weights.gap == 0.0
    assert weights.strategy.tolist() == [1.0]


@given(whole_rewards, st.integers(-(10**6), 10**6))
def test_a_constant_added_to_all_rewards_changes_nothing(rewards, constant):
    one, other = fold(rewards), fold(rewards + constant)
    np.testing.assert_allclose(one.strategy, other.strategy, rtol=1e-9, atol=1e-12)
    assert one.gap == pytest.approx(other.gap, rel=1e-12)


@given(whole_rewards, st.sampled_from([2.0**-40, 0.5, 3.0, 7.0, 2.0**40]))
def test_the_unit_of_rewards_changes_nothing(rewards, factor):
    one, other = fold(rewards), fold(rewards * factor)
    np.testing.assert_allclose(one.strategy, other.strategy, rtol=1e-9, atol=1e-12)
    assert other.gap == pytest.approx(one.gap * factor, rel=1e-9)


@given(whole_rewards)
def test_gaps_are_within_the_spread(rewards):
    """0 ≤ δ_t ≤ s_t, the spread of a round's rewards."""
    weights = AdaHedge.start(rewards.shape[1])
    for row in rewards:
        new = weights.update(row)
        assert 0 <= new.gap - weights.gap <= np.ptp(row) + 1e-12
        weights = new


def test_large_rewards_do_not_overflow():
    weights = fold(1e6 * np.random.default_rng(0).normal(size=(200, 4)))
    assert np.all(np.isfinite(weights.strategy))
    weights = fold(np.array([[1e-9, 0.0], [1e6, -1e6], [-1e6, 1e6], [1e6, 0.0]]))
    assert np.sum(weights.strategy) == pytest.approx(1.0)


@pytest.mark.parametrize("tiny", [5e-324, 2.2e-308, 1e-307, 1e-300])
def test_a_gap_near_nothing_does_not_overflow(tiny):
    """At 5e-324 the rate has no number and is infinite; at 1e-307 it has one, and its product with a lead has none."""
    weights = fold(np.array([[-tiny, 0.0, 0.0, 0.0]]))
    assert weights.strategy[0] < weights.strategy[1] == weights.strategy[2] == weights.strategy[3]
    weights = weights.update(np.array([-3.0, 1.0, 0.0, 1.0]))
    assert 0 <= weights.gap <= 4 + 1e-12
    assert np.sum(weights.strategy) == pytest.approx(1.0)


def theorem_8(rewards):
    """2 √(S (L⁺ − L*)(L* − L⁻) / (L⁺ − L⁻) log K) + S (16/3 log K + 2), in losses −r.

    L⁺ and L⁻ sum the largest and the smallest loss of each round, L* is the best action's, S the largest spread.
    """
    losses, log_k = -rewards, np.log(rewards.shape[1])
    worst, least = losses.max(axis=1).sum(), losses.min(axis=1).sum()
    best, spread = losses.sum(axis=0).min(), np.ptp(losses, axis=1).max()
    share = max(0.0, (worst - best) * (best - least) / (worst - least)) if worst > least else 0.0
    return 2 * np.sqrt(spread * share * log_k) + spread * (16 / 3 * log_k + 2)


SCALES = {
    "same": lambda _: 1.0,
    "in thousands": lambda _: 1e3,
    "falling signs": lambda t: (-1.0) ** t,
    "growing": lambda t: 1.01**t,
    "bursts": lambda t: 50.0 if t % 60 == 59 else 0.5,
}


@pytest.mark.parametrize("n_actions", [2, 10])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("name", SEQUENCES)
def test_regret_bound(name, scale, n_actions):
    """de Rooij, van Erven, Grünwald, Koolen 2014, Theorem 8, with neither horizon nor range told."""
    played = play(AdaHedge.start(n_actions), SEQUENCES[name], rounds=150, scale=SCALES[scale])
    assert regret(played) <= theorem_8(played[:, :-1]) + 1e-9


def test_easy_rewards_cost_little():
    """With one action always best by 1 the regret stays constant in T, where √T would be 22."""
    assert regret(play(AdaHedge.start(2), SEQUENCES["one good action"], rounds=500)) < 2


@pytest.mark.parametrize("rewards", [[1.0], [1.0, 2.0, 3.0]])
def test_rewards_of_another_length_are_refused(rewards):
    with pytest.raises(InvalidInput, match=rf"rewards has {len(rewards)} number\(s\): give 2."):
        AdaHedge.start(2).update(np.array(rewards))


def test_rewards_that_are_not_finite_are_refused():
    with pytest.raises(InvalidInput, match="rewards has the value nan at position 1"):
        AdaHedge.start(2).update(np.array([0.0, np.nan]))
