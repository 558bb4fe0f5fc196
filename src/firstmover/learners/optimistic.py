"""Optimistic rewards, Eq. (6), for all learners with a belief about b."""

import numpy as np

from firstmover.beliefs import confidence_box
from firstmover.core.arrays import Mask, Vector, as_array
from firstmover.core.contracts import Belief, ConfidenceWidth, Game, Learner, decided
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box


def optimistic_rewards(game: Game, belief: Belief, confidence: ConfidenceWidth, opponent_type: Vector) -> Vector:
    """Return r̃(x, θ) = max of r(x, y) over y in [lcb(x, θ), ucb(x, θ)] for all actions (n,), Eq. (6).

    It is cut to the game's reward range, if stated: no reward lies outside, so it stays an upper bound.
    """
    width = confidence(belief.information_gain)
    box = confidence_box(belief.predict(opponent_type), width, game.response_domain)
    return _clipped(game, game.reward.best_in_box(game.actions, box))


def _clipped(game: Game, rewards: Vector) -> Vector:
    """Return rewards of all actions (n,), checked and cut to the game's reward range, read-only."""
    rewards = as_array("best_in_box", rewards, ndim=1, length=game.n_actions)
    if game.reward_range is None:
        return rewards
    low, high = game.reward_range
    rewards = np.minimum(np.maximum(rewards, low), high)
    rewards.flags.writeable = False
    return rewards


def credited(learner: Learner, rewards: Vector, allowed: Mask | None) -> Vector:
    """Return rewards (n,) in which an action that was not allowed has earned what p_t did, Σ_x p_t(x) r(x).

    Weights that learn from them have the same regret bound against each action, over the rounds in which it was
    allowed (Freund, Schapire, Singer and Warmuth 1997; docs/theory/contexts.md).

    >>> from firstmover.learners.fixed import Fixed
    >>> credited(Fixed(np.array([0.2, 0.6, 0.2])), np.array([1.0, 5.0, 9.0]), np.array([True, True, False]))
    array([1., 5., 4.])
    """
    if allowed is None or allowed.all():
        return rewards
    return np.where(allowed, rewards, decided(learner, None, allowed) @ rewards)


def best_possible(game: Game) -> Vector:
    """Return r̃_0(x) = max of r(x, y) over the response domain, the bound before round 1; zeros if it is infinite.

    >>> from firstmover.games import GAMES
    >>> best_possible(GAMES["routing"].build())[[0, 1, 31]].round(2)
    array([  0.  ,  75.  , 297.62])
    """
    shape = game.n_actions, game.n_outputs
    lower, upper = (np.broadcast_to(end, shape) for end in (game.response_domain.lower, game.response_domain.upper))
    try:
        with np.errstate(invalid="ignore", over="ignore"):
            rewards = np.asarray(game.reward.best_in_box(game.actions, Box(lower, upper)))
    except InvalidInput:  # a reward that needs a bounded box
        return np.zeros(game.n_actions)
    if not np.isfinite(rewards).all():
        return np.zeros(game.n_actions)
    return _clipped(game, rewards)
