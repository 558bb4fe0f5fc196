"""Columns of the posterior covariance over a finite domain, grown by one observation at a time."""

import math

import numpy as np
from scipy.linalg.blas import dgemv, dger, dscal, dsyrk

from firstmover.compiled import Loops
from firstmover.gram import DomainGram
from firstmover.memory import check_memory
from firstmover.records import Matrix, Vector

PENDING = 48
"""Rank-one updates that wait before they are folded into the covariance by one symmetric product: fewer make the
product slower, more make the rounds before it slower."""

TABLE_LIMIT = 2048
"""Largest domain whose covariance is kept as a whole (32 MB)."""
EAGER_LIMIT = 640
"""Largest domain whose covariance NumPy computes at once: it takes no longer than some hundred rows one by one, while
compiled rows are cheap enough to wait until they are asked for."""

_NONE = np.empty((0, 0))


class Columns:
    """cov(D, z_j | first t observations) for a finite domain D, in two representations.

    Rows: V = L⁻¹ K(observed, D), cov(D, z_j) = K[:, j] − Vᵀ V[:, j], in O(t |D|). Once t reaches |D| / 4, and if the
    table fits, V is folded into C = K − VᵀV and later rows wait in U: cov(D, z_j) = C[:, j] − Uᵀ U[:, j], in O(|D|)
    whatever t. Every 48 rows C ← C − UᵀU by one in-place `dsyrk`, which keeps the lower triangle of C's transpose only.

    Rows are written once and shared; when a second child of one parent asks, `first(count)` replays the past.
    """

    def __init__(self, gram: DomainGram, regularization: float, loops: Loops | None) -> None:
        self._gram, self._regularization, self._loops, self._size = gram, regularization, loops, len(gram.points)
        foldable = self._size <= TABLE_LIMIT
        self._fold_at = max(self._size // 4, 1) if foldable else math.inf
        self._take(np.empty((max(self._size // 4, PENDING) if foldable else 16, self._size)))
        self._waiting = 0
        self._covariance = gram.upper() if loops is None and self._size <= EAGER_LIMIT else _NONE
        self.terms = 1  # how many squares k loses in one sum: none once C is folded, which then rounds with σ² itself
        self.observed: list[int] = []

    def _take(self, rows: Matrix) -> None:
        """Keep U, as BLAS wants to see it too: by columns, and as one line in which a column is a stride."""
        self._rows, self._by_columns, self._line = rows, rows.T, rows.reshape(-1)

    def first(self, count: int) -> "Columns":
        """A replay of the first `count` observations."""
        replay = Columns(self._gram, self._regularization, self._loops)
        for j in self.observed[:count]:
            replay.next_row(j)
            replay.append(j)
        return replay

    def absorb(self, j: int, response: Vector, limit: float, old: Matrix) -> tuple[Matrix, float, bool]:
        """The state (m + 2, |D|) of μ, σ² and σ after a response at z_j, d, and whether all σ² are above the limit.

        Where they are not, σ is left to who looks closer. `append` completes the round.
        """
        if self._loops is None:
            return self._absorb(j, response, limit, old)
        t, covariance, new = self._waiting, self._covariance, np.empty(old.shape)
        if t == len(self._rows):
            self._grow()
        if covariance is _NONE:
            self._gram.write(j, self._rows[t])
        new[:-2, j] = response
        return new, *self._loops.absorb(covariance, self._rows, t, j, self._regularization, limit, old, new)

    def _absorb(self, j: int, response: Vector, limit: float, old: Matrix) -> tuple[Matrix, float, bool]:
        """The same by NumPy and BLAS."""
        row, d = self.next_row(j)
        new = old.copy()
        mean, variance, std = new[:-2].T, new[-2], new[-1]
        dger(1 / d, row, response - mean[j], 1, 1, mean, 1, 1, 1)
        np.multiply(row, row, out=std)
        np.subtract(variance, std, out=variance)
        clear = variance[variance.argmin()] > limit
        if clear:
            np.sqrt(variance, out=std)
        return new, d, clear

    def next_row(self, j: int) -> tuple[Vector, float]:
        """cov(D, z_j) / d with d² = σ²(z_j) + λ, which the next observation appends if it is at z_j; and d.

        d is taken from the column itself: a covariance that is off by rounding is then still a covariance, and every
        observation makes the error smaller, as it makes σ² smaller.
        """
        t, covariance = self._waiting, self._covariance
        if t == len(self._rows):
            self._grow()
        row = self._rows[t]
        if covariance is _NONE:
            self._gram.write(j, row)
        else:
            row[:j] = covariance[:j, j]
            row[j:] = covariance[j, j:]
        if t:  # row ← row − Uᵀ U[:, j]; SciPy reads positions quicker than names: offsets, strides, in place
            dgemv(-1.0, self._by_columns[:, :t], self._line, 1.0, row, j, self._size, 0, 1, 0, 1)
        d = math.sqrt(row.item(j) + self._regularization)
        dscal(1 / d, row)
        return row, d

    def _grow(self) -> None:
        """Room for as many rows again."""
        check_memory(
            2 * self._rows.nbytes,
            f"keeping {2 * len(self._rows):,} rows of the covariance of {self._size:,} actions and types",
            "give a smaller menu or fewer types, or a kernel that is a product on_action(...) * on_type(...)",
        )
        self._take(np.concatenate([self._rows, np.empty_like(self._rows)]))

    def append(self, j: int) -> bool:
        """Record one more observation, whose row was the last that `next_row` gave; whether all were folded into C."""
        self._waiting += 1
        self.observed.append(j)
        if self._waiting >= self._fold_at:
            self._fold()
            self._fold_at, self.terms = PENDING, 0
            return True
        if self.terms:
            self.terms += 1
        return False

    def _fold(self) -> None:
        """C ← C − UᵀU on the upper triangle, in place."""
        if self._covariance is _NONE:
            self._covariance = self._gram.upper()
        # C's upper triangle in rows is the lower triangle in columns, as LAPACK sees the transpose.
        dsyrk(-1.0, self._by_columns[:, : self._waiting], beta=1.0, c=self._covariance.T, lower=1, overwrite_c=1)
        self._waiting = 0

    def variance(self) -> Vector:
        """The diagonal of C, which is σ² right after a fold."""
        return self._covariance.diagonal()
