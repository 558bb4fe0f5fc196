"""Columns of the posterior covariance over a finite domain, updated by one observation at a time."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy  # scipy.linalg is loaded on first use: it is slow to import

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.numerics import check_memory

if TYPE_CHECKING:
    from firstmover.beliefs.finite import StoredGram
    from firstmover.kernels import DomainGram

PENDING = 48
"""Rank-one updates that are collected before one symmetric product applies them to the covariance: with fewer the
product is less efficient, with more the rounds before it are slower."""

TABLE_LIMIT = 2048
"""Largest domain whose full covariance is stored (32 MB)."""

EAGER_LIMIT = 640
"""Largest domain whose kernel table is computed at once: it costs no more than some hundred rows one by one."""

_NONE = np.empty((0, 0))


class Columns:
    """cov(D, z_j | first t observations) for a finite domain D, in two representations.

    Rows: V = L⁻¹ K(observed, D), cov(D, z_j) = K[:, j] − Vᵀ V[:, j], in O(t |D|). Once t reaches |D| / 4, and if the
    table fits, C = K − VᵀV replaces V and later rows are collected in U: cov(D, z_j) = C[:, j] − Uᵀ U[:, j], in O(|D|)
    for any t. Every 48 rows C ← C − UᵀU by one in-place `dsyrk`, which keeps the lower triangle of C's transpose only.

    Successive beliefs share one object; a belief that is not the last of its line works on a replay, `first(count)`.
    """

    def __init__(self, gram: "DomainGram | StoredGram") -> None:
        self._gram, self._size = gram, len(gram.points)
        foldable = self._size <= TABLE_LIMIT
        self._fold_at = max(self._size // 4, 1) if foldable else math.inf
        self._take(np.empty((max(self._size // 4, PENDING) if foldable else 16, self._size)))
        self._waiting = 0
        self._covariance = gram.upper() if self._size <= EAGER_LIMIT else _NONE
        self.terms = 1  # squares subtracted from k in one sum: none once C is updated, which then rounds with σ² itself
        self.observed: list[int] = []
        self._variances: list[float] = []  # of the noise of each observation
        self.told: list[Vector] = []  # responses and noise, filled by the belief where λ is tiny

    def _take(self, rows: Matrix) -> None:
        """Store U, with the views that BLAS needs: by columns, and flat, where a column is a stride."""
        self._rows, self._by_columns, self._line = rows, rows.T, rows.reshape(-1)

    def __getstate__(self) -> dict[str, Any]:
        """All but views: a copy, or a learner that is sent to another process, makes its own."""
        own = {name: value for name, value in vars(self).items() if name not in ("_by_columns", "_line")}
        return own | {"_covariance": None if self._covariance is _NONE else self._covariance}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._take(self._rows)
        if self._covariance is None:
            self._covariance = _NONE

    def first(self, count: int) -> "Columns":
        """Return a replay of the first `count` observations."""
        replay = Columns(self._gram)
        for j, variance in zip(self.observed[:count], self._variances, strict=False):
            replay.next_row(j, variance)
            replay.append(j, variance)
        replay.told = self.told[:count]
        return replay

    def block(self, points: list[int]) -> Matrix:
        """Return the covariance of some points of D (k, k)."""
        if self._covariance is _NONE:
            prior = self._gram.kernel(self._gram.points[points])
        else:
            rows, columns = np.meshgrid(points, points, indexing="ij")
            prior = self._covariance[np.minimum(rows, columns), np.maximum(rows, columns)]
        u = self._rows[: self._waiting, points]
        return prior - u.T @ u

    def update(
        self, j: int, response: Vector, noise_variance: float, limit: float, old: Matrix
    ) -> tuple[Matrix, float, bool]:
        """Return the state (m + 2, |D|) of μ, σ² and σ after a response at z_j, d, and whether all σ² exceed the limit.

        If some do not, the caller checks them and computes σ. `append` completes the round.
        """
        row, d = self.next_row(j, noise_variance)
        new = old.copy()
        mean, variance, std = new[:-2].T, new[-2], new[-1]
        scipy.linalg.blas.dger(1 / d, row, response - mean[j], 1, 1, mean, 1, 1, 1)
        np.multiply(row, row, out=std)
        np.subtract(variance, std, out=variance)
        clear = variance[variance.argmin()] > limit
        if clear:
            np.sqrt(variance, out=std)
        return new, d, clear

    def next_row(self, j: int, noise_variance: float) -> tuple[Vector, float]:
        """Return cov(D, z_j) / d with d² = σ²(z_j) + noise, the row that an observation at z_j appends; and d.

        d comes from the column itself: a covariance with rounding errors is then still a covariance, and every
        observation shrinks the error together with σ².
        """
        t, covariance = self._waiting, self._covariance
        if t == len(self._rows):
            check_memory(
                2 * self._rows.nbytes,
                f"storing {2 * t:,} rows of the covariance of {self._size:,} actions and types",
                "give a smaller menu or fewer types, or a kernel that is a product on_action(...) * on_type(...)",
            )
            self._take(np.concatenate([self._rows, np.empty_like(self._rows)]))
        row = self._rows[t]
        if covariance is _NONE:
            row[:] = self._gram.row(j)
        else:
            row[:j] = covariance[:j, j]
            row[j:] = covariance[j, j:]
        if t:  # row ← row − Uᵀ U[:, j]; positional arguments (offsets, strides, in place) are faster
            scipy.linalg.blas.dgemv(-1.0, self._by_columns[:, :t], self._line, 1.0, row, j, self._size, 0, 1, 0, 1)
        d = math.sqrt(row.item(j) + noise_variance)
        scipy.linalg.blas.dscal(1 / d, row)
        return row, d

    def append(self, j: int, noise_variance: float) -> bool:
        """Add an observation, whose row was the last of `next_row`; return whether C was brought up to date."""
        self._waiting += 1
        self.observed.append(j)
        self._variances.append(noise_variance)
        if self._waiting >= self._fold_at:
            self._fold()
            self._fold_at, self.terms = PENDING, 0
            return True
        if self.terms:
            self.terms += 1
        return False

    def fill(self, observed: list[int], noise_variances: Vector, factor: Matrix) -> Matrix:
        """Set all observations at once, with L, and return V."""
        different, place = np.unique(observed, return_inverse=True)
        rows = np.array([self._gram.row(int(j)) for j in different])[place]
        v = scipy.linalg.solve_triangular(factor, rows, lower=True)
        self._take(np.concatenate([v, np.empty_like(self._rows)]))
        self.observed, self._variances = observed, noise_variances.tolist()
        self._waiting, self.terms = len(observed), 1 + len(observed)
        if self._waiting >= self._fold_at:
            self._fold()
            self._fold_at, self.terms = PENDING, 0
        return v

    def _fold(self) -> None:
        """Apply C ← C − UᵀU to the upper triangle, in place."""
        if self._covariance is _NONE:
            self._covariance = self._gram.upper()
        # BLAS sees the transpose: C's upper triangle by rows is a lower triangle by columns.
        scipy.linalg.blas.dsyrk(
            -1.0, self._by_columns[:, : self._waiting], beta=1.0, c=self._covariance.T, lower=1, overwrite_c=1
        )
        self._waiting = 0

    def variance(self) -> Vector:
        """Return the diagonal of C, which is σ² right after an update of C."""
        return self._covariance.diagonal()
