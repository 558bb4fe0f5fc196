"""Optimistic rewards, Eq. (6): what the learners that believe in b have in common."""

import numpy as np

from firstmover.beliefs import confidence_box
from firstmover.contracts import Belief, ConfidenceWidth, Game
from firstmover.records import Vector, as_array


def optimistic_rewards(game: Game, belief: Belief, confidence: ConfidenceWidth, opponent_type: Vector) -> Vector:
    """r̃(x, θ) = max of r(x, y) over y in [lcb(x, θ), ucb(x, θ)], for all actions (n,).

    A stated reward range tightens it: no reward lies outside, so r̃ need not either, and stays an upper bound.
    """
    width = confidence(belief.information_gain)
    box = confidence_box(belief.predict(opponent_type), width, game.response_domain)
    rewards = as_array("best_in_box", game.reward.best_in_box(game.actions, box), ndim=1, length=game.n_actions)
    return rewards if game.reward_range is None else np.clip(rewards, *game.reward_range)
