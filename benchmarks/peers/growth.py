"""Growth laws read from the cumulative cost of a run."""

from collections.abc import Mapping

import numpy as np
from scipy.optimize import nnls

from firstmover.core.arrays import Vector


def growth_exponent(
    rounds: Vector, cost: Vector, settled: float, later: Mapping[int, float] | None = None
) -> float | None:
    """The slope of log(cost of a round) over log t, from t = `settled` on; None if that is less than a doubling.

    Rounds are where the cumulative cost was read; `later` has single rounds after these.

    >>> t = np.arange(1.0, 101.0)
    >>> round(growth_exponent(t, np.cumsum(t**2), settled=10), 2)
    2.0
    """
    step = np.diff(rounds)
    middle, each = rounds[:-1] + (step + 1) / 2, np.diff(cost) / step
    middle = np.append(middle, list(later or {}))
    each = np.append(each, list((later or {}).values()))
    usable = (middle >= settled) & (each > 0)
    if np.count_nonzero(usable) < 3 or middle[-1] < 2 * settled:
        return None
    return float(np.polyfit(np.log(middle[usable]), np.log(each[usable]), 1)[0])


def estimated(rounds: Vector, cost: Vector, later: Mapping[int, float], horizon: int) -> float:
    """The cost of `horizon` rounds by the law c(t) = a + b t + c t² + d t³ a round, none of them negative.

    It is fitted to the rounds that were played from the first on, and to a few single ones after these.

    >>> t = np.arange(1.0, 41.0)
    >>> round(estimated(t, np.cumsum(2 + t**2), {45: 2027.0, 50: 2502.0}, horizon=50), 3)
    43025.0
    """
    starts, costs = np.concatenate([[0.0], rounds]), np.diff(cost, prepend=0.0)
    sums = np.diff(_sums_of_powers(starts), axis=0)
    single = np.array(list(later), dtype=float)[:, None] ** np.arange(4)
    # Each stretch counts by its share of error, so that early rounds are fitted as well as late ones; the few late
    # ones count as much as all before them.
    weight = np.sqrt(len(costs) / max(len(later), 1))
    shares = np.vstack([sums / costs[:, None], weight * single / np.array(list(later.values()))[:, None]])
    coefficients, _ = nnls(shares, np.append(np.ones(len(costs)), np.full(len(later), weight)))
    beyond = _sums_of_powers(np.array([rounds[-1], horizon]))
    return float(cost[-1] + (beyond[1] - beyond[0]) @ coefficients)


def _sums_of_powers(t: Vector) -> Vector:
    """Σ 1, Σ s, Σ s², Σ s³ for s = 1 … t, one row for each t."""
    return np.stack([t, t * (t + 1) / 2, t * (t + 1) * (2 * t + 1) / 6, (t * (t + 1) / 2) ** 2], axis=1)
