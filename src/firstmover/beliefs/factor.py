"""A Cholesky factor that grows by rows, stored in row panels."""

import math

import numpy as np

from firstmover.core.numerics import check_memory
from firstmover.core.records import Matrix, Vector

PANEL = 64
"""Rows per panel: its products stay in cache, and the inverse of its triangle grows row by row."""


class GrowingFactor:
    """L of K_t + λI = L Lᵀ, stored as panels of 64 rows with the inverses of their diagonal triangles.

    L V = K is solved panel by panel, V_p = L_pp⁻¹ (K_p − L_p V_{<p}), by matrix products alone. With `runs`, several
    factors are kept together and every array has one more leading axis.
    """

    def __init__(self, runs: tuple[int, ...] = ()) -> None:
        self._runs = runs
        self._panels: list[Matrix] = []
        self._inverses: list[Matrix] = []

    def solve(self, count: int, right: Matrix) -> Matrix:
        """Return V with L V = right (count, k), for the first `count` rows of L."""
        if count <= PANEL:
            return self._inverses[0][..., :count, :count] @ right if count else right
        solved = np.empty_like(right)
        for p, start in enumerate(range(0, count, PANEL)):
            stop = min(start + PANEL, count)
            size = stop - start
            block = right[..., start:stop, :]
            if start:
                block = block - self._panels[p][..., :size, :start] @ solved[..., :start, :]
            np.matmul(self._inverses[p][..., :size, :size], block, out=solved[..., start:stop, :])
        return solved

    def append(self, count: int, row: Vector, pivot: float | Vector) -> None:
        """Write row number `count` of L, (row, pivot); the pivots of several runs are (runs, 1)."""
        p, q = divmod(count, PANEL)
        if q == 0:
            check_memory(
                8.0 * math.prod(self._runs) * PANEL * (p + 2) * PANEL,
                f"storing rounds {count + 1:,} to {count + PANEL:,} with a new type in each",
                "play fewer rounds, or give the game its types if they are known",
            )
            self._panels.append(np.zeros((*self._runs, PANEL, (p + 1) * PANEL)))
            self._inverses.append(np.zeros((*self._runs, PANEL, PANEL)))
        panel, inverse = self._panels[p], self._inverses[p]
        panel[..., q, :count] = row
        panel[..., q, count : count + 1] = pivot
        inverse[..., q, :q] = (row[..., None, count - q :] @ inverse[..., :q, :q])[..., 0, :] / -pivot
        inverse[..., q, q : q + 1] = 1 / pivot

    def copied(self, count: int) -> "GrowingFactor":
        """Return a copy of the first `count` rows; complete panels are final and stay shared."""
        copy, whole = GrowingFactor(self._runs), count // PANEL
        copy._panels, copy._inverses = self._panels[:whole], self._inverses[:whole]
        if count % PANEL:
            copy._panels.append(self._panels[whole].copy())
            copy._inverses.append(self._inverses[whole].copy())
        return copy
