"""Bayesian optimisation of the composite r(x, b(x)) against one known type: expected improvement, Thompson sampling."""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Self

import numpy as np
from numpy.typing import NDArray

from firstmover.beliefs.sampling import covariance_root
from firstmover.core.arrays import Matrix, Vector, as_array
from firstmover.core.cards import StrategyCard
from firstmover.core.contracts import Belief, Game
from firstmover.core.records import Feedback
from firstmover.learners.fixed import always

CELLS = 200_000
"""Numbers in the rows of actions and responses whose rewards are computed at once."""


def rewards_of(game: Game, responses: NDArray[np.float64]) -> Matrix:
    """Return r(x, y) of s responses per action (s, n, m), cut to the response domain: (s, n)."""
    s, n, m = responses.shape
    responses = np.clip(responses, game.response_domain.lower, game.response_domain.upper)
    rewards, step = np.empty((s, n)), max(1, CELLS // (n * (m + game.actions.shape[1])))
    for first in range(0, s, step):
        some = responses[first : first + step]
        rows = game.reward(np.tile(game.actions, (len(some), 1)), some.reshape(-1, m))
        rewards[first : first + step] = as_array("reward", rows, ndim=1, length=len(some) * n).reshape(-1, n)
    return rewards


@lru_cache(maxsize=8)
def normal_points(samples: int, dimensions: int, seed: int) -> Matrix:
    """Return quasi-random points of a standard normal distribution, from a scrambled Sobol sequence: read-only.

    >>> normal_points(256, 2, 0).mean(axis=0).round(2), normal_points(256, 2, 0).std(axis=0).round(2)
    (array([-0., -0.]), array([1.01, 0.99]))
    """
    from scipy.stats import qmc  # noqa: PLC0415 - slow to import

    points = qmc.MultivariateNormalQMC(np.zeros(dimensions), rng=np.random.default_rng(seed)).random(samples)
    points.flags.writeable = False
    return np.asarray(points, dtype=np.float64)


@lru_cache(maxsize=8)
def normal_draws(samples: int, n_actions: int, n_outputs: int, seed: int) -> Matrix:
    """Return independent standard normal numbers, one row per action (n, s·m): read-only."""
    draws = np.random.default_rng(seed).standard_normal((n_actions, samples * n_outputs))
    draws.flags.writeable = False
    return draws


@dataclass(frozen=True, eq=False, repr=False)
class CompositeEI(StrategyCard):
    """x_t = argmax_x E[max(0, r(x, y) − f*)], y ~ N(μ_t(x), σ_t²(x) I), EI-CF of Astudillo and Frazier (2019).

    f* = max E[r(x, y)] over the actions played so far; before the first round the largest E[r(x, y)] is played.
    Expectations are means over `samples` fixed points of the standard normal distribution, with y cut to the response
    domain. Ties go to the largest E[r(x, y)], then to the first. `played` (n,) has 1 where an action was played.
    """

    game: Game
    belief: Belief
    opponent_type: Vector
    samples: int
    seed: int
    played: Vector

    @cached_property
    def strategy(self) -> Vector:
        """All weight on x_t."""
        means, improvements = self.improvements()
        best = improvements == improvements.max()
        return always(int(np.argmax(np.where(best, means, -np.inf))), self.game.n_actions)

    def improvements(self) -> tuple[Vector, Vector]:
        """Return E[r(x, y)] and the expected improvement of all actions, (n,) each; 0 before the first round."""
        mean, std = self.belief.predict(self.opponent_type)
        points = normal_points(self.samples, self.game.n_outputs, self.seed)
        spread = std if std.ndim == 2 else std[:, None]
        rewards = rewards_of(self.game, mean + points[:, None] * spread)
        means = rewards.mean(axis=0)
        if not self.played.any():
            return means, np.zeros(self.game.n_actions)
        incumbent = means[self.played > 0].max()
        return means, np.maximum(rewards - incumbent, 0.0).mean(axis=0)

    def observe(self, feedback: Feedback) -> Self:
        """Condition the belief on the response."""
        seen = self.game.check(feedback)
        played = self.played.copy()
        played[seen.action] = 1.0
        belief = self.belief.condition(seen.action, seen.opponent_type, seen.response)
        return replace(self, belief=belief, played=played)


@dataclass(frozen=True, eq=False, repr=False)
class CompositeTS(StrategyCard):
    """p_t[x] = P(x is the first maximiser of r(x, b(x))) for b drawn from the posterior: Thompson sampling.

    The probability is a share of `samples` joint draws b = μ_t + Q √Λ g over all actions, with C_t = Q Λ Qᵀ and the
    same normal numbers g in every round, so that p_t is a function of the observations. Draws are cut to the response
    domain.
    """

    game: Game
    belief: Belief
    opponent_type: Vector
    samples: int
    seed: int

    @cached_property
    def strategy(self) -> Vector:
        """p_t."""
        n, m, s = self.game.n_actions, self.game.n_outputs, self.samples
        root = covariance_root(self.belief.covariance(self.opponent_type))
        drawn = (root @ normal_draws(s, n, m, self.seed)).reshape(n, s, m).transpose(1, 0, 2)
        best = rewards_of(self.game, self.belief.predict(self.opponent_type).mean + drawn).argmax(axis=1)
        return np.bincount(best, minlength=n) / s

    def observe(self, feedback: Feedback) -> Self:
        """Condition the belief on the response."""
        seen = self.game.check(feedback)
        return replace(self, belief=self.belief.condition(seen.action, seen.opponent_type, seen.response))
