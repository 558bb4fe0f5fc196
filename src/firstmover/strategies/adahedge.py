"""AdaHedge (de Rooij, van Erven, Grünwald, Koolen 2014): weights that need neither horizon nor reward range."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.special import logsumexp, softmax

from firstmover.records import Vector


@dataclass(frozen=True, eq=False)
class AdaHedge:
    """p_t ∝ exp(η_t G_{t−1}), with η_t = log n / Δ_{t−1} set by the mixability gaps met so far.

    In rewards: h = p·r, m = log(p·exp(η r)) / η, and Δ grows by m − h ≥ 0. While Δ is zero the rate is infinite: the
    leaders share the weight equally and m is the growth of the largest total.

    >>> weights = AdaHedge.start(2).update(np.array([3.0, 1.0])).update(np.array([0.0, 1.0]))
    >>> round(weights.gap, 5), weights.strategy.round(5)
    (1.06303, array([0.65747, 0.34253]))
    """

    cumulative: Vector
    gap: float

    @classmethod
    def start(cls, n_actions: int) -> Self:
        """Uniform weights."""
        return cls(np.zeros(n_actions), 0.0)

    @property
    def learning_rate(self) -> float:
        """η_t; infinite while no gap was met."""
        return float(np.log(len(self.cumulative)) / self.gap) if self.gap > 0 else np.inf

    @property
    def strategy(self) -> Vector:
        """p_t."""
        lead = self.cumulative - np.max(self.cumulative)
        if np.isinf(self.learning_rate):
            return (lead == 0) / np.count_nonzero(lead == 0)
        return softmax(self.learning_rate * lead)

    def _mixed(self, cumulative: Vector) -> float:
        """The mix gain of totals at this round's rate: log-mean-exp over η, the maximum when η is infinite."""
        if np.isinf(self.learning_rate):
            return float(np.max(cumulative))
        n = len(cumulative)
        return float((logsumexp(self.learning_rate * cumulative) - np.log(n)) / self.learning_rate)

    def update(self, rewards: Vector) -> Self:
        """Add the rewards, and the gap between what the mix and what the strategy earned."""
        total = self.cumulative + rewards
        mix_gain = self._mixed(total) - self._mixed(self.cumulative)
        gap = max(0.0, mix_gain - float(self.strategy @ rewards))
        return replace(self, cumulative=total, gap=self.gap + gap)
