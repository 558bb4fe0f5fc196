"""Many observations under a smooth kernel: their covariance as a product of thin matrices, exact up to a tolerance."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Self

import numpy as np
import scipy  # scipy.linalg is loaded on first use: it is slow to import
from numpy.typing import NDArray

from firstmover.core.arrays import Matrix, Vector

if TYPE_CHECKING:
    from sklearn.gaussian_process.kernels import Kernel

TOLERANCE = 1e-10
"""Largest variance of an observation, in units of λ, that its features leave out."""

LEAST_RATIO = 1e-3
"""λ / max k from which on the tolerance is well above the rounding of k."""

WORTH = 0.7
"""Features per observation up to which predictions are cheaper than with the whole Cholesky factor."""

TOGETHER = 16
"""Observations whose links are solved together, or each in its column of as many, with equal bits."""

Links = tuple[Matrix, Matrix]
"""g and h of points (r, k)."""

START = 1024
"""Observations that are decomposed together at first."""


@dataclass(frozen=True, eq=False)
class Sample:
    """Points z (t, d + p), responses (t, m) and variances of noise (t,) of observations under a kernel."""

    kernel: "Kernel"
    points: Matrix
    responses: Matrix
    variances: Vector


@dataclass(frozen=True, eq=False)
class LowRank:
    """K ≈ G Gᵀ of observations, with r pivots among them: G = K(·, pivots) L⁻ᵀ, L Lᵀ = K(pivots).

    The difference is positive semidefinite with a diagonal of at most τ = 1e-10 λ, so that (K + Λ)⁻¹ differs by a
    factor within 1 ± t τ / λ. With g(z) = L⁻¹ k(pivots, z), Λ the variances of the noise and A = I + GᵀΛ⁻¹G = R Rᵀ

    Cov(z, z') = k(z, z') − g(z)ᵀ g(z') + h(z)ᵀ h(z'),   h = R⁻¹ g,   μ(z) = k(z, observed) α + g(z)ᵀ u

    The pivots are chosen by Cholesky factorisation with pivoting (Harbrecht, Peters and Schneider 2012), and then
    α = (G Gᵀ + Λ)⁻¹ y and u = 0. Later observations add to A, α and u without G, as long as the pivots represent them
    up to τ. The others among the first `count` are `outside`; their rows of α are 0.
    """

    count: int
    pivots: NDArray[np.intp]
    outside: NDArray[np.intp]
    root: Matrix
    precision: Matrix
    weights: Matrix
    shift: Matrix

    @classmethod
    def of(cls, sample: Sample, count: int, worth: float = WORTH) -> Self | None:
        """Return the decomposition of the first observations; None if it is not accurate or not worth it."""
        kernel, points, noise = sample.kernel, sample.points[:count], sample.variances[:count]
        if noise.min() < LEAST_RATIO * kernel.diag(points).max():
            return None
        pivots, root = np.empty(0, dtype=np.intp), np.empty((0, 0))
        for start in range(0, count, START):
            new = points[start : start + START]
            across, tolerance = _features(root, kernel, points[pivots], new), TOLERANCE * float(noise.min())
            left = np.flatnonzero(kernel.diag(new) - np.einsum("ij,ij->j", across, across) > tolerance)
            across = across[:, left]
            rest = kernel(new[left]) - across.T @ across
            lower, order, p, _ = scipy.linalg.lapack.dpstrf(rest, tol=tolerance, lower=1)
            chosen, r = order[:p] - 1, len(pivots)
            pivots = np.append(pivots, start + left[chosen])
            if len(pivots) > worth * count:
                return None
            grown = np.zeros((r + p, r + p))
            grown[:r, :r], grown[r:, :r], grown[r:, r:] = root, across[:, chosen].T, np.tril(lower[:p, :p])
            root = grown
        g = _features(root, kernel, points[pivots], points)
        precision = np.eye(len(pivots)) + _squared(g, noise)
        responses, noise = sample.responses[:count], noise[:, None]
        solved = scipy.linalg.cho_solve((_cholesky(precision), True), g @ (responses / noise))
        weights = (responses - g.T @ solved) / noise
        return cls(count, pivots, np.empty(0, dtype=np.intp), root, precision, weights, np.zeros_like(solved))

    def extended(self, sample: Sample, count: int) -> Self:
        """Return the decomposition after more observations, with the same pivots."""
        kernel, added = sample.kernel, np.arange(self.count, count)
        g, h = self.links(kernel(sample.points[self.pivots], sample.points[added]))
        noise, prior = sample.variances[added], kernel.diag(sample.points[added])
        rest = prior - np.einsum("ij,ij->j", g, g)
        inside = (rest <= TOLERANCE * noise) & (noise >= LEAST_RATIO * prior)
        new, g, h = added[inside], g[:, inside], h[:, inside]
        lower, difference = self._given(sample, new, g, h)
        weights = np.zeros((count, self.weights.shape[1]))
        weights[: self.count] = self.weights
        weights[new] = found = _solved(lower, _solved(lower, difference), transposed=True)
        shift = self.shift - g @ found + _solved(self._precision_root, h @ found, transposed=True)
        outside, precision = np.append(self.outside, added[~inside]), self.precision + _squared(g, noise[inside])
        return type(self)(count, self.pivots, outside, self.root, precision, weights, shift)

    def _given(self, sample: Sample, rows: NDArray[np.intp], g: Matrix, h: Matrix) -> tuple[Matrix, Matrix]:
        """Return L of the covariance of responses given the decomposition, and the responses less their means."""
        points, before = sample.points[rows], sample.points[: self.count]
        covariance = sample.kernel(points) - g.T @ g + h.T @ h + np.diag(sample.variances[rows])
        expected = sample.kernel(points, before) @ self.weights + g.T @ self.shift
        return _cholesky(covariance), sample.responses[rows] - expected

    def left_out(self, sample: Sample) -> tuple[Matrix, Matrix, Matrix, float]:
        """Return L, L⁻¹ y, g and h, and the information gain of the observations outside, given all others."""
        rows = self.outside
        g, h = self.links(sample.kernel(sample.points[self.pivots], sample.points[rows]))
        lower, difference = self._given(sample, rows, g, h)
        gain = np.log(lower.diagonal()).sum() - 0.5 * np.log(sample.variances[rows]).sum()
        return lower, _solved(lower, difference), np.concatenate([g, h]).T, float(gain)

    @cached_property
    def _precision_root(self) -> Matrix:
        """R."""
        return _cholesky(self.precision)

    @property
    def information_gain(self) -> float:
        """½ log det(I + Λ⁻¹ G Gᵀ)."""
        return float(np.log(self._precision_root.diagonal()).sum())

    def links(self, across: Matrix) -> Links:
        """Return g and h of points z, given k(pivots, z)."""
        g = _solved(self.root, across)
        return g, _solved(self._precision_root, g)

    def links_of_next(self, number: int, across: Matrix) -> Links:
        """Return g and h of observations from this number on; each has bits that do not depend on the others."""
        columns = np.zeros((len(across), TOGETHER))
        own = slice(number % TOGETHER, number % TOGETHER + across.shape[1])
        columns[:, own] = across
        g, h = self.links(columns)
        return g[:, own], h[:, own]


def _features(root: Matrix, kernel: "Kernel", pivots: Matrix, points: Matrix) -> Matrix:
    """Return g of points (r, k)."""
    return _solved(root, kernel(pivots, points)) if len(pivots) else np.empty((0, len(points)))


def _squared(g: Matrix, noise: Vector) -> Matrix:
    """Return g Λ⁻¹ gᵀ."""
    scaled = g / np.sqrt(noise)
    return scaled @ scaled.T


def _cholesky(matrix: Matrix) -> Matrix:
    return np.asarray(scipy.linalg.cholesky(matrix, lower=True), dtype=np.float64)


def _solved(lower: Matrix, right: Matrix, *, transposed: bool = False) -> Matrix:
    """L⁻¹ times a matrix, or its transpose."""
    trans: Literal["N", "T"] = "T" if transposed else "N"
    solved = scipy.linalg.solve_triangular(lower, right, trans=trans, lower=True, check_finite=False)
    return np.asarray(solved, dtype=np.float64)
