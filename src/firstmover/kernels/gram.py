"""Evaluate k over a finite menu of actions from tables.

The action term of each statistic of a kernel expression is tabulated for a menu. A round then needs only the type term,
one number per past round. An expression that cannot be decomposed is evaluated by calling the kernel.
"""

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.gaussian_process.kernels import Kernel

from firstmover.core.arrays import Matrix, Vector
from firstmover.kernels.expressions import bind
from firstmover.kernels.structure import Leaf, read
from firstmover.kernels.table import pairs

NEAR = 32.0
"""Largest |x|² in length scales for which |x|² + |x'|² − 2 x·x' changes k by less than 1e-14."""

WHOLE = slice(None)

BLOCK = 64
"""Table rows that are computed together, so that intermediate results stay in cache."""


class ActionTable:
    """The action term of one statistic between the actions of a menu."""

    def __init__(self, leaf: Leaf, actions: Matrix) -> None:
        self._leaf, self._term = leaf, leaf.term
        self._tables = [ActionTable(inner, actions) for inner in leaf.term.leaves] if leaf.term else []
        self._points = self._menu = leaf.scaled(actions, slice(0, actions.shape[1]))
        self._by_products = False
        if leaf.distance and leaf.smooth:
            centred = self._points - self._points.mean(axis=0)
            squares = np.vecdot(centred, centred)
            if squares.max() <= NEAR:  # |x − x'|² = (x, |x|², 1)·(−2x', 1, |x'|²)
                (n, d), self._by_products = centred.shape, True
                self._points, self._menu = np.ones((n, d + 2)), np.ones((d + 2, n))
                self._points[:, :d], self._points[:, d] = centred, squares
                self._menu[:d], self._menu[d + 1] = -2 * centred.T, squares

    def rows(self, first: int, last: int, start: int = 0) -> Matrix:
        """Return the term between actions first ≤ i < last and the menu from `start`: (last − first, n − start)."""
        points = self._points[first:last]
        if self._term is not None:
            inner = [table.rows(first, last, start) for table in self._tables]
            return _full(self._term.evaluate(inner), (len(points), len(self._points) - start))
        if not self._by_products:
            return self._leaf.between(points, self._menu[start:]) + self._leaf.offset
        squared = points @ self._menu[:, start:]
        np.maximum(squared, 0.0, out=squared)
        squared.ravel()[first - start :: squared.shape[1] + 1] = 0.0  # the distance of an action to itself
        return squared


def _full(values: Any, shape: tuple[int, ...]) -> Matrix:
    """Broadcast values to a shape: a kernel of the type alone gives one column, a constant one number."""
    return values if getattr(values, "shape", ()) == shape else np.broadcast_to(values, shape)


class MenuGram:
    """k between past rounds and a menu at one type; the actions of past rounds are rows of the menu.

    Parameters
    ----------
    kernel
        k over z.
    actions
        X (n, d).

    Raises
    ------
    InvalidInput
        If the kernel cannot be used.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.gaussian_process.kernels import RBF
    >>> from firstmover.kernels import MenuGram
    >>> MenuGram(RBF(), np.array([[0.0], [1.0]])).diagonal(np.array([5.0]))
    array([1., 1.])
    """

    def __init__(self, kernel: Kernel, actions: Matrix) -> None:
        self.kernel, self.actions = bind(kernel, actions.shape[1]), actions
        self._leaves, self._evaluate = read(self.kernel)
        self.tables = [ActionTable(leaf, actions) for leaf in self._leaves if leaf.on_action]
        self._own = [_own(leaf, actions) for leaf in self._leaves]
        self._rows: dict[int, list[Vector]] = {}  # of the actions played so far

    def action_rows(self, action: int) -> list[Vector]:
        """Return the action term of each statistic that has one, between one action and the menu (n,)."""
        rows = self._rows.get(action)
        if rows is None:
            rows = self._rows[action] = [table.rows(action, action + 1)[0] for table in self.tables]
        return rows

    def across(
        self, rows: list[Matrix], past: list[int], past_types: Matrix, opponent_type: Vector, columns: slice = WHOLE
    ) -> Matrix:
        """Return k(past, (menu, θ)) (t, n) from past actions and types and, if decomposed, the rows of their terms.

        `columns` selects a part of the menu.
        """
        actions = self.actions if columns is WHOLE else self.actions[columns]
        if not past:
            return np.empty((0, len(actions)))
        if self._evaluate is None:
            points = np.hstack([self.actions[past], past_types])
            return self.kernel(points, pairs(actions, opponent_type[None]))
        part, terms = slice(self.actions.shape[1], None), iter(rows)
        stats: list[Matrix | float] = []
        for leaf in self._leaves:
            row: Matrix | float = next(terms)[:, columns] if leaf.on_action else leaf.offset
            if leaf.on_type:
                row = row + leaf.between(leaf.scaled(past_types, part), leaf.scaled(opponent_type[None], part))
            stats.append(row)
        return _full(self._evaluate(stats), (len(past), len(actions)))

    def diagonal(self, opponent_type: Vector) -> Vector:
        """Return k((x, θ), (x, θ)) of all actions (n,)."""
        if self._evaluate is None:
            return self.kernel.diag(pairs(self.actions, opponent_type[None]))
        stats = [
            own + _square(leaf, opponent_type[None]) if leaf.on_type and not leaf.distance else own
            for leaf, own in zip(self._leaves, self._own, strict=True)
        ]
        return _full(self._evaluate(stats), (len(self.actions),))


