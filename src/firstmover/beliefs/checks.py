"""Refusals that keep a belief honest: no jitter, no clipped variance, no silent NaN."""

import numpy as np
from sklearn.gaussian_process.kernels import Kernel

from firstmover.errors import InvalidInput, PrecisionLost
from firstmover.records import Matrix, Vector

SMALLEST_RATIO = 1e-12
"""λ / max k below which double precision cannot carry the factorisation."""

CLEARLY_NEGATIVE = 1e-8
"""Share of k(z, z) beyond which a negative variance is the kernel's fault, not rounding's."""


def check_scale(regularization: float, prior_variance: Vector) -> None:
    """Refuse a kernel that is negative on its diagonal, not finite, or too large for λ."""
    largest = float(np.max(prior_variance))
    if not np.all(np.isfinite(prior_variance)):
        raise InvalidInput(f"kernel gives {largest} on the diagonal: scale the features so that it stays finite.")
    if np.min(prior_variance) < 0:
        raise InvalidInput(
            f"kernel gives {np.min(prior_variance):.3g} for k(z, z): it is not positive semidefinite; use another."
        )
    if regularization < SMALLEST_RATIO * largest:
        raise InvalidInput(
            f"regularization {regularization:.3g} is below 1e-12 of the largest k(z, z) = {largest:.3g}: "
            "scale the features down or raise the regularization."
        )


def check_variance(variance: Vector, prior_variance: Vector, regularization: float) -> None:
    """Refuse a variance below zero, naming the action and the reason."""
    worst = int(np.argmin(variance))
    if variance[worst] >= 0:
        return
    if not variance[worst] > -CLEARLY_NEGATIVE * prior_variance[worst]:
        raise InvalidInput(
            f"kernel is not positive semidefinite on the data: variance {variance[worst]:.3g} at row {worst} of the "
            "menu; use a sum, product or power of positive semidefinite kernels."
        )
    raise PrecisionLost(
        f"variance at row {worst} of the menu came out as {variance[worst]:.3g}: regularization {regularization:.3g} "
        f"is too small for k(z, z) = {prior_variance[worst]:.3g}; raise it or scale the features down."
    )


def pivot(variance_there: float, regularization: float, kernel: Kernel, points: Matrix, new: Vector) -> float:
    """The square root of σ²(z) + λ, or the sentence that names the inputs that collide."""
    squared = variance_there + regularization
    if squared > 0 and np.isfinite(squared) and variance_there >= 0:
        return float(np.sqrt(squared))
    if len(points) == 0:
        raise InvalidInput(f"kernel gives k(z, z) = {variance_there:.3g} for the first observation; use another.")
    gram = kernel(points, new[None])[:, 0]
    nearest = int(np.argmax(np.abs(gram) / np.sqrt(np.maximum(kernel.diag(points), np.finfo(float).tiny))))
    raise PrecisionLost(
        f"observation {len(points)} collides with observation {nearest} (k = {gram[nearest]:.6g}, pivot "
        f"{squared:.3g}): raise regularization {regularization:.3g} or scale the features down."
    )
