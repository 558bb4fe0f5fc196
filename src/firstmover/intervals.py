"""Means over seeds, with the interval that says how far to trust them."""

import numpy as np
from scipy.special import stdtrit

from firstmover.records import Matrix, Vector

CONFIDENCE = 0.95
"""The level of every interval that tables and figures show."""


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
