"""Mean rewards over the types so far: their posterior mean and standard deviations, and the optimistic ones."""

from functools import partial
from typing import NamedTuple

import numpy as np

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Belief, Game, Learner, worst_in_box
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box
from firstmover.learners.contexts import past_rounds
from firstmover.learners.optimistic import optimistic_rewards
from firstmover.learners.reward_regression import GPMW, GPUCB, upper_bounds

MOST_TYPES = 10
"""Types over which rewards are averaged if they are not known; of more, as many rounds, equally spaced."""

MOST_KNOWN = 30
"""The same for known types, whose predictions are at hand."""

BAND = 1.6448536
"""Half the width, in standard deviations, of the boxes by which those of rewards are computed."""


class Shares(NamedTuple):
    """Types (q, p) and the share of the rounds of each (q,)."""

    types: Matrix
    shares: Vector


def type_shares(game: Game, types: Matrix, context: Vector | None = None) -> Shares:
    """Return the types of the rounds so far (t, p) with their shares; at a context, as if they had come with it.

    >>> from firstmover.games import GAMES
    >>> shares = type_shares(GAMES["shore"].build(), np.array([[3.0], [1.0], [3.0]]))
    >>> shares.types.ravel().tolist(), shares.shares.round(3).tolist()
    ([1.0, 3.0], [0.333, 0.667])
    """
    most, counts = MOST_TYPES if game.types is None else MOST_KNOWN, np.ones(len(types))
    if context is not None and len(types):
        past = past_rounds(game, types, context, most)
        types, counts = past.types, past.counts[0] if len(past.rounds) else np.ones(len(past.types))
    kinds, place = np.unique(types, axis=0, return_inverse=True)
    if len(kinds) > most:
        some = np.linspace(0, len(types) - 1, most).astype(int)
        kinds, place, counts = types[some], np.arange(most), counts[some]
    totals = np.bincount(place, counts, minlength=len(kinds)).astype(np.float64)
    return Shares(kinds, totals / totals.sum() if len(kinds) else totals)


class MeanRewards(NamedTuple):
    """The posterior mean of each action's mean reward (n,), and its standard deviations below and above."""

    mean: Vector
    below: Vector
    above: Vector


def mean_rewards(game: Game, belief: Belief, past: Shares) -> MeanRewards | None:
    """Return Σ_θ s_θ r(x, μ(x, θ)) and its standard deviations; None while the belief tells nothing.

    With κ = 1.645 and ρ the joint share of the errors at different types,

    κ below_j(x) = Σ_θ s_θ (r(x, μ) − min r(x, y)),   y_j in μ_j ± κ ρ_j(x) σ_j(x, θ), the other outputs at μ.

    Errors of the outputs are independent: below² = Σ_j below_j². For `above` the maximum takes the minimum's place.
    """
    if not len(past.types):
        return None
    width, domain = BAND * getattr(belief, "joint_share", 1.0), game.response_domain
    mean, parts = np.zeros(game.n_actions), np.zeros((2, game.n_outputs, game.n_actions))
    for opponent_type, share in zip(past.types, past.shares, strict=True):
        middle, std = belief.predict(opponent_type)
        reach = width * (std[:, None] if std.ndim == 1 else std) * np.ones(game.n_outputs)
        if not np.isfinite(reach).all():
            return None
        middle = np.clip(middle, domain.lower, domain.upper)
        at = np.asarray(game.reward(game.actions, middle))
        mean += share * at
        for j in range(game.n_outputs):
            box = _along(j, middle, reach, domain)
            parts[0, j] += share * (at - worst_in_box(game.reward, game.actions, box))
            parts[1, j] += share * (game.reward.best_in_box(game.actions, box) - at)
    below, above = np.sqrt(np.sum(parts**2, axis=1)) / BAND
    return MeanRewards(mean, below, above)


def _along(output: int, middle: Matrix, reach: Matrix, domain: Box) -> Box:
    """The boxes in which one output varies, cut to the domain."""
    alone = np.where(np.arange(middle.shape[1]) == output, reach, 0.0)
    return Box(np.maximum(middle - alone, domain.lower), np.minimum(middle + alone, domain.upper))


def response_belief(learner: Learner) -> Belief:
    """Return a learner's belief about responses; raise if it has none."""
    belief = getattr(learner, "belief", None)
    if belief is None or isinstance(learner, GPMW | GPUCB):  # those believe something about rewards
        raise InvalidInput(
            f"learner {type(learner).__name__} has no belief about responses, which floor and change_cost need: leave "
            "them out, or play another learner, such as auto."
        )
    return belief


def optimistic_means(learner: Learner, game: Game, past: Shares) -> Vector:
    """Return Σ_θ s_θ r̃(x, θ), the learner's optimistic rewards over the types so far (n,)."""
    belief = response_belief(learner)
    own = getattr(learner, "optimistic", None)
    rewards = own or partial(optimistic_rewards, game, belief, learner.confidence)  # type: ignore[attr-defined]
    return np.asarray(past.shares @ np.array([rewards(kind) for kind in past.types]), dtype=np.float64)


class RewardEstimates(NamedTuple):
    """What a learner expects of each action over the types so far, and its optimistic rewards (n,)."""

    expected: MeanRewards
    optimistic: Vector


def reward_estimates(learner: Learner, game: Game, past: Shares) -> RewardEstimates | None:
    """Return expected and optimistic mean rewards by the learner's own belief; None while that tells nothing.

    A learner of rewards, GP-UCB or GP-MW, expects Σ_θ s_θ μ(x, θ), with standard deviation Σ_θ s_θ σ(x, θ): its errors
    at different types count as the same.
    """
    if not isinstance(learner, GPMW | GPUCB):
        rewards = mean_rewards(game, response_belief(learner), past)
        return None if rewards is None else RewardEstimates(rewards, optimistic_means(learner, game, past))
    if not len(past.types):
        return None
    predictions = [learner.belief.predict(kind) for kind in past.types]
    mean, std = (past.shares @ np.array([each[i].reshape(game.n_actions) for each in predictions]) for i in (0, 1))
    bounds = past.shares @ np.array([upper_bounds(learner, kind) for kind in past.types])
    return RewardEstimates(MeanRewards(mean, std, std), bounds)
