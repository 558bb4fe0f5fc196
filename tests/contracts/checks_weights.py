"""What all Weights promise, as checks that raise AssertionError."""

import numpy as np

from firstmover.core.arrays import Matrix
from firstmover.core.contracts import Weights
from firstmover.core.errors import FirstmoverError


def check_weights(start: Weights, reward_range: tuple[float, float], rng: np.random.Generator) -> None:
    """All checks, from the weights before the first round, with rewards inside the range."""
    rewards = rng.uniform(*reward_range, size=(30, len(start.strategy)))
    check_simplex(start, rewards)
    check_value(start, rewards)
    check_follows(start, reward_range)
    check_labels(start, rewards, rng)
    check_refusals(start, reward_range)


def _after(weights: Weights, rewards: Matrix) -> Weights:
    for row in rewards:
        weights = weights.update(row)
    return weights


def check_simplex(start: Weights, rewards: Matrix) -> None:
    """p_t (n,) is a distribution in every round."""
    weights = start
    for row in rewards:
        p = weights.strategy
        assert p.shape == row.shape, "one weight an action"
        assert np.all(p >= 0), "no negative weight"
        assert np.isclose(p.sum(), 1.0, rtol=0, atol=1e-12), "weights sum to 1"
        weights = weights.update(row)


def check_value(start: Weights, rewards: Matrix) -> None:
    """Updating leaves the old weights, their other children and the rewards as they were."""
    weights = _after(start, rewards[:5])
    was, mine = weights.strategy.copy(), rewards[5].copy()
    child = weights.update(mine)
    heard = child.strategy.copy()
    assert np.array_equal(mine, rewards[5]), "rewards are not written to"
    mine[:] = rewards[6]
    weights.update(rewards[7])
    child.update(rewards[8])
    for p in (weights.strategy, child.strategy):
        if p.flags.writeable:
            p[:] = 7.0
    assert np.array_equal(weights.strategy, was), "the old weights stay as they were"
    assert np.array_equal(child.strategy, heard), "a child does not notice its sibling"
    assert np.array_equal(_after(start, rewards[:6]).strategy, heard), "the same rewards give the same weights"


def check_follows(start: Weights, reward_range: tuple[float, float]) -> None:
    """An action that always earns most ends with most of the weight, and one that earns least with the least."""
    low, high = reward_range
    n = len(start.strategy)
    p = _after(start, np.tile(np.linspace(low, high, n), (50, 1))).strategy
    assert p[-1] == np.max(p), "the best action leads"
    assert p[-1] > 0.5, "the best action has most of the weight"
    assert p[0] == np.min(p), "the worst action is last"


def check_labels(start: Weights, rewards: Matrix, rng: np.random.Generator) -> None:
    """Naming the actions in another order gives the same weights in that order."""
    order = rng.permutation(rewards.shape[1])
    one, other = _after(start, rewards).strategy, _after(start, rewards[:, order]).strategy
    assert np.allclose(one[order], other, rtol=1e-9, atol=1e-12), "actions are treated alike"


def check_refusals(start: Weights, reward_range: tuple[float, float]) -> None:
    """Rewards that are not finite, or not one an action, are refused with an error of firstmover's own."""
    n, low = len(start.strategy), reward_range[0]
    for name, rewards in {
        "a reward that is NaN": np.array([np.nan] + [low] * (n - 1)),
        "a reward that is infinite": np.array([np.inf] + [low] * (n - 1)),
        "one reward for all": np.array([low]),
        "one reward too many": np.full(n + 1, low),
    }.items():
        try:
            start.update(rewards)
        except FirstmoverError:
            continue
        raise AssertionError(f"{name} is refused")
