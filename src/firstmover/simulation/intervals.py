"""Means over seeds and shares of trials, with confidence intervals."""

import numpy as np
from scipy.special import betaincinv, stdtrit

from firstmover.core.arrays import Matrix, Vector, as_count, as_index

CONFIDENCE = 0.95
"""The level of every interval that tables and figures show."""

TOST_LEVEL = 0.05
"""The level of each of the two one-sided tests of an equivalence."""


def mean_interval(values: Matrix) -> tuple[Vector, Vector]:
    """Mean and half-width of its 95 % t-interval, over the rows of (seeds, k).

    mean ± t_{0.975, n−1} · s / √n, with s the sample's standard deviation; one row alone has no interval: NaN.

    >>> mean_interval(np.array([[1.0], [2.0], [6.0]]))
    (array([3.]), array([6.57241061]))
    """
    n = len(values)
    mean = values.mean(axis=0)
    if n == 1:
        return mean, np.full_like(mean, np.nan)
    return mean, stdtrit(n - 1, (1 + CONFIDENCE) / 2) * values.std(axis=0, ddof=1) / np.sqrt(n)


def equivalent(values: Vector, target: float, margin: float) -> bool | None:
    """Return whether the mean of runs is within a margin of a target; None if the runs do not settle it.

    Two one-sided t-tests at 5 % reject a mean at or beyond either margin if the 90 % interval lies within them: True.
    If the interval lies outside of them, the mean differs: False. One run settles nothing.

    >>> runs = np.array([1.0, 2.0, 6.0])  # 3 ± 4.46
    >>> equivalent(runs, 3.0, 4.5), equivalent(runs, 3.0, 4.4), equivalent(runs, 12.0, 4.5)
    (True, None, False)
    """
    n = len(values)
    if n == 1:
        return None
    half_width = stdtrit(n - 1, 1 - TOST_LEVEL) * values.std(ddof=1) / np.sqrt(n)
    off = abs(values.mean() - target)
    if off + half_width <= margin:
        return True
    return False if off - half_width > margin else None


def share_interval(seen: int, trials: int) -> tuple[float, float]:
    """The 95 % Clopper-Pearson interval of a probability, after `seen` of so many independent trials.

    Its ends are the quantiles α/2 of Beta(k, n − k + 1) and 1 − α/2 of Beta(k + 1, n − k); 0 and 1 where k is 0 or n.

    >>> [round(end, 4) for end in share_interval(0, 200)], [round(end, 4) for end in share_interval(9, 10)]
    ([0.0, 0.0183], [0.555, 0.9975])
    """
    trials = as_count("trials", trials)
    seen, outside = as_index("seen", seen, trials + 1), (1 - CONFIDENCE) / 2
    low = float(betaincinv(seen, trials - seen + 1, outside)) if seen else 0.0
    high = float(betaincinv(seen + 1, trials - seen, 1 - outside)) if seen < trials else 1.0
    return low, high