def _own(leaf: Leaf, actions: Matrix) -> Vector:
    """The action term of a statistic of each action with itself."""
    if leaf.term is not None:
        return np.asarray(leaf.term.evaluate([_own(inner, actions) for inner in leaf.term.leaves]))
    if leaf.distance:
        return np.zeros(1)
    return leaf.offset + (_square(leaf, actions) if leaf.on_action else np.zeros(1))


def _square(leaf: Leaf, points: Matrix) -> Vector:
    """Return the inner product of each point's part of z with itself."""
    features = leaf.scaled(points, WHOLE)
    return np.vecdot(features, features)


class DomainGram:
    """k over the finite domain X × Θ, type by type.

    Parameters
    ----------
    kernel
        k over z.
    actions
        X (n, d).
    types
        Θ (q, p).

    Raises
    ------
    InvalidInput
        If the kernel cannot be used.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.gaussian_process.kernels import RBF
    >>> from firstmover.kernels import DomainGram
    >>> DomainGram(RBF(), np.array([[0.0], [1.0]]), np.array([[5.0]])).row(0).round(4)
    array([1.    , 0.6065])
    """

    def __init__(self, kernel: Kernel, actions: Matrix, types: Matrix) -> None:
        self.kernel, self._actions, self._kinds = bind(kernel, actions.shape[1]), actions, types
        self._leaves, self._evaluate = read(self.kernel)
        self._tables = [ActionTable(leaf, actions) if leaf.on_action else None for leaf in self._leaves]
        part = slice(actions.shape[1], None)
        self._types = [
            _between_types(leaf, leaf.scaled(types, part)) if leaf.on_type else None for leaf in self._leaves
        ]
        self.n_actions, self.n_types = len(actions), len(types)

    @cached_property
    def points(self) -> Matrix:
        """D, one row (x, θ) per action and type, type by type."""
        return pairs(self._actions, self._kinds)

    @cached_property
    def _action_terms(self) -> list[Matrix | None]:
        """The action term of each statistic that has one, between all actions (n, n)."""
        return [table.rows(0, self.n_actions) if table else None for table in self._tables]

    def block(
        self,
        actions: NDArray[np.intp],
        types: NDArray[np.intp],
        other_actions: NDArray[np.intp],
        other_types: NDArray[np.intp],
    ) -> Matrix:
        """Return k between pairs of an action and a type, by number, and other pairs: (k, l)."""
        if self._evaluate is None:
            left, right = (
                np.hstack([self._actions[rows], self._kinds[kinds]])
                for rows, kinds in ((actions, types), (other_actions, other_types))
            )
            return np.asarray(self.kernel(left, right))
        rows, columns = (actions[:, None], types[:, None]), (other_actions, other_types)
        return self._at(rows, columns, (len(actions), len(other_actions)))

    def within(self, actions: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return k of each action between all types (k, q, q)."""
        every = np.arange(self.n_types)
        if self._evaluate is None:
            each = [np.full(self.n_types, action) for action in actions]
            return np.stack([self.block(same, every, same, every) for same in each])
        same = actions[:, None, None]
        return self._at((same, every[:, None]), (same, every), (len(actions), self.n_types, self.n_types))

    def _at(
        self, rows: tuple[NDArray[np.intp], ...], columns: tuple[NDArray[np.intp], ...], shape: tuple[int, ...]
    ) -> NDArray[np.float64]:
        """Return k between actions and types by number, which are broadcast to a shape."""
        assert self._evaluate is not None
        stats: list[Matrix | float] = []
        for leaf, term, between in zip(self._leaves, self._action_terms, self._types, strict=True):
            part = leaf.offset if term is None else term[rows[0], columns[0]]
            stats.append(part if between is None else part + between[rows[1], columns[1]])
        return _full(self._evaluate(stats), shape)

    def row(self, point: int) -> Vector:
        """Return k(D, z) of one point z of the domain."""
        if self._evaluate is None:
            return self.kernel(self.points[point : point + 1], self.points)[0]
        type_index, action = divmod(point, self.n_actions)
        terms = [table.rows(action, action + 1) if table else None for table in self._tables]
        return self._values(terms, type_index, WHOLE, (self.n_types, self.n_actions)).reshape(-1)

    def upper(self) -> Matrix:
        """Return a new k(D, D), of which only the upper triangle is filled."""
        if self._evaluate is None:
            return self.kernel(self.points)
        n, table = self.n_actions, np.empty((len(self.points), len(self.points)))
        for first in range(0, n, BLOCK):
            last = min(first + BLOCK, n)
            for one in range(self.n_types):
                for other in range(one, self.n_types):
                    start = first if other == one else 0
                    terms = [term.rows(first, last, start) if term else None for term in self._tables]
                    block = table[one * n + first : one * n + last, other * n + start : (other + 1) * n]
                    block[:] = self._values(terms, one, slice(other, other + 1), block.shape)
        return table

    def _values(self, terms: list[Matrix | None], type_index: int, others: slice, shape: tuple[int, int]) -> Matrix:
        """Return k between actions at one type, given their action terms, and the menu at other types."""
        assert self._evaluate is not None
        stats: list[Matrix | float] = []
        for leaf, term, types in zip(self._leaves, terms, self._types, strict=True):
            row = leaf.offset if term is None else term
            stats.append(row if types is None else row + types[type_index, others, None])
        return _full(self._evaluate(stats), shape)


def _between_types(leaf: Leaf, types: Matrix) -> Matrix | None:
    """Return the type term of a statistic (q, q); None if it is zero, as with a single type."""
    table = leaf.between(types, types)
    return table if table.any() or not leaf.on_action else None
