"""Exponential weights whose totals may be revised, with a rate that follows what the order of the rounds cost."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from firstmover.core.arrays import Mask, Matrix, Vector, as_array
from firstmover.core.cards import StrategyCard

Asleep = tuple[NDArray[np.int_], NDArray[np.int_]]
"""Rounds and actions, pair by pair, where the action was not allowed."""


@dataclass(frozen=True, eq=False, repr=False)
class RevisedWeights(StrategyCard):
    """p_t ∝ exp(η_t G_t) with η_t = log n / Ō_t, Ō_t = max_{s ≤ t} O_s and O_s = C_s·G_s / s − E_s.

    Of the first s rounds, G_s is the total reward of each action, C_s how often each was played, and E_s the total of
    the actions played, by the present knowledge of the rewards: `revised` replaces them when it has changed. O_s is
    what the order cost: how much more the same actions earn on average when they meet the rounds in random order. It is
    near 0 if rounds come in no particular order, and grows if an adversary reacts to the strategy; at most the regret
    max G_s − E_s (docs/decisions/0074-weights-that-follow-the-regret.md). Rewards may have any scale.

    Parameters
    ----------
    cumulative
        G_t (n,).
    played
        C_t (n,).
    earned
        E_t.
    largest
        Ō_t.
    opening
        p_1 (n,), before the first round.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover.strategies import RevisedWeights
    >>> weights = RevisedWeights.opened(np.zeros(2)).update(np.array([3.0, 1.0]), 1).update(np.array([1.0, 3.0]), 0)
    >>> weights.largest, weights.update(np.array([4.0, 3.0]), 0).strategy.round(3)
    (2.0, array([0.586, 0.414]))
    """

    cumulative: Vector
    played: Vector
    earned: float
    largest: float
    opening: Vector | None = None

    @classmethod
    def opened(cls, bounds: Vector) -> Self:
        """Return weights whose p_1 is uniform over the largest of these bounds on rewards.

        Parameters
        ----------
        bounds
            Bounds on the rewards of all actions (n,).

        Returns
        -------
        Self
            The weights of round 1.
        """
        bounds = as_array("bounds", bounds, ndim=1)
        best, none = bounds == bounds.max(), np.zeros(len(bounds))
        return cls(none, none, 0.0, 0.0, best / best.sum())

    @property
    def learning_rate(self) -> float:
        """η_t; infinite while the order cost nothing."""
        return float(np.log(len(self.cumulative))) / self.largest if self.largest > 0 else np.inf

    @property
    def strategy(self) -> Vector:
        """p_t."""
        return self.strategy_over(np.ones(len(self.cumulative), dtype=bool))

    def strategy_over(self, allowed: Mask) -> Vector:
        """Return p_t over the allowed actions; uniform where none of the opening ones is allowed."""
        if self.opening is not None:
            if allowed.all():
                return self.opening
            weights = np.where(allowed, self.opening, 0.0)
            weights = weights if weights.any() else allowed.astype(float)
            return np.asarray(weights / weights.sum(), dtype=np.float64)
        lead = np.where(allowed, self.cumulative, -np.inf)
        lead = lead - lead.max()
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
        cumulative, played, earned = self.cumulative + rewards, self.played.copy(), self.earned + float(rewards[action])
        played[action] += 1
        order = float(played @ cumulative) / float(played.sum()) - earned
        return type(self)(cumulative, played, earned, max(self.largest, order))

    def revised(
        self,
        rewards: Matrix,
        kinds: NDArray[np.int_],
        actions: NDArray[np.int_],
        counts: Vector | None = None,
        asleep: Asleep | None = None,
    ) -> Self:
        """Return the weights of other rounds: in round s action actions[s] met the rewards of row kinds[s].

        Parameters
        ----------
        rewards
            Of every action at every type (q, n).
        kinds
            The row of each round (t,).
        actions
            The action of each round (t,).
        counts
            Round s counts as counts[s] > 0 rounds (t,); None: as one.
        asleep
            Rounds and actions, pair by pair, where the action was not allowed: it is credited with what the played one
            earned (docs/decisions/0026-menus-that-grow.md).

        Returns
        -------
        Self
            The weights after these rounds.
        """
        each = np.ones((len(kinds), 1)) if counts is None else counts[:, None]
        met = np.cumsum(each * (kinds[:, None] == np.arange(len(rewards))), axis=0)
        menu, place = np.unique(actions, return_inverse=True)
        played = np.cumsum(each * (place[:, None] == np.arange(len(menu))), axis=0)
        gained = rewards[kinds, actions]
        totals, cumulative = met @ rewards[:, menu], met[-1] @ rewards
        if asleep is not None:
            credit = np.zeros((len(kinds), len(self.cumulative)))
            rounds, slept = asleep
            credit[asleep] = each[rounds, 0] * (gained[rounds] - rewards[kinds[rounds], slept])
            totals, cumulative = totals + np.cumsum(credit[:, menu], axis=0), cumulative + credit.sum(axis=0)
        earned = np.cumsum(each[:, 0] * gained)
        order = np.einsum("tk,tk->t", totals, played) / np.cumsum(each) - earned
        share = np.zeros(len(self.cumulative))
        share[menu] = played[-1]
        return type(self)(cumulative, share, float(earned[-1]), max(0.0, float(order.max())))
