"""What the fitted model of a match predicts for an action: the one record that every view shows."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Reward
from firstmover.core.records import Box
from firstmover.games.rewards import lattice
from firstmover.matches.learner_state import Learning
from firstmover.matches.rewards import LinearReward

MOST_POINTS = 2000
"""Responses within the band at which the reward is evaluated for its smallest value."""

UNKNOWN = 0.99
"""The share of the prior deviation from which on nothing is known about a response."""


@dataclass(frozen=True)
class Interval:
    """A predicted quantity: its mean and the ends of its band.

    The mean is None while the observations say nothing about it: the band is then its whole domain. An end is None
    where it is infinite or not computed.
    """

    mean: float | None
    lower: float | None
    upper: float | None

    @classmethod
    def of(cls, mean: float, lower: float, upper: float) -> "Interval":
        """The interval of these numbers, with None for those that are not finite."""
        return cls(*(float(number) if np.isfinite(number) else None for number in (mean, lower, upper)))


@dataclass(frozen=True)
class Forecast:
    """The predicted responses and reward of one action against one type.

    `responses` have bands of what is observed, `means` of the mean response, without noise.
    """

    responses: tuple[Interval, ...]
    reward: Interval
    means: tuple[Interval, ...]


def unknown_actions(learning: Learning, opponent_type: Vector) -> NDArray[np.bool_]:
    """Whether the observations say nothing about the response to each action (n,) by one type."""
    from firstmover.learners.alarms import prior_share

    if learning.belief.information_gain == 0:
        return np.ones(learning.setting.game.n_actions, dtype=bool)
    return prior_share(learning.belief, opponent_type) >= UNKNOWN


def intervals(learning: Learning, opponent_type: Vector, *, noisy: bool = True) -> tuple[Matrix, Matrix, Matrix]:
    """μ and the ends of the band μ ± β √(σ² + λ) of all actions (n, m), within the response domain.

    Without noise the band is that of the mean, μ ± β σ. Where nothing is known of a response, μ is NaN and the band is
    the response domain.
    """
    domain, unknown = learning.setting.game.response_domain, unknown_actions(learning, opponent_type)
    mean, lower, upper = (
        np.tile(end, (len(unknown), 1)) for end in (domain.lower * np.nan, domain.lower, domain.upper)
    )
    if not unknown.all():
        predicted, std = learning.belief.predict(opponent_type)
        reach, known = learning.reach(std.reshape(len(std), -1), noisy=noisy), ~unknown
        box = Box(predicted - reach, predicted + reach).within(domain)
        mean[known] = np.clip(predicted, domain.lower, domain.upper)[known]
        lower[known], upper[known] = box.lower[known], box.upper[known]
    return mean, lower, upper


def forecast(learning: Learning, action: int, opponent_type: Vector) -> Forecast:
    """The interval of each response, and the reward at μ with its smallest and largest value in the band.

    The smallest is exact for a linear reward, else that of a lattice of responses; the largest is that of Eq. (6).
    """
    game = learning.setting.game
    mean, lower, upper = (part[action] for part in intervals(learning, opponent_type))
    x, box = game.actions[[action]], Box(lower[None], upper[None])
    lowest = highest = np.nan
    if np.isfinite(upper - lower).all():
        lowest, highest = _lowest(game.reward, x, box), float(game.reward.best_in_box(x, box)[0])
    reward = np.nan if np.isnan(mean).any() else float(game.reward(x, mean[None])[0])
    means = (part[action] for part in intervals(learning, opponent_type, noisy=False))
    return Forecast(_rows(mean, lower, upper), Interval.of(reward, lowest, highest), _rows(*means))


def response_intervals(learning: Learning, action: int, opponent_type: Vector) -> tuple[Interval, ...]:
    """The interval of each response to one action by one type."""
    return _rows(*(part[action] for part in intervals(learning, opponent_type)))


def _rows(mean: Vector, lower: Vector, upper: Vector) -> tuple[Interval, ...]:
    return tuple(Interval.of(*row) for row in zip(mean.tolist(), lower.tolist(), upper.tolist(), strict=True))


def _lowest(reward: Reward, x: Matrix, box: Box) -> float:
    """The smallest reward of an action (1, d) in a box (1, m); NaN if even its corners are too many."""
    if isinstance(reward, LinearReward):
        return float(reward.worst_in_box(x, box)[0])
    steps = min(21, int(MOST_POINTS ** (1 / box.lower.shape[1])))
    if steps < 2:
        return np.nan
    points = lattice(list(np.linspace(box.lower[0], box.upper[0], steps).T))
    return float(np.min(reward(np.repeat(x, len(points), axis=0), points)))
