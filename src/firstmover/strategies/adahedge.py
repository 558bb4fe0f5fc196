"""AdaHedge (de Rooij, van Erven, Grünwald, Koolen 2014): weights that need neither horizon nor reward range."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from firstmover.core.arrays import MOST_ACTIONS, Vector, as_array, as_count
from firstmover.core.cards import StrategyCard


def _exponentials(totals: Vector, rate: float) -> Vector:
    """exp(η (G − max G)); at an infinite rate 1 for the leaders and 0 for the rest."""
    lead = totals - totals.max()
    if rate == np.inf:
        return (lead == 0).astype(float)
    with np.errstate(over="ignore"):  # exp(−∞) = 0
        return np.exp(rate * lead)


def _mixability_gap(weights: "AdaHedge | GrowingWeights", rewards: Vector) -> float:
    """m − h ≥ 0 of one round; any constant added to all rewards cancels before rounding."""
    before = weights._weights(weights.cumulative)
    excess = rewards - rewards.max()
    excess -= weights.strategy @ excess
    lead = weights.cumulative - weights.cumulative.max() + excess
    return max(0.0, float(lead.max() + np.log(weights._weights(lead).sum() / before.sum()) / weights.learning_rate))


@dataclass(frozen=True, eq=False, repr=False)
class AdaHedge(StrategyCard):
    """p_t ∝ exp(η_t G_{t−1}), with η_t = log n / Δ_{t−1} from the mixability gaps so far.

    In rewards: h = p·r, m = log(p·exp(η r)) / η, and Δ grows by m − h ≥ 0. While Δ is zero the rate is infinite: the
    leaders share the weight equally and m is the growth of the largest total.

    Parameters
    ----------
    cumulative
        G_{t−1}, the total reward of every action (n,).
    gap
        Δ_{t−1}.
    opening
        p_1 (n,), if it is not uniform.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover import AdaHedge
    >>> weights = AdaHedge.start(2).update(np.array([3.0, 1.0])).update(np.array([0.0, 1.0]))
    >>> round(weights.gap, 5), weights.strategy.round(5)
    (1.06303, array([0.65747, 0.34253]))
    """

    cumulative: Vector
    gap: float
    opening: Vector | None = None

    @classmethod
    def start(cls, n_actions: int) -> Self:
        """Return uniform weights.

        Parameters
        ----------
        n_actions
            n, the number of actions.

        Returns
        -------
        Self
            The weights of round 1.

        Raises
        ------
        InvalidInput
            If the number is not positive, or too large.
        """
        return cls(np.zeros(as_count("n_actions", n_actions, most=MOST_ACTIONS)), 0.0)

    @classmethod
    def opened(cls, bounds: Vector) -> Self:
        """Return weights whose p_1 is uniform over the largest of these reward bounds, which count in round 1 only.

        The first gap, max r − p_1·r, is at most the range of the first rewards whatever p_1 is, and the regret bound of
        AdaHedge uses no more of p_1.

        Parameters
        ----------
        bounds
            Bounds on the rewards of all actions (n,).

        Returns
        -------
        Self
            The weights of round 1.

        Examples
        --------
        >>> import numpy as np
        >>> from firstmover import AdaHedge
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
        return _exponentials(totals, self.learning_rate)

    @property
    def strategy(self) -> Vector:
        """p_t."""
        if self.opening is not None:
            return self.opening
        weights = self._weights(self.cumulative)
        return weights / weights.sum()

    def update(self, rewards: Vector) -> Self:
        """Add the rewards, and the gap m − h."""
        rewards = as_array("rewards", rewards, ndim=1, length=len(self.cumulative))
        return type(self)(self.cumulative + rewards, self.gap + _mixability_gap(self, rewards))


@dataclass(frozen=True, eq=False, repr=False)
class GrowingWeights(StrategyCard):
    """p_t ∝ π_i exp(η_t G_i) over the members so far; a late member starts with the mix gain of all earlier rounds.

    A member that has not entered is a sleeping specialist: each round it is credited with the mix gain of the active
    ones, m_t = log(Σ_i p_t[i] exp(η_t r_t[i])) / η_t, which leaves their shares unchanged (Freund, Schapire, Singer and
    Warmuth 1997). The rate is AdaHedge's, η_t = L / Δ_{t−1} with L = log 2n for n members at the start and
    Δ_t = Σ_{s≤t} (m_s − p_s·r_s). So for every member i, entered in round s, and all rewards, of ranges of at most S,

    Σ_{t=s}^{T} (r_t[i] − p_t·r_t) ≤ (1 + log(1/π_i) / L) (½ S √(L T) + S)

    The members of the start share half of the prior, π = 1/(2n); the k-th to enter has π = 1/(2k(k + 1)).

    Parameters
    ----------
    log_prior
        log π_i of the members (n,).
    cumulative
        G_i (n,).
    founders
        The number of members at the start.
    gap
        Δ.
    mix_gain
        Σ_s m_s, with which a late member starts.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover.strategies import GrowingWeights
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
        """Return equal weights of the first members.

        Parameters
        ----------
        n_actions
            n, the number of actions.

        Returns
        -------
        Self
            The weights of round 1.

        Raises
        ------
        InvalidInput
            If the number is not positive, or too large.
        """
        n_actions = as_count("n_actions", n_actions, most=MOST_ACTIONS)
        return cls(np.full(n_actions, -np.log(2 * n_actions)), np.zeros(n_actions), n_actions)

    @property
    def learning_rate(self) -> float:
        """η_t; infinite while the gap is 0."""
        return float(np.log(2 * self.founders)) / self.gap if self.gap > 0 else np.inf

    def _weights(self, totals: Vector) -> Vector:
        return np.exp(self.log_prior) * _exponentials(totals, self.learning_rate)

    @property
    def strategy(self) -> Vector:
        """p_t over the members so far."""
        weights = self._weights(self.cumulative)
        return weights / weights.sum()

    def update(self, rewards: Vector) -> Self:
        """Add each member's reward, the gap m − h, and the mix gain m with which later members start."""
        rewards = as_array("rewards", rewards, ndim=1, length=len(self.cumulative))
        earned, gap = float(self.strategy @ rewards), _mixability_gap(self, rewards)
        totals, mix_gain = self.cumulative + rewards, self.mix_gain + earned + gap
        return replace(self, cumulative=totals, gap=self.gap + gap, mix_gain=mix_gain)

    def enter(self, count: int = 1) -> Self:
        """Return the weights with `count` new members at the end."""
        k = len(self.cumulative) - self.founders + np.arange(1, as_count("count", count) + 1)
        return replace(
            self,
            log_prior=np.append(self.log_prior, -np.log(2.0 * k * (k + 1))),
            cumulative=np.append(self.cumulative, np.full(count, self.mix_gain)),
        )
