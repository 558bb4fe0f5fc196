import numpy as np
import pytest

from firstmover.strategies import STRATEGIES, MultiplicativeWeights
from tests.contracts.checks_weights import check_weights


@pytest.mark.parametrize("n_actions", [2, 6])
@pytest.mark.parametrize("reward_range", [(0.0, 1.0), (-30.0, 10.0)])
@pytest.mark.parametrize("name", STRATEGIES)
def test_weights(name, reward_range, n_actions):
    check_weights(STRATEGIES[name].build(n_actions, reward_range, 50), reward_range, np.random.default_rng(0))


@pytest.mark.parametrize("horizon", [None, 50])
def test_multiplicative_weights_that_take_rewards_as_they_are(horizon):
    check_weights(MultiplicativeWeights.start(4, None, horizon), (0.0, 1.0), np.random.default_rng(0))
