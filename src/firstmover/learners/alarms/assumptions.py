"""The alarm that responses contradict the kernel and λ: rival assumptions have predicted them far better."""

import numpy as np
from numpy.typing import NDArray

from firstmover.core.arrays import Matrix
from firstmover.core.records import Alarm
from firstmover.learners.alarms.evidence import Model
from firstmover.learners.alarms.marginal import (
    LENGTHS,
    NOISES,
    UNCHANGED,
    VARIANCES,
    log_likelihoods,
    log_mean_exp,
    matern,
)

MOST, LEAST = 60, 10
"""Observations, the first, that assumptions are judged by, and before the first alarm."""

FACTORS = (1 / 5, 5**-0.5, 1.0, 5**0.5, 5.0)
"""Factors of the length scales."""

ODDS, LARGER = 100.0, 2 / 3
"""Odds of the rivals from which on assumptions are wrong, and the weight of larger prior variances alone among them."""


def wrong_assumptions(model: Model, points: Matrix, responses: Matrix) -> Alarm | None:
    """Compare the marginal likelihood of kernel and λ with the mean over rivals, e = mean_k p_k(y) / p(y).

    Under the assumptions e is a martingale that begins at 1: whenever one looks, and how often, it exceeds 100 in at
    most one of 100 matches (Ville's inequality). Rivals have other length scales, variances or noise, the square of
    the kernel, or a Matérn kernel (`_weights`).
    """
    kernel, n = getattr(model.belief, "kernel", None), min(len(responses), MOST)
    if model.fitted or kernel is None or n < LEAST:
        return None
    points, responses, noise = points[:n], responses[:n], float(np.mean(model.noise_variance))
    assumed = kernel(points)
    level = float(np.mean(assumed.diagonal()))
    grams = [assumed if factor == 1 else kernel(points / factor) for factor in FACTORS]
    grams += [level * matern(points, length) for length in LENGTHS] + [assumed**2 / level]
    gains = np.array([log_likelihoods(gram, responses, noise) for gram in grams])
    gains -= gains[(FACTORS.index(1.0), *UNCHANGED)]
    total = log_mean_exp(gains, _weights(len(grams)))
    if not total > np.log(ODDS):
        return None
    kind, variance, noisier = np.unravel_index(np.argmax(gains), gains.shape)
    changes = [
        *_change("length scales", FACTORS[kind] if kind < len(FACTORS) else 1.0),
        *(["a Matérn kernel of features that are scaled to one range"] if 0 <= kind - len(FACTORS) < 2 else []),
        *(["the square of the kernel"] if kind == len(grams) - 1 else []),
        *_change("the prior variance", VARIANCES[variance]),
        *_change("λ", NOISES[noisier]),
    ]
    return Alarm(
        "assumptions",
        f"The first {n} responses contradict the kernel and λ, by odds of 10^{total / np.log(10):.0f}: they fit better "
        f"with {' and '.join(changes)}.",
        "Change them so, fit the kernel to the data, or take the learner auto, which needs neither.",
        1,
    )


def _weights(kinds: int) -> NDArray[np.float64]:
    """The weights of all kinds of kernels with all factors, with sum 1.

    Two thirds are for the prior variances × 5 and × 25, with no other change: where the variance is far below λ, sixty
    responses contradict it by odds of a few hundred only. Of the rest, half is for rivals with one change.
    """
    changes = np.ones((kinds, len(VARIANCES), len(NOISES)))
    changes[FACTORS.index(1.0)] -= 1
    for axis, place in enumerate(UNCHANGED, start=1):
        changes += np.expand_dims(np.arange(changes.shape[axis]) != place, tuple({0, 1, 2} - {axis}))
    single = changes == 1
    weights = (1 - LARGER) * (single / single.sum() + 1 / changes.size) / 2
    larger = np.flatnonzero(VARIANCES > 1)
    weights[FACTORS.index(1.0), larger, UNCHANGED[1]] += LARGER / len(larger)
    return weights


def _change(what: str, factor: float) -> list[str]:
    """A change of hyperparameters in words; none for the factor 1."""
    if factor == 1:
        return []
    return [f"{what} × {factor:.2g}" if factor > 1 else f"{what} ÷ {1 / factor:.2g}"]
