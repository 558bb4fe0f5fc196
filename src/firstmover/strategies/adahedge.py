"""AdaHedge (de Rooij, van Erven, Grünwald, Koolen 2014): weights that need neither horizon nor reward range."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from firstmover.core.records import ShortRepr, Vector, as_array


@dataclass(frozen=True, eq=False, repr=False)
class AdaHedge(ShortRepr):
    """p_t ∝ exp(η_t G_{t−1}), with η_t = log n / Δ_{t−1} from the mixability gaps so far.

    In rewards: h = p·r, m = log(p·exp(η r)) / η, and Δ grows by m − h ≥ 0. While Δ is zero the rate is infinite: the
    leaders share the weight equally and m is the growth of the largest total.

    >>> weights = AdaHedge.start(2).update(np.array([3.0, 1.0])).update(np.array([0.0, 1.0]))
    >>> round(weights.gap, 5), weights.strategy.round(5)
    (1.06303, array([0.65747, 0.34253]))
    """

    cumulative: Vector
    gap: float
    opening: Vector | None = None

    @classmethod
    def start(cls, n_actions: int) -> Self:
        """Uniform weights."""
        return cls(np.zeros(n_actions), 0.0)

    @classmethod
    def opened(cls, bounds: Vector) -> Self:
        """Return weights whose p_1 is uniform over the largest of these reward bounds, which count in round 1 only.

        The first gap, max r − p_1·r, is at most the range of the first rewards whatever p_1 is, and the regret bound of
        AdaHedge uses no more of p_1.

        >>> AdaHedge.opened(np.array([2.0, 5.0, 5.0])).strategy
        array([0. , 0.5, 0.5])
        """
        bounds = as_array("bounds", bounds, ndim=1)
        best = bounds == bounds.max()
        return cls(np.zeros(len(bounds)), 0.0, best / best.sum())

    @property
    def learning_rate(self) -> float:
        """η_t; infinite while the gap is 0 or so small that its rate overflows."""
        return float(np.log(len(self.cumulative))) / self.gap if self.gap > 0 else np.inf

    def _weights(self, totals: Vector) -> Vector:
        """w = exp(η (G − max G)); at an infinite rate 1 for the leaders and 0 for the rest."""
        lead, rate = totals - totals.max(), self.learning_rate
        if rate == np.inf:
            return (lead == 0).astype(float)
        with np.errstate(over="ignore"):  # exp(−∞) = 0
            return np.exp(rate * lead)

    @property
    def strategy(self) -> Vector:
        """p_t."""
        if self.opening is not None:
            return self.opening
        weights = self._weights(self.cumulative)
        return weights / weights.sum()

    def update(self, rewards: Vector) -> Self:
        """Add the rewards, and the gap m − h, in which any constant added to all rewards cancels before rounding."""
        rewards = as_array("rewards", rewards, ndim=1, length=len(self.cumulative))
        before = self._weights(self.cumulative)
        excess = rewards - rewards.max()
        excess -= self.strategy @ excess
        lead = self.cumulative - self.cumulative.max() + excess
        gap = lead.max() + np.log(self._weights(lead).sum() / before.sum()) / self.learning_rate
        return type(self)(self.cumulative + rewards, self.gap + max(0.0, float(gap)))
