"""A kernel for responses that add up feature by feature, as congestion does over the links of a network."""

from typing import Any

import numpy as np
from sklearn.gaussian_process.kernels import Kernel

from firstmover.core.records import Matrix, Vector, as_count, positive


class Additive(Kernel):  # type: ignore[misc]  # scikit-learn ships no types
    """k(z, z') = Σ_i (z_i z'_i / scale²)^degree: responses Σ_i w_i z_i^degree, to which each feature adds alone.

    It has no hyperparameters to fit; a constant factor scales the w_i.
    """

    def __init__(self, degree: int = 4, scale: float = 1.0) -> None:
        self.degree = degree
        self.scale = scale

    def features(self, z: Matrix) -> Matrix:
        """(z / scale)^degree, whose inner products are k."""
        return (z / self.scale) ** self.degree

    def __call__(self, X: Matrix, Y: Matrix | None = None, eval_gradient: bool = False) -> Any:
        """The Gram matrix, and its empty gradient when asked for."""
        rows = self.features(np.atleast_2d(X))
        gram = rows @ (rows if Y is None else self.features(np.atleast_2d(Y))).T
        return (gram, np.empty((*gram.shape, 0))) if eval_gradient else gram

    def diag(self, X: Matrix) -> Vector:
        """k(z, z) of each row."""
        return np.square(self.features(np.atleast_2d(X))).sum(axis=1)

    def is_stationary(self) -> bool:
        """It grows with z."""
        return False

    def __repr__(self) -> str:
        return f"Additive(degree={self.degree}, scale={self.scale:.3g})"


def additive(degree: int, scale: float = 1.0) -> Additive:
    """k(z, z') = Σ_i (z_i z'_i / scale²)^degree, for responses to which each feature adds its own part.

    Congestion is such a sum over links. Unlike `polynomial`, one kernel value never mixes two links, so
    observations on one road say nothing about the others, and half the load costs 2^-degree of the congestion.

    >>> float(additive(2)([[1.0, 2.0]], [[3.0, -1.0]])[0, 0])
    13.0
    """
    return Additive(as_count("degree", degree), positive("scale", scale))
