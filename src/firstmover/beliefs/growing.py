"""Arrays that grow by rows: plain rows, and a Cholesky factor."""

import numpy as np

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.numerics import check_memory

PANEL = 64
"""Rows per panel: its products stay in cache, and the inverse of its triangle grows row by row."""


class GrowingRows:
    """Rows that are appended one at a time; a row shorter than the array is padded with zeros.

    >>> rows = GrowingRows(2)
    >>> rows.append(0, np.array([1.0, 2.0]))
    >>> rows.append(1, np.array([3.0]))
    >>> rows.first(2)
    array([[1., 2.],
           [3., 0.]])
    """

    __slots__ = ("_rows",)

    def __init__(self, width: int) -> None:
        self._rows = np.zeros((16, width))

    @classmethod
    def of(cls, rows: Matrix) -> "GrowingRows":
        """Return an independent copy of these rows."""
        grown = cls(rows.shape[1])
        grown._rows = rows
        return grown.copied(len(rows))

    @property
    def width(self) -> int:
        """The number of columns."""
        return self._rows.shape[1]

    def first(self, count: int) -> Matrix:
        """Return the first rows, as a view."""
        return self._rows[:count]

    def append(self, count: int, row: Vector) -> None:
        """Write row number `count`; earlier rows stay."""
        size, (capacity, width) = len(row), self._rows.shape
        if count == capacity or size > width:
            self._rows = self._resized(count, width if size <= width else 2 * size)
        self._rows[count, :size] = row

    def copied(self, count: int) -> "GrowingRows":
        """Return an independent copy of the first rows."""
        copy = GrowingRows.__new__(GrowingRows)
        copy._rows = self._resized(count, self.width)
        return copy

    def _resized(self, count: int, width: int) -> Matrix:
        resized = np.zeros((max(16, 2 * count), width))
        resized[:count, : self.width] = self._rows[:count]
        return resized


class GrowingFactor:
    """L of K_t + λI = L Lᵀ, stored as panels of 64 rows with the inverses of their diagonal triangles.

    L V = K is solved panel by panel, V_p = L_pp⁻¹ (K_p − L_p V_{<p}), by matrix products alone.
    """

    def __init__(self) -> None:
        self._panels: list[Matrix] = []
        self._inverses: list[Matrix] = []

    @classmethod
    def of(cls, factor: Matrix) -> "GrowingFactor":
        """Return the factor with the rows of a lower triangle L (t, t)."""
        grown = cls()
        for t, row in enumerate(factor):
            grown.append(t, row[:t], row[t])
        return grown

    def solve(self, count: int, right: Matrix) -> Matrix:
        """Return V with L V = right (count, k), for the first `count` rows of L."""
        if count <= PANEL:
            return self._inverses[0][:count, :count] @ right if count else right
        solved = np.empty_like(right)
        for p, start in enumerate(range(0, count, PANEL)):
            stop = min(start + PANEL, count)
            size = stop - start
            block = right[start:stop]
            if start:
                block = block - self._panels[p][:size, :start] @ solved[:start]
            np.matmul(self._inverses[p][:size, :size], block, out=solved[start:stop])
        return solved

    def append(self, count: int, row: Vector, pivot: float) -> None:
        """Write row number `count` of L, (row, pivot)."""
        p, q = divmod(count, PANEL)
        if q == 0:
            check_memory(
                8.0 * PANEL * (p + 2) * PANEL,
                f"storing rounds {count + 1:,} to {count + PANEL:,} with a new type in each",
                "play fewer rounds, or give the game its types if they are known",
            )
            self._panels.append(np.zeros((PANEL, (p + 1) * PANEL)))
            self._inverses.append(np.zeros((PANEL, PANEL)))
        panel, inverse = self._panels[p], self._inverses[p]
        panel[q, :count] = row
        panel[q, count] = pivot
        inverse[q, :q] = (row[None, count - q :] @ inverse[:q, :q])[0] / -pivot
        inverse[q, q] = 1 / pivot

    def with_panel(self, count: int, rows: Matrix, lower: Matrix, inverse: Matrix) -> "GrowingFactor":
        """Return the factor of the first `count` rows and a complete panel after them: (rows, lower triangle)."""
        copy = GrowingFactor()
        copy._panels = [*self._panels[: count // PANEL], np.hstack([rows, lower])]
        copy._inverses = [*self._inverses[: count // PANEL], inverse]
        return copy

    def copied(self, count: int) -> "GrowingFactor":
        """Return a copy of the first `count` rows; complete panels are final and stay shared."""
        copy, whole = GrowingFactor(), count // PANEL
        copy._panels, copy._inverses = self._panels[:whole], self._inverses[:whole]
        if count % PANEL:
            copy._panels.append(self._panels[whole].copy())
            copy._inverses.append(self._inverses[whole].copy())
        return copy
