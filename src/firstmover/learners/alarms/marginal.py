"""Marginal likelihoods of Gaussian processes over a few observations, for several variances at once."""

import numpy as np
from numpy.typing import NDArray

from firstmover.core.arrays import Matrix, Vector

VARIANCES = np.array([1 / 25, 1 / 5, 1.0, 5.0, 25.0])
"""Factors of the prior variance."""

NOISES = np.array([0.1, 0.1**0.5, 1.0, 10.0**0.5, 10.0])
"""Factors of the noise variance."""

UNCHANGED = 2, 2
"""The place of the factors 1."""

LENGTHS, NOISE = (0.3, 1.0), 0.1
"""Length scales of `matern` and noise variance of standardised responses, for functions of which nothing is known but
that they are smooth."""


def log_likelihoods(gram: Matrix, responses: Matrix, noise_variance: float) -> Matrix:
    """log p(y | v K + l λ I) for all factors v of the kernel and l of the noise (5, 5), without its constant.

    The outputs (t, m) are independent. K is decomposed once for all factors.
    """
    values, vectors = np.linalg.eigh(gram)
    squares = np.sum((vectors.T @ responses) ** 2, axis=1)
    total = VARIANCES[:, None, None] * np.maximum(values, 0.0) + NOISES[None, :, None] * noise_variance
    return np.asarray(-0.5 * np.sum(squares / total + responses.shape[1] * np.log(total), axis=-1), dtype=np.float64)


def matern(points: Matrix, length_scale: float) -> Matrix:
    """The mean of 1 and a Matérn-5/2 kernel; length scales are multiples of the range of each feature and of √d."""
    widths = np.ptp(points, axis=0)
    varying = widths > 0
    scaled = points[:, varying] / (widths[varying] * length_scale * np.sqrt(max(varying.sum(), 1)))
    distance = np.sqrt(5) * np.linalg.norm(scaled[:, None] - scaled, axis=2)
    return np.asarray((1 + (1 + distance + distance**2 / 3) * np.exp(-distance)) / 2, dtype=np.float64)


def log_mean_exp(values: Vector | Matrix, weights: Vector | Matrix | None = None) -> float:
    """The log of the mean of exp(values), perhaps weighted."""
    top = np.max(values)
    return float(top + np.log(np.average(np.exp(values - top), weights=weights)))


def smooth_evidence(points: Matrix, responses: Matrix, groups: NDArray[np.intp] | None = None) -> float:
    """The log evidence of responses (t, m) under smooth functions of several length scales, variances and noises.

    If there are groups (t,), each has an independent function.
    """
    spread = spread_of(responses)
    same = 1.0 if groups is None else groups[:, None] == groups
    grams = [matern(points, length) * same for length in LENGTHS]
    tables = np.array([log_likelihoods(gram, responses / spread, NOISE) for gram in grams])
    return log_mean_exp(tables) - len(responses) * float(np.sum(np.log(spread)))


def spread_of(responses: Matrix) -> Vector:
    """The standard deviation of each output (m,); 1 where it is 0."""
    spread = np.std(responses, axis=0)
    return np.where(spread > 0, spread, 1.0)
