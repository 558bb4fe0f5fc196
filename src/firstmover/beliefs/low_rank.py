"""Many observations under a smooth kernel: their covariance as a product of thin matrices, exact up to a tolerance."""

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np
import scipy  # scipy.linalg is loaded on first use: it is slow to import

from firstmover.core.arrays import Matrix, Vector

if TYPE_CHECKING:
    from sklearn.gaussian_process.kernels import Kernel

TOLERANCE = 1e-10
"""Largest variance of an observation, in units of λ, that its features leave out."""

LEAST_RATIO = 1e-3
"""λ / max k from which on the tolerance is well above the rounding of k."""

WORTH = 0.7
"""Features per observation up to which predictions are cheaper than with the whole Cholesky factor."""

START = 1024
"""Observations that are decomposed together at first."""


class Panel:
    """Rows and columns that grow; what was written stays, so that an older decomposition can share the memory."""

    def __init__(self, shape: tuple[int, int]) -> None:
        self.shape, self.numbers = shape, np.empty((shape[0] + shape[0] // 4 + START, shape[1] + shape[1] // 4 + 64))

    def grown(self, rows: int, columns: int, shape: tuple[int, int]) -> "Panel":
        """Return a panel with the first rows and columns of this one: itself if nothing else was written to it."""
        panel = self
        if self.shape != (rows, columns) or np.any(np.greater(shape, self.numbers.shape)):
            panel = Panel(shape)
            panel.numbers[:rows, :columns] = self.numbers[:rows, :columns]
        panel.shape = shape
        return panel


@dataclass(frozen=True, eq=False)
class Sample:
    """Points z (t, d + p), responses (t, m) and variances of noise (t,) of observations under a kernel."""

    kernel: "Kernel"
    points: Matrix
    responses: Matrix
    variances: Vector


@dataclass(frozen=True, eq=False)
class LowRank:
    """K ≈ G Gᵀ of the first `count` observations, with r pivots among them: G = K(·, pivots) L⁻ᵀ, L Lᵀ = K(pivots).

    The difference is positive semidefinite with a diagonal of at most τ = 1e-10 λ, so that (K + Λ)⁻¹ differs by a
    factor within 1 ± t τ / λ. With g(z) = L⁻¹ k(pivots, z), Λ the variances of the noise and A = I + GᵀΛ⁻¹G = R Rᵀ

    Cov(z, z') = k(z, z') − g(z)ᵀ g(z') + h(z)ᵀ h(z'),   h = R⁻¹ g,   μ(z) = k(z, observed) α,   α = (G Gᵀ + Λ)⁻¹ y

    The pivots are chosen by Cholesky factorisation with pivoting, among the points of each extension (Harbrecht, Peters
    and Schneider 2012).
    """

    count: int
    pivots: list[int]
    root: Matrix
    precision: Matrix
    panel: Panel
    sample: Sample

    @classmethod
    def of(cls, sample: Sample, count: int) -> Self | None:
        """Return the decomposition of the first observations; None if it is not accurate or not worth it."""
        if sample.variances[:count].min() < LEAST_RATIO * sample.kernel.diag(sample.points[:count]).max():
            return None
        found, last = cls(0, [], np.empty((0, 0)), np.empty((0, 0)), Panel((0, 0)), sample), 0
        while last < count and len(found.pivots) <= WORTH * count:
            last += START
            found = found.extended(sample, last)
        return found if len(found.pivots) <= WORTH * count else None

    @property
    def _features(self) -> Matrix:
        return self.panel.numbers[: self.count, : len(self.pivots)]

    def extended(self, sample: Sample, count: int) -> Self:
        """Return the decomposition of more observations."""
        t, r, kernel = self.count, len(self.pivots), sample.kernel
        points, noise = sample.points[t:count], sample.variances[t:count]
        across = _solved(self.root, kernel(sample.points[self.pivots], points)).T if r else np.empty((len(points), 0))
        rest = kernel(points) - across @ across.T
        lower, order, p, _ = scipy.linalg.lapack.dpstrf(rest, tol=TOLERANCE * float(noise.min()), lower=1)
        order = order[: len(points)] - 1
        new, own = order[:p], np.empty((len(points), p))
        own[order] = np.tril(lower)[:, :p]
        before = self._features
        panel = self.panel.grown(t, r, (count, r + p))
        if p and t:
            missing = kernel(sample.points[:t], points[new]) - before @ across[new].T
            panel.numbers[:t, r : r + p] = _solved(np.tril(lower[:p, :p]), missing.T).T
        panel.numbers[t:count, :r], panel.numbers[t:count, r : r + p] = across, own
        root = np.zeros((r + p, r + p))
        root[:r, :r], root[r:, :r], root[r:, r:] = self.root, across[new], np.tril(lower[:p, :p])
        recent = panel.numbers[t:count, : r + p] / np.sqrt(noise)[:, None]
        precision = recent.T @ recent  # its lower triangle is used
        precision[:r, :r] += self.precision
        precision.ravel()[r * (r + p + 1) :: r + p + 1] += 1.0
        if p and t:
            further = panel.numbers[:t, r : r + p] / sample.variances[:t, None]
            precision[r:] += further.T @ panel.numbers[:t, : r + p]
        return type(self)(count, self.pivots + [t + int(i) for i in new], root, precision, panel, sample)

    @cached_property
    def _precision_root(self) -> Matrix:
        """R."""
        return np.asarray(scipy.linalg.cholesky(self.precision, lower=True), dtype=np.float64)

    @property
    def information_gain(self) -> float:
        """½ log det(I + Λ⁻¹ G Gᵀ)."""
        return float(np.log(self._precision_root.diagonal()).sum())

    @cached_property
    def weights(self) -> Matrix:
        """α (count, m)."""
        features, noise = self._features, self.sample.variances[: self.count, None]
        responses = self.sample.responses[: self.count]
        solved = scipy.linalg.cho_solve((self._precision_root, True), features.T @ (responses / noise))
        return np.asarray((responses - features @ solved) / noise, dtype=np.float64)

    def links(self, across: Matrix) -> tuple[Matrix, Matrix]:
        """Return g and h (r, k) of points z, given k(pivots, z)."""
        g = _solved(self.root, across)
        return g, _solved(self._precision_root, g)


def _solved(lower: Matrix, right: Matrix) -> Matrix:
    """L⁻¹ times a matrix."""
    return np.asarray(scipy.linalg.solve_triangular(lower, right, lower=True, check_finite=False), dtype=np.float64)
