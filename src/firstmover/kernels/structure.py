"""Decompose a kernel expression over z = (action, type) into pairwise statistics and a function of them.

Every kernel that scikit-learn ships for such data, and `Additive`, is a function of inner products or scaled distances
of z, of its action part or of its type part. Each statistic is a sum of an action term and a type term.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.gaussian_process.kernels import (
    RBF,
    ConstantKernel,
    DotProduct,
    Exponentiation,
    Kernel,
    Matern,
    Product,
    RationalQuadratic,
    Sum,
)

from firstmover.core.arrays import Matrix, Vector
from firstmover.kernels.domain_kernels import Additive, Total
from firstmover.kernels.expressions import OnPart

Evaluate = Callable[[Sequence[Matrix | float]], Matrix | float]
"""Map pairwise statistics, one array per leaf, to kernel values."""


@dataclass(frozen=True, eq=False)
class Leaf:
    """One statistic of a pair (z, z'): an inner product plus `offset`, or a squared distance after division by `scale`.

    `smooth` means that k is differentiable in the squared distance, so that the latter may be rounded; `features` maps
    z to the vectors of the inner product, the identity by default. A leaf with a `term` is a whole subexpression that
    depends on the action alone, so that its value can be tabulated once for a menu.
    """

    distance: bool
    on_action: bool
    on_type: bool
    offset: float = 0.0
    scale: Vector | float = 1.0
    smooth: bool = True
    features: Callable[[Matrix], Matrix] | None = None
    term: "Term | None" = None

    def scaled(self, points: Matrix, part: slice) -> Matrix:
        """Return one part of the points divided by the length scales, or its features."""
        if self.features is not None:
            return self.features(points)
        # One length scale per feature: a leaf on all of z has those of both parts, a leaf on one part only its own.
        scale = self.scale
        if isinstance(scale, np.ndarray) and self.on_action and self.on_type:
            scale = scale[part]
        return points / scale if self.distance else points

    def between(self, rows: Matrix, others: Matrix) -> Matrix:
        """Return the contribution of one part of z to the statistic (k, n) of scaled rows, without the offset."""
        return cdist(rows, others, "sqeuclidean") if self.distance else rows @ others.T


class Term(NamedTuple):
    """A subexpression of the action alone: its statistics and the function of them."""

    leaves: list[Leaf]
    evaluate: Evaluate


class Unreadable(Exception):  # noqa: N818 - a signal, caught in this module
    """Signal that a part of the expression is not a function of inner products or distances."""


def read(kernel: Kernel) -> tuple[list[Leaf], Evaluate | None]:
    """Return the statistics of the expression and the function that maps them to k; ([], None) if it has none."""
    leaves: list[Leaf] = []
    try:
        return leaves, _read(kernel, "all", leaves)
    except Unreadable:
        return [], None


def _of_action_alone(kernel: Kernel) -> bool:
    """Whether the expression combines constants and kernels on the action only."""
    if isinstance(kernel, OnPart):
        return kernel.part == "action"
    if isinstance(kernel, Sum | Product):
        return _of_action_alone(kernel.k1) and _of_action_alone(kernel.k2)
    if isinstance(kernel, Exponentiation):
        return _of_action_alone(kernel.kernel)
    return type(kernel) is ConstantKernel


ONE = ConstantKernel(1.0, "fixed")
"""The factor of a product kernel for a part that the kernel ignores."""


def split(kernel: Kernel, action_features: int) -> tuple[Kernel, Kernel] | None:
    """Return k_x and k_θ with k((x, θ), (x', θ')) = k_x(x, x') k_θ(θ, θ'); None if k is not such a product.

    Parameters
    ----------
    kernel
        A scikit-learn kernel expression.
    action_features
        Number of leading columns of z that belong to the action.

    Returns
    -------
    tuple[Kernel, Kernel] | None
        k_x and k_θ, or None.

    Examples
    --------
    >>> from sklearn.gaussian_process.kernels import RBF, DotProduct
    >>> from firstmover.kernels import on_action, on_type, split
    >>> split(RBF([1.0, 2.0, 3.0]) * on_type(DotProduct()), 2)
    (RBF(length_scale=[1, 2]), RBF(length_scale=3) * DotProduct(sigma_0=1))
    >>> split(on_action(RBF()) + on_type(RBF()), 1)
    """
    if isinstance(kernel, OnPart):
        return (kernel.kernel, ONE) if kernel.part == "action" else (ONE, kernel.kernel)
    if type(kernel) is ConstantKernel:
        return kernel, ONE
    if type(kernel) is RBF:
        scale = np.atleast_1d(kernel.length_scale)
        action, kind = (scale[:action_features], scale[action_features:]) if len(scale) > 1 else (scale[0], scale[0])
        return RBF(action), RBF(kind)
    if isinstance(kernel, Exponentiation):
        inner = split(kernel.kernel, action_features)
        return inner and (_raised(inner[0], kernel.exponent), _raised(inner[1], kernel.exponent))
    if isinstance(kernel, Sum | Product):
        return _joined(kernel, split(kernel.k1, action_features), split(kernel.k2, action_features))
    return None


def _raised(kernel: Kernel, exponent: float) -> Kernel:
    return kernel if kernel is ONE else Exponentiation(kernel, exponent)


def _joined(
    kernel: Kernel, left: tuple[Kernel, Kernel] | None, right: tuple[Kernel, Kernel] | None
) -> tuple[Kernel, Kernel] | None:
    """Split a product, or a sum whose terms both ignore the same part."""
    if left is None or right is None:
        return None
    if isinstance(kernel, Product):
        x, kind = ((a if b is ONE else b if a is ONE else Product(a, b)) for a, b in zip(left, right, strict=True))
        return x, kind
    if left[1] is ONE and right[1] is ONE:
        return Sum(left[0], right[0]), ONE
    if left[0] is ONE and right[0] is ONE:
        return ONE, Sum(left[1], right[1])
    return None


def _read(kernel: Kernel, part: str, leaves: list[Leaf]) -> Evaluate:
    """Return the expression as a function of statistics, which are appended to `leaves`."""
    if part == "all" and type(kernel) is not ConstantKernel and _of_action_alone(kernel):
        index, inner = len(leaves), list[Leaf]()
        leaves.append(Leaf(False, True, False, term=Term(inner, _read(kernel, "action", inner))))
        return lambda stats: stats[index]
    if isinstance(kernel, OnPart) and part in ("all", kernel.part):
        return _read(kernel.kernel, kernel.part, leaves)
    if isinstance(kernel, Sum | Product):
        left, right = _read(kernel.k1, part, leaves), _read(kernel.k2, part, leaves)
        combine = np.add if isinstance(kernel, Sum) else np.multiply
        return lambda stats: combine(left(stats), right(stats))
    if isinstance(kernel, Exponentiation):
        base, exponent = _read(kernel.kernel, part, leaves), float(kernel.exponent)
        return lambda stats: _power(base(stats), exponent)
    if type(kernel) is ConstantKernel:
        value = kernel.constant_value
        return lambda _: value
    return _leaf(kernel, Leaf(False, part != "type", part != "action"), leaves)


def _leaf(kernel: Kernel, where: Leaf, leaves: list[Leaf]) -> Evaluate:
    """Return a kernel of one statistic, which is appended to `leaves`."""
    index, parts = len(leaves), (where.on_action, where.on_type)
    if type(kernel) is DotProduct:
        leaves.append(Leaf(False, *parts, offset=float(kernel.sigma_0**2)))
        return lambda stats: stats[index]
    if type(kernel) is Additive or (type(kernel) is Total and not all(parts)):  # a total over z mixes both parts
        leaves.append(Leaf(False, *parts, features=kernel.features))
        return lambda stats: stats[index]
    if type(kernel) in (RBF, Matern, RationalQuadratic):
        profile, stretch = _profile(kernel)
        scale = np.squeeze(kernel.length_scale) / stretch  # a list of one is a number, as in scikit-learn
        leaves.append(
            Leaf(
                True, *parts, scale=scale if scale.ndim else float(scale), smooth=getattr(kernel, "nu", math.inf) >= 1.5
            )
        )
        return lambda stats: profile(stats[index])
    raise Unreadable


def _power(base: Any, exponent: float) -> Matrix:
    """Return base ** exponent; small whole powers by multiplication, which is many times faster."""
    if not exponent.is_integer() or not 1 <= exponent <= 8:
        return base**exponent
    result = base
    for _ in range(int(exponent) - 1):
        result = result * base
    return result


def _profile(kernel: Kernel) -> tuple[Callable[[Any], Matrix], float]:
    """Return k as a function of the squared distance, and the factor that scales distances for it.

    scikit-learn's own functions take points, not distances.
    """
    if type(kernel) is RationalQuadratic:
        alpha = kernel.alpha
        return lambda squared: (1 + squared) ** -alpha, math.sqrt(0.5 / alpha)
    match getattr(kernel, "nu", math.inf):
        case 0.5:
            return lambda squared: np.exp(-np.sqrt(squared)), 1.0
        case 1.5:
            return _exponential(0.0), math.sqrt(3)
        case 2.5:
            return _exponential(1 / 3), math.sqrt(5)
        case math.inf:
            return lambda squared: np.exp(-squared), math.sqrt(0.5)
    # Any other smoothness needs a Bessel function: evaluate scikit-learn's kernel with length scale 1 on a line.
    unit, origin = clone(kernel).set_params(length_scale=1.0), np.zeros((1, 1))
    return lambda squared: unit(np.sqrt(squared).reshape(-1, 1), origin).reshape(squared.shape), 1.0


def _exponential(quadratic: float) -> Callable[[Any], Matrix]:
    """Return (1 + d + quadratic d²) exp(−d) as a function of d²."""

    def profile(squared: Matrix) -> Matrix:
        distance, factor = np.sqrt(squared), quadratic * squared
        factor += distance
        factor += 1
        np.negative(distance, out=distance)
        factor *= np.exp(distance, out=distance)
        return factor

    return profile
