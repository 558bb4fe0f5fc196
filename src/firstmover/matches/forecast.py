"""What the fitted model of a match predicts for an action: the one record that every view shows."""

import numpy as np

from firstmover.core.records import Box, Matrix, Vector
from firstmover.games.match_view import Forecast, Interval
from firstmover.matches.learner_state import Learning

MOST_POINTS = 2000
"""Responses within the band at which the reward is evaluated for its smallest value."""


def forecast(learning: Learning, action: int, opponent_type: Vector) -> Forecast:
    """μ within the response domain, the band μ ± β √(σ² + λ), and the rewards in that band.

    The smallest reward is that of a lattice of responses, the largest that of Eq. (6).
    """
    setting, belief = learning.setting, learning.belief
    game, domain = setting.game, setting.game.response_domain
    prediction = belief.predict(opponent_type)
    mean, std = prediction.mean[action], prediction.std[action]
    reach = setting.confidence(belief.information_gain) * np.sqrt(std**2 + setting.regularization)
    box = Box(mean - reach, mean + reach).within(domain)
    mean = np.clip(mean, domain.lower, domain.upper)
    x, points = game.actions[[action]], _lattice(box)
    lowest = None if points is None else float(np.min(game.reward(np.repeat(x, len(points), axis=0), points)))
    highest = float(game.reward.best_in_box(x, Box(box.lower[None], box.upper[None]))[0])
    rows = zip(mean.tolist(), box.lower.tolist(), box.upper.tolist(), strict=True)
    return Forecast(
        tuple(Interval(*row) for row in rows), Interval(float(game.reward(x, mean[None])[0]), lowest, highest)
    )


def _lattice(box: Box) -> Matrix | None:
    """Points of a box (k, m) with all its corners; None where even the corners are too many."""
    steps = min(21, int(MOST_POINTS ** (1 / len(box.lower))))
    if steps < 2:
        return None
    axes = np.meshgrid(*np.linspace(box.lower, box.upper, steps).T, indexing="ij")
    return np.stack([axis.ravel() for axis in axes], axis=1)
