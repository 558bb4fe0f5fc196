"""A belief that forgets: exact regression on the last observations, whose noise variance grows with their age."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Self

import numpy as np
import scipy  # scipy.linalg is loaded on first use: it is slow to import

from firstmover import kernels
from firstmover.beliefs.checks import check_features, lost_variance, not_definite
from firstmover.beliefs.sampling import Sampling
from firstmover.core.arrays import (
    MOST_OUTPUTS,
    Matrix,
    Vector,
    as_array,
    as_count,
    as_index,
    as_menu,
    non_negative,
    positive,
)
from firstmover.core.records import Prediction

if TYPE_CHECKING:
    from sklearn.gaussian_process.kernels import Kernel


@dataclass(frozen=True, eq=False, repr=False)
class WindowBelief(Sampling):
    """Eqs. (2) and (3) with the last W observations, where an observation of age a has the noise variance λ + ι a.

    μ(z) = k(z)ᵀ (K + N)⁻¹ y,   σ²(z) = k(z, z) − k(z)ᵀ (K + N)⁻¹ k(z),   N = diag(λ + ι a),   a = W, …, 2, 1

    ι = 0 is a sliding window alone. The belief counts its own observations as rounds: the latest one has age 1 in the
    coming round. A prediction of n actions costs O(W³ + W² n).

    >>> from sklearn.gaussian_process.kernels import RBF
    >>> belief = WindowBelief.prior(RBF(), 1.0, np.array([[0.0]]), 1, window=1, injected=2.0)
    >>> belief = belief.condition(0, np.zeros(1), np.array([9.0])).condition(0, np.zeros(1), np.array([2.0]))
    >>> belief.predict(np.zeros(1))  # 2 / (1 + 1 + 2)
    Prediction(mean=array([[0.5]]), std=array([0.8660254]))
    """

    kernel: "Kernel"
    regularization: float
    actions: Matrix
    window: int
    injected: float
    points: Matrix
    responses: Matrix

    @classmethod
    def prior(  # noqa: PLR0917
        cls,
        kernel: "Kernel",
        regularization: float,
        actions: Matrix,
        n_outputs: int,
        window: int,
        injected: float = 0.0,
    ) -> Self:
        """Return the belief before the first round: mean 0 and variance k(z, z)."""
        actions = as_menu("actions", actions)
        return cls(
            kernels.bind(kernel, actions.shape[1]),
            positive("regularization", regularization),
            actions,
            as_count("window", window),
            non_negative("injected", injected),
            np.empty((0, actions.shape[1])),
            np.empty((0, as_count("n_outputs", n_outputs, most=MOST_OUTPUTS))),
        )

    @property
    def count(self) -> int:
        """The number of observations in the window."""
        return len(self.points)

    @property
    def noise(self) -> Vector:
        """The noise variance λ + ι a of each observation, the oldest first."""
        return np.asarray(self.regularization + self.injected * np.arange(self.count, 0, -1.0), dtype=np.float64)

    def condition(self, action: int, opponent_type: Vector, response: Vector) -> Self:
        """Return the belief after one more response; the oldest one leaves a full window."""
        n, m = len(self.actions), self.responses.shape[1]
        kind = as_array("opponent_type", opponent_type, ndim=1)
        point = np.append(self.actions[as_index("action", action, n)], kind)
        response = as_array("response", response, ndim=1, length=m)
        kept = self.points if self.count else np.empty((0, len(point)))
        points = np.vstack([kept, as_array("opponent_type", point, ndim=1, length=kept.shape[1])])
        responses = np.vstack([self.responses, response])
        return replace(self, points=points[-self.window :], responses=responses[-self.window :])

    @cached_property
    def _factor(self) -> Matrix:
        """L of K + N = L Lᵀ."""
        gram = self.kernel(self.points)
        try:
            factor = scipy.linalg.cholesky(gram + np.diag(self.noise), lower=True)
        except np.linalg.LinAlgError:
            raise not_definite(gram, self.regularization, self.points) from None
        return np.asarray(factor, dtype=np.float64)

    def _queries(self, opponent_type: Vector) -> Matrix:
        kind = as_array("opponent_type", opponent_type, ndim=1)
        queries = kernels.pairs(self.actions, kind[None])
        if not self.count:
            check_features(self.kernel, self.actions.shape[1], queries[0])
        return queries

    def _solved(self, queries: Matrix) -> tuple[Matrix, Matrix]:
        """L⁻¹ k(queries) (t, k) and L⁻¹ y (t, m)."""
        if not self.count:
            return np.empty((0, len(queries))), self.responses
        cross = self.kernel(self.points, queries)
        both = scipy.linalg.solve_triangular(self._factor, np.hstack([cross, self.responses]), lower=True)
        return both[:, : len(queries)], both[:, len(queries) :]

    def predict(self, opponent_type: Vector) -> Prediction:
        """Return mean (n, m) and standard deviation (n,) of all actions at one type."""
        queries = self._queries(opponent_type)
        v, w = self._solved(queries)
        variance = self.kernel.diag(queries) - np.einsum("ij,ij->j", v, v)
        if not np.all(variance >= 0):
            raise lost_variance(variance, self.regularization, self.kernel, self.points, queries)
        return Prediction(v.T @ w, np.sqrt(variance))

    def covariance(self, opponent_type: Vector, /, actions: Sequence[int] | None = None) -> Matrix:
        """Return the posterior covariance at some actions (all by default) and one type: (k, k)."""
        queries = self._queries(opponent_type)
        if actions is not None:
            queries = queries[[as_index("action", action, len(self.actions)) for action in actions]]
        v, _ = self._solved(queries)
        return np.asarray(self.kernel(queries) - v.T @ v, dtype=np.float64)

    @property
    def information_gain(self) -> float:
        """½ log det(I + N⁻¹ K) of the observations in the window."""
        if not self.count:
            return 0.0
        return float(np.log(self._factor.diagonal()).sum() - 0.5 * np.log(self.noise).sum())
