"""A few observations that stand for all: inducing points, and Eqs. (2) and (3) in the features that they span."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy.linalg import cho_factor, cho_solve, solve_triangular
from sklearn.gaussian_process.kernels import Kernel

from firstmover.records import Matrix, Vector

EXPLAINED = 1e-10
"""Share of the largest k(z, z) below which a point counts as explained by those chosen before it."""


def inducing_points(kernel: Kernel, points: Matrix, budget: int) -> tuple[list[int], Matrix]:
    """Rows chosen greedily, each the one that those before it explain least, and the Cholesky factor of their Gram.

    This is a Cholesky factorisation of K with pivoting that stops after `budget` rows: the residual of every point is
    k(z, z) − k_S(z)ᵀ K_SS⁻¹ k_S(z), and its sum over all points is tr(K − Q).
    """
    residual = kernel.diag(points).astype(float)
    smallest, rows, chosen = EXPLAINED * residual.max(), np.empty((min(budget, len(points)), len(points))), list[int]()
    while len(chosen) < len(rows) and residual.max() > smallest:
        i, best = len(chosen), int(np.argmax(residual))
        rows[i] = kernel(points[best : best + 1], points)[0] - rows[:i, best] @ rows[:i]
        rows[i] /= np.sqrt(residual[best])
        residual -= rows[i] ** 2
        chosen.append(best)
        residual[chosen] = 0.0
    return chosen, rows[: len(chosen), chosen].T


@dataclass(frozen=True, eq=False)
class Features:
    """All observations in the features z = L_S⁻¹ k_S(·) of some inducing points.

    A = Σ z zᵀ + λI and b = Σ z yᵀ over all observations; `unexplained` is tr(K − Q) = Σ (k − zᵀz) of them.
    """

    kernel: Kernel
    regularization: float
    points: Matrix
    factor: Matrix
    gram: Matrix
    target: Matrix
    unexplained: float

    @classmethod
    def of(cls, kernel: Kernel, regularization: float, points: Matrix, responses: Matrix, budget: int) -> "Features":
        """The features that the best `budget` of the observations span."""
        chosen, factor = inducing_points(kernel, points, budget)
        s = len(chosen)
        empty = regularization * np.eye(s), np.zeros((s, responses.shape[1])), 0.0
        features = cls(kernel, regularization, points[chosen], factor, *empty)
        for first in range(0, len(points), 1024):
            block = slice(first, first + 1024)
            features = features.with_observations(points[block], responses[block])
        return features

    def with_observations(self, points: Matrix, responses: Matrix) -> "Features":
        """A, b and tr(K − Q) with more observations."""
        z, residual = self.of_queries(points)
        return replace(
            self,
            gram=self.gram + z @ z.T,
            target=self.target + z @ responses,
            unexplained=self.unexplained + float(residual.sum()),
        )

    def of_queries(self, queries: Matrix) -> tuple[Matrix, Vector]:
        """z (s, k) and k − zᵀz (k,) of some queries."""
        z = solve_triangular(self.factor, self.kernel(self.points, queries), lower=True, check_finite=False)
        residual = self.kernel.diag(queries) - np.einsum("ij,ij->j", z, z)
        return z, np.maximum(residual, 0.0)  # zero for an inducing point itself, up to rounding of either sign

    def posterior(self, queries: Matrix) -> tuple[Matrix, Vector]:
        """μ̃ = zᵀA⁻¹b (k, m) and σ̃² = k − zᵀz + λ zᵀA⁻¹z (k,)."""
        z, residual = self.of_queries(queries)
        solved = cho_solve(self._cholesky, np.hstack([self.target, z]), check_finite=False)
        m = self.target.shape[1]
        return z.T @ solved[:, :m], residual + self.regularization * np.einsum("ij,ij->j", z, solved[:, m:])

    @cached_property
    def _cholesky(self) -> tuple[Matrix, bool]:
        return cho_factor(self.gram, lower=True, check_finite=False)

    def information_gain(self) -> float:
        """½ log det(A / λ) + tr(K − Q) / (2λ), which is at least ½ log det(I + K / λ)."""
        pivots = np.diagonal(self._cholesky[0])
        log_determinant = 2 * np.sum(np.log(pivots)) - len(pivots) * np.log(self.regularization)
        return 0.5 * (float(log_determinant) + self.unexplained / self.regularization)

    def effective_dimension(self) -> float:
        """Σ σ̃²(z_i) / λ over all observations: tr K(K + λI)⁻¹ when nothing is unexplained, and more otherwise."""
        eigenvalues = np.linalg.eigvalsh(self.gram)
        return self.unexplained / self.regularization + float(np.sum(1 - self.regularization / eigenvalues))
