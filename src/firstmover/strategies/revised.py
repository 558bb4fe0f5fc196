"""Exponential weights whose totals may be revised, with a rate that follows the regret of the play so far."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from firstmover.core.arrays import Matrix, Vector, as_array
from firstmover.core.records import ShortRepr


@dataclass(frozen=True, eq=False, repr=False)
class RevisedWeights(ShortRepr):
    """p_t ∝ exp(η_t G_t) with η_t = log n / R_t and R_t = max G_t − E_t.

    G_t is the total reward of each action over the past rounds and E_t = Σ_s p_s · r_s the expected total of the
    strategies that were played, both by the present knowledge of the rewards: `revised` replaces them when it has
    changed. If rewards stay in a range of width S, R_T grows at most as S √(T log n), the order of Theorem 1
    (docs/decisions/0074-weights-that-follow-the-regret.md). Where some actions are better in every round, R_t stays
    bounded and the weights concentrate. Rewards may have any scale.

    `played` has Σ p_s over the rounds of each known type, one after the other; it is empty where totals only grow.

    >>> weights = RevisedWeights.opened(np.zeros(2)).update(np.array([3.0, 1.0]))
    >>> weights.regret, weights.strategy.round(3)
    (1.0, array([0.8, 0.2]))
    """

    cumulative: Vector
    earned: float
    played: Vector
    opening: Vector | None = None

    @classmethod
    def opened(cls, bounds: Vector, types: int = 0) -> Self:
        """Return weights whose p_1 is uniform over the largest of these bounds on rewards."""
        bounds = as_array("bounds", bounds, ndim=1)
        best = bounds == bounds.max()
        return cls(np.zeros(len(bounds)), 0.0, np.zeros(types * len(bounds)), best / best.sum())

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

    def update(self, rewards: Vector) -> Self:
        """Add the rewards of all actions in one round."""
        rewards = as_array("rewards", rewards, ndim=1, length=len(self.cumulative))
        earned = self.earned + float(self.strategy @ rewards)
        return replace(self, cumulative=self.cumulative + rewards, earned=earned, opening=None)

    def after(self, kind: int) -> Self:
        """Return the weights after one more round, of the known type number `kind`, its totals not yet revised."""
        played = self.played.copy()
        first = kind * len(self.cumulative)
        played[first : first + len(self.cumulative)] += self.strategy
        return replace(self, played=played, opening=None)

    def revised(self, rewards: Matrix) -> Self:
        """Return the weights with the totals of all rounds computed from the rewards of each known type (q, n)."""
        played = self.played.reshape(rewards.shape)
        return replace(self, cumulative=played.sum(axis=1) @ rewards, earned=float(np.vdot(played, rewards)))
