"""Refusals that keep a belief honest: no jitter, no clipped variance, no silent NaN."""

import math
from collections.abc import Callable

import numpy as np

from firstmover.errors import InvalidInput, PrecisionLost
from firstmover.records import Vector

SMALLEST_RATIO = 1e-12
"""λ / max k below which double precision cannot carry the factorisation."""

CLEARLY_NEGATIVE = 1e-8
"""Share of k(z, z) beyond which a negative variance is the kernel's fault, not rounding's."""

DRIFT = 1e-9
"""Share of k(z, z) by which two reckonings of a variance may differ; healthy ones differ by 1e-13."""


def check_scale(regularization: float, prior_variance: Vector) -> None:
    """Refuse a kernel that is negative on its diagonal, not finite, or too large for λ."""
    largest = float(prior_variance.max())
    if prior_variance.min() >= 0 and regularization >= SMALLEST_RATIO * largest:
        return
    if not np.all(np.isfinite(prior_variance)):
        raise InvalidInput(f"kernel gives {largest} on the diagonal: scale the features so that it stays finite.")
    if np.min(prior_variance) < 0:
        raise InvalidInput(
            f"kernel gives {np.min(prior_variance):.3g} for k(z, z): it is not positive semidefinite; use another."
        )
    raise InvalidInput(
        f"regularization {regularization:.3g} is below 1e-12 of the largest k(z, z) = {largest:.3g}: "
        "scale the features down or raise the regularization."
    )


def check_variance(variance: Vector, prior_variance: Vector, regularization: float) -> None:
    """Refuse a variance below zero, naming the action and the reason."""
    if variance.min() >= 0:
        return
    worst = int(np.argmin(variance))
    if not variance[worst] > -CLEARLY_NEGATIVE * prior_variance[worst]:
        raise InvalidInput(
            f"kernel is not positive semidefinite on the data: variance {variance[worst]:.3g} at row {worst} of the "
            "menu; use a sum, product or power of positive semidefinite kernels."
        )
    raise PrecisionLost(
        f"variance at row {worst} of the menu came out as {variance[worst]:.3g}: regularization {regularization:.3g} "
        f"is too small for k(z, z) = {prior_variance[worst]:.3g}; raise it or scale the features down."
    )


def check_drift(tracked: Vector, folded: Vector | None, prior_variance: Vector, regularization: float) -> None:
    """Refuse to go on when the variance kept round by round and the one of the folded covariance part ways."""
    if folded is None or np.all(np.abs(tracked - folded) <= DRIFT * prior_variance):
        return
    worst = int(np.argmax(np.abs(tracked - folded)))
    raise PrecisionLost(
        f"variance at row {worst} of the menu is {tracked[worst]:.6g} by one reckoning and {folded[worst]:.6g} by "
        f"another: raise regularization {regularization:.3g} or scale the features down."
    )


def pivot(variance_there: float, regularization: float, others: Callable[[], tuple[int, Vector, Vector]]) -> float:
    """The square root of σ²(z) + λ, or the sentence that names the observations that collide.

    `others` gives, when asked, the number of past observations with k(z_s, z) and k(z_s, z_s) of each.
    """
    squared = variance_there + regularization
    if variance_there >= 0 and squared < np.inf:
        return math.sqrt(squared)
    count, gram, diagonal = others()
    if count == 0:
        raise InvalidInput(f"kernel gives k(z, z) = {variance_there:.3g} for the first observation; use another.")
    nearest = int(np.argmax(np.abs(gram) / np.sqrt(np.maximum(diagonal, np.finfo(float).tiny))))
    raise PrecisionLost(
        f"observation {count} collides with observation {nearest} (k = {gram[nearest]:.6g}, pivot {squared:.3g}): "
        f"raise regularization {regularization:.3g} or scale the features down."
    )
