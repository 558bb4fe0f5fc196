"""A skeleton of the menu: the few actions whose kernel values give those of all others exactly."""

import math
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr, solve_triangular
from sklearn.gaussian_process.kernels import ConstantKernel, DotProduct, Exponentiation, Kernel, Product, Sum

from firstmover.kernels import OnPart
from firstmover.records import Matrix

NEGLIGIBLE = 1e-14
"""Share of the largest singular value, or of the largest pivot, below which a direction is rounding."""

LARGEST_WEIGHT = 10.0
"""Interpolation weights beyond this would magnify rounding."""

WORTH = 0.75
"""Share of the menu that a skeleton must stay below to be worth its interpolation."""


@dataclass(frozen=True, eq=False)
class Skeleton:
    """k(·, (X, θ)) = k(·, (X[indices], θ)) weights, at every type θ; weights is (s, n)."""

    indices: NDArray[np.intp]
    weights: Matrix


def action_degree(kernel: Kernel, part: str = "all") -> float:
    """The degree of k as a polynomial in inner products of actions; infinite when it is none.

    >>> from firstmover.kernels import on_action, on_type, polynomial
    >>> from sklearn.gaussian_process.kernels import RBF
    >>> action_degree(polynomial(3) * on_type(RBF())), action_degree(on_action(RBF()))
    (3.0, inf)
    """
    if isinstance(kernel, OnPart):
        return action_degree(kernel.kernel, kernel.part)
    if part == "type" or type(kernel) is ConstantKernel:
        return 0.0
    if isinstance(kernel, Sum | Product):
        degrees = action_degree(kernel.k1, part), action_degree(kernel.k2, part)
        return max(degrees) if isinstance(kernel, Sum) else sum(degrees)
    if isinstance(kernel, Exponentiation):
        inner, exponent = action_degree(kernel.kernel, part), float(kernel.exponent)
        whole = exponent.is_integer() and exponent >= 1
        return inner * exponent if whole or inner == 0 else math.inf
    return 1.0 if type(kernel) is DotProduct else math.inf


def _monomials(actions: Matrix, degree: int) -> Matrix | None:
    """All monomials up to the degree in coordinates of the actions' affine span (p, n); None when p is not below n."""
    centred = actions - actions.mean(axis=0)
    left, singular, _ = np.linalg.svd(centred, full_matrices=False)
    rank = int(np.sum(singular > NEGLIGIBLE * np.linalg.norm(actions)))
    if math.comb(rank + degree, degree) >= WORTH * len(actions):
        return None
    coordinates = left[:, :rank] * singular[:rank]
    largest = np.max(np.linalg.norm(coordinates, axis=1)) if rank else 1.0
    extended = np.column_stack([np.ones(len(actions)), coordinates / largest])
    factors = np.array(list(combinations_with_replacement(range(rank + 1), degree)), dtype=np.intp)
    return np.prod(extended[:, factors], axis=2).T


def skeleton_of(kernel: Kernel, actions: Matrix) -> Skeleton | None:
    """The skeleton of a menu under a kernel that is polynomial in the action, or None when it would not pay.

    Such a kernel, at any one type and past point, is a polynomial in the action's coordinates. Interpolating all
    monomials Φ (p, n) from some columns, Φ = Φ[:, S] C, therefore interpolates the kernel. S comes from a QR
    factorisation with pivoting, which keeps C small.
    """
    degree = action_degree(kernel)
    features = _monomials(actions, int(degree)) if math.isfinite(degree) else None
    if features is None:
        return None
    (triangle, order), n = qr(features, mode="r", pivoting=True), len(actions)
    pivots = np.abs(np.diagonal(triangle))
    s = int(np.sum(pivots > NEGLIGIBLE * pivots[0]))
    weights = np.empty((s, n))
    weights[:, order] = np.hstack([np.eye(s), solve_triangular(triangle[:s, :s], triangle[:s, s:])])
    return Skeleton(order[:s].astype(np.intp), weights) if np.max(np.abs(weights)) <= LARGEST_WEIGHT else None
