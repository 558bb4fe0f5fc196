"""Checks of precision: no jitter, no clipped variance, no silent NaN."""

import math
from typing import TYPE_CHECKING

import numpy as np

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.errors import FirstmoverError, InvalidInput, PrecisionLost

if TYPE_CHECKING:
    from sklearn.gaussian_process.kernels import Kernel

SMALLEST_RATIO = 1e-9
"""λ / max k below which rounding moves the mean: by 2 % of the largest response at 1e-9, a hundredfold at 1e-12."""

CLEARLY_NEGATIVE = 1e-8
"""Share of k(z, z) beyond which a negative variance is caused by the kernel, not by rounding."""

ROUNDING = 8 * np.finfo(float).eps
"""Share of k(z, z) that k − Σ of t squares may lose, divided by √t: three times the largest loss measured."""

DRIFT = 1e-9
"""Share of k(z, z) by which two computations of a variance may differ; usual differences are 1e-13."""


def check_scale(regularization: float, prior_variance: Vector) -> None:
    """Raise if a kernel is negative on its diagonal, not finite, or too large for λ."""
    largest = float(prior_variance[prior_variance.argmax()])
    if prior_variance[prior_variance.argmin()] >= 0 and regularization >= SMALLEST_RATIO * largest:
        return
    if not np.all(np.isfinite(prior_variance)):
        raise InvalidInput(f"kernel gives {largest} on the diagonal: scale the features so that it stays finite.")
    if np.min(prior_variance) < 0:
        raise InvalidInput(
            f"kernel gives {np.min(prior_variance):.3g} for k(z, z): it is not positive semidefinite; use another."
        )
    raise InvalidInput(
        f"regularization {regularization:.3g} is below {SMALLEST_RATIO:g} of the largest k(z, z) = {largest:.3g}: "
        "scale the features down or raise the regularization."
    )


def check_features(kernel: "Kernel", action_features: int, z: Vector) -> None:
    """Raise if the length scales of a kernel do not fit the columns of z, which scikit-learn checks when called."""
    try:
        kernel(z[None])
    except ValueError as error:
        raise InvalidInput(
            f"kernel does not fit z with {len(z)} columns, {action_features} of them the action's: {error}."
        ) from None


def check_drift(tracked: Vector, folded: Vector, prior_variance: Vector, regularization: float) -> None:
    """Raise if the variance tracked per round and that of the folded covariance differ."""
    if np.all(np.abs(tracked - folded) <= DRIFT * prior_variance):
        return
    worst = int(np.argmax(np.abs(tracked - folded)))
    raise PrecisionLost(
        f"variance at row {worst} of the menu is {tracked[worst]:.6g} by one computation and {folded[worst]:.6g} by "
        f"another: raise regularization {regularization:.3g} or scale the features down."
    )


def rounding(terms: int) -> float:
    """Share of k(z, z) that rounding may change in k − Σ of `terms` squares."""
    return ROUNDING * math.sqrt(terms)


def stands_clear(variance: Vector, prior_variance: Vector, terms: int) -> bool:
    """Return whether every σ² = k − Σ of `terms` squares exceeds the rounding error of that sum."""
    share, smallest = rounding(terms), variance[variance.argmin()]
    if smallest > share * prior_variance[prior_variance.argmax()]:
        return True
    return bool(np.all(variance >= share * prior_variance))


def lost_variance(
    variance: Vector, regularization: float, kernel: "Kernel", points: Matrix, queries: Matrix
) -> FirstmoverError:
    """Return the error for a variance that is negative or lost in rounding, with the query and its nearest data."""
    worst = int(np.argmin(variance / np.maximum(kernel.diag(queries), np.finfo(float).tiny)))
    lost, prior = float(variance[worst]), float(kernel.diag(queries[worst : worst + 1])[0])
    if not lost > -CLEARLY_NEGATIVE * prior:  # also a NaN
        return InvalidInput(
            f"kernel is not positive semidefinite on the data: variance {lost:.3g} at {_shown(queries[worst])}; "
            "use a sum, product or power of positive semidefinite kernels."
        )
    gram = kernel(points, queries[worst : worst + 1])[:, 0]
    nearest = int(np.argmax(np.abs(gram) / np.sqrt(np.maximum(kernel.diag(points), np.finfo(float).tiny))))
    return PrecisionLost(
        f"input {_shown(queries[worst])} collides with observation {nearest} at {_shown(points[nearest])}: variance "
        f"{lost:.3g} of k(z, z) = {prior:.3g}; raise regularization {regularization:.3g} or scale the features down."
    )


def not_definite(gram: Matrix, regularization: float, points: Matrix) -> FirstmoverError:
    """Return the error for a K + λI without a Cholesky factor, with the two most similar observations."""
    lowest, diagonal = float(np.linalg.eigvalsh(gram)[0]), np.diag(gram)
    if lowest < -CLEARLY_NEGATIVE * np.max(diagonal):
        return InvalidInput(
            f"kernel is not positive semidefinite on the data: K has the eigenvalue {lowest:.3g}; "
            "use a sum, product or power of positive semidefinite kernels."
        )
    scale = np.sqrt(np.maximum(diagonal, np.finfo(float).tiny))
    alike = np.triu(np.abs(gram) / np.outer(scale, scale), k=1)
    i, j = np.unravel_index(np.argmax(alike), gram.shape)
    return PrecisionLost(
        f"observation {j} at {_shown(points[j])} collides with observation {i} at {_shown(points[i])}: K + λI has no "
        f"Cholesky factor; raise regularization {regularization:.3g} or scale the features down."
    )


def _shown(z: Vector) -> str:
    """A point in few characters, for any number of features."""
    return np.array2string(z, threshold=6, edgeitems=3, precision=6, max_line_width=10_000)
