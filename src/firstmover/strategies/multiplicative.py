"""Multiplicative weights in log space, with the fixed rate of Theorem 1 or a decreasing one."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from firstmover.errors import InvalidInput
from firstmover.records import Vector, as_array, as_count, as_range

RANGE_TOLERANCE = 1e-9
"""Share of the range by which rounding may carry a reward beyond its ends."""


def scaled(rewards: Vector, reward_range: tuple[float, float]) -> Vector:
    """Rewards mapped to [0, 1] by their stated range; one outside is refused, never bent.

    >>> scaled(np.array([0.0, 5.0]), (-5.0, 5.0))
    array([0.5, 1. ])
    """
    low, high = reward_range
    share = (rewards - low) / (high - low)
    outside = ~((share >= -RANGE_TOLERANCE) & (share <= 1 + RANGE_TOLERANCE))
    if np.any(outside):
        worst = int(np.argmax(outside))
        reward, action = rewards.flat[worst], worst % rewards.shape[-1]
        raise InvalidInput(
            f"reward {reward:.6g} of action {action} is outside reward_range ({low:.6g}, {high:.6g}): "
            "state the range that rewards can take, or use adahedge, which needs none."
        )
    return share


def learning_rate(n_actions: int, rounds: int) -> float:
    """Theorem 1's η = √(8 log n / T).

    >>> round(learning_rate(2, 200), 6)
    0.166511
    """
    return float(np.sqrt(8 * np.log(n_actions) / rounds))


@dataclass(frozen=True, eq=False)
class MultiplicativeWeights:
    """p_t ∝ exp(η · Σ_{s<t} r_s), rewards scaled to [0, 1] by `reward_range` (None: taken as they are).

    With a horizon T the rate is Theorem 1's η = √(8 log n / T); without one it is η_t = √(8 log n / t), which pays at
    most twice the regret for not knowing T (Cesa-Bianchi and Lugosi 2006, Theorem 2.3). `rate_factor` multiplies η, to
    see how much it matters.

    >>> MultiplicativeWeights.start(2, reward_range=(0.0, 1.0), horizon=2).update(np.array([1.0, 0.0])).strategy
    array([0.84092266, 0.15907734])
    """

    cumulative: Vector
    t: int
    reward_range: tuple[float, float] | None
    horizon: int | None
    rate_factor: float = 1.0

    @classmethod
    def start(cls, n_actions: int, reward_range: tuple[float, float] | None = None, horizon: int | None = None) -> Self:
        """Uniform weights."""
        if horizon is not None:
            horizon = as_count("horizon", horizon)
        if reward_range is not None:
            reward_range = as_range("reward_range", reward_range)
        return cls(np.zeros(n_actions), 1, reward_range, horizon)

    @property
    def learning_rate(self) -> float:
        """η for this round."""
        return self.rate_factor * learning_rate(len(self.cumulative), self.horizon or self.t)

    @property
    def strategy(self) -> Vector:
        """p_t."""
        weights = np.exp(self.learning_rate * (self.cumulative - self.cumulative.max()))
        return weights / weights.sum()

    def update(self, rewards: Vector) -> Self:
        """p_{t+1} ∝ p_t · exp(η r_t) for a fixed rate."""
        rewards = as_array("rewards", rewards, ndim=1, length=len(self.cumulative))
        gain = rewards if self.reward_range is None else scaled(rewards, self.reward_range)
        return replace(self, cumulative=self.cumulative + gain, t=self.t + 1)
