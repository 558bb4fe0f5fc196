"""Growth laws read from the cumulative cost of a run."""

import numpy as np
from scipy.optimize import nnls

from firstmover.records import Vector

FEWEST_ROUNDS = 20
"""A run that was stopped earlier says nothing about a longer one."""


def growth_exponent(rounds: Vector, cost: Vector, settled: float) -> float | None:
    """The slope of log(cost of a round) over log t, from t = `settled` on; None if that is less than a doubling.

    Rounds are where the cumulative cost was read.

    >>> t = np.arange(1.0, 101.0)
    >>> round(growth_exponent(t, np.cumsum(t**2), settled=10), 2)
    2.0
    """
    step = np.diff(rounds)
    middle, each = rounds[:-1] + (step + 1) / 2, np.diff(cost) / step
    usable = (rounds[:-1] >= settled) & (each > 0)
    if np.count_nonzero(usable) < 3 or rounds[-1] < 2 * settled:
        return None
    return float(np.polyfit(np.log(middle[usable]), np.log(each[usable]), 1)[0])


def extrapolated(rounds: Vector, cost: Vector, horizon: int) -> float | None:
    """The cost of `horizon` rounds if the law goes on: c(t) = a + b t + c t² + d t³ a round, none of them negative.

    >>> t = np.arange(1.0, 41.0)
    >>> round(extrapolated(t, np.cumsum(2 + t**2), horizon=50), 3)
    43025.0
    """
    if rounds[-1] < FEWEST_ROUNDS:
        return None
    starts, costs = np.concatenate([[0.0], rounds]), np.diff(cost, prepend=0.0)
    sums = np.diff(_sums_of_powers(starts), axis=0)
    # Each stretch counts by its share of error, so that early rounds are fitted as well as late ones.
    coefficients, _ = nnls(sums / costs[:, None], np.ones(len(costs)))
    beyond = _sums_of_powers(np.array([rounds[-1], horizon]))
    return float(cost[-1] + (beyond[1] - beyond[0]) @ coefficients)


def _sums_of_powers(t: Vector) -> Vector:
    """Σ 1, Σ s, Σ s², Σ s³ for s = 1 … t, one row for each t."""
    return np.stack([t, t * (t + 1) / 2, t * (t + 1) * (2 * t + 1) / 6, (t * (t + 1) / 2) ** 2], axis=1)
