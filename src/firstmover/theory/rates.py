"""Known rates of γ_T for some kernels, up to a constant."""

from collections.abc import Callable
from dataclasses import dataclass
from math import comb, inf

import numpy as np
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

from firstmover.core.records import Vector, as_count
from firstmover.kernels import OnPart


@dataclass(frozen=True)
class Rate:
    """γ_T = O(shape(T)): the formula as text, and the shape up to a constant."""

    words: str
    shape: Callable[[Vector], Vector]

    def through(self, t: Vector, gains: Vector) -> Vector:
        """Return the shape over t, scaled to end at the last gain, to compare curvatures.

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
