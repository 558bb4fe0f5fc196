"""What the fitted model of a match predicts for an action: the one record that every view shows."""

from dataclasses import dataclass

import numpy as np

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.records import Box
from firstmover.games.rewards import lattice
from firstmover.matches.learner_state import Learning

MOST_POINTS = 2000
"""Responses within the band at which the reward is evaluated for its smallest value."""


@dataclass(frozen=True)
class Interval:
    """A predicted quantity: its mean and the ends of its band; `lower` is None where it is not computed."""

    mean: float
    lower: float | None
    upper: float


@dataclass(frozen=True)
class Forecast:
    """The predicted responses and reward of one action against one type."""

    responses: tuple[Interval, ...]
    reward: Interval


def intervals(learning: Learning, opponent_type: Vector) -> tuple[Matrix, Matrix, Matrix]:
    """μ and the ends of the band μ ± β √(σ² + λ) of all actions (n, m), within the response domain."""
    mean, std = learning.belief.predict(opponent_type)
    reach = learning.reach(std if std.ndim > 1 else std[:, None])
    domain = learning.setting.game.response_domain
    box = Box(mean - reach, mean + reach).within(domain)
    return np.clip(mean, domain.lower, domain.upper), box.lower, box.upper


def forecast(learning: Learning, action: int, opponent_type: Vector) -> Forecast:
    """The interval of each response, and the reward at μ with its smallest and largest value in the band.

    The smallest is that of a lattice of responses, the largest that of Eq. (6).
    """
    game = learning.setting.game
    mean, lower, upper = (part[action] for part in intervals(learning, opponent_type))
    x, points = game.actions[[action]], _lattice(lower, upper)
    lowest = None if points is None else float(np.min(game.reward(np.repeat(x, len(points), axis=0), points)))
    highest = float(game.reward.best_in_box(x, Box(lower[None], upper[None]))[0])
    rows = zip(mean.tolist(), lower.tolist(), upper.tolist(), strict=True)
    reward = Interval(float(game.reward(x, mean[None])[0]), lowest, highest)
    return Forecast(tuple(Interval(*row) for row in rows), reward)


def _lattice(lower: Vector, upper: Vector) -> Matrix | None:
    """Points of a box (k, m) with all its corners; None where even the corners are too many."""
    steps = min(21, int(MOST_POINTS ** (1 / len(lower))))
    return lattice(list(np.linspace(lower, upper, steps).T)) if steps >= 2 else None
