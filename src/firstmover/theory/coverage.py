"""Coverage: how often confidence boxes contain b, and predicted intervals contain responses."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from firstmover.core.arrays import Matrix, Vector, non_negative
from firstmover.core.contracts import Belief, ConfidenceWidth, Game, ResponseFunction
from firstmover.core.records import Run
from firstmover.simulation import responses_of
from firstmover.simulation.intervals import share_interval
from firstmover.theory.replay import Believer, Replay, beliefs_of

ROUNDING = 1e-9
"""The rounding error allowed, as a share of the width and of the largest response."""

LEVELS = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99])
"""Nominal levels of a reliability curve."""


def width_used(
    belief: Belief, confidence: ConfidenceWidth, run: Run, types: Matrix, responses: NDArray[np.float64]
) -> Vector:
    """max `|μ_t − b|` / (β_t σ_t) over all actions, types and outputs, before each round and after the last (T + 1,).

    The box contains b everywhere while this is at most 1. `responses` are b of every type and action (q, n, m).
    """
    used = []
    for now in beliefs_of(belief, run):
        predictions = [now.predict(each) for each in types]
        mean, std = np.stack([p.mean for p in predictions]), np.stack([p.std for p in predictions])
        used.append(_largest_share(mean, confidence(now.information_gain) * std, responses, np.abs(responses).max()))
    return np.array(used)


def width_used_as_played(learner: Believer, run: Run, respond: ResponseFunction) -> Vector:
    """The same over all actions at the observed type (T,): the boxes that the proof of Theorem 1 needs."""
    types, which = np.unique(run.opponent_types, axis=0, return_inverse=True)
    responses = responses_everywhere(learner.game, respond, types)
    used, largest = np.empty(len(which)), np.abs(responses).max()
    for t, now in zip(range(len(used)), beliefs_of(learner.belief, run), strict=False):  # none after the last
        prediction, width = now.predict(run.opponent_types[t]), learner.confidence(now.information_gain)
        used[t] = _largest_share(prediction.mean, width * prediction.std, responses[which[t]], largest)
    return used


def covers(used: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return whether boxes contain b, up to rounding, from the share of their width used."""
    return used <= 1 + ROUNDING


def _largest_share(
    mean: NDArray[np.float64], reach: NDArray[np.float64], responses: NDArray[np.float64], largest: float
) -> float:
    """max |μ − b| / (β σ), ignoring differences below the rounding error."""
    miss = np.maximum(np.abs(mean - responses) - ROUNDING * largest, 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(np.max(np.where(miss > 0, miss / reach[..., None], 0.0)))


def responses_everywhere(game: Game, respond: ResponseFunction, types: Matrix) -> NDArray[np.float64]:
    """b of every type and action (q, n, m)."""
    return np.stack([responses_of(game, respond, each) for each in types])


@dataclass(frozen=True)
class Proportion:
    """The proportion of successes in trials, with the Clopper-Pearson interval of its probability.

    >>> Proportion(seen=198, trials=200).interval
    (0.9643..., 0.9987...)
    """

    seen: int
    trials: int

    @property
    def value(self) -> float:
        """The proportion itself."""
        return self.seen / self.trials

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval, which is conservative."""
        return share_interval(self.seen, self.trials)


def coverage_of(used: Matrix) -> Proportion:
    """Return the proportion of games (rows of `used`) in which all boxes contained b."""
    return Proportion(int(np.sum(np.all(covers(used), axis=1))), len(used))


@dataclass(frozen=True)
class Reliability:
    """For each nominal level, the proportion of responses inside the interval predicted for them."""

    levels: Vector
    shares: tuple[Proportion, ...]

    @property
    def observed(self) -> Vector:
        """The proportions as numbers."""
        return np.array([share.value for share in self.shares])


def standard_errors(replay: Replay, responses: Matrix, noise_variance: float) -> Matrix:
    """(y_t − μ_t) / √(σ_t² + noise variance) of each round and output (T, m), each predicted before it was observed."""
    spread = np.sqrt(replay.stds**2 + non_negative("noise_variance", noise_variance))
    return (responses - replay.means) / spread[:, None]


def reliability_curve(errors: Matrix, levels: Vector = LEVELS) -> Reliability:
    """Return the share of absolute errors below the normal quantile of each level, equal to the level if calibrated.

    In a Gaussian process λ is the variance of the noise, and the interval of level p is μ ± z_p √(σ² + λ). A curve
    above the diagonal means underconfident predictions, below it overconfident ones.

    >>> calm = reliability_curve(np.array([[0.1], [-0.5], [1.0], [-3.0]]), np.array([0.5, 0.9]))
    >>> print(calm.observed)  # z is 0.674 and 1.645
    [0.5  0.75]
    """
    sizes = np.abs(errors).ravel()
    within = np.sum(sizes[:, None] <= ndtri((1 + levels) / 2), axis=0)
    return Reliability(levels, tuple(Proportion(int(count), len(sizes)) for count in within))
