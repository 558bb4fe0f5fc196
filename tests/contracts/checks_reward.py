"""What every Reward promises, as checks that raise AssertionError."""

from collections.abc import Callable

import numpy as np

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import BoundedReward, Reward
from firstmover.core.records import Box


def check_reward(reward: Reward, actions: Matrix, domain: Box, rng: np.random.Generator, excess: float = 1e-9) -> None:
    """All checks, for boxes inside a finite domain (m,); `excess` is how far above the maximum best_in_box may lie."""
    for box in (_random_boxes(len(actions), domain, rng), _whole(len(actions), domain)):
        check_leaves_arguments_alone(reward, actions, box)
        check_rows(reward, actions, box, rng, excess)
        check_dominates(reward, actions, box, rng)
        check_not_too_optimistic(reward, actions, box, excess)
        check_zero_width(reward, actions, box)
        if hasattr(reward, "worst_in_box"):
            check_worst(reward, actions, box, rng, excess)


def _random_boxes(n: int, domain: Box, rng: np.random.Generator) -> Box:
    ends = np.sort(rng.uniform(domain.lower, domain.upper, (2, n, len(domain.lower))), axis=0)
    return Box(ends[0], ends[1])


def _whole(n: int, domain: Box) -> Box:
    return Box(np.tile(domain.lower, (n, 1)), np.tile(domain.upper, (n, 1)))


def check_rows(reward: Reward, actions: Matrix, box: Box, rng: np.random.Generator, excess: float) -> None:
    """Row i depends on row i alone, and comes out as row i of a vector of finite numbers."""
    y, best = rng.uniform(box.lower, box.upper), reward.best_in_box(actions, box)
    value = reward(actions, y)
    for vector in (value, best):
        assert vector.shape == (len(actions),), "one number a row"
        assert np.all(np.isfinite(vector)), "finite rewards"
    size = 1e-12 * (1 + np.abs(value).max())
    for some in np.array_split(rng.permutation(len(actions)), 2):
        alone = reward(actions[some], y[some])
        assert np.allclose(alone, value[some], rtol=1e-12, atol=size), "rows are separate"
        alone = reward.best_in_box(actions[some], Box(box.lower[some], box.upper[some]))
        assert np.allclose(alone, best[some], rtol=1e-12, atol=size + excess), "boxes are separate"


def check_dominates(reward: Reward, actions: Matrix, box: Box, rng: np.random.Generator) -> None:
    """No sampled point of a box, inside or at a corner, earns more than best_in_box says."""
    best = reward.best_in_box(actions, box)
    for draw in range(60):
        y = rng.uniform(box.lower, box.upper)
        if draw % 2:
            y = np.where(y > (box.lower + box.upper) / 2, box.upper, box.lower)
        assert np.all(best >= reward(actions, y) - 1e-9 * (1 + np.abs(best))), "best_in_box dominates the box"


def check_not_too_optimistic(reward: Reward, actions: Matrix, box: Box, excess: float) -> None:
    """best_in_box lies at most `excess` above what a search along the coordinates finds."""
    found = _coordinate_search(reward, actions, box)
    best = reward.best_in_box(actions, box)
    assert np.all(best <= found + excess + 1e-9 * (1 + np.abs(found))), "best_in_box is attained, but for its error"


def _coordinate_search(reward: Callable[[Matrix, Matrix], Vector], actions: Matrix, box: Box) -> Vector:
    y = (box.lower + box.upper) / 2
    best = reward(actions, y)
    for coordinate in [*range(y.shape[1])] * 2:
        for share in np.linspace(0, 1, 17):
            trial = y.copy()
            trial[:, coordinate] = (1 - share) * box.lower[:, coordinate] + share * box.upper[:, coordinate]
            value = reward(actions, trial)
            y[value > best] = trial[value > best]
            best = np.maximum(best, value)
    return best


def check_zero_width(reward: Reward, actions: Matrix, box: Box) -> None:
    """On a box that is one point, best_in_box is the reward there."""
    at = reward.best_in_box(actions, Box(box.upper, box.upper))
    assert np.allclose(at, reward(actions, box.upper), rtol=1e-12, atol=1e-12), "zero width is the reward itself"


def check_worst(reward: BoundedReward, actions: Matrix, box: Box, rng: np.random.Generator, excess: float) -> None:
    """worst_in_box bounds all sampled points from below, nearly attains, is separate by row, and r on a point."""
    worst, found = reward.worst_in_box(actions, box), reward(actions, box.lower)
    assert worst.shape == (len(actions),), "one number a row"
    for draw in range(60):
        y = rng.uniform(box.lower, box.upper)
        if draw % 2:
            y = np.where(y > (box.lower + box.upper) / 2, box.upper, box.lower)
        found = np.minimum(found, reward(actions, y))
        assert np.all(worst <= reward(actions, y) + 1e-9 * (1 + np.abs(worst))), "every point dominates worst_in_box"
    lowest = -_coordinate_search(lambda x, y: -reward(x, y), actions, box)
    found = np.minimum(found, lowest)
    assert np.all(worst >= found - excess - 1e-9 * (1 + np.abs(found))), "worst_in_box is attained, but for its error"
    at = reward.worst_in_box(actions, Box(box.upper, box.upper))
    assert np.allclose(at, reward(actions, box.upper), rtol=1e-12, atol=1e-12), "zero width is the reward itself"
    for some in np.array_split(rng.permutation(len(actions)), 2):
        alone = reward.worst_in_box(actions[some], Box(box.lower[some], box.upper[some]))
        assert np.allclose(alone, worst[some], rtol=1e-12, atol=1e-12 * (1 + np.abs(worst).max())), "rows are separate"


def check_leaves_arguments_alone(reward: Reward, actions: Matrix, box: Box) -> None:
    """Neither call writes into what it was given."""
    mine, y = actions.copy(), box.lower.copy()
    reward(mine, y)
    reward.best_in_box(mine, box)
    assert np.array_equal(mine, actions), "actions are not written to"
    assert np.array_equal(y, box.lower), "responses are not written to"
