"""Weights over a menu that grows: members that enter late, with the weight that keeps their regret small."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from firstmover.records import Vector, as_array, as_count, as_range
from firstmover.strategies.multiplicative import scaled


@dataclass(frozen=True, eq=False)
class GrowingWeights:
    """p_t ∝ π_i exp(η G_i) over the members so far; one that enters late has gained, till then, what the whole gained.

    A member that has not entered is a specialist that sleeps: each round it is credited with the mix gain of those
    awake, m_t = log(Σ_i p_t[i] exp(η r_t[i])) / η, which leaves their shares as they are (Freund, Schapire, Singer and
    Warmuth 1997). So for every member i, entered in round s, and rewards in [0, 1],

    Σ_{t=s}^{T} (r_t[i] − p_t·r_t) ≤ log(1/π_i) / η + η (T − s + 1) / 8

    The n members of the start share half of the prior, π = 1/(2n); the k-th to enter has π = 1/(2k(k + 1)).

    >>> weights = GrowingWeights.start(2, (0.0, 1.0), horizon=50).update(np.array([1.0, 0.0])).enter()
    >>> print(weights.strategy.round(3))
    [0.41  0.256 0.333]
    """

    log_weights: Vector
    learning_rate: float
    reward_range: tuple[float, float]
    mix_gain: float
    entered: int

    @classmethod
    def start(cls, n_actions: int, reward_range: tuple[float, float], horizon: int) -> Self:
        """The first members alike, with η = √(8 log(2n) / T)."""
        rate = float(np.sqrt(8 * np.log(2 * n_actions) / as_count("horizon", horizon)))
        log_prior = np.full(n_actions, -np.log(2 * n_actions))
        return cls(log_prior, rate, as_range("reward_range", reward_range), 0.0, 0)

    @property
    def strategy(self) -> Vector:
        """p_t over the members so far."""
        weights = np.exp(self.log_weights - self.log_weights.max())
        return weights / weights.sum()

    def update(self, rewards: Vector) -> Self:
        """Add each member's reward, scaled to [0, 1], and the mix gain to what sleepers will start with."""
        rewards = as_array("rewards", rewards, ndim=1, length=len(self.log_weights))
        gained = self.learning_rate * scaled(rewards, self.reward_range)
        top = gained.max()
        mix = top + np.log(self.strategy @ np.exp(gained - top))
        return replace(self, log_weights=self.log_weights + gained, mix_gain=self.mix_gain + float(mix))

    def enter(self, count: int = 1) -> Self:
        """The weights after so many new members, who come last."""
        k = self.entered + np.arange(1, as_count("count", count) + 1)
        late = self.mix_gain - np.log(2.0 * k * (k + 1))
        return replace(self, log_weights=np.append(self.log_weights, late), entered=self.entered + count)
