"""A belief for types that may be new in every round: a growing Cholesky factor, one triangular solve per round."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

import numpy as np

from firstmover import kernels
from firstmover.beliefs.checks import check_features, check_scale, lost_variance, rounding, stands_clear
from firstmover.beliefs.exact import SUMS_RATIO, mean_from_sums
from firstmover.beliefs.growing import GrowingFactor, GrowingRows
from firstmover.beliefs.sampling import Sampling
from firstmover.core.arrays import Matrix, Vector, as_array, as_index, positive
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Prediction
from firstmover.kernels import pairs

if TYPE_CHECKING:
    from sklearn.gaussian_process.kernels import Kernel

FEW = 64
"""Actions up to which the columns of V are solved together even for one of them: L is read once either way."""


class Observations:
    """The observations along one line of beliefs, with L and W = L⁻¹ y; a belief uses the first `count` of them."""

    def __init__(self, gram: "kernels.MenuGram", n_outputs: int) -> None:
        self.gram, self.actions = gram, list[int]()
        self.factor, self.types = GrowingFactor(), GrowingRows(0)
        self.terms = [GrowingRows(len(gram.actions)) for _ in gram.tables]
        self.responses, self.solved = GrowingRows(n_outputs), GrowingRows(n_outputs)

    def at(self, count: int) -> "Observations":
        """Return these observations if there are `count` of them, otherwise a copy of the first `count`."""
        if len(self.actions) == count:
            return self
        copy = Observations.__new__(Observations)
        copy.gram, copy.actions = self.gram, self.actions[:count]
        copy.factor, copy.types = self.factor.copied(count), self.types.copied(count)
        copy.terms = [rows.copied(count) for rows in self.terms]
        copy.responses, copy.solved = self.responses.copied(count), self.solved.copied(count)
        return copy

    def append(self, action: int, opponent_type: Vector, response: Vector, row: Vector, pivot: float) -> None:
        """Add an observation whose row of L is (row, pivot)."""
        t = len(self.actions)
        self.factor.append(t, row, pivot)
        for rows, term in zip(self.terms, self.gram.action_rows(action), strict=True):
            rows.append(t, term)
        if t == 0:
            self.types = GrowingRows(len(opponent_type))
        self.types.append(t, opponent_type)
        self.responses.append(t, response)
        self.solved.append(t, (response - (row[None] @ self.solved.first(t))[0]) / pivot)
        self.actions.append(action)

    def across(self, count: int, opponent_type: Vector, columns: slice = slice(None)) -> Matrix:
        """Return K(observed, (X, θ)) (count, n) of the first observations, or some columns of it."""
        actions = self.actions if len(self.actions) == count else self.actions[:count]
        terms = [rows.first(count) for rows in self.terms]
        return self.gram.across(terms, actions, self.types.first(count), opponent_type, columns)


class Solved:
    """V = L⁻¹ K(observed, (X, θ)), k and σ² of all actions at one type, and the prediction once it was asked for."""

    __slots__ = ("opponent_type", "prediction", "prior_variance", "v", "variance")

    def __init__(self, opponent_type: Vector, prior_variance: Vector, v: Matrix) -> None:
        self.opponent_type, self.prior_variance, self.v = opponent_type, prior_variance, v
        self.variance: Vector = prior_variance - np.einsum("ij,ij->j", v, v)
        self.prediction: Prediction | None = None


class FreshBelief(Sampling):
    """Eqs. (2) and (3) with K_t + λI = L Lᵀ, for all actions at any one type.

    V = L⁻¹ K(observed, (X, θ)),   μ = Vᵀ W with W = L⁻¹ y,   σ² = k − Σ_i V_i²

    A prediction costs O(t² n). An observation appends one row to L and W: V of the one action, at no cost if its type
    was predicted before and n is small, otherwise in O(t² + t n). How V is solved depends on n alone, so that the last
    bits of a belief do not depend on earlier predictions.
    """

    __slots__ = ("_gram", "_observed", "_solved", "count", "information_gain", "regularization")

    _gram: "kernels.MenuGram"
    _observed: Observations
    _solved: Solved | None  # at the type that was asked for last
    regularization: float
    count: int
    information_gain: float

    @classmethod
    def prior(cls, kernel: "Kernel", regularization: float, actions: Matrix, n_outputs: int) -> Self:
        """Return the belief before the first round: mean 0 and variance k(z, z)."""
        gram = kernels.MenuGram(kernel, as_array("actions", actions, ndim=2))
        return cls()._with(Observations(gram, n_outputs), positive("regularization", regularization), 0, 0.0)

    def _with(self, observed: Observations, regularization: float, count: int, information_gain: float) -> Self:
        self._gram, self._observed, self._solved = observed.gram, observed, None
        self.regularization, self.count, self.information_gain = regularization, count, information_gain
        return self

    @property
    def kernel(self) -> "Kernel":
        """k, bound to the menu."""
        return self._gram.kernel

    def predict(self, opponent_type: Vector) -> Prediction:
        """Return mean (n, m) and standard deviation (n,) of all actions at any type, read-only."""
        solved = self._at(opponent_type)
        if solved.prediction is None:
            if not stands_clear(solved.variance, solved.prior_variance, self.count):
                raise self._lost(solved.variance, self._gram.actions, solved.opponent_type)
            mean, std = self._mean(solved), np.sqrt(solved.variance)
            mean.flags.writeable = std.flags.writeable = False
            solved.prediction = Prediction(mean, std)
        return solved.prediction

    def prior_std(self, opponent_type: Vector) -> Vector:
        """Return √k(z, z) of all actions at any type."""
        return np.sqrt(self._at(opponent_type).prior_variance)

    def covariance(self, opponent_type: Vector, /, actions: Sequence[int] | None = None) -> Matrix:
        """Return the posterior covariance k − VᵀV of b at some actions (all by default) and one type: (k, k)."""
        menu, solved = self._gram.actions, self._at(opponent_type)
        chosen = slice(None) if actions is None else [as_index("action", a, len(menu)) for a in actions]
        v = solved.v[:, chosen]
        return self.kernel(pairs(menu[chosen], solved.opponent_type[None])) - v.T @ v

    def condition(self, action: int, opponent_type: Vector, response: Vector, noise: float = 1.0) -> Self:
        """Return the belief after one more response, whose noise variance is `noise` times λ."""
        response = as_array("response", response, ndim=1, length=self._observed.solved.width)
        action = as_index("action", action, len(self._gram.actions))
        opponent_type = as_array("opponent_type", opponent_type, ndim=1)
        row, variance = self._solve_one(action, opponent_type)
        squared = variance + self.regularization * noise
        observed = self._observed.at(self.count)
        observed.append(action, opponent_type, response, row, math.sqrt(squared))
        gain = self.information_gain + 0.5 * math.log(squared / (self.regularization * noise))
        return type(self)()._with(observed, self.regularization, self.count + 1, gain)

    def condition_all(
        self, actions: list[int], types: Matrix, responses: Matrix, noise: Vector, factor: Matrix
    ) -> Self:
        """Return this prior after all these responses; `factor` is L of K + λ diag(noise)."""
        observed = self._observed.at(0)
        for t, (action, kind, response) in enumerate(zip(actions, types, responses, strict=True)):
            observed.append(action, kind, response, factor[t, :t], factor[t, t])
        gain = float(np.log(factor.diagonal()).sum() - 0.5 * np.log(self.regularization * noise).sum())
        return type(self)()._with(observed, self.regularization, len(actions), gain)

    def _at(self, opponent_type: Vector) -> Solved:
        """Return V of all actions at one type; the last one is cached."""
        solved = self._solved
        if solved is None or solved.opponent_type is not opponent_type:
            opponent_type = as_array("opponent_type", opponent_type, ndim=1)
            if solved is None or not np.array_equal(solved.opponent_type, opponent_type):
                prior_variance = self._prior_variance(opponent_type)
                v = self._observed.factor.solve(self.count, self._observed.across(self.count, opponent_type))
                solved = self._solved = Solved(opponent_type, prior_variance, v)
        return solved

    def _solve_one(self, action: int, opponent_type: Vector) -> tuple[Vector, float]:
        """Return V (t,) and σ² of one action at one type."""
        one = slice(action, action + 1)
        if len(self._gram.actions) <= FEW:
            solved = self._at(opponent_type)
            v, prior, variance = solved.v[:, one], solved.prior_variance[one], solved.variance[one]
        else:
            v = self._observed.factor.solve(self.count, self._observed.across(self.count, opponent_type, one))
            prior = self._prior_variance(opponent_type)[one]
            variance = prior - np.einsum("ij,ij->j", v, v)
        if not variance.item() >= rounding(self.count) * prior.item():
            raise self._lost(variance, self._gram.actions[one], opponent_type)
        return v[:, 0], variance.item()

    def _prior_variance(self, opponent_type: Vector) -> Vector:
        """Return k((x, θ), (x, θ)) of all actions, or raise if the type does not fit those observed."""
        width = self._observed.types.width
        if self.count and width != len(opponent_type):
            raise InvalidInput(
                f"opponent_type has {len(opponent_type)} feature(s): those observed before had {width}; give as many."
            )
        if not self.count:
            actions = self._gram.actions
            check_features(self.kernel, actions.shape[1], np.append(actions[0], opponent_type))
        diagonal = self._gram.diagonal(opponent_type)
        check_scale(self.regularization, diagonal)
        return diagonal

    def _lost(self, variance: Vector, actions: Matrix, opponent_type: Vector) -> Exception:
        queries = pairs(actions, opponent_type[None])
        return lost_variance(variance, self.regularization, self.kernel, self._points(), queries)

    def _mean(self, solved: Solved) -> Matrix:
        t, past, prior = self.count, self._observed, solved.prior_variance
        if t and self.regularization < SUMS_RATIO * prior[prior.argmax()]:
            queries = pairs(self._gram.actions, solved.opponent_type[None])
            responses = past.responses.first(t)
            return mean_from_sums(self.kernel, self.regularization, self._points(), responses, queries)
        return solved.v.T @ past.solved.first(t)

    def _points(self) -> Matrix:
        """z of all observations (t, d + p)."""
        t = self.count
        return np.hstack([self._gram.actions[self._observed.actions[:t]], self._observed.types.first(t)])
