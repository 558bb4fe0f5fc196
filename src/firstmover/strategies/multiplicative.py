"""Multiplicative weights in log space, with the fixed rate of Theorem 1, a decreasing one, or an infinite one."""

import math
from dataclasses import dataclass, replace
from functools import cache
from typing import Self

import numpy as np

from firstmover.core.arrays import MOST_ACTIONS, Vector, as_array, as_count, as_range
from firstmover.core.cards import StrategyCard
from firstmover.core.errors import InvalidInput

RANGE_TOLERANCE = 1e-9
"""Relative distance by which rounding may carry a reward beyond its range."""


def scaled(rewards: Vector, reward_range: tuple[float, float]) -> Vector:
    """Return rewards scaled to [0, 1] by their range; raise if one lies outside.

    Parameters
    ----------
    rewards
        Any shape, the last axis over actions.
    reward_range
        Smallest and largest reward.

    Returns
    -------
    Vector
        The scaled rewards.

    Raises
    ------
    InvalidInput
        If a reward lies outside of the range.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover.strategies import scaled
    >>> scaled(np.array([0.0, 5.0]), (-5.0, 5.0))
    array([0.5, 1. ])
    """
    low, high = reward_range
    share = rewards - low
    share /= high - low
    flat = share.ravel()
    if not (flat[flat.argmin()] >= -RANGE_TOLERANCE and flat[flat.argmax()] <= 1 + RANGE_TOLERANCE):
        worst = int(np.argmax(~((share >= -RANGE_TOLERANCE) & (share <= 1 + RANGE_TOLERANCE))))
        reward, action = rewards.flat[worst], worst % rewards.shape[-1]
        raise InvalidInput(
            f"reward {reward:.6g} of action {action} is outside reward_range ({low:.6g}, {high:.6g}): "
            "state the range that rewards can take, or use adahedge, which needs none."
        )
    return share


def learning_rate(n_actions: int, rounds: int) -> float:
    """Return Theorem 1's η = √(8 log n / T).

    >>> round(learning_rate(2, 200), 6)
    0.166511
    """
    return math.sqrt(8 * _log(n_actions) / rounds)


@cache
def _log(n_actions: int) -> float:
    return float(np.log(n_actions))


@dataclass(frozen=True, eq=False, repr=False)
class MultiplicativeWeights(StrategyCard):
    """p_t ∝ exp(η · Σ_{s<t} r_s), rewards scaled to [0, 1] by `reward_range` (None: taken as they are).

    With a horizon T the rate is Theorem 1's η = √(8 log n / T); without one it is η_t = √(8 log n / t), which pays at
    most twice the regret for not knowing T (Cesa-Bianchi and Lugosi 2006, Theorem 2.3). `rate_factor` multiplies η.

    Parameters
    ----------
    cumulative
        Σ_{s<t} r_s, the total scaled reward of every action (n,).
    t
        The number of the round, from 1.
    reward_range
        Smallest and largest reward.
    horizon
        T; None for a decreasing rate.
    rate_factor
        Multiplies η.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover import MultiplicativeWeights
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
        """Return uniform weights.

        Parameters
        ----------
        n_actions
            n, the number of actions.
        reward_range
            Smallest and largest reward; None: rewards are taken as they are.
        horizon
            T; None for a decreasing rate.

        Returns
        -------
        Self
            The weights of round 1.

        Raises
        ------
        InvalidInput
            If a number is outside its range, or the range is empty.
        """
        if horizon is not None:
            horizon = as_count("horizon", horizon)
        if reward_range is not None:
            reward_range = as_range("reward_range", reward_range)
        return cls(np.zeros(as_count("n_actions", n_actions, most=MOST_ACTIONS)), 1, reward_range, horizon)

    @property
    def learning_rate(self) -> float:
        """η of this round."""
        return self.rate_factor * learning_rate(len(self.cumulative), self.horizon or self.t)

    @property
    def strategy(self) -> Vector:
        """p_t."""
        cumulative = self.cumulative
        weights = cumulative - cumulative[cumulative.argmax()]
        weights *= self.learning_rate
        np.exp(weights, out=weights)
        weights /= np.add.reduce(weights)
        return weights

    def update(self, rewards: Vector) -> Self:
        """Return the weights after one more round: p_{t+1} ∝ p_t · exp(η r_t) for a fixed rate.

        Parameters
        ----------
        rewards
            What each action would have earned (n,).

        Returns
        -------
        Self
            The weights of the next round.

        Raises
        ------
        InvalidInput
            If a reward lies outside of the range.
        """
        rewards = as_array("rewards", rewards, ndim=1, length=len(self.cumulative))
        gain = rewards if self.reward_range is None else scaled(rewards, self.reward_range)
        return type(self)(self.cumulative + gain, self.t + 1, self.reward_range, self.horizon, self.rate_factor)


@dataclass(frozen=True, eq=False, repr=False)
class FollowTheLeader(StrategyCard):
    """p_t puts all weight on the first action of the largest total: no randomisation, and no guarantee.

    Parameters
    ----------
    cumulative
        The total reward of every action (n,).

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover.strategies import FollowTheLeader
    >>> FollowTheLeader.start(3).update(np.array([0.0, 2.0, 2.0])).strategy
    array([0., 1., 0.])
    """

    cumulative: Vector

    @classmethod
    def start(cls, n_actions: int) -> Self:
        """Zero totals: the first action leads."""
        return cls(np.zeros(as_count("n_actions", n_actions, most=MOST_ACTIONS)))

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
