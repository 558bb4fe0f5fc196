"""γ_T, the maximum information gain of Eq. (5): an upper bound by a greedy choice of points, and known rates."""

from collections.abc import Callable
from dataclasses import dataclass
from math import comb, inf

import numpy as np
from numpy.typing import NDArray
from sklearn.gaussian_process.kernels import (
    RBF,
    ConstantKernel,
    DotProduct,
    Exponentiation,
    Kernel,
    Matern,
    Product,
    Sum,
)

from firstmover.beliefs.checks import check_features, check_scale
from firstmover.core.arrays import Matrix, Vector, as_array, as_count, positive
from firstmover.core.errors import InvalidInput
from firstmover.core.numerics import check_memory
from firstmover.kernels import OnPart

GREEDY_SHARE = 1 - np.exp(-1)
"""The gain is submodular: a greedy choice reaches at least this share of the maximum (Nemhauser et al. 1978)."""


@dataclass(frozen=True)
class GreedyGain:
    """The information gain of a greedy choice of points.

    Parameters
    ----------
    gains
        ½ log det(I + K_t / λ) for t = 1 … T (T,).
    points
        The chosen points by number, which may repeat (T,).

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover.theory import GreedyGain
    >>> GreedyGain(np.array([1.0, 1.5]), np.array([0, 1])).upper.round(3)
    array([1.582, 2.373])
    """

    gains: Vector
    points: NDArray[np.intp]

    @property
    def upper(self) -> Vector:
        """An upper bound of γ_t: the greedy gain divided by 1 − 1/e."""
        return self.gains / GREEDY_SHARE


def greedy_gain(kernel: Kernel, points: Matrix, regularization: float, rounds: int) -> GreedyGain:
    """Choose the point with the largest σ² in every round: a pivoted Cholesky factorisation of K + λI.

    With z_j the point of largest σ² and d² = σ²(z_j) + λ, for all points D at once:

    v = (k(D, z_j) − Σ_{i<t} v_i v_i[j]) / d,   σ² ← σ² − v²,   gain ← gain + ½ log(d² / λ)

    Only the columns v are kept, T × N numbers; the Gram matrix of all N points is never formed. `kernel` acts on the
    rows of `points`: bind it first if it acts on the action or the type alone.

    Parameters
    ----------
    kernel
        k over the rows of `points`; bind it first if it acts on the action or the type alone.
    points
        D (N, d + p).
    regularization
        λ.
    rounds
        T, the number of rounds.

    Returns
    -------
    GreedyGain
        The gains and the chosen points.

    Raises
    ------
    InvalidInput
        If there is no point, a number is outside its range, or memory is too small.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover.theory import greedy_gain
    >>> from sklearn.gaussian_process.kernels import RBF
    >>> greedy_gain(RBF(), np.array([[0.0], [9.0]]), 1.0, 3).gains.round(4)  # new, new, repeated: σ² is 1, 1 and 1/2
    array([0.3466, 0.6931, 0.8959])
    """
    points = as_array("points", points, ndim=2)
    rounds, regularization = as_count("rounds", rounds), positive("regularization", regularization)
    if not isinstance(kernel, Kernel):
        raise InvalidInput(f"kernel is {kernel!r}: give a kernel of scikit-learn, such as RBF().")
    if not len(points):
        raise InvalidInput("points has no rows: give at least one.")
    check_features(kernel, points.shape[1], points[0])
    check_memory(8.0 * rounds * len(points), "the greedy information gain", "take fewer rounds or points")
    variance = np.array(kernel.diag(points), dtype=float)
    check_scale(regularization, variance)
    columns, gains, chosen = np.empty((rounds, len(points))), np.empty(rounds), np.empty(rounds, dtype=np.intp)
    for t in range(rounds):
        j = int(np.argmax(variance))
        row = columns[t]
        np.subtract(kernel(points[j : j + 1], points)[0], columns[:t, j] @ columns[:t], out=row)
        row /= np.sqrt(variance[j] + regularization)
        chosen[t], gains[t] = j, 0.5 * np.log1p(variance[j] / regularization)
        variance -= row * row
    return GreedyGain(np.cumsum(gains), chosen)


