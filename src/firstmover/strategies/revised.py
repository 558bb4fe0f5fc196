"""Exponential weights whose totals may be revised, with a rate that follows the regret of the play so far."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from firstmover.core.arrays import Vector, as_array
from firstmover.core.records import ShortRepr


@dataclass(frozen=True, eq=False, repr=False)
class RevisedWeights(ShortRepr):
    """p_t ∝ exp(η_t G_t) with η_t = log n / R_t and R_t = max G_t − E_t.

    G_t is the total reward of each action over the past rounds and E_t that of the actions played, both by the present
    knowledge of the rewards: `revised` replaces them when it has changed. If rewards stay in a range of width S, R_T
    grows at most as S √(T log n), the order of Theorem 1 (docs/decisions/0074-weights-that-follow-the-regret.md). Where
    one action is better in every round, R_t stays bounded and the weights concentrate. Rewards may have any scale.

    >>> weights = RevisedWeights.opened(np.zeros(2)).update(np.array([3.0, 1.0]), action=1)
    >>> weights.regret, weights.strategy.round(3)
    (2.0, array([0.667, 0.333]))
    """

    cumulative: Vector
    earned: float
    opening: Vector | None = None

    @classmethod
    def opened(cls, bounds: Vector) -> Self:
        """Return weights whose p_1 is uniform over the largest of these bounds on rewards."""
        bounds = as_array("bounds", bounds, ndim=1)
        best = bounds == bounds.max()
        return cls(np.zeros(len(bounds)), 0.0, best / best.sum())

    @property
    def regret(self) -> float:
        """R_t, 0 or more."""
        return max(0.0, float(self.cumulative.max()) - self.earned)

    @property
    def learning_rate(self) -> float:
        """η_t; infinite while the regret is 0."""
        return float(np.log(len(self.cumulative))) / self.regret if self.regret > 0 else np.inf

    @property
    def strategy(self) -> Vector:
        """p_t."""
        if self.opening is not None:
            return self.opening
        lead = self.cumulative - self.cumulative.max()
        rate = self.learning_rate
        if rate == np.inf:
            weights = (lead == 0).astype(float)
        else:
            with np.errstate(over="ignore"):  # exp(−∞) = 0
                weights = np.exp(rate * lead)
        return np.asarray(weights / weights.sum(), dtype=np.float64)

    def update(self, rewards: Vector, action: int) -> Self:
        """Add the rewards of all actions in one round, in which one of them was played."""
        rewards = as_array("rewards", rewards, ndim=1, length=len(self.cumulative))
        return self.revised(self.cumulative + rewards, self.earned + float(rewards[action]))

    def revised(self, cumulative: Vector, earned: float) -> Self:
        """Return the weights with other totals of the same rounds."""
        return type(self)(cumulative, earned)
