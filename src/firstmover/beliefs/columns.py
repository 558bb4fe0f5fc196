"""Columns of the posterior covariance over a finite domain, grown by one observation at a time."""

from collections.abc import Callable

import numpy as np
from scipy.linalg.blas import dsyrk

from firstmover.records import Matrix, Vector

PENDING = 64
"""Rank-one updates that wait before they are folded into the covariance by one symmetric product."""

TABLE_LIMIT = 2048
"""Largest domain whose covariance is kept as a whole (32 MB)."""


class Columns:
    """cov(D, z_j | first t observations) for a finite domain D, in two representations.

    Rows: V = L⁻¹ K(observed, D), cov(D, z_j) = K[:, j] − Vᵀ V[:, j], in O(t |D|). Once t reaches |D| / 4, and if the
    table fits, V is folded into C = K − VᵀV and later rows wait in U: cov(D, z_j) = C[:, j] − Uᵀ U[:, j], in O(|D|)
    whatever t. Every 64 rows C ← C − UᵀU by one in-place `dsyrk`, which keeps the lower triangle of C's transpose only.

    Rows are written once and shared; `at(count)` gives the owner of the first `count` observations, replaying them when
    a second child of one parent asks.
    """

    def __init__(self, gram_row: Callable[[int], Vector], gram: Matrix | None, size: int) -> None:
        self._gram_row, self._gram, self._size = gram_row, gram, size
        self._rows = np.zeros((16, size))
        self._waiting = 0
        self._covariance: Matrix | None = None
        self.observed: list[int] = []
        self.pivots: list[float] = []

    def at(self, count: int) -> "Columns":
        """These columns if they hold exactly `count` observations, otherwise a replay of the first `count`."""
        if len(self.observed) == count:
            return self
        replay = Columns(self._gram_row, self._gram, self._size)
        for j, pivot in zip(self.observed[:count], self.pivots[:count], strict=True):
            replay.append(j, replay.column(j) / pivot, pivot)
        return replay

    @property
    def terms(self) -> int:
        """How many squares k loses in one sum: none once the covariance is kept, which then rounds with σ² itself."""
        return 0 if self._covariance is not None else self._waiting + 1

    def column(self, j: int) -> Vector:
        """cov(D, z_j) after all observations."""
        rows = self._rows[: self._waiting]
        if self._covariance is None:
            start = self._gram_row(j)
        else:
            start = np.concatenate([self._covariance[:j, j], self._covariance[j, j:]])
        return start - rows[:, j] @ rows

    def append(self, j: int, row: Vector, pivot: float) -> None:
        """Record one more observation, with its row cov(D, z_j) / pivot."""
        if self._waiting == len(self._rows):
            self._rows = np.concatenate([self._rows, np.zeros_like(self._rows)])
        self._rows[self._waiting] = row
        self._waiting += 1
        self.observed.append(j)
        self.pivots.append(pivot)
        if self._gram is not None and self._waiting >= (PENDING if self._covariance is not None else self._size // 4):
            self._fold()

    def _fold(self) -> None:
        """C ← C − UᵀU on the upper triangle, in place."""
        if self._covariance is None:
            assert self._gram is not None
            self._covariance = self._gram.copy()
        rows = self._rows[: self._waiting]
        # C's upper triangle in rows is the lower triangle in columns, as LAPACK sees the transpose.
        dsyrk(-1.0, rows.T, beta=1.0, c=self._covariance.T, lower=1, overwrite_c=1)
        if len(self._rows) > PENDING:
            self._rows = np.zeros((PENDING, self._size))
        self._waiting = 0

    def variance(self) -> Vector | None:
        """The diagonal of C right after a fold, to check the tracked variance against."""
        return None if self._covariance is None or self._waiting else self._covariance.diagonal()
