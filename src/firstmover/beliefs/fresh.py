"""A belief for types that may be new every round: a growing Cholesky factor, one solve a round."""

import math
from typing import Self

import numpy as np
from sklearn.gaussian_process.kernels import Kernel

from firstmover.beliefs.buffers import AppendOnly
from firstmover.beliefs.checks import check_features, check_scale, lost_variance, stands_clear
from firstmover.beliefs.factor import GrowingFactor
from firstmover.errors import InvalidInput
from firstmover.gram import MenuGram
from firstmover.kernels import pairs
from firstmover.records import Matrix, Prediction, Vector, as_array, as_index, positive


class FreshBelief:
    """Eqs. (2) and (3) with K_t + λI = L Lᵀ, for all actions at any one type.

    V = L⁻¹ K(observed, (X, θ)),   μ = Vᵀ W with W = L⁻¹ y,   σ² = k − Σ_i V_i²

    Predicting costs O(t² n). An observation appends one row to L and W, which this round's V already holds.
    """

    __slots__ = ("_factor", "_gram", "_last", "_observed", "_rows", "_solved", "_types", "count", "information_gain",
                 "regularization")  # fmt: skip

    _gram: MenuGram
    _factor: GrowingFactor
    _observed: list[int]
    _rows: list[AppendOnly]
    _solved: AppendOnly
    _types: AppendOnly
    _last: tuple[bytes, Matrix, Vector] | None
    count: int
    information_gain: float
    regularization: float

    @classmethod
    def prior(cls, kernel: Kernel, regularization: float, actions: Matrix, n_outputs: int) -> Self:
        """The belief before the first round: mean 0 and variance k(z, z)."""
        actions = as_array("actions", actions, ndim=2)
        belief = cls()
        belief._gram = MenuGram(kernel, actions)
        belief.regularization = positive("regularization", regularization)
        belief._factor, belief._observed = GrowingFactor(), []
        belief._rows = [AppendOnly.empty(len(actions)) for _ in belief._gram.leaves]
        belief._solved, belief._types = AppendOnly.empty(n_outputs), AppendOnly.empty(0)
        belief._last, belief.count, belief.information_gain = None, 0, 0.0
        return belief

    def _solve(self, opponent_type: Vector) -> tuple[Matrix, Vector]:
        """V and σ² of all actions at one type; the last answer is kept, for the observation that follows."""
        opponent_type = np.asarray(opponent_type, dtype=float)
        key = opponent_type.tobytes()
        if self._last is not None and self._last[0] == key:
            return self._last[1], self._last[2]
        opponent_type, types = as_array("opponent_type", opponent_type, ndim=1), self._types.first(self.count)
        if self.count and types.shape[1] != len(opponent_type):
            raise InvalidInput(
                f"opponent_type has {len(opponent_type)} feature(s): those observed before had {types.shape[1]}; "
                "give as many."
            )
        if not self.count:
            actions = self._gram.actions
            check_features(self._gram.kernel, actions.shape[1], np.append(actions[0], opponent_type))
        diagonal = self._gram.diagonal(opponent_type)
        check_scale(self.regularization, diagonal)
        rows, past = [buffer.first(self.count) for buffer in self._rows], self._observed[: self.count]
        v = self._factor.solve(self.count, self._gram.across(rows, past, types, opponent_type))
        variance = diagonal - np.einsum("ij,ij->j", v, v)
        if not stands_clear(variance, diagonal, self.count):
            menu, points = self._gram.actions, np.hstack([self._gram.actions[past], types])
            queries = pairs(menu, opponent_type[None])
            raise lost_variance(variance, self.regularization, self._gram.kernel, points, queries)
        self._last = key, v, variance
        return v, variance

    @property
    def kernel(self) -> Kernel:
        """k, bound to the menu."""
        return self._gram.kernel

    def predict(self, opponent_type: Vector) -> Prediction:
        """Mean (n, m) and standard deviation (n,) of all actions at any type."""
        v, variance = self._solve(opponent_type)
        return Prediction(v.T @ self._solved.first(self.count), np.sqrt(variance))

    def condition(self, action: int, opponent_type: Vector, response: Vector) -> Self:
        """The belief after one more response."""
        response, t = as_array("response", response, ndim=1, length=self._solved.rows.shape[1]), self.count
        action = as_index("action", action, len(self._gram.actions))
        v, variance = self._solve(opponent_type)
        row, d = v[:, action], math.sqrt(variance[action] + self.regularization)
        child = type(self)()
        child._gram, child.regularization, child.count, child._last = self._gram, self.regularization, t + 1, None
        child._factor = self._factor.append(t, row, d)
        child._observed = self._observed if len(self._observed) == t else self._observed[:t]
        child._observed.append(action)
        shares = self._gram.action_rows(action)
        child._rows = [buffer.append(t, share) for buffer, share in zip(self._rows, shares, strict=True)]
        child._types = (self._types if t else AppendOnly.empty(len(opponent_type))).append(t, opponent_type)
        child._solved = self._solved.append(t, (response - row @ self._solved.first(t)) / d)
        child.information_gain = self.information_gain + 0.5 * math.log(d * d / self.regularization)
        return child
