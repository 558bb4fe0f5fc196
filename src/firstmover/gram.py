"""k over a finite menu of actions, from tables.

The action's share of each statistic that a kernel expression depends on is known for a menu; a round then needs only
the type's share, one number for each past round. An expression that cannot be read falls back to calling the kernel.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dgemv
from sklearn.gaussian_process.kernels import Kernel

from firstmover.kernels import bind, pairs
from firstmover.reading import InOneLoop, Leaf, Profile, read
from firstmover.records import Matrix, Vector

NEAR = 32.0
"""Largest |x|² in lengthscales for which |x|² + |x'|² − 2 x·x' rounds k by less than 1e-14."""

WHOLE = slice(None)

BLOCK = 64
"""Rows of a table that are computed together, so that intermediate results stay in cache."""


class Share:
    """What the actions add to one statistic, between any of them and the menu: all, or the rows `among` them."""

    def __init__(self, leaf: Leaf, actions: Matrix, among: NDArray[np.intp] | None = None) -> None:
        points = leaf.scaled(actions, slice(0, actions.shape[1]))
        self._leaf, self._points, self._menu = leaf, points, points if among is None else points[among]
        self.by_products: tuple[Matrix, Matrix] | None = None
        if leaf.distance and leaf.smooth and among is None:
            centred = points - points.mean(axis=0)
            squares = np.vecdot(centred, centred)
            if squares.max() <= NEAR:
                self.by_products = self._points, self._menu = _factors(centred, squares)

    def row(self, action: int) -> Matrix:
        """Between one action and the menu (1, s): what `rows` gives, quicker."""
        if self.by_products is None:
            return self.rows(action, action + 1)
        squared = dgemv(1.0, self._menu.T, self._points[action])
        squared[action] = 0.0  # the distance of an action to itself
        if squared[squared.argmin()] < 0:
            np.maximum(squared, 0.0, out=squared)
        return squared[None]

    def rows(self, first: int, last: int, start: int = 0) -> Matrix:
        """Between actions first ≤ i < last and the menu from `start`: (last − first, s − start)."""
        points = self._points[first:last]
        if self.by_products is None:
            return self._leaf.between(points, self._menu[start:]) + self._leaf.offset
        squared = points @ self._menu[:, start:]
        np.maximum(squared, 0.0, out=squared)
        squared.ravel()[first - start :: squared.shape[1] + 1] = 0.0  # the distance of an action to itself
        return squared


def _factors(centred: Matrix, squares: Vector) -> tuple[Matrix, Matrix]:
    """Two matrices (n, d + 2) and (d + 2, n) whose product is |x − x'|² = (x, |x|², 1)·(−2x', 1, |x'|²)."""
    n, d = centred.shape
    left, right = np.ones((n, d + 2)), np.ones((d + 2, n))
    left[:, :d], left[:, d] = centred, squares
    right[:d], right[d + 1] = -2 * centred.T, squares
    return left, right


def _full(values: Any, shape: tuple[int, ...]) -> Matrix:
    """Values at full shape: a kernel of the type alone gives one column, a constant one number."""
    return values if getattr(values, "shape", ()) == shape else np.broadcast_to(values, shape)


class MenuGram:
    """k between past rounds and a menu at one type.

    The past's actions are rows of `actions`; the menu is the rows `among` them, all unless stated.
    """

    def __init__(self, kernel: Kernel, actions: Matrix, among: NDArray[np.intp] | None = None) -> None:
        self.kernel = bind(kernel, actions.shape[1])
        self.actions, self.menu = actions, actions if among is None else actions[among]
        self._leaves, self._evaluate = read(self.kernel)
        self.shares = [Share(leaf, actions, among) for leaf in self._leaves if leaf.on_action]
        self._own = [
            np.zeros(1) if leaf.distance else leaf.offset + (_square(leaf, actions) if leaf.on_action else np.zeros(1))
            for leaf in self._leaves
        ]

    @property
    def readable(self) -> bool:
        """Whether the expression was read into tables."""
        return self._evaluate is not None

    def action_rows(self, action: int) -> list[Matrix]:
        """The action's share of each statistic that has one, between one action and the menu (1, s)."""
        return [share.rows(action, action + 1) for share in self.shares]

    def across(
        self, rows: list[Matrix], past: list[int], past_types: Matrix, opponent_type: Vector, columns: slice = WHOLE
    ) -> Matrix:
        """k(past, (menu, θ)) of shape (t, s), from past actions and types and, where they were read, the shares.

        `columns` are those of a part of the menu, all unless stated.
        """
        menu = self.menu[columns]
        if not past:
            return np.empty((0, len(menu)))
        if self._evaluate is None:
            return self.kernel(np.hstack([self.actions[past], past_types]), pairs(menu, opponent_type[None]))
        return self.from_shares(rows, past_types, opponent_type, columns)

    def from_shares(
        self, rows: list[Matrix], past_types: Matrix, opponent_type: Vector, columns: slice = WHOLE
    ) -> Matrix:
        """k(past, (menu, θ)) of shape (t, s) from the shares alone; several runs have one more axis in front."""
        assert self._evaluate is not None
        part, shares = slice(self.actions.shape[1], None), iter(rows)
        stats: list[Matrix | float] = []
        for leaf in self._leaves:
            row = next(shares)[..., columns] if leaf.on_action else leaf.offset
            if leaf.on_type:
                row = row + leaf.between(leaf.scaled(past_types, part), leaf.scaled(opponent_type[..., None, :], part))
            stats.append(row)
        return _full(self._evaluate(stats), (*past_types.shape[:-1], len(self.menu[columns])))

    def diagonal(self, opponent_type: Vector) -> Vector:
        """k((x, θ), (x, θ)) of all actions (n,), or (runs, n) at types (runs, p)."""
        if self._evaluate is None:
            return self.kernel.diag(pairs(self.actions, opponent_type[None]))
        stats = [
            own + _square(leaf, opponent_type)[..., None] if leaf.on_type and not leaf.distance else own
            for leaf, own in zip(self._leaves, self._own, strict=True)
        ]
        return _full(self._evaluate(stats), (*opponent_type.shape[:-1], len(self.actions)))


