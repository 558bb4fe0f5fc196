"""Exponential weights whose totals may be revised, with a rate that follows the regret of the play so far."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from firstmover.core.arrays import Matrix, Vector, as_array
from firstmover.core.records import ShortRepr


@dataclass(frozen=True, eq=False, repr=False)
class RevisedWeights(ShortRepr):
    """p_t ∝ exp(η_t G_t) with η_t = log n / R̄_t and R̄_t = max_{s ≤ t} (max G_s − E_s).

    G_s is the total reward of each action over the first s rounds and E_s that of the actions played, both by the
    present knowledge of the rewards: `revised` replaces them when it has changed. R̄ never falls while totals only grow:
    with the last regret alone the rate would rise again, and an adversary could cause linear regret
    (docs/decisions/0074-weights-that-follow-the-regret.md). Where one action is better in every round, R̄_t stays
    bounded and the weights concentrate. Rewards may have any scale.

    >>> weights = RevisedWeights.opened(np.zeros(2)).update(np.array([3.0, 1.0]), action=1)
    >>> weights.largest, weights.strategy.round(3)
    (2.0, array([0.667, 0.333]))
    """

    cumulative: Vector
    earned: float
    largest: float
    opening: Vector | None = None

    @classmethod
    def opened(cls, bounds: Vector) -> Self:
        """Return weights whose p_1 is uniform over the largest of these bounds on rewards."""
        bounds = as_array("bounds", bounds, ndim=1)
        best = bounds == bounds.max()
        return cls(np.zeros(len(bounds)), 0.0, 0.0, best / best.sum())

    @property
    def learning_rate(self) -> float:
        """η_t; infinite while there was no regret."""
        return float(np.log(len(self.cumulative))) / self.largest if self.largest > 0 else np.inf

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
        cumulative, earned = self.cumulative + rewards, self.earned + float(rewards[action])
        return type(self)(cumulative, earned, max(self.largest, float(cumulative.max()) - earned))

    def revised(self, rewards: Matrix, actions: list[int]) -> Self:
        """Return the weights of the same rounds with these rewards (t, n), and the actions that were played in them."""
        cumulative, earned = np.cumsum(rewards, axis=0), np.cumsum(rewards[np.arange(len(rewards)), actions])
        largest = max(0.0, float(np.max(cumulative.max(axis=1) - earned)))
        return type(self)(cumulative[-1], float(earned[-1]), largest)
