"""Equations (2), (3) and (5) for any points: slow and short, the oracle of the other beliefs."""

from typing import TYPE_CHECKING

import numpy as np
import scipy  # scipy.linalg is loaded on first use: it is slow to import

from firstmover.beliefs.checks import lost_variance, not_definite
from firstmover.core.arrays import Matrix, Vector, positive
from firstmover.core.records import Prediction

if TYPE_CHECKING:
    from sklearn.gaussian_process.kernels import Kernel


def posterior(
    kernel: "Kernel",
    regularization: float,
    points: Matrix,
    responses: Matrix,
    queries: Matrix,
    *,
    noise: Vector | None = None,
) -> Prediction:
    """Return mean and standard deviation at queries after responses at points.

    The equations are::

        μ(z) = k(z)ᵀ (K + λI)⁻¹ y                    Eq. (2)
        σ²(z) = k(z, z) − k(z)ᵀ (K + λI)⁻¹ k(z)      Eq. (3)

    Parameters
    ----------
    kernel
        k over z.
    regularization
        λ.
    points
        Observed z_s (t, d + p).
    responses
        y_s (t, m).
    queries
        Any z (k, d + p).
    noise
        Factors of λ (t,), one per response, in place of I.

    Returns
    -------
    Prediction
        Mean (k, m) and standard deviation (k,).

    Raises
    ------
    InvalidInput
        If λ is not positive.
    PrecisionLost
        If floating point cannot factorise K + λI.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover.beliefs import posterior
    >>> from sklearn.gaussian_process.kernels import RBF
    >>> posterior(RBF(), 1.0, np.array([[0.0]]), np.array([[3.0]]), np.array([[0.0]]))
    Prediction(mean=array([[1.5]]), std=array([0.70710678]))
    """
    gram, factors = kernel(points), np.ones(len(points)) if noise is None else noise
    try:
        factor = scipy.linalg.cho_factor(
            gram + positive("regularization", regularization) * np.diag(factors), lower=True
        )
    except np.linalg.LinAlgError:
        raise not_definite(gram, regularization, points) from None
    cross = kernel(points, queries)
    mean = cross.T @ scipy.linalg.cho_solve(factor, responses)
    variance = kernel.diag(queries) - np.sum(cross * scipy.linalg.cho_solve(factor, cross), axis=0)
    if not np.all(variance >= 0):
        raise lost_variance(variance, regularization, kernel, points, queries)
    return Prediction(mean, np.sqrt(variance))


SUMS_RATIO = 1e-8
"""λ / max k below which the mean is computed from sums at equal points: one by one it would lose eight digits."""


def weighted(response: Vector, noise: float) -> Vector:
    """Return (y, 1) / noise, whose sums `mean_from_sums` takes (m + 1,)."""
    return np.append(response, 1.0) / noise


def mean_from_sums(kernel: "Kernel", regularization: float, points: Matrix, told: Matrix, queries: Matrix) -> Matrix:
    """Eq. (2) with the responses at each distinct point summed: the same value with far less rounding.

    μ(z) = k(z)ᵀ (K + λ diag(1/c))⁻¹ s / c, over distinct points with sums (s, c) of the rows (y, 1) / noise of `told`.

    >>> from sklearn.gaussian_process.kernels import RBF
    >>> mean_from_sums(RBF(), 1.0, np.zeros((2, 1)), np.array([[3.0, 1.0], [4.0, 1.0]]), np.zeros((1, 1)))
    array([[2.33333333]])
    """
    distinct, place = np.unique(points, axis=0, return_inverse=True)
    sums = np.zeros((len(distinct), told.shape[1]))
    np.add.at(sums, place, told)
    sums, counts = sums[:, :-1], sums[:, -1]
    gram = kernel(distinct)
    try:
        factor = scipy.linalg.cho_factor(gram + np.diag(regularization / counts), lower=True)
    except np.linalg.LinAlgError:
        raise not_definite(gram, regularization, distinct) from None
    return kernel(queries, distinct) @ scipy.linalg.cho_solve(factor, sums / counts[:, None])


def information_gain(gram: Matrix, regularization: float) -> float:
    """Return ½ log det(I + K / λ), the quantity that Eq. (5) maximises.

    Parameters
    ----------
    gram
        K (t, t).
    regularization
        λ.

    Returns
    -------
    float
        The gain in nats.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover.beliefs import information_gain
    >>> round(information_gain(np.array([[3.0]]), 1.0), 6)
    0.693147
    """
    _, log_determinant = np.linalg.slogdet(np.eye(len(gram)) + gram / regularization)
    return 0.5 * float(log_determinant)