@dataclass(frozen=True)
class Rate:
    """A rate γ_T = O(shape(T)).

    Parameters
    ----------
    words
        The formula as text.
    shape
        The shape up to a constant.

    Examples
    --------
    >>> from sklearn.gaussian_process.kernels import RBF
    >>> from firstmover.theory import rate_of
    >>> rate_of(RBF(), dimension=1).words
    '(log T)^2'
    """

    words: str
    shape: Callable[[Vector], Vector]

    def through(self, t: Vector, gains: Vector) -> Vector:
        """Return the shape over t, scaled to end at the last gain, to compare curvatures.

        >>> import numpy as np
        >>> from firstmover.theory import rate_of
        >>> from sklearn.gaussian_process.kernels import DotProduct
        >>> linear = rate_of(DotProduct(), dimension=2)
        >>> linear.words, linear.through(np.array([1.0, 3.0]), np.array([2.0, 4.0])).round(3)
        ('d log T', array([2., 4.]))
        """
        shape = self.shape(t)
        return shape * gains[-1] / shape[-1]


def rate_of(kernel: Kernel, dimension: int) -> Rate | None:
    """Return the rate for inputs of this dimension; None for kernels without a known rate.

    Linear d log T and RBF (log T)^(d+1): Srinivas et al. 2010. Matérn T^(d/(2ν+d)) (log T)^(2ν/(2ν+d)): Vakili et al.
    2021. A polynomial of degree p is linear in C(d + p, p) features. Constants and the restriction to a part of z
    change no rate, and a product of RBF kernels is an RBF kernel.

    Parameters
    ----------
    kernel
        A scikit-learn kernel expression.
    dimension
        d, the number of features.

    Returns
    -------
    Rate | None
        The rate, or None.

    Raises
    ------
    InvalidInput
        If the dimension is not positive.

    Examples
    --------
    >>> from sklearn.gaussian_process.kernels import RBF, Matern
    >>> from firstmover.theory import rate_of
    >>> rate_of(2.0 * RBF(), dimension=2).words, rate_of(Matern(nu=2.5), dimension=2).words
    ('(log T)^3', 'T^0.29 (log T)^0.71')
    >>> rate_of(RBF() + Matern(), dimension=2) is None
    True
    """
    d = as_count("dimension", dimension)
    core = _core(kernel)
    if isinstance(core, Exponentiation) and isinstance(_core(core.kernel), DotProduct):
        return Rate(f"{comb(d + int(core.exponent), d)} log T", np.log1p)
    if isinstance(core, DotProduct):
        return Rate("d log T", np.log1p)
    if isinstance(core, Matern) and core.nu != inf:
        power = d / (2 * core.nu + d)
        return Rate(f"T^{power:.2f} (log T)^{1 - power:.2f}", lambda t: t**power * np.log1p(t) ** (1 - power))
    if isinstance(core, RBF):  # a Matern of nu = inf is one
        return Rate(f"(log T)^{d + 1}", lambda t: np.log1p(t) ** (d + 1))
    return None


def _core(kernel: Kernel) -> Kernel:
    """The kernel without factors that change no rate: constants, restriction to a part, RBF times RBF."""
    if isinstance(kernel, OnPart):
        return _core(kernel.kernel)
    if isinstance(kernel, Product):
        first, second = _core(kernel.k1), _core(kernel.k2)
        if isinstance(first, ConstantKernel):
            return second
        both_smooth = type(first) is RBF and type(second) is RBF
        return first if isinstance(second, ConstantKernel) or both_smooth else kernel
    if isinstance(kernel, Sum):
        first, second = _core(kernel.k1), _core(kernel.k2)
        return first if isinstance(second, ConstantKernel) else second if isinstance(first, ConstantKernel) else kernel
    return kernel
