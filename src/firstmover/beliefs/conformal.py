"""Bands from the errors of past forecasts: adaptive conformal inference."""

from math import ceil
from statistics import NormalDist

import numpy as np

from firstmover.core.arrays import Vector

STEP = 0.05
"""How far the share that is left outside moves after each score."""

EXPECTED = np.array([NormalDist().inv_cdf((1 + (i + 0.5) / 10) / 2) for i in range(10)])
"""Scores that normal errors would have: they count beside the observed ones, and decide before there are any."""

BEYOND = 1.5
"""Width of a band that must be wider than all scores, relative to the largest."""


def adaptive_widths(scores: Vector, outside: float) -> Vector:
    """Return the half-width of the band before each score and after all of them (t + 1,).

    A score s_t is the absolute error of a forecast in predicted standard deviations. Its band has the half-width q_t,
    the quantile 1 − a_t of the scores before it and of ten normal ones, with

    a_1 = outside,   a_{t+1} = a_t + 0.05 (outside − [s_t > q_t])

    In the long run the share `outside` lies outside of the bands, whatever the errors are (Gibbs and Candès 2021).

    >>> adaptive_widths(np.array([9.0, 0.1]), outside=0.1).round(2).tolist()
    [1.96, 13.5, 13.5]
    """
    share, widths = outside, np.empty(len(scores) + 1)
    for t in range(len(widths)):
        known = np.sort(np.append(EXPECTED, scores[:t]))
        rank = ceil((len(known) + 1) * (1 - share))
        widths[t] = BEYOND * known[-1] if rank > len(known) else known[max(rank, 1) - 1]
        if t < len(scores):
            share += STEP * (outside - (scores[t] > widths[t]))
    return widths
