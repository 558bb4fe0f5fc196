"""The alarm that some responses were recorded in another unit: a constant factor of what the others predict."""

import numpy as np
from numpy.typing import NDArray

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.errors import counted
from firstmover.core.records import Alarm
from firstmover.learners.alarms.marginal import matern, smooth_evidence

MOST, LEAST, FEWEST = 100, 8, 3
"""Observations, the latest, that are compared; before the first alarm; and in either unit."""

SMALLEST, SEPARATED = 5.0, 4.0
"""The smallest factor between two units that is looked for, and between the smallest of the larger responses and the
largest of the smaller ones, but for a tenth of each."""

FACTORS = (7.0, 10.0, 12.0, 24.0, 60.0, 100.0, 365.0, 1e3, 3600.0, 1e4, 1e5, 1e6, 1e9)
"""Usual factors between units."""

ODDS, FREQUENT = 1e5, 0.25
"""Odds of two units from which on there is an alarm, and the share of either unit up to which the larger responses may
as well be outliers."""


def wrong_units(points: Matrix, responses: Matrix, rounds: NDArray[np.intp]) -> Alarm | None:
    """Compare the evidence of all responses as recorded with that of the larger ones divided by a factor.

    Responses are split by size where the variance between the logarithms of both parts is largest. Action and type must
    not tell the parts apart, and must explain the corrected responses better by far. If few, the larger ones must not
    be outliers that nothing explains.
    """
    points, responses, rounds = points[-MOST:], responses[-MOST:], rounds[-MOST:]
    usual = np.median(np.abs(responses), axis=0)
    sizes = np.max(np.abs(responses) / np.where(usual > 0, usual, 1.0), axis=1)
    large = _larger(sizes)
    if len(responses) < LEAST or min(np.sum(large), np.sum(~large)) < FEWEST:
        return None
    ratio = float(np.median(sizes[large]) / np.median(sizes[~large]))
    apart = np.quantile(sizes[large], 0.1) > SEPARATED * np.quantile(sizes[~large], 0.9)
    if not (apart and SMALLEST <= ratio < np.inf) or _explained(points, large):
        return None
    candidates = [ratio, *(factor for factor in FACTORS if 1 / 4 <= factor / ratio <= 4)]
    corrected = [np.where(large[:, None], responses / factor, responses) for factor in candidates]
    penalty = responses.shape[1] * np.sum(large) * np.log(candidates) + len(responses) * np.log(2)
    others = smooth_evidence(points, responses)
    if min(np.mean(large), np.mean(~large)) < FREQUENT:
        others = max(others, _unexplained(points, responses, large))
    gains = np.array([smooth_evidence(points, each) for each in corrected]) - penalty - others
    best = int(np.argmax(gains))
    if not gains[best] > np.log(ODDS):
        return None
    wrong = large if np.sum(large) <= np.sum(~large) else ~large
    factor, told = candidates[best], rounds[wrong & (rounds > 0)]
    larger = "larger" if wrong is large else "smaller"
    return Alarm(
        "units",
        f"{counted(int(np.sum(wrong)), 'response')} of the last {len(responses)} are about {factor:.3g} times {larger} "
        "than the others predict.",
        f"Check the units in which they were recorded, and {'divide' if wrong is large else 'multiply'} them by "
        f"{factor:.3g} with a correction of each round.",
        int(told[0]) if len(told) else 1,
    )


def _explained(points: Matrix, large: NDArray[np.bool_]) -> bool:
    """Whether the observation nearest to each is in the same part more often than by chance, by three deviations."""
    likeness = matern(points, 1.0)
    np.fill_diagonal(likeness, -1.0)
    chance = float(np.mean(large) ** 2 + np.mean(~large) ** 2)
    same = float(np.mean(large == large[np.argmax(likeness, axis=1)]))
    return same > chance + 3 * np.sqrt(chance * (1 - chance) / len(large))


def _unexplained(points: Matrix, responses: Matrix, large: NDArray[np.bool_]) -> float:
    """The log evidence if the larger responses are normal with mean 0 and do not depend on action and type."""
    rest = smooth_evidence(points[~large], responses[~large])
    squares = np.mean(responses[large] ** 2, axis=0)
    return rest - 0.5 * float(np.sum(large) * np.sum(1 + np.log(squares))) - len(responses) * float(np.log(2))


def _larger(sizes: Vector) -> NDArray[np.bool_]:
    """Whether each size belongs to the larger part, where the variance between the parts' logarithms is largest."""
    logs = np.log(np.maximum(sizes, 1e-300))
    ordered = np.sort(logs)
    count = np.arange(1, len(logs))
    below = np.cumsum(ordered)[:-1]
    between = (below / count - (ordered.sum() - below) / (len(logs) - count)) ** 2 * count * (len(logs) - count)
    return logs > ordered[int(np.argmax(between))] if len(logs) > 1 else np.zeros(len(logs), dtype=bool)
