"""A growing Cholesky factor in row panels, which successive beliefs share."""

import math

import numpy as np

from firstmover.memory import check_memory
from firstmover.records import Matrix, Vector

PANEL = 64
"""Rows a panel: its products stay in cache, and its triangle is inverted once, row by row."""


class GrowingFactor:
    """L of K_t + λI = L Lᵀ, stored as panels of 64 rows with the inverses of their diagonal triangles.

    L V = K is solved panel by panel, V_p = L_pp⁻¹ (K_p − L_p V_{<p}), by matrix products alone. Rows are written once:
    a belief that holds all of them appends in place, a second child of one parent copies. With `runs` there are as many
    factors side by side, and every array has one more axis in front.
    """

    def __init__(self, runs: tuple[int, ...] = ()) -> None:
        self.used = 0
        self._runs = runs
        self._panels: list[Matrix] = []
        self._inverses: list[Matrix] = []

    def solve(self, count: int, right: Matrix) -> Matrix:
        """V with L V = right (count, k), for the first `count` rows of L."""
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

    def append(self, count: int, row: Vector, pivot: float | Vector) -> "GrowingFactor":
        """The factor whose first `count` rows are these and whose next is (row, pivot); (runs, 1) pivots of runs."""
        home = self if self.used == count else self._copied(count)
        p, q = divmod(count, PANEL)
        if q == 0:
            check_memory(
                8.0 * math.prod(self._runs) * PANEL * (p + 2) * PANEL,
                f"remembering rounds {count + 1:,} to {count + PANEL:,} with a new type each",
                "play fewer rounds, or give the belief a budget of inducing points (BudgetedBelief)",
            )
            home._panels.append(np.zeros((*self._runs, PANEL, (p + 1) * PANEL)))
            home._inverses.append(np.zeros((*self._runs, PANEL, PANEL)))
        panel, inverse = home._panels[p], home._inverses[p]
        panel[..., q, :count] = row
        panel[..., q, count : count + 1] = pivot
        inverse[..., q, :q] = (row[..., None, count - q :] @ inverse[..., :q, :q])[..., 0, :] / -pivot
        inverse[..., q, q : q + 1] = 1 / pivot
        home.used = count + 1
        return home

    def _copied(self, count: int) -> "GrowingFactor":
        """A copy of the first `count` rows; whole panels are final and stay shared."""
        copy, whole = GrowingFactor(self._runs), count // PANEL
        copy.used = count
        copy._panels, copy._inverses = self._panels[:whole], self._inverses[:whole]
        if count % PANEL:
            copy._panels.append(self._panels[whole].copy())
            copy._inverses.append(self._inverses[whole].copy())
        return copy
