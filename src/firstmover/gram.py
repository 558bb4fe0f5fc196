"""Reads a kernel expression over z = (action, type) into tables over a finite menu of actions.

Every kernel that scikit-learn ships for such data is a function of inner products or of scaled distances of the whole
of z, of its action part or of its type part. The action's share of these is computed once for a menu; a round then
needs only the type's share, one number for each past round. The functions themselves stay scikit-learn's: a
stationary kernel with lengthscale 1 is called on distances. What cannot be read falls back to calling the kernel.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

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

from firstmover.kernels import OnPart, bind, pairs
from firstmover.records import Matrix, Vector

Evaluate = Callable[[list[Matrix]], Matrix]
"""Statistics of pairs, one array for each leaf, to kernel values."""


class Unreadable(Exception):  # noqa: N818 - a signal, caught where it is raised
    """The expression has a part that is not a function of inner products or distances."""


@dataclass(frozen=True)
class Leaf:
    """One statistic of a pair (z, z'): a plain inner product, or a squared distance after division by `scale`."""

    distance: bool
    on_action: bool
    on_type: bool
    scale: Vector | float

    def between(self, rows: Matrix, others: Matrix, part: slice) -> Matrix:
        """The statistic between rows (k, ·) and others (n, ·) of one part of z."""
        if not self.distance:
            return rows @ others.T
        # One lengthscale a feature: a leaf on all of z holds those of both parts, a leaf on one part its own only.
        scale = self.scale
        if isinstance(scale, np.ndarray) and self.on_action and self.on_type:
            scale = scale[part]
        return cdist(rows / scale, others / scale, "sqeuclidean")


def _power(base: Matrix, exponent: float) -> Matrix:
    """base ** exponent; whole powers by multiplication, which is many times quicker."""
    if exponent != int(exponent) or not 1 <= exponent <= 8:
        return base**exponent
    result = base
    for _ in range(int(exponent) - 1):
        result = result * base
    return result


def _stationary(kernel: Kernel) -> Callable[[Matrix], Matrix]:
    """Squared scaled distances to kernel values, through the same kernel with lengthscale 1 on a line."""
    unit = clone(kernel).set_params(length_scale=1.0)
    origin = np.zeros((1, 1))
    return lambda squared: unit(np.sqrt(squared).reshape(-1, 1), origin).reshape(squared.shape)


def _read(kernel: Kernel, part: str, leaves: list[Leaf]) -> Evaluate:  # noqa: PLR0911 - one return a kind of node
    """The expression as a function of statistics, which are appended to `leaves`."""
    if isinstance(kernel, OnPart):
        return _read(kernel.kernel, kernel.part if part in ("all", kernel.part) else "none", leaves)
    if part == "none":
        raise Unreadable
    if isinstance(kernel, Sum | Product):
        left, right = _read(kernel.k1, part, leaves), _read(kernel.k2, part, leaves)
        if isinstance(kernel, Sum):
            return lambda stats: left(stats) + right(stats)
        return lambda stats: left(stats) * right(stats)
    if isinstance(kernel, Exponentiation):
        inner, exponent = _read(kernel.kernel, part, leaves), float(kernel.exponent)
        return lambda stats: _power(inner(stats), exponent)
    if type(kernel) is ConstantKernel:
        value = kernel.constant_value
        return lambda _: value
    on_action, on_type, index = part != "type", part != "action", len(leaves)
    if type(kernel) is DotProduct:
        leaves.append(Leaf(False, on_action, on_type, 1.0))
        bias = kernel.sigma_0**2
        return lambda stats: stats[index] + bias
    if type(kernel) in (RBF, Matern, RationalQuadratic):
        scale = np.squeeze(kernel.length_scale)  # a list of one is a number, as scikit-learn has it
        leaves.append(Leaf(True, on_action, on_type, scale if scale.ndim else float(scale)))
        value_at = _stationary(kernel)
        return lambda stats: value_at(stats[index])
    raise Unreadable


class MenuGram:
    """k between past rounds and the whole menu at one type, from tables where the expression can be read."""

    def __init__(self, kernel: Kernel, actions: Matrix) -> None:
        self.kernel = bind(kernel, actions.shape[1])
        self.actions = actions
        self.leaves: list[Leaf] = []
        try:
            self._evaluate: Evaluate | None = _read(self.kernel, "all", self.leaves)
        except Unreadable:
            self._evaluate, self.leaves = None, []
        d = actions.shape[1]
        self._parts = slice(0, d), slice(d, None)
        self._none = np.zeros(len(actions))
        self._squares = np.einsum("ij,ij->i", actions, actions)

    @property
    def readable(self) -> bool:
        """Whether the expression was read into tables."""
        return self._evaluate is not None

    def action_rows(self, action: int) -> list[Vector]:
        """The action's share of each statistic, between one action and the menu: (n,) each."""
        return [
            leaf.between(self.actions[[action]], self.actions, self._parts[0])[0] if leaf.on_action else self._none
            for leaf in self.leaves
        ]

    def across(self, rows: list[Matrix], past: list[int], past_types: Matrix, opponent_type: Vector) -> Matrix:
        """k(past, (X, θ)) of shape (t, n), from past actions and types and, where they were read, the stored shares."""
        if not past:
            return np.empty((0, len(self.actions)))
        if self._evaluate is None:
            queries = pairs(self.actions, opponent_type[None])
            return self.kernel(np.hstack([self.actions[past], past_types]), queries)
        stats = []
        for leaf, row in zip(self.leaves, rows, strict=True):
            if not leaf.on_type:
                stats.append(row)
                continue
            shift = leaf.between(past_types, opponent_type[None], self._parts[1])
            stats.append(row + shift if leaf.on_action else shift)
        return self._full(self._evaluate(stats), (len(past_types), len(self.actions)))

    def diagonal(self, opponent_type: Vector) -> Vector:
        """k((x, θ), (x, θ)) of all actions (n,)."""
        if self._evaluate is None:
            return self.kernel.diag(pairs(self.actions, opponent_type[None]))
        square = float(opponent_type @ opponent_type)
        stats = [
            np.zeros(1) if leaf.distance else leaf.on_action * self._squares + leaf.on_type * square
            for leaf in self.leaves
        ]
        return self._full(self._evaluate(stats), (len(self.actions),))

    @staticmethod
    def _full(values: Any, shape: tuple[int, ...]) -> Matrix:
        """Values at full shape: a kernel of the type alone gives one column, a constant one number."""
        return values if np.shape(values) == shape else np.broadcast_to(values, shape)
