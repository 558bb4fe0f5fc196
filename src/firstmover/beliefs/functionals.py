"""The posterior of sums of b over many rounds: linear functionals, whose errors at different rounds partly cancel."""

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import scipy  # scipy.linalg is loaded on first use: it is slow to import
from numpy.typing import NDArray

from firstmover.beliefs.checks import CLEARLY_NEGATIVE, not_definite, rounding
from firstmover.core.arrays import Matrix, Vector
from firstmover.core.errors import PrecisionLost
from firstmover.core.numerics import check_memory

if TYPE_CHECKING:
    from firstmover.kernels import DomainGram

Numbers = NDArray[np.intp]


class Pairs(NamedTuple):
    """Distinct pairs of an action and a type, both by number (u,), and the pair of each observation (t,)."""

    actions: Numbers
    types: Numbers
    place: Numbers

    @classmethod
    def of(cls, actions: Numbers, types: Numbers) -> "Pairs":
        """Return the distinct pairs of observations, in the order of types and then of actions.

        >>> Pairs.of(np.array([2, 0, 2]), np.array([1, 0, 1]))
        Pairs(actions=array([0, 2]), types=array([0, 1]), place=array([1, 0, 1]))
        """
        found, place = np.unique(np.stack([types, actions]), axis=1, return_inverse=True)
        return cls(found[1], found[0], place.ravel())


class Posterior(NamedTuple):
    """Mean (k, m) and variance (k, m) of k linear functionals of each output."""

    mean: Matrix
    variance: Matrix


class Regression:
    """Eqs. (2) and (3) with the observations at each distinct pair merged into their mean, which is exact.

    Observation i has the noise variance `noise[i]`; merged, their mean has the variance 1 / Σ_i 1 / noise[i]. Some
    outputs share one regression; `responses` (t, m) are those of f, with b = centre + unit · f, and standard deviations
    of b are multiplied by `factor`.
    """

    def __init__(
        self,
        gram: "DomainGram",
        pairs: Pairs,
        responses: Matrix,
        noise: Vector,
        *,
        centre: float = 0.0,
        unit: float = 1.0,
        factor: float = 1.0,
    ) -> None:
        self._gram, self.pairs = gram, pairs
        check_memory(
            16.0 * (len(pairs.actions) ** 2 + gram.n_types**2),
            f"the covariance of {len(pairs.actions):,} different pairs of an action and a type",
            "take fewer rounds",
        )
        self._centre, self._unit, self._factor = centre, unit, factor
        precision = np.bincount(pairs.place, 1 / noise)
        weighted = [np.bincount(pairs.place, column / noise) / precision for column in responses.T]
        self._means, self._noise = np.stack(weighted, axis=1), 1 / precision
        self._among = gram.block(pairs.actions, pairs.types, pairs.actions, pairs.types)

    @cached_property
    def _root(self) -> Matrix:
        """L with L Lᵀ = K + diag(noise)."""
        try:
            return np.asarray(scipy.linalg.cholesky(self._among + np.diag(self._noise), lower=True))
        except np.linalg.LinAlgError:
            points = np.stack([self.pairs.actions, self.pairs.types], axis=1).astype(float)
            raise not_definite(self._among, float(self._noise.min()), points) from None

    @cached_property
    def _solved(self) -> Matrix:
        return np.asarray(scipy.linalg.solve_triangular(self._root, self._means, lower=True))

    @property
    def information_gain(self) -> float:
        """½ log det(I + K_t / λ) of all observations, where λ is the noise variance of each."""
        return float(np.log(self._root.diagonal()).sum() - 0.5 * np.log(self._noise).sum())

    def _across(self, action: int) -> Matrix:
        """K between the pairs and one action at all types (u, q)."""
        every = np.arange(self._gram.n_types)
        return self._gram.block(self.pairs.actions, self.pairs.types, np.full(len(every), action), every)

    def _within(self, action: int) -> Matrix:
        """K of one action between all types (q, q)."""
        every, same = np.arange(self._gram.n_types), np.full(self._gram.n_types, action)
        return self._gram.block(same, every, same, every)

    def predict(self, action: int) -> Posterior:
        """Return mean and variance (q, m) of b at one action and all types."""
        v = scipy.linalg.solve_triangular(self._root, self._across(action), lower=True)
        prior = self._within(action).diagonal()
        variance = self._not_lost(prior - np.vecdot(v.T, v.T), prior)
        mean = self._centre + self._unit * (v.T @ self._solved)
        return Posterior(mean, np.outer(variance, np.full(mean.shape[1], (self._unit * self._factor) ** 2)))

    def sums(self, action: int, gained: Matrix, given_up: Matrix) -> Posterior:
        """Return mean and variance (1, m) of Σ_θ gained[θ] b(x, θ) − Σ_u given_up[u] b(u), for the action x.

        `gained` (q, m) has a weight of each type, `given_up` (u, m) one of each pair. With ℓ these weights,

        mean = ℓᵀ K_ℓu (K + N)⁻¹ y,   variance = ℓᵀ (K_ℓℓ − K_ℓu (K + N)⁻¹ K_uℓ) ℓ.
        """
        across = self._across(action)
        lost = self._among @ given_up
        column = across @ gained - lost
        v = scipy.linalg.solve_triangular(self._root, column, lower=True)
        parts = np.vecdot(gained.T, (self._within(action) @ gained).T), np.vecdot(given_up.T, lost.T)
        prior = parts[0] - 2 * np.vecdot(given_up.T, (across @ gained).T) + parts[1]
        variance = self._not_lost(prior - np.vecdot(v.T, v.T), parts[0] + parts[1])
        mean = self._unit * np.vecdot(v.T, self._solved.T) + self._centre * (gained.sum(axis=0) - given_up.sum(axis=0))
        return Posterior(np.atleast_2d(mean), np.atleast_2d(variance * (self._unit * self._factor) ** 2))

    def _not_lost(self, variance: Vector, size: Vector) -> Vector:
        """Variances, at least the rounding error of the sums whose difference they are."""
        if not np.all(variance >= -CLEARLY_NEGATIVE * size):
            raise PrecisionLost(
                f"the variance of a sum over rounds is {variance.min():.3g}, of terms up to {size.max():.3g}: raise "
                "the regularization, or scale the features down."
            )
        return np.maximum(variance, rounding(len(self.pairs.actions)) * size)
