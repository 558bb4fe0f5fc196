import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.strategies import STRATEGIES


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_entry_starts_and_follows_rewards(name):
    weights = STRATEGIES[name].build(3, (-1.0, 1.0), 50)
    for _ in range(50):
        weights = weights.update(np.array([-1.0, 0.0, 1.0]))
    assert np.argmax(weights.strategy) == 2
    assert STRATEGIES[name].summary


@pytest.mark.parametrize(("reward_range", "horizon"), [(None, 50), ((0.0, 1.0), None)])
def test_fixed_rate_needs_range_and_horizon(reward_range, horizon):
    with pytest.raises(
        InvalidInput, match="'fixed-rate' needs a horizon and the game's reward_range: or use 'adahedge'"
    ):
        STRATEGIES["fixed-rate"].build(3, reward_range, horizon)


def test_decreasing_rate_needs_a_range():
    with pytest.raises(InvalidInput, match="'decreasing-rate' needs the game's reward_range: or use 'adahedge'"):
        STRATEGIES["decreasing-rate"].build(3, None, 50)


def test_fixed_rate_keeps_its_rate_and_the_decreasing_one_does_not():
    fixed, falling = (STRATEGIES[name].build(3, (0.0, 1.0), 50) for name in ("fixed-rate", "decreasing-rate"))
    assert fixed.learning_rate == fixed.update(np.zeros(3)).learning_rate == pytest.approx(np.sqrt(8 * np.log(3) / 50))
    assert falling.update(np.zeros(3)).learning_rate == pytest.approx(falling.learning_rate / np.sqrt(2))
