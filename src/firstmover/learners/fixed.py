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
    """The same strategy in every round.

    Parameters
    ----------
    strategy
        p_t (n,).

    Raises
    ------
    InvalidInput
        If it is no distribution.

    Examples
    --------
    >>> from firstmover.learners import Fixed
    >>> Fixed([0.0, 0.5, 0.5])
    Fixed(mixture of 2 actions)
    """

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
    """Return the learner that plays the same action in every round.

    Parameters
    ----------
    action
        Its index.
    n_actions
        n, the number of actions.

    Returns
    -------
    Fixed
        The learner.

    Raises
    ------
    InvalidInput
        If the index is not from 0 to n − 1.

    Examples
    --------
    >>> from firstmover.learners import fixed_action
    >>> fixed_action(1, 3)
    Fixed(action 1 of 3)
    """
    return Fixed(always(action, n_actions))


def uniform(n_actions: int) -> Fixed:
    """Return the learner that plays every action equally often.

    Parameters
    ----------
    n_actions
        n, the number of actions.

    Returns
    -------
    Fixed
        The learner.

    Raises
    ------
    InvalidInput
        If the strategy is no distribution.

    Examples
    --------
    >>> from firstmover.learners import uniform
    >>> uniform(4).strategy
    array([0.25, 0.25, 0.25, 0.25])
    """
    return Fixed(np.full(n_actions, 1 / n_actions))


def max_min(game: Game, points: int = 50) -> Fixed:
    """Return the learner that plays argmax_x min_y r(x, y), the worst y taken from a lattice over the response domain.

    With many outputs the lattice is coarser: it has at most `MOST_RESPONSES` points in all, or the corners.

    Parameters
    ----------
    game
        X, r and the response domain.
    points
        Of the lattice, per output, ends included.

    Returns
    -------
    Fixed
        The learner.

    Raises
    ------
    InvalidInput
        If the response domain is unbounded.

    Examples
    --------
    >>> from firstmover import GAMES
    >>> from firstmover.learners import max_min
    >>> max_min(GAMES["shore"].build())
    Fixed(action 0 of 24)
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
    """Return the learner that plays argmax_x r(x, μ(x, θ̄)), with μ conditioned on data collected beforehand.

    Parameters
    ----------
    game
        X, r and the response domain.
    belief
        The posterior of b before these data.
    opponent_type
        θ̄ (p,).
    history
        Rounds collected beforehand.

    Returns
    -------
    Fixed
        The learner.

    Raises
    ------
    InvalidInput
        If there is no round, or one does not fit the game.

    Examples
    --------
    >>> from firstmover import GAMES, ConstantWidth, Feedback, Setup
    >>> from firstmover.learners import best_offline
    >>> shore = GAMES["shore"]
    >>> game = shore.build()
    >>> belief = Setup(game, shore.kernel, shore.regularization, ConstantWidth(1.0)).belief()
    >>> best_offline(game, belief, game.types[0], [Feedback(3, game.types[0], [0.9])])
    Fixed(action 19 of 24)
    """
    rows = list(history)
    if not rows:
        raise InvalidInput("history has no rounds: best-offline needs at least one, collected beforehand.")
    for row in rows:
        seen = game.check(row)
        belief = belief.condition(seen.action, seen.opponent_type, seen.response)
    mean = np.clip(belief.predict(opponent_type).mean, game.response_domain.lower, game.response_domain.upper)
    return fixed_action(int(np.argmax(game.reward(game.actions, mean))), game.n_actions)


def best_in_hindsight(true_rewards: TrueRewards, opponent_types: Iterable[Vector]) -> Fixed:
    """Return the learner that plays argmax_x Σ_t r(x, b(x, θ_t)) for types known beforehand: the zero of regret.

    Parameters
    ----------
    true_rewards
        θ to the rewards of all actions (n,).
    opponent_types
        θ_1 … θ_T.

    Returns
    -------
    Fixed
        The learner.

    Raises
    ------
    InvalidInput
        If there is no type.

    Examples
    --------
    >>> from firstmover import GAMES, opponent_for, true_rewards
    >>> from firstmover.learners import best_in_hindsight
    >>> game = GAMES["shore"].build()
    >>> best_in_hindsight(true_rewards(game, opponent_for("shore", game, "random").respond), game.types)
    Fixed(action 1 of 24)
    """
    rewards = [true_rewards(opponent_type) for opponent_type in opponent_types]
    if not rewards:
        raise InvalidInput("opponent_types has no rows: hindsight needs at least one round.")
    total = np.sum(rewards, axis=0)
    return fixed_action(int(np.argmax(total)), len(total))
