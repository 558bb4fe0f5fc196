"""Linear functions of the response that bound a reward from above and from below."""

from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Reward, worst_in_box
from firstmover.core.records import Box


class Plane(NamedTuple):
    """value (k,) + slope (k, m) · y, one function per row."""

    value: Vector
    slope: Matrix

    def at(self, responses: Matrix) -> Vector:
        """Return the values at responses (k, m)."""
        return np.asarray(self.value + np.sum(self.slope * responses, axis=1), dtype=np.float64)


class LinearBounds(NamedTuple):
    """lower(y) ≤ r(x, y) ≤ upper(y) for all y in a box, row by row."""

    upper: Plane
    lower: Plane


@runtime_checkable
class LinearlyBounded(Protocol):
    """A reward with linear bounds over boxes that are tighter than its maximum and minimum."""

    def linear_bounds(self, actions: Matrix, box: Box | None) -> LinearBounds | None:
        """Return the bounds over each row of the box; without a box over all responses, None if there are none."""


def linear_plane(reward: Reward, actions: Matrix) -> Plane | None:
    """Return a reward that is linear in the response as a plane; None if it is not, or does not declare it."""
    bounds = reward.linear_bounds(actions, None) if isinstance(reward, LinearlyBounded) else None
    return None if bounds is None else bounds.upper


def linear_bounds(reward: Reward, actions: Matrix, box: Box) -> LinearBounds:
    """Return linear bounds of a reward over boxes (k, m): its own, or its maximum and minimum.

    >>> from firstmover.games import increasing
    >>> squared = increasing(lambda _, y: y[:, 0] ** 2)
    >>> linear_bounds(squared, np.zeros((1, 1)), Box([[1.0]], [[3.0]])).upper
    Plane(value=array([9.]), slope=array([[0.]]))
    """
    bounds = reward.linear_bounds(actions, box) if isinstance(reward, LinearlyBounded) else None
    if bounds is not None:
        return bounds
    flat = np.zeros(box.lower.shape)
    highest = np.asarray(reward.best_in_box(actions, box), dtype=np.float64)
    return LinearBounds(Plane(highest, flat), Plane(worst_in_box(reward, actions, box), flat))
