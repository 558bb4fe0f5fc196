"""Follow the leader: the action with the largest total so far, a baseline without a guarantee."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from firstmover.core.records import ShortRepr, Vector, as_array


@dataclass(frozen=True, eq=False, repr=False)
class FollowTheLeader(ShortRepr):
    """p_t puts all weight on the first action of the largest total: no randomisation, and no guarantee.

    >>> FollowTheLeader.start(3).update(np.array([0.0, 2.0, 2.0])).strategy
    array([0., 1., 0.])
    """

    cumulative: Vector

    @classmethod
    def start(cls, n_actions: int) -> Self:
        """Zero totals: the first action leads."""
        return cls(np.zeros(n_actions))

    @property
    def strategy(self) -> Vector:
        """p_t."""
        strategy = np.zeros(len(self.cumulative))
        strategy[np.argmax(self.cumulative)] = 1.0
        return strategy

    def update(self, rewards: Vector) -> Self:
        """Add the rewards."""
        rewards = as_array("rewards", rewards, ndim=1, length=len(self.cumulative))
        return replace(self, cumulative=self.cumulative + rewards)
