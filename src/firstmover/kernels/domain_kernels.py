"""Kernels for one kind of response: congestion that adds up over the links of a network, and demand of segments."""

from abc import abstractmethod
from typing import Any

import numpy as np
from sklearn.gaussian_process.kernels import ConstantKernel, Kernel

from firstmover.core.arrays import Matrix, Vector, as_count, positive
from firstmover.core.errors import InvalidInput

OF_A_SEGMENT = 3
"""Features of a type: place w, price aversion α, size N."""


class FixedKernel(Kernel):  # type: ignore[misc]  # scikit-learn ships no types
    """A kernel that grows with z and has no hyperparameters to fit."""

    @abstractmethod
    def gram(self, X: Matrix, Y: Matrix) -> Matrix:
        """The Gram matrix."""

    def __call__(self, X: Matrix, Y: Matrix | None = None, eval_gradient: bool = False) -> Any:
        """The Gram matrix, and its empty gradient when asked for."""
        rows = np.atleast_2d(X)
        gram = self.gram(rows, rows if Y is None else np.atleast_2d(Y))
        return (gram, np.empty((*gram.shape, 0))) if eval_gradient else gram

    def is_stationary(self) -> bool:
        """False."""
        return False


class Additive(FixedKernel):
    """k(z, z') = Σ_i (z_i z'_i / scale²)^degree: responses Σ_i w_i z_i^degree, to which each feature adds alone.

    A constant factor scales the w_i.

    Parameters
    ----------
    degree
        1 or more.
    scale
        Divides z; positive.

    Examples
    --------
    >>> from firstmover.kernels import Additive
    >>> float(Additive(degree=2, scale=1.0)([[1.0, 2.0]], [[3.0, -1.0]])[0, 0])
    13.0
    """

    def __init__(self, degree: int, scale: float) -> None:
        self.degree = degree
        self.scale = scale

    def features(self, z: Matrix) -> Matrix:
        """(z / scale)^degree, whose inner products are k."""
        return (z / self.scale) ** self.degree

    def gram(self, X: Matrix, Y: Matrix) -> Matrix:
        """The Gram matrix."""
        rows = self.features(X)
        return rows @ (rows if Y is X else self.features(Y)).T

    def diag(self, X: Matrix) -> Vector:
        """k(z, z) of each row."""
        return np.square(self.features(np.atleast_2d(X))).sum(axis=1)

    def __repr__(self) -> str:
        return f"Additive(degree={self.degree}, scale={self.scale:.3g})"


class Total(Additive):
    """k(z, z') = Σ_i (z_i / scale)^degree Σ_j (z'_j / scale)^degree: responses w Σ_i z_i^degree with one common w."""

    def features(self, z: Matrix) -> Matrix:
        """Σ_i (z_i / scale)^degree, whose products are k."""
        return super().features(z).sum(axis=1, keepdims=True)

    def __repr__(self) -> str:
        return f"Total(degree={self.degree}, scale={self.scale:.3g})"


def additive(degree: int, scale: float = 1.0) -> Additive:
    """Return k(z, z') = Σ_i (z_i z'_i / scale²)^degree, for responses to which each feature adds its own part.

    Congestion is such a sum over links. Unlike `polynomial`, one kernel value never mixes two links, so observations on
    one road say nothing about the others, and half the load costs 2^-degree of the congestion.

    Parameters
    ----------
    degree
        1 or more.
    scale
        Divides z; positive.

    Returns
    -------
    Additive
        The kernel.

    Raises
    ------
    InvalidInput
        If a parameter is outside its range.

    Examples
    --------
    >>> from firstmover.kernels import additive
    >>> float(additive(2)([[1.0, 2.0]], [[3.0, -1.0]])[0, 0])
    13.0
    """
    return Additive(as_count("degree", degree), positive("scale", scale))


class Demand(FixedKernel):
    """k(z, z') = N N' exp(−‖α x − α' x'‖² / (2 length_scale²) − (w − w')² / (2 place_scale²)), z = (x, w, α, N).

    Demand is proportional to the size of a segment, and prices are scaled by its aversion: the response of one segment
    to a price predicts that of a less averse one at a higher price.

    Parameters
    ----------
    length_scale
        Of prices times aversion.
    place_scale
        Of places.

    Examples
    --------
    >>> from firstmover.kernels import Demand
    >>> float(Demand(1.0, 1.0)([[0.2, 0.5, 6.0, 2.0]], [[0.4, 0.5, 3.0, 1.0]])[0, 0])
    2.0
    """

    def __init__(self, length_scale: float, place_scale: float) -> None:
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

    def gram(self, X: Matrix, Y: Matrix) -> Matrix:
        """The Gram matrix."""
        (rows, sizes), (others, other_sizes) = self.features(X), self.features(Y)
        squared = np.square(rows[:, None] - others).sum(axis=2)
        return sizes[:, None] * other_sizes * np.exp(-0.5 * squared)

    def diag(self, X: Matrix) -> Vector:
        """N² of each row."""
        return self.features(X)[1] ** 2

    def __repr__(self) -> str:
        return f"Demand(length_scale={self.length_scale:.3g}, place_scale={self.place_scale:.3g})"


def demand(length_scale: float = 1.0, place_scale: float = 1.0, variance: float = 1.0) -> Kernel:
    """Return variance times the kernel `Demand` over z = (x, w, α, N).

    Twice the aversion at half the price gives the same demand, and twice the size twice the demand.

    Parameters
    ----------
    length_scale
        Of prices times aversion; positive.
    place_scale
        Of places; positive.
    variance
        Positive.

    Returns
    -------
    Kernel
        A scikit-learn kernel.

    Raises
    ------
    InvalidInput
        If a parameter is not positive.

    Examples
    --------
    >>> from firstmover.kernels import demand
    >>> float(demand()([[0.2, 0.5, 6.0, 2.0]], [[0.4, 0.5, 3.0, 1.0]])[0, 0])
    2.0
    """
    scales = positive("length_scale", length_scale), positive("place_scale", place_scale)
    return ConstantKernel(positive("variance", variance), "fixed") * Demand(*scales)
