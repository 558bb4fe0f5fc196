import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firstmover.strategies import AdaHedge, GrowingWeights

HORIZON = 60


def adversarial(seed: int, entries: list[int], scale: float) -> tuple[GrowingWeights, list, list, np.ndarray, list]:
    """A game in which the favourite is starved in every round, and members enter in the given rounds."""
    rng = np.random.default_rng(seed)
    weights = GrowingWeights.start(3)
    joined, mine, gained, gaps = [0, 0, 0], [0.0] * 3, np.zeros(HORIZON), []
    for t in range(HORIZON):
        for _ in range(entries.count(t)):
            weights, joined, mine = weights.enter(), [*joined, t], [*mine, 0.0]
        rewards = scale * rng.integers(0, 2, size=len(mine)).astype(float)
        rewards[int(np.argmax(weights.strategy))] = 0.0
        gained[t] = weights.strategy @ rewards
        mine = [total + reward for total, reward in zip(mine, rewards, strict=True)]
        gaps.append(weights.gap)
        weights = weights.update(rewards)
    return weights, joined, mine, gained, gaps


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000), st.lists(st.integers(1, HORIZON - 1), min_size=1, max_size=4), st.floats(1e-3, 1e3))
def test_every_member_has_its_bound_from_the_round_it_entered(seed, entries, scale):
    weights, joined, mine, gained, gaps = adversarial(seed, entries, scale)
    rate = np.log(6)
    for i, (start, total) in enumerate(zip(joined, mine, strict=True)):
        k = i - 2
        prior = 1 / 6 if i < 3 else 1 / (2 * k * (k + 1))
        regret = total - gained[start:].sum()
        exact = weights.gap - gaps[start] + np.log(1 / prior) / rate * gaps[-1]
        assert regret <= exact + 1e-9 * scale
        assert exact <= (1 + np.log(1 / prior) / rate) * scale * (np.sqrt(rate * HORIZON) / 2 + 1)


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 10_000), st.floats(-50.0, 50.0), st.floats(1e-3, 1e3))
def test_neither_the_zero_nor_the_unit_of_rewards_matters(seed, zero, unit):
    rewards = np.random.default_rng(seed).random((20, 3))
    plain, moved = GrowingWeights.start(2), GrowingWeights.start(2)
    for t, row in enumerate(rewards):
        if t == 7:
            plain, moved = plain.enter(), moved.enter()
        awake = row[: len(plain.strategy)]
        plain, moved = plain.update(awake), moved.update(unit * awake + zero)
    np.testing.assert_allclose(moved.strategy, plain.strategy, rtol=1e-6, atol=1e-9)


def test_a_sleeper_is_one_that_earned_the_mix_gain_all_along():
    """Awake from the start and paid m_t in each round, a member has the same weight as one that enters late."""
    rewards = np.random.default_rng(1).random((15, 2))
    late = GrowingWeights.start(2)
    awake = GrowingWeights.start(2).enter()
    for row in rewards:
        gain = late.update(row).mix_gain - late.mix_gain
        awake = awake.update(np.append(row, gain))
        late = late.update(row)
        awake = GrowingWeights(awake.log_prior, awake.cumulative, 2, late.gap, late.mix_gain)  # at one rate
    np.testing.assert_allclose(late.enter().strategy, awake.strategy, rtol=1e-9)


def test_without_entries_it_is_adahedge_with_the_logarithm_of_twice_as_many():
    """In one round from equal weights: Δ = max r − mean r = 2, η = log(4) / 2, p = 1 / (1 + exp(−4 η)) = 16 / 17."""
    rewards = np.array([5.0, 1.0])
    weights = GrowingWeights.start(2).update(rewards)
    assert weights.gap == AdaHedge.start(2).update(rewards).gap == 2.0
    np.testing.assert_allclose(weights.strategy, [16 / 17, 1 / 17])
    assert weights.mix_gain == pytest.approx(5.0)


def test_entering_takes_the_share_of_the_prior_and_leaves_the_others_their_ratio():
    weights = GrowingWeights.start(2)
    np.testing.assert_allclose(weights.enter().strategy, [1 / 3] * 3)  # 1/4, 1/4 and 1/4 of the prior
    for row in np.random.default_rng(3).random((9, 2)):
        weights = weights.update(row)
    before, after = weights.strategy, weights.enter().strategy
    assert after[0] / after[1] == pytest.approx(before[0] / before[1])
    np.testing.assert_allclose(weights.enter(2).strategy, weights.enter().enter().strategy)


def test_members_that_enter_have_priors_of_their_own():
    """Founders 1/6 each, then 1/4 and 1/12: not equal, unlike those of two founders and one more."""
    weights = GrowingWeights.start(3)
    np.testing.assert_allclose(weights.enter().strategy, np.array([2, 2, 2, 3]) / 9)
    np.testing.assert_allclose(weights.enter(2).strategy, np.array([2, 2, 2, 3, 1]) / 10)


@pytest.mark.parametrize("tiny", [5e-324, 2.2e-308, 1e-307, 1e-300])
def test_a_gap_near_nothing_does_not_overflow(tiny):
    weights = GrowingWeights.start(4).update(np.array([-tiny, 0.0, 0.0, 0.0])).enter()
    assert weights.strategy[0] < weights.strategy[1]
    weights = weights.update(np.array([-3.0, 1.0, 0.0, 1.0, 0.0]))
    assert np.isfinite(weights.gap)
    assert np.sum(weights.strategy) == pytest.approx(1.0)
