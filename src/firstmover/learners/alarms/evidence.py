"""The numbers of one round that alarms are computed from, by the belief before its response."""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Belief, Game, Learner
from firstmover.learners.reward_regression import GPMW, GPUCB

COVERED, BAND = 0.9, 1.645
"""The band's probability and half-width in standard deviations."""


class Evidence(NamedTuple):
    """Numbers of one round, by the belief before its response; σ includes the noise where it is not said otherwise.

    Parameters
    ----------
    inside
        Share of the outputs inside the 90 % band; of a choice, whether the likelier ones have at most 90 % in all.
    error, largest_error
        Mean and largest of |y − μ| / σ over the outputs; of choice i with probabilities q, 1 + 2 (q · q − q_i), which
        is 1 on average if they are right, and 0.
    signal
        How far μ differs from the mean response so far, in quadratic mean over all actions at this type, in standard
        deviations of the noise; the largest of all outputs.
    prior_share
        σ without noise over that of the prior.
    spread_share
        σ without noise over the standard deviation of all responses so far.
    score
        The log density of the response, less that of a normal with mean and deviation of the responses before.
    optimistic, earned
        r̃ of the action played, and its reward at the response.
    outlying
        Largest distance of an output from the posterior mean after the round, in deviations of the noise; 0 of choices.
    unexplored
        Other actions that are unexplored and could earn more; 0 while several actions are played.
    """

    inside: float
    error: float
    largest_error: float
    signal: float
    prior_share: float
    spread_share: float
    score: float
    optimistic: float
    earned: float
    outlying: float
    unexplored: float


@dataclass(frozen=True)
class Model:
    """The model of responses before a round: the belief, β, and the noise variance, a number or one per output (m,)."""

    game: Game
    belief: Belief
    width: float
    noise_variance: Any

    @property
    def fitted(self) -> bool:
        """Whether the belief fits its hyperparameters, so that the user has none to set."""
        return hasattr(self.belief, "fitted")


def has_model(learner: Learner) -> bool:
    """Whether the learner decides by a belief about responses."""
    belief = getattr(learner, "belief", None)
    noisy = hasattr(belief, "noise_variance") or hasattr(belief, "regularization")
    return noisy and hasattr(learner, "game") and not isinstance(learner, GPUCB | GPMW)  # theirs is about rewards


def width_of(learner: Any) -> float:
    """The width β of a learner; 1, that of `auto`, where it has none to set."""
    return float(learner.confidence(learner.belief.information_gain)) if hasattr(learner, "confidence") else 1.0


def model_of(learner: Any) -> Model:
    """The model of responses of a learner that has one."""
    belief = learner.belief
    noise = belief.noise_variance if hasattr(belief, "noise_variance") else belief.regularization
    return Model(learner.game, belief, width_of(learner), noise)


def prior_share(belief: Belief, opponent_type: Vector) -> Vector:
    """σ over σ without data, of all actions (n,), the smallest of all outputs; NaN if the belief has no prior."""
    std, prior_std = belief.predict(opponent_type).std, getattr(belief, "prior_std", None)
    shares = std / (np.nan if prior_std is None else prior_std(opponent_type))
    return shares.reshape(len(shares), -1).min(axis=1)


def choice_of(response: Vector) -> int | None:
    """The place of the 1 if the response is a unit vector of two outputs or more, which is a choice; None otherwise."""
    place = int(np.argmax(response))
    is_choice = len(response) > 1 and response[place] == 1 and np.count_nonzero(response) == 1
    return place if is_choice else None


def chances(mean: Vector) -> Vector:
    """The probabilities of choices whose predicted indicators are these."""
    positive = np.clip(mean, 1e-9, None)
    return np.asarray(positive / positive.sum(), dtype=np.float64)


def surprise(response: Vector, mean: Vector, known: Vector, noise: Vector) -> tuple[float, float, float, float]:
    """`inside`, both errors and `outlying` of a response, by its mean, its variance without noise and the noise's."""
    place = choice_of(response)
    if place is not None:
        likely = chances(mean)
        likelier = float(likely[likely > likely[place]].sum())
        return float(likelier <= COVERED), 1.0 + 2.0 * float(likely @ likely - likely[place]), 0.0, 0.0
    error = np.abs(response - mean)
    off = error / np.sqrt(known + noise)
    outlying = float(np.max(error * np.sqrt(noise) / (known + noise)))
    return float(np.mean(off <= BAND)), float(np.mean(off)), float(np.max(off)), outlying


def clipped(game: Game, rewards: Vector) -> Vector:
    """Rewards within the range of the game, if it has one."""
    return rewards if game.reward_range is None else np.clip(rewards, *game.reward_range)


def share(deviations: Matrix | Vector, whole: Vector) -> Matrix | Vector:
    """The ratio of deviations; 0 of 0."""
    return np.nan_to_num(deviations / whole, nan=0.0, posinf=np.inf)
