"""Optimistic rewards, Eq. (6): what the learners that believe in b have in common."""

import numpy as np

from firstmover.beliefs import confidence_box
from firstmover.contracts import Belief, ConfidenceWidth, Game
from firstmover.errors import InvalidInput
from firstmover.records import Box, Vector, as_array


def optimistic_rewards(game: Game, belief: Belief, confidence: ConfidenceWidth, opponent_type: Vector) -> Vector:
    """r̃(x, θ) = max of r(x, y) over y in [lcb(x, θ), ucb(x, θ)], for all actions (n,).

    A stated reward range tightens it: no reward lies outside, so r̃ need not either, and stays an upper bound.
    """
    width = confidence(belief.information_gain)
    box = confidence_box(belief.predict(opponent_type), width, game.response_domain)
    rewards = as_array("best_in_box", game.reward.best_in_box(game.actions, box), ndim=1, length=game.n_actions)
    return rewards if game.reward_range is None else np.clip(rewards, *game.reward_range)


def best_possible(game: Game) -> Vector:
    """r̃_0(x) = max of r(x, y) over the response domain, all that is known before round 1; zeros where it has no end.

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
    rewards = as_array("best_in_box", rewards, ndim=1, length=game.n_actions)
    return rewards if game.reward_range is None else np.clip(rewards, *game.reward_range)
