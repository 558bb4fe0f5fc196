import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firstmover.errors import InvalidInput
from firstmover.strategies import STRATEGIES, GrowingWeights

HORIZON = 60


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000), st.lists(st.integers(1, HORIZON - 1), min_size=1, max_size=4))
def test_every_member_has_its_bound_from_the_round_it_entered(seed, entries):
    rng = np.random.default_rng(seed)
    weights = GrowingWeights.start(3, (0.0, 1.0), HORIZON)
    joined, mine, gained = [0, 0, 0], [0.0] * 3, np.zeros(HORIZON)
    for t in range(HORIZON):
        for _ in range(entries.count(t)):
            weights, joined, mine = weights.enter(), [*joined, t], [*mine, 0.0]
        worst = int(np.argmax(weights.strategy))  # an adversary that starves the favourite
        rewards = rng.integers(0, 2, size=len(mine)).astype(float)
        rewards[worst] = 0.0
        gained[t] = weights.strategy @ rewards
        mine = [total + reward for total, reward in zip(mine, rewards, strict=True)]
        weights = weights.update(rewards)
    rate = weights.learning_rate
    for i, (start, total) in enumerate(zip(joined, mine, strict=True)):
        k = i - 2
        prior = 1 / 6 if i < 3 else 1 / (2 * k * (k + 1))
        bound = np.log(1 / prior) / rate + rate * (HORIZON - start) / 8
        assert total - gained[start:].sum() <= bound + 1e-9


def test_entering_takes_the_prior_share_whatever_happened_before():
    weights = GrowingWeights.start(2, (0.0, 1.0), 10)
    assert weights.enter().strategy == pytest.approx([1 / 3, 1 / 3, 1 / 3])  # 1/4, 1/4 and 1/4 of the prior
    for _ in range(5):
        weights = weights.update(np.array([1.0, 0.2]))
    assert weights.enter().strategy[-1] == pytest.approx(1 / 3)
    assert weights.enter(2).strategy == pytest.approx(weights.enter().enter().strategy)


def test_shares_of_the_others_keep_their_ratio_when_one_enters():
    weights = GrowingWeights.start(2, (-1.0, 3.0), 10).update(np.array([3.0, -1.0]))
    before, after = weights.strategy, weights.enter().strategy
    assert after[0] / after[1] == pytest.approx(before[0] / before[1])
    assert before[0] / before[1] == pytest.approx(np.exp(weights.learning_rate))


def test_growing_needs_range_and_horizon():
    with pytest.raises(InvalidInput, match="'growing' needs a horizon and the game's reward_range"):
        STRATEGIES["growing"].start(3, None, 50)
