"""Scales of features and responses, so that a fitted belief needs no units."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Game

FIRST_FIT = 3
"""Observations before the first fit."""

GROSS = 100.0
"""Median deviations beyond which a response, or a feature of a type, does not count for the scale."""

FAR = 10.0
"""Spans beyond which a scaled feature of a type is taken for one at this distance."""

LARGEST = 1e9
"""Units beyond which a scaled response, which hardly counts, is taken for one at this distance."""


class Scale(NamedTuple):
    """u = (x − low) / span, of the features that vary; the span of the others is 0."""

    low: Vector
    span: Vector

    @classmethod
    def of(cls, rows: Matrix) -> "Scale":
        """Return the scale on which these rows fill [0, 1]^d."""
        low = rows.min(axis=0)
        return cls(low, rows.max(axis=0) - low)

    @classmethod
    def of_usual(cls, rows: Matrix) -> "Scale":
        """Return the scale on which these rows but for gross values fill [0, 1]^d."""
        kept = [column[usual(column)] for column in rows.T]
        low = np.array([column.min() for column in kept])
        return cls(low, np.array([column.max() for column in kept]) - low)

    @classmethod
    def of_loads(cls, rows: Matrix) -> "Scale":
        """Return the scale on which the largest load of all is 1, and no load 0."""
        return cls(np.zeros(rows.shape[1]), np.where(np.ptp(rows, axis=0) > 0, np.abs(rows).max(), 0.0))

    def __call__(self, rows: Matrix) -> Matrix:
        """Return the scaled features that vary (k, d')."""
        varied = self.span > 0
        return np.clip((rows[:, varied] - self.low[varied]) / self.span[varied], -FAR, 1 + FAR)


def usual(values: Vector) -> NDArray[np.bool_]:
    """Return which values lie within 100 median deviations of the median; deviations of 0 do not count.

    >>> usual(np.array([18.0, 21.0, 21.0, 25.0, 2.1e7])).tolist()
    [True, True, True, True, False]
    """
    away = np.abs(values - np.median(values))
    return away <= GROSS * np.median(away[away > 0]) if away.any() else np.ones(len(values), dtype=bool)


def response_scale(
    lower: float, upper: float, responses: Vector, *, from_bound: bool = False
) -> tuple[float, float] | None:
    """Return the centre and the scale of responses between two bounds; None while nothing tells.

    Two bounds tell both. With one it is the median distance from the bound, without any the mean and the standard
    deviation, of three responses or more; there, one beyond 100 median deviations does not count. Responses that start
    `from_bound`, as congestion does from 0, are centred there.

    >>> response_scale(0.0, 8.0, np.empty(0)), response_scale(1.0, np.inf, np.array([2.0, 4.0, 9.0]))
    ((4.0, 2.0), (4.0, 3.0))
    """
    bound, sign = (lower, 1.0) if np.isfinite(lower) else (upper, -1.0)
    if np.isfinite(lower) and np.isfinite(upper):
        return lower if from_bound else (lower + upper) / 2, (upper - lower) / 4
    if len(responses) < FIRST_FIT:
        return None
    if np.isfinite(bound):
        away = np.abs(responses - bound)
        unit = float(np.median(away)) or float(np.mean(away))
        return (bound if from_bound else bound + sign * unit, unit) if unit else None
    if not np.ptp(responses):
        return None
    kept = responses[usual(responses)]
    return float(kept.mean()), float(kept.std())


def menu_scale(game: Game) -> Scale:
    """Return the scale of the features of a game's actions."""
    return (Scale.of_loads if game.congestion else Scale.of)(game.actions)


def scaled(responses: Vector, centre: float, unit: float) -> Vector:
    """Return responses in units around a centre; those very far off at a limit."""
    return np.clip((responses - centre) / unit, -LARGEST, LARGEST)
