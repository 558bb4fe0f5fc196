"""Baselines that do not learn: one action in every round, chosen by some rule, or all equally often."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np

from firstmover.core.arrays import MOST_ACTIONS, Vector, as_count, as_index, distribution
from firstmover.core.cards import StrategyCard
from firstmover.core.contracts import Belief, Game, TrueRewards
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Feedback

MOST_RESPONSES = 10_000
"""Lattice points among which Max-Min searches for the worst response."""


def always(action: int, n_actions: int) -> Vector:
    """The strategy that puts all weight on one action.

    >>> always(1, 3)
    array([0., 1., 0.])
    """
    strategy = np.zeros(as_count("n_actions", n_actions, most=MOST_ACTIONS))
    strategy[as_index("action", action, n_actions)] = 1.0
    return strategy


@dataclass(frozen=True, eq=False, repr=False)
class Fixed(StrategyCard):
    """The same strategy in every round."""

    strategy: Vector

    def __post_init__(self) -> None:
        object.__setattr__(self, "strategy", distribution("strategy", self.strategy))

    def __repr__(self) -> str:
        played, n = np.flatnonzero(self.strategy), len(self.strategy)
        return f"Fixed(action {played[0]} of {n})" if len(played) == 1 else f"Fixed(mixture of {len(played)} actions)"

    def observe(self, feedback: Feedback) -> Self:  # noqa: ARG002 - ignored
        """Return itself."""
        return self


def fixed_action(action: int, n_actions: int) -> Fixed:
    """The same action in every round."""
    return Fixed(always(action, n_actions))


def uniform(n_actions: int) -> Fixed:
    """Every action equally often."""
    return Fixed(np.full(n_actions, 1 / n_actions))


def max_min(game: Game, points: int = 50) -> Fixed:
    """The action argmax_x min_y r(x, y), the worst y taken from a lattice over the response domain, ends included.

    With many outputs the lattice is coarser: it has at most `MOST_RESPONSES` points in all, or the corners.
    """
    lower, upper = game.response_domain.lower, game.response_domain.upper
    if not np.all(np.isfinite([lower, upper])):
        raise InvalidInput("response_domain is unbounded: Max-Min needs a finite one to search for the worst response.")
    points = max(2, min(points, int(MOST_RESPONSES ** (1 / game.n_outputs) + 1e-9)))
    axes = [np.linspace(low, high, points) for low, high in zip(lower, upper, strict=True)]
    responses = np.stack([a.ravel() for a in np.meshgrid(*axes, indexing="ij")], axis=1)
    n, k = game.n_actions, len(responses)
    rewards = game.reward(np.repeat(game.actions, k, axis=0), np.tile(responses, (n, 1))).reshape(n, k)
    return fixed_action(int(np.argmax(rewards.min(axis=1))), n)


def best_offline(game: Game, belief: Belief, opponent_type: Vector, history: Iterable[Feedback]) -> Fixed:
    """The action argmax_x r(x, μ(x, θ̄)), with μ conditioned on data collected beforehand."""
    rows = list(history)
    if not rows:
        raise InvalidInput("history has no rounds: best-offline needs at least one, collected beforehand.")
    for row in rows:
        seen = game.check(row)
        belief = belief.condition(seen.action, seen.opponent_type, seen.response)
    mean = np.clip(belief.predict(opponent_type).mean, game.response_domain.lower, game.response_domain.upper)
    return fixed_action(int(np.argmax(game.reward(game.actions, mean))), game.n_actions)


def best_in_hindsight(true_rewards: TrueRewards, opponent_types: Iterable[Vector]) -> Fixed:
    """The action argmax_x Σ_t r(x, b(x, θ_t)) for types that are known beforehand: the zero of regret."""
    rewards = [true_rewards(opponent_type) for opponent_type in opponent_types]
    if not rewards:
        raise InvalidInput("opponent_types has no rows: hindsight needs at least one round.")
    total = np.sum(rewards, axis=0)
    return fixed_action(int(np.argmax(total)), len(total))
