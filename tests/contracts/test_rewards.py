import numpy as np
import pytest

from firstmover.core.records import Box
from firstmover.games.rewards import Concave, Lattice, Monotone, decreasing, increasing
from tests.contracts.checks_reward import check_reward

# name: (reward, outputs, how far above the maximum it may lie on a domain of width 3)
REWARDS = {
    "increasing": (increasing(lambda x, y: x[:, 0] * y[:, 0] ** 3, n_outputs=1), 1, 1e-9),
    "decreasing": (decreasing(lambda x, y: -x[:, 1] * y.sum(axis=1), n_outputs=4), 4, 1e-9),
    "monotone": (Monotone(lambda x, y: x[:, 0] * y[:, 0] - np.exp(y[:, 1]), directions=(1, -1)), 2, 1e-9),
    "concave": (Concave(lambda x, y: -np.sum((y - x) ** 2, axis=1), lambda x, y: -2 * (y - x)), 2, 0.03),
    "lattice": (Lattice(lambda x, y: np.sin(2 * y[:, 0] + x[:, 0]), reward_lipschitz=2.0, points=33), 1, 0.2),
}


@pytest.mark.parametrize("name", REWARDS)
def test_reward(name):
    reward, outputs, excess = REWARDS[name]
    rng = np.random.default_rng(0)
    check_reward(reward, rng.uniform(0, 1, (7, 2)), Box(np.full(outputs, -1.0), np.full(outputs, 2.0)), rng, excess)
