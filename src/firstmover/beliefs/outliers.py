"""Responses far from their prediction: a larger noise variance each, and the calibration of standard deviations."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import scipy  # scipy.linalg is loaded on first use: it is slow to import
from numpy.typing import NDArray

from firstmover.beliefs.relevance import Past, Structure
from firstmover.beliefs.scaling import LARGEST
from firstmover.core.arrays import Matrix, Vector
from firstmover.core.records import Prediction

CLEAR = 4.0
"""Predicted standard deviations beyond which a response counts for less."""

SETTLED = 1e-6
"""Relative change of the noise factors below which they are not computed again."""

USUAL, FREQUENT = 10.0, 0.05
"""Units within which a scaled response is usual, and the share of usual ones that may be outliers."""


def fitting_noise(responses: Vector, factors: Vector) -> Vector:
    """Return the factors of the noise variance for a fit: 1 for usual responses if many of them count for less.

    Many outliers are a sign that the noise was fitted too small, and not of wrong responses. Those beyond 10 units of
    the scaled responses keep their factors.

    >>> fitting_noise(np.array([0.0, 1.0, 2.0, 80.0]), np.array([1.0, 50.0, 1.0, 1e6])).tolist()
    [1.0, 1.0, 1.0, 1000000.0]
    """
    usual = np.abs(responses) <= USUAL
    many = np.mean(usual & (factors > 10)) > FREQUENT
    return np.where(usual, 1.0, factors) if many else factors


class InTurn(NamedTuple):
    """Factors of the noise variance (t,), the sums of the calibration, and L of each structure's K + λ diag(noise)."""

    noise: Vector
    squares: Vector
    factors: list[Matrix]


def predicted_in_turn(pairs: Sequence[tuple[Structure, Vector]], weights: Vector, past: Past) -> InTurn:
    """Compare each response with its prediction from those before it, by the mixture of some structures.

    With K + λ diag(noise) = L Lᵀ and w = L⁻¹ y, the prediction of response i has the mean Σ_{j<i} L_ij w_j and the
    variance K_ii − Σ_{j<i} L_ij². Its own noise depends on the noise of earlier responses alone: repeated from noise 1,
    the computation settles on one more outlier, at least, each time.
    """
    grams = [s.covariance(theta, past.actions, past.types) for s, theta in pairs]
    variances = np.array([s.noise_variance(theta) for s, theta in pairs])
    y, noise = past.responses, np.ones(len(past.noise))
    while True:
        factors = [_factor(gram, variance * noise) for gram, variance in zip(grams, variances, strict=True)]
        below = [np.tril(factor, -1) for factor in factors]
        solved = [scipy.linalg.solve_triangular(factor, y, lower=True) for factor in factors]
        means = np.array([rows @ w for rows, w in zip(below, solved, strict=True)])
        explained = np.array([np.vecdot(rows, rows) for rows in below])
        priors = np.array([gram.diagonal() for gram in grams])
        mean, std = mixed(weights, means, np.maximum(priors - explained, 0.0))
        found, squares = judged(y - mean, std**2, float(weights @ variances))
        if np.allclose(found, noise, rtol=SETTLED, atol=0.0):
            return InTurn(noise, np.array(squares).sum(axis=1), factors)
        noise = found


def _factor(gram: Matrix, noise_variances: Vector) -> Matrix:
    total = gram.copy()
    total[np.diag_indices_from(total)] += noise_variances
    return np.asarray(scipy.linalg.cholesky(total, lower=True, overwrite_a=True, check_finite=False), dtype=np.float64)


def mixed(weights: Vector, means: NDArray[np.float64], variances: NDArray[np.float64]) -> Prediction:
    """Mean and standard deviation of the mixture of predictions, one per row."""
    mean = np.tensordot(weights, means, 1)
    return Prediction(mean, np.sqrt(np.tensordot(weights, variances + (means - mean) ** 2, 1)))


def judged(error: Vector, variance: Vector, noise_variance: Vector | float) -> tuple[Vector, tuple[Vector, Vector]]:
    """Return the factors of the noise variance of responses with these errors, and the terms w z² and w of c²."""
    off = np.minimum(np.abs(error) / np.sqrt(variance + noise_variance), 1e3 * LARGEST)
    weight = variance / (variance + noise_variance)
    return np.maximum(1.0, off / CLEAR) ** 4, (weight * np.minimum(off, CLEAR) ** 2, weight)
