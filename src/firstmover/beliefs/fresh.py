"""A belief for types that may be new every round: a growing Cholesky factor, one solve a round."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.linalg import solve_triangular
from sklearn.gaussian_process.kernels import Kernel

from firstmover.beliefs.buffers import AppendOnly
from firstmover.beliefs.checks import check_scale, check_variance, pivot
from firstmover.errors import InvalidInput
from firstmover.kernels import bind, pairs
from firstmover.records import Matrix, Prediction, Vector, as_array, positive


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

    def _past(self, queries: Matrix) -> tuple[Matrix, Matrix, Vector]:
        """V and k(z, z) of the queries, with the observed points."""
        points = self.points.first(self.count)
        if self.count and points.shape[1] != queries.shape[1]:
            d = self.actions.shape[1]
            raise InvalidInput(
                f"opponent_type has {queries.shape[1] - d} feature(s): those observed before had {points.shape[1] - d}."
            )
        diagonal = self.kernel.diag(queries)
        check_scale(self.regularization, diagonal)
        if self.count == 0:
            return points, np.empty((0, len(queries))), diagonal
        lower = self.factor.first(self.count)[:, : self.count]
        return points, solve_triangular(lower, self.kernel(points, queries), lower=True), diagonal

    def predict(self, opponent_type: Vector) -> Prediction:
        """Mean (n, m) and standard deviation (n,) of all actions at any type."""
        _, v, diagonal = self._past(pairs(self.actions, np.atleast_2d(opponent_type)))
        variance = diagonal - np.einsum("ij,ij->j", v, v)
        check_variance(variance, diagonal, self.regularization)
        return Prediction(v.T @ self.solved.first(self.count), np.sqrt(variance))

    def condition(self, action: int, opponent_type: Vector, response: Vector) -> Self:
        """The belief after one more response."""
        new = np.concatenate([self.actions[action], opponent_type])
        points, column, diagonal = self._past(new[None])
        row = column[:, 0]
        d = pivot(float(diagonal[0] - row @ row), self.regularization, self.kernel, points, new)
        solved = (response - row @ self.solved.first(self.count)) / d
        return replace(
            self,
            count=self.count + 1,
            points=(self.points if self.count else AppendOnly.empty(len(new))).append(self.count, new),
            factor=self.factor.append(self.count, np.append(row, d)),
            solved=self.solved.append(self.count, solved),
            information_gain=self.information_gain + 0.5 * float(np.log(d**2 / self.regularization)),
        )
