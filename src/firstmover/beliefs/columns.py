"""Columns of the posterior covariance over a finite domain, grown by one observation at a time."""

import math

import numpy as np
from scipy.linalg.blas import dsyrk

from firstmover.gram import DomainGram
from firstmover.memory import check_memory
from firstmover.records import Matrix, Vector

PENDING = 64
"""Rank-one updates that wait before they are folded into the covariance by one symmetric product."""

TABLE_LIMIT = 2048
"""Largest domain whose covariance is kept as a whole (32 MB)."""

EAGER_LIMIT = 640
"""Largest domain whose covariance is computed at once: it takes no longer than some seventy rows one by one."""


class Columns:
    """cov(D, z_j | first t observations) for a finite domain D, in two representations.

    Rows: V = L⁻¹ K(observed, D), cov(D, z_j) = K[:, j] − Vᵀ V[:, j], in O(t |D|). Once t reaches |D| / 4, and if the
    table fits, V is folded into C = K − VᵀV and later rows wait in U: cov(D, z_j) = C[:, j] − Uᵀ U[:, j], in O(|D|)
    whatever t. Every 64 rows C ← C − UᵀU by one in-place `dsyrk`, which keeps the lower triangle of C's transpose only.

    Rows are written once and shared; `at(count)` gives the owner of the first `count` observations, replaying them when
    a second child of one parent asks.
    """

    def __init__(self, gram: DomainGram, regularization: float) -> None:
        self._gram, self._regularization, self._size = gram, regularization, len(gram.points)
        self._rows = np.empty((16, self._size))
        self._waiting = 0
        self._covariance: Matrix | None = gram.upper if self._size <= EAGER_LIMIT else None
        self._folded = False
        self._fold_at = self._size // 4 if self._size <= TABLE_LIMIT else np.inf
        self.observed: list[int] = []

    def at(self, count: int) -> "Columns":
        """These columns if they hold exactly `count` observations, otherwise a replay of the first `count`."""
        if len(self.observed) == count:
            return self
        replay = Columns(self._gram, self._regularization)
        for j in self.observed[:count]:
            replay.next_row(j)
            replay.append(j)
        return replay

    @property
    def terms(self) -> int:
        """How many squares k loses in one sum: none once the covariance is kept, which then rounds with σ² itself."""
        return 0 if self._folded else self._waiting + 1

    def next_row(self, j: int) -> tuple[Vector, float]:
        """cov(D, z_j) / d with d² = σ²(z_j) + λ, which the next observation appends if it is at z_j; and d.

        d is taken from the column itself: a covariance that is off by rounding is then still a covariance, and every
        observation makes the error smaller, as it makes σ² smaller.
        """
        t = self._waiting
        if t == len(self._rows):
            self._grow()
        rows, row = self._rows[:t], self._rows[t]
        if self._covariance is None:
            column = self._gram.row(j)
        else:
            column = np.concatenate([self._covariance[:j, j], self._covariance[j, j:]])
        np.subtract(column, rows[:, j] @ rows, out=row)
        pivot = math.sqrt(row[j] + self._regularization)
        row /= pivot
        return row, pivot

    def _grow(self) -> None:
        """Room for as many rows again."""
        check_memory(
            2 * self._rows.nbytes,
            f"keeping {2 * len(self._rows):,} rows of the covariance of {self._size:,} actions and types",
            "give a smaller menu or fewer types, or a kernel that is a product on_action(...) * on_type(...)",
        )
        self._rows = np.concatenate([self._rows, np.empty_like(self._rows)])

    def append(self, j: int) -> None:
        """Record one more observation, whose row was the last that `next_row` gave."""
        self._waiting += 1
        self.observed.append(j)
        if self._waiting >= self._fold_at:
            self._fold()

    def _fold(self) -> None:
        """C ← C − UᵀU on the upper triangle, in place."""
        if self._covariance is None or not self._folded:
            self._covariance = self._gram.upper.copy()
        rows = self._rows[: self._waiting]
        # C's upper triangle in rows is the lower triangle in columns, as LAPACK sees the transpose.
        dsyrk(-1.0, rows.T, beta=1.0, c=self._covariance.T, lower=1, overwrite_c=1)
        if not self._folded:
            self._rows, self._fold_at, self._folded = np.empty((PENDING, self._size)), PENDING, True
        self._waiting = 0

    def variance(self) -> Vector | None:
        """The diagonal of C right after a fold."""
        return None if self._waiting or self._covariance is None else self._covariance.diagonal()