def _square(leaf: Leaf, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """The inner product of each point's part of z with itself, over the last axis."""
    features = leaf.scaled(points, slice(None))
    return np.vecdot(features, features)


class DomainGram:
    """k over the finite domain X × Θ, type by type."""

    def __init__(self, kernel: Kernel, actions: Matrix, types: Matrix) -> None:
        self.kernel, self.points = bind(kernel, actions.shape[1]), pairs(actions, types)
        self._leaves, self._evaluate = read(self.kernel)
        self._shares = [Share(leaf, actions) if leaf.on_action else None for leaf in self._leaves]
        part = slice(actions.shape[1], None)
        self._types = [
            _between_types(leaf, leaf.scaled(types, part)) if leaf.on_type else None for leaf in self._leaves
        ]
        self.n_actions, self.n_types = len(actions), len(types)
        self._in_place = self._one_loop()

    def _one_loop(self) -> Callable[[int, Vector], None] | None:
        """`write` by compiled loops, where k is one profile of the actions' distance by inner products."""
        profile = self._evaluate.of_squared if isinstance(self._evaluate, Profile) else None
        share = self._shares[0] if self._shares else None
        if not isinstance(profile, InOneLoop) or self._types[0] is not None or not share or share.by_products is None:
            return None
        loops, quadratic, (points, menu) = profile.loops, profile.quadratic, share.by_products

        def write(point: int, row: Vector) -> None:
            squared = np.empty(len(row))
            loops.squared(points, menu, point, squared)
            loops.exponential(squared, quadratic, row)

        return write if self.n_types == 1 else None

    def write(self, point: int, row: Vector) -> None:
        """Write k(D, z) of one point z of the domain into a row (|D|,)."""
        if self._in_place is None:
            row[:] = self.row(point)
        else:
            self._in_place(point, row)

    def row(self, point: int) -> Vector:
        """k(D, z) of one point z of the domain."""
        if self._evaluate is None:
            return self.kernel(self.points[point : point + 1], self.points)[0]
        kind, action = divmod(point, self.n_actions)
        shares = [share.row(action) if share else None for share in self._shares]
        return self._values(shares, kind, slice(None), (self.n_types, self.n_actions)).reshape(-1)

    def upper(self) -> Matrix:
        """A new k(D, D), of which only the upper triangle is filled."""
        if self._evaluate is None:
            return self.kernel(self.points)
        n, table = self.n_actions, np.empty((len(self.points), len(self.points)))
        for first in range(0, n, BLOCK):
            last = min(first + BLOCK, n)
            for kind in range(self.n_types):
                for other in range(kind, self.n_types):
                    start = first if other == kind else 0
                    shares = [share.rows(first, last, start) if share else None for share in self._shares]
                    block = table[kind * n + first : kind * n + last, other * n + start : (other + 1) * n]
                    block[:] = self._values(shares, kind, slice(other, other + 1), block.shape)
        return table

    def _values(self, shares: list[Matrix | None], kind: int, others: slice, shape: tuple[int, int]) -> Matrix:
        """k between actions at one type, whose shares are given, and the menu at other types."""
        assert self._evaluate is not None
        stats: list[Matrix | float] = []
        for leaf, share, types in zip(self._leaves, shares, self._types, strict=True):
            row = leaf.offset if share is None else share
            stats.append(row if types is None else row + types[kind, others, None])
        return _full(self._evaluate(stats), shape)


def _between_types(leaf: Leaf, types: Matrix) -> Matrix | None:
    """What the types add to a statistic (q, q); None when that is nothing, as with a single type."""
    table = leaf.between(types, types)
    return table if table.any() or not leaf.on_action else None
