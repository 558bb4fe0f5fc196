"""AdaHedge weights over a menu that grows: members that enter late have small regret from then on."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from firstmover.core.records import ShortRepr, Vector, as_array, as_count


@dataclass(frozen=True, eq=False, repr=False)
class GrowingWeights(ShortRepr):
    """p_t ∝ π_i exp(η_t G_i) over the members so far; a late member starts with the mix gain of all earlier rounds.

    A member that has not entered is a sleeping specialist: each round it is credited with the mix gain of the active
    ones, m_t = log(Σ_i p_t[i] exp(η_t r_t[i])) / η_t, which leaves their shares unchanged (Freund, Schapire, Singer and
    Warmuth 1997). The rate is AdaHedge's, η_t = L / Δ_{t−1} with L = log 2n for n members at the start and
    Δ_t = Σ_{s≤t} (m_s − p_s·r_s). So for every member i, entered in round s, and all rewards, of ranges of at most S,

    Σ_{t=s}^{T} (r_t[i] − p_t·r_t) ≤ (1 + log(1/π_i) / L) (½ S √(L T) + S)

    The members of the start share half of the prior, π = 1/(2n); the k-th to enter has π = 1/(2k(k + 1)).

    >>> weights = GrowingWeights.start(2).update(np.array([1.0, 0.0])).enter()
    >>> print(weights.strategy.round(3), weights.update(np.array([0.0, 0.0, 3.0])).strategy.round(3))
    [0.485 0.03  0.485] [0.085 0.039 0.876]
    """

    log_prior: Vector
    cumulative: Vector
    founders: int
    gap: float = 0.0
    mix_gain: float = 0.0

    @classmethod
    def start(cls, n_actions: int) -> Self:
        """Equal weights of the first members."""
        return cls(np.full(n_actions, -np.log(2 * n_actions)), np.zeros(n_actions), n_actions)

    @property
    def learning_rate(self) -> float:
        """η_t; infinite while the gap is 0."""
        return float(np.log(2 * self.founders)) / self.gap if self.gap > 0 else np.inf

    def _weights(self, totals: Vector) -> Vector:
        """π exp(η (G − max G)); at an infinite rate π for the leaders and 0 for the rest."""
        lead, prior = totals - totals.max(), np.exp(self.log_prior)
        if self.learning_rate == np.inf:
            return prior * (lead == 0)
        with np.errstate(over="ignore"):  # exp(−∞) = 0
            return prior * np.exp(self.learning_rate * lead)

    @property
    def strategy(self) -> Vector:
        """p_t over the members so far."""
        weights = self._weights(self.cumulative)
        return weights / weights.sum()

    def update(self, rewards: Vector) -> Self:
        """Add each member's reward, the gap m − h, and the mix gain m with which later members start."""
        rewards = as_array("rewards", rewards, ndim=1, length=len(self.cumulative))
        before, earned = self._weights(self.cumulative), float(self.strategy @ rewards)
        excess = rewards - rewards.max()
        excess -= self.strategy @ excess  # a constant added to all rewards cancels before rounding
        lead = self.cumulative - self.cumulative.max() + excess
        gap = max(0.0, float(lead.max() + np.log(self._weights(lead).sum() / before.sum()) / self.learning_rate))
        return replace(
            self,
            cumulative=self.cumulative + rewards,
            gap=self.gap + gap,
            mix_gain=self.mix_gain + earned + gap,
        )

    def enter(self, count: int = 1) -> Self:
        """Return the weights with `count` new members at the end."""
        k = len(self.cumulative) - self.founders + np.arange(1, as_count("count", count) + 1)
        return replace(
            self,
            log_prior=np.append(self.log_prior, -np.log(2.0 * k * (k + 1))),
            cumulative=np.append(self.cumulative, np.full(count, self.mix_gain)),
        )
