"""The posterior of sums of b over many rounds: linear functionals, whose errors at different rounds partly cancel."""

from collections.abc import Iterator
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

MOST_NUMBERS = 2_000_000
"""Numbers of a kernel that are computed together: 16 MB."""

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
    """Mean and variance (…, m) of numbers of each output."""

    mean: NDArray[np.float64]
    variance: NDArray[np.float64]


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
        check_memory(
            16.0 * (len(pairs.actions) ** 2 + gram.n_types**2),
            f"the covariance of {len(pairs.actions):,} different pairs of an action and a type",
            "take fewer rounds",
        )
        self._gram, self._pairs, self._types = gram, pairs, np.arange(gram.n_types)
        self._centre, self._unit, self._scale = centre, unit, (unit * factor) ** 2
        precision, self._regularization = np.bincount(pairs.place, 1 / noise), float(noise[0])
        means = [np.bincount(pairs.place, column / noise) / precision for column in responses.T]
        self._noise, self._among = 1 / precision, gram.block(*pairs[:2], *pairs[:2])
        try:
            self._root = np.asarray(scipy.linalg.cholesky(self._among + np.diag(self._noise), lower=True))
        except np.linalg.LinAlgError:
            points = np.stack(pairs[:2], axis=1).astype(float)
            raise not_definite(self._among, float(self._noise.min()), points) from None
        self._solved = self._halved(np.stack(means, axis=1))

    def _halved(self, columns: Matrix) -> Matrix:
        """L⁻¹ columns, with L Lᵀ = K + diag(noise)."""
        return np.asarray(scipy.linalg.solve_triangular(self._root, columns, lower=True))

    @property
    def information_gain(self) -> float:
        """½ log det(I + K_t / λ) of all observations, where λ is the noise variance of each."""
        return float(np.log(self._root.diagonal()).sum() - 0.5 * np.log(self._noise).sum())

    @property
    def regularized_error(self) -> Vector:
        """min_f ‖y − f‖² + λ‖f‖_k² of each output (m,), but for the spread about the means at equal pairs.

        λ is the noise variance of each observation: with n_u of them at pair u, λ yᵀ (K + λ diag(1/n))⁻¹ y of means y.
        """
        return np.asarray(self._regularization * np.vecdot(self._solved.T, self._solved.T), dtype=np.float64)

    def _parts(self, n_actions: int) -> Iterator[tuple[slice, NDArray[np.float64], NDArray[np.float64]]]:
        """Yield parts of the menu with K between the pairs and the actions at all types (k, u, q), and (k, q, q)."""
        u, q = len(self._noise), len(self._types)
        step = max(1, MOST_NUMBERS // (q * max(u, q)))
        for first in range(0, n_actions, step):
            actions = np.arange(first, min(first + step, n_actions))
            columns = np.repeat(actions, q), np.tile(self._types, len(actions))
            across = self._gram.block(*self._pairs[:2], *columns).reshape(u, len(actions), q)
            yield slice(first, first + len(actions)), across.transpose(1, 0, 2), self._gram.within(actions)

    def predict(self, n_actions: int) -> Posterior:
        """Return mean and variance (n, q, m) of b at the first actions and all types."""
        shape = n_actions, len(self._types), self._solved.shape[1]
        mean, variance = np.empty(shape), np.empty(shape)
        for part, across, within in self._parts(n_actions):
            k, u, q = across.shape
            v = self._halved(across.transpose(1, 0, 2).reshape(u, k * q))
            prior = np.diagonal(within, axis1=1, axis2=2)
            mean[part] = self._centre + self._unit * (v.T @ self._solved).reshape(k, q, -1)
            known = np.vecdot(v.T, v.T).reshape(k, q)
            variance[part] = self._scale * self._not_lost(prior - known, prior)[:, :, None]
        return Posterior(mean, variance)

    def sums(self, gained: NDArray[np.float64], given_up: NDArray[np.float64]) -> Posterior:
        """Return mean and variance (n, m) of Σ_θ gained[x, θ] b(x, θ) − Σ_u given_up[x, u] b(u), for each action x.

        `gained` (n, q, m) has a weight of each type, `given_up` (n, u, m) one of each pair. With ℓ these weights,

        mean = ℓᵀ K_ℓu (K + N)⁻¹ y,   variance = ℓᵀ (K_ℓℓ − K_ℓu (K + N)⁻¹ K_uℓ) ℓ.
        """
        down = self._among @ given_up
        (n, u, m), columns, sizes = given_up.shape, -down, np.sum(given_up * down, axis=1)
        prior = sizes.copy()
        for part, across, within in self._parts(n):
            more, up = gained[part], across @ gained[part]
            own = np.sum(more * (within @ more), axis=1)
            columns[part] += up
            sizes[part] += own
            prior[part] += own - 2 * np.sum(given_up[part] * up, axis=1)
        v = self._halved(columns.transpose(1, 0, 2).reshape(u, n * m)).reshape(u, n, m)
        variance = self._scale * self._not_lost(prior - np.einsum("unm,unm->nm", v, v), sizes)
        mean = self._unit * np.einsum("unm,um->nm", v, self._solved)
        return Posterior(mean + self._centre * (gained.sum(axis=1) - given_up.sum(axis=1)), variance)

    def _not_lost(self, variance: NDArray[np.float64], size: NDArray[np.float64]) -> NDArray[np.float64]:
        """Variances, at least the rounding error of the sums of this size whose difference they are."""
        if not np.all(variance >= -CLEARLY_NEGATIVE * size):
            raise PrecisionLost(
                f"the variance of a sum over rounds is {variance.min():.3g}, of terms up to {size.max():.3g}: raise "
                "the regularization, or scale the features down."
            )
        return np.maximum(variance, rounding(len(self._noise)) * size)
