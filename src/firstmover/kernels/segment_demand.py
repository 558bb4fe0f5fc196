"""A kernel for the demand of segments with a place, a price aversion and a size."""

from typing import Any

import numpy as np
from sklearn.gaussian_process.kernels import ConstantKernel, Kernel

from firstmover.core.errors import InvalidInput
from firstmover.core.records import Matrix, Vector, positive

OF_A_SEGMENT = 3
"""Features of a type: place w, price aversion α, size N."""


class Demand(Kernel):  # type: ignore[misc]  # scikit-learn ships no types
    """k(z, z') = N N' exp(−‖α x − α' x'‖² / (2 length_scale²) − (w − w')² / (2 place_scale²)), z = (x, w, α, N).

    Demand is proportional to the size of a segment, and prices are scaled by its aversion: the response of one segment
    to a price predicts that of a less averse one at a higher price. It has no hyperparameters to fit.
    """

    def __init__(self, length_scale: float = 1.0, place_scale: float = 1.0) -> None:
        self.length_scale = length_scale
        self.place_scale = place_scale

    def features(self, z: Matrix) -> tuple[Matrix, Vector]:
        """(α x / length_scale, w / place_scale), whose distances count, and N."""
        z = np.atleast_2d(z)
        if z.shape[1] <= OF_A_SEGMENT:
            raise InvalidInput(
                f"the demand kernel was given {z.shape[1]} column(s): give prices, then the place, price aversion "
                "and size of a segment."
            )
        x, place, aversion, size = z[:, :-3], z[:, [-3]], z[:, [-2]], z[:, -1]
        return np.hstack([aversion * x / self.length_scale, place / self.place_scale]), size

    def __call__(self, X: Matrix, Y: Matrix | None = None, eval_gradient: bool = False) -> Any:
        """The Gram matrix, and its empty gradient when asked for."""
        rows, sizes = self.features(X)
        others, other_sizes = (rows, sizes) if Y is None else self.features(Y)
        squared = np.square(rows[:, None] - others).sum(axis=2)
        gram = sizes[:, None] * other_sizes * np.exp(-0.5 * squared)
        return (gram, np.empty((*gram.shape, 0))) if eval_gradient else gram

    def diag(self, X: Matrix) -> Vector:
        """N² of each row."""
        return self.features(X)[1] ** 2

    def is_stationary(self) -> bool:
        """It grows with N."""
        return False

    def __repr__(self) -> str:
        return f"Demand(length_scale={self.length_scale:.3g}, place_scale={self.place_scale:.3g})"


def demand(length_scale: float = 1.0, place_scale: float = 1.0, variance: float = 1.0) -> Kernel:
    """variance · N N' exp(−‖α x − α' x'‖² / (2 length_scale²) − (w − w')² / (2 place_scale²)) over z = (x, w, α, N).

    Twice the aversion at half the price gives the same demand, and twice the size twice the demand:

    >>> float(demand()([[0.2, 0.5, 6.0, 2.0]], [[0.4, 0.5, 3.0, 1.0]])[0, 0])
    2.0
    """
    scales = positive("length_scale", length_scale), positive("place_scale", place_scale)
    return ConstantKernel(positive("variance", variance), "fixed") * Demand(*scales)
