"""A reward linear in which of finitely many places the opponent chooses, with its maximum over box ∩ simplex."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from firstmover.records import Box, Matrix, Vector


@dataclass(frozen=True, eq=False)
class PlaceReward:
    """r(x, y) = Σ_i g_i(x) y_i, where y is a distribution over c places: its chances, or 1 for the place chosen.

    Since r is linear, the reward of expected choices is the expected reward. Over {y in the box, Σ y = 1} the best y
    starts at the lower corner and gives what is left to the places of largest gain first, each up to its upper bound.
    A box that misses the simplex is treated as the optimist would: missing mass goes to the best place, mass too much
    is taken from the worst.

    >>> reward = PlaceReward(lambda x: np.hstack([x, 2 * x, -x]))
    >>> x = np.array([[1.0]])
    >>> print(reward(x, np.array([[0.2, 0.3, 0.5]])), reward.best_in_box(x, Box([[0.0, 0.1, 0.2]], [[1.0, 0.4, 1.0]])))
    [0.3] [1.]
    """

    gains: Callable[[Matrix], Matrix]

    def __call__(self, actions: Matrix, responses: Matrix) -> Vector:
        """r of each row."""
        return np.einsum("kc,kc->k", self.gains(actions), responses)

    def best_in_box(self, actions: Matrix, box: Box) -> Vector:
        """Eq. (6) with the simplex: a sort of the gains, for all actions at once."""
        gains = self.gains(actions)
        order = np.argsort(-gains, axis=1, kind="stable")
        gain, low, high = (np.take_along_axis(a, order, axis=1) for a in (gains, box.lower, box.upper))
        floors = _filled(low, 1.0)  # all of the lower corner, unless it holds more than 1
        extra = _filled(high - low, np.maximum(0.0, 1.0 - low.sum(axis=1, keepdims=True)))
        best = floors + extra
        best[:, 0] += 1.0 - best.sum(axis=1)
        return np.einsum("kc,kc->k", gain, best)


def _filled(room: Matrix, mass: float | Matrix) -> Matrix:
    """Mass given to the columns in turn, each up to its room."""
    before = np.cumsum(room, axis=1) - room
    return np.clip(mass - before, 0.0, room)
