"""A belief for types that may be new every round: a growing Cholesky factor, one solve a round."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.gaussian_process.kernels import Kernel

from firstmover.beliefs.buffers import AppendOnly
from firstmover.beliefs.checks import check_scale, negative_variance
from firstmover.errors import InvalidInput
from firstmover.kernels import bind, pairs
from firstmover.records import Matrix, Prediction, Vector, as_array, as_index, positive


@dataclass(frozen=True, eq=False)
class FreshBelief:
    """Eqs. (2) and (3) with K_t + λI = L Lᵀ, for all actions at any one type.

    V = L⁻¹ K(observed, (X, θ)),   μ = Vᵀ W with W = L⁻¹ y,   σ² = k − Σ_i V_i²

    Predicting costs O(t² n); an observation appends one row to L, W and the points, in O(t²).
    """

    kernel: Kernel
    regularization: float
    actions: Matrix
    n_outputs: int
    count: int
    points: AppendOnly
    factor: AppendOnly
    solved: AppendOnly
    information_gain: float

    @classmethod
    def prior(cls, kernel: Kernel, regularization: float, actions: Matrix, n_outputs: int) -> Self:
        """The belief before the first round: mean 0 and variance k(z, z)."""
        actions = as_array("actions", actions, ndim=2)
        return cls(
            kernel=bind(kernel, actions.shape[1]),
            regularization=positive("regularization", regularization),
            actions=actions,
            n_outputs=n_outputs,
            count=0,
            points=AppendOnly.empty(0),
            factor=AppendOnly.empty(16),
            solved=AppendOnly.empty(n_outputs),
            information_gain=0.0,
        )

    def _at(self, actions: Matrix, opponent_type: Vector) -> Matrix:
        """z = (x, θ) of these actions at one type."""
        opponent_type = as_array("opponent_type", opponent_type, ndim=1)
        before = self.points.rows.shape[1] - self.actions.shape[1]
        if self.count and len(opponent_type) != before:
            raise InvalidInput(
                f"opponent_type has {len(opponent_type)} feature(s): those observed before had {before}; give as many."
            )
        return pairs(actions, opponent_type[None])

    def _project(self, queries: Matrix) -> tuple[Matrix, Vector]:
        """V and σ² of the queries."""
        diagonal = self.kernel.diag(queries)
        check_scale(self.regularization, diagonal)
        if self.count == 0:
            return np.empty((0, len(queries))), diagonal
        points, lower = self.points.first(self.count), self.factor.first(self.count)[:, : self.count]
        v = solve_triangular(lower, self.kernel(points, queries), lower=True)
        variance = diagonal - np.einsum("ij,ij->j", v, v)
        if not np.min(variance) >= 0:
            raise negative_variance(variance, self.regularization, self.kernel, points, queries)
        return v, variance

    def predict(self, opponent_type: Vector) -> Prediction:
        """Mean (n, m) and standard deviation (n,) of all actions at any type."""
        v, variance = self._project(self._at(self.actions, opponent_type))
        return Prediction(v.T @ self.solved.first(self.count), np.sqrt(variance))

    def condition(self, action: int, opponent_type: Vector, response: Vector) -> Self:
        """The belief after one more response."""
        response = as_array("response", response, ndim=1, length=self.n_outputs)
        new = self._at(self.actions[[as_index("action", action, len(self.actions))]], opponent_type)
        column, variance = self._project(new)
        row, d = column[:, 0], float(np.sqrt(variance[0] + self.regularization))
        solved = (response - row @ self.solved.first(self.count)) / d
        return replace(
            self,
            count=self.count + 1,
            points=(self.points if self.count else AppendOnly.empty(new.shape[1])).append(self.count, new[0]),
            factor=self.factor.append(self.count, np.append(row, d)),
            solved=self.solved.append(self.count, solved),
            information_gain=self.information_gain + 0.5 * float(np.log(d**2 / self.regularization)),
        )
