"""A belief for types that may be new in every round: a growing Cholesky factor, one triangular solve per round."""

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Self

import numpy as np
from sklearn.gaussian_process.kernels import Kernel

from firstmover.beliefs.checks import check_features, check_scale, lost_variance, rounding, stands_clear
from firstmover.beliefs.exact import SUMS_RATIO, mean_from_sums
from firstmover.beliefs.factor import GrowingFactor
from firstmover.beliefs.growing_rows import GrowingRows
from firstmover.beliefs.sampling import Sampling
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Matrix, Prediction, Vector, as_array, as_index, positive
from firstmover.kernels import pairs
from firstmover.kernels.gram import WHOLE, MenuGram

FEW = 64
"""Actions up to which the columns of V are solved together even for one of them: L is read once either way."""


class Menu:
    """X with its kernel and λ: the constants of all beliefs over a menu."""

    def __init__(self, kernel: Kernel, regularization: float, actions: Matrix) -> None:
        self.actions = as_array("actions", actions, ndim=2)
        self.regularization = positive("regularization", regularization)
        self.gram = MenuGram(kernel, self.actions)


class Observations:
    """The observations along one line of beliefs, with L and W = L⁻¹ y; a belief uses the first `count` of them."""

    def __init__(self, menu: Menu, n_outputs: int) -> None:
        self.menu, self.actions = menu, list[int]()
        self.factor, self.types = GrowingFactor(), GrowingRows(0)
        self.terms = [GrowingRows(len(menu.actions)) for _ in menu.gram.tables]
        self.responses, self.solved = GrowingRows(n_outputs), GrowingRows(n_outputs)

    def at(self, count: int) -> "Observations":
        """Return these observations if there are `count` of them, otherwise a copy of the first `count`."""
        if len(self.actions) == count:
            return self
        copy = Observations.__new__(Observations)
        copy.menu, copy.actions = self.menu, self.actions[:count]
        copy.factor = self.factor.copied(count)
        copy.types = self.types.copied(count) if count else GrowingRows(0)
        copy.terms = [rows.copied(count) for rows in self.terms]
        copy.responses, copy.solved = self.responses.copied(count), self.solved.copied(count)
        return copy

    def append(self, action: int, opponent_type: Vector, response: Vector, row: Vector, pivot: float) -> None:
        """Add an observation whose row of L is (row, pivot)."""
        t = len(self.actions)
        self.factor.append(t, row, pivot)
        for rows, term in zip(self.terms, self.menu.gram.action_rows(action), strict=True):
            rows.append(t, term)
        if t == 0:
            self.types = GrowingRows(len(opponent_type))
        self.types.append(t, opponent_type)
        self.responses.append(t, response)
        self.solved.append(t, (response - (row[None] @ self.solved.first(t))[0]) / pivot)
        self.actions.append(action)


class Solved(NamedTuple):
    """V = L⁻¹ K(observed, (X, θ)) at the type of the last prediction, with k((x, θ), (x, θ)) of all actions."""

    key: bytes
    prior_variance: Vector
    v: Matrix


class FreshBelief(Sampling):
    """Eqs. (2) and (3) with K_t + λI = L Lᵀ, for all actions at any one type.

    V = L⁻¹ K(observed, (X, θ)),   μ = Vᵀ W with W = L⁻¹ y,   σ² = k − Σ_i V_i²

    A prediction costs O(t² n). An observation appends one row to L and W: V of the one action, at no cost if its type
    was predicted before and n is small, otherwise in O(t² + t n). How V is solved depends on n alone, so that the last
    bits of a belief do not depend on earlier predictions.
    """

    __slots__ = ("_menu", "_observed", "_predicted", "_solved", "count", "information_gain")

    _menu: Menu
    _observed: Observations
    _solved: Solved | None
    _predicted: tuple[Solved, Prediction] | None
    count: int
    information_gain: float

    @classmethod
    def prior(cls, kernel: Kernel, regularization: float, actions: Matrix, n_outputs: int) -> Self:
        """Return the belief before the first round: mean 0 and variance k(z, z)."""
        menu = Menu(kernel, regularization, actions)
        return cls()._with(menu, Observations(menu, n_outputs), 0, 0.0)

    def _with(self, menu: Menu, observed: Observations, count: int, information_gain: float) -> Self:
        self._menu, self._observed, self._solved, self._predicted = menu, observed, None, None
        self.count, self.information_gain = count, information_gain
        return self

    @property
    def menu(self) -> Menu:
        """X with its kernel and λ."""
        return self._menu

    @property
    def actions(self) -> Matrix:
        """X (n, d)."""
        return self._menu.actions

    @property
    def kernel(self) -> Kernel:
        """k, bound to the menu."""
        return self._menu.gram.kernel

    @property
    def regularization(self) -> float:
        """λ."""
        return self._menu.regularization

    @property
    def n_outputs(self) -> int:
        """m."""
        return self._observed.solved.width

    def history(self) -> Iterator[tuple[int, Vector, Vector]]:
        """Iterate over action, type and response of every observation."""
        t, past = self.count, self._observed
        return zip(past.actions[:t], past.types.first(t), past.responses.first(t), strict=True)

    def predict(self, opponent_type: Vector) -> Prediction:
        """Return mean (n, m) and standard deviation (n,) of all actions at any type."""
        opponent_type = as_array("opponent_type", opponent_type, ndim=1)
        solved = self._solve(opponent_type)
        if self._predicted is not None and self._predicted[0] is solved:
            return self._predicted[1]
        variance = self._variance(solved.prior_variance, solved.v, self._menu.actions, opponent_type)
        mean, std = self._mean(solved, opponent_type), np.sqrt(variance)
        mean.flags.writeable = std.flags.writeable = False
        self._predicted = solved, Prediction(mean, std)
        return self._predicted[1]

    def covariance(self, opponent_type: Vector, /, actions: Sequence[int] | None = None) -> Matrix:
        """Return the posterior covariance k − VᵀV of b at some actions (all by default) and one type: (k, k)."""
        opponent_type = as_array("opponent_type", opponent_type, ndim=1)
        chosen = slice(None) if actions is None else [as_index("action", a, len(self.actions)) for a in actions]
        v = self._solve(opponent_type).v[:, chosen]
        return self.kernel(pairs(self.actions[chosen], opponent_type[None])) - v.T @ v

    def condition(self, action: int, opponent_type: Vector, response: Vector) -> Self:
        """Return the belief after one more response."""
        menu = self._menu
        response = as_array("response", response, ndim=1, length=self.n_outputs)
        action = as_index("action", action, len(menu.actions))
        opponent_type = as_array("opponent_type", opponent_type, ndim=1)
        row, variance = self._solve_one(action, opponent_type)
        pivot = math.sqrt(variance + menu.regularization)
        observed = self._observed.at(self.count)
        observed.append(action, opponent_type, response, row, pivot)
        gain = self.information_gain + 0.5 * math.log(pivot * pivot / menu.regularization)
        return type(self)()._with(menu, observed, self.count + 1, gain)

    def _solve(self, opponent_type: Vector) -> Solved:
        """Return V of all actions at one type; the last one is cached."""
        key = opponent_type.tobytes()
        if self._solved is None or self._solved.key != key:
            prior_variance = self._prior_variance(opponent_type)
            self._solved = Solved(
                key, prior_variance, self._observed.factor.solve(self.count, self._across(opponent_type))
            )
        return self._solved

    def _solve_one(self, action: int, opponent_type: Vector) -> tuple[Vector, float]:
        """Return V (t,) and σ² of one action at one type."""
        one = slice(action, action + 1)
        if len(self._menu.actions) <= FEW:
            _, prior_variance, v = self._solve(opponent_type)
            v = v[:, one]
        else:
            prior_variance = self._prior_variance(opponent_type)
            v = self._observed.factor.solve(self.count, self._across(opponent_type, one))
        prior = prior_variance[one]
        variance = prior - np.einsum("ij,ij->j", v, v)
        if not variance.item() >= rounding(self.count) * prior.item():
            raise self._lost(variance, self._menu.actions[one], opponent_type)
        return v[:, 0], variance.item()

    def _prior_variance(self, opponent_type: Vector) -> Vector:
        """Return k((x, θ), (x, θ)) of all actions, or raise if the type does not fit those observed."""
        menu, width = self._menu, self._observed.types.width
        if self.count and width != len(opponent_type):
            raise InvalidInput(
                f"opponent_type has {len(opponent_type)} feature(s): those observed before had {width}; give as many."
            )
        if not self.count:
            check_features(menu.gram.kernel, menu.actions.shape[1], np.append(menu.actions[0], opponent_type))
        diagonal = menu.gram.diagonal(opponent_type)
        check_scale(menu.regularization, diagonal)
        return diagonal

    def _across(self, opponent_type: Vector, columns: slice = WHOLE) -> Matrix:
        """Return K(observed, (X, θ)) (t, n), or some columns of it."""
        t, past = self.count, self._observed
        terms = [rows.first(t) for rows in past.terms]
        actions = past.actions if len(past.actions) == t else past.actions[:t]
        return self._menu.gram.across(terms, actions, past.types.first(t), opponent_type, columns)

    def _variance(self, prior_variance: Vector, v: Matrix, actions: Matrix, opponent_type: Vector) -> Vector:
        """Return σ² of some actions, or raise if rounding may have consumed it."""
        variance: Vector = prior_variance - np.einsum("ij,ij->j", v, v)
        if not stands_clear(variance, prior_variance, self.count):
            raise self._lost(variance, actions, opponent_type)
        return variance

    def _lost(self, variance: Vector, actions: Matrix, opponent_type: Vector) -> Exception:
        queries = pairs(actions, opponent_type[None])
        return lost_variance(variance, self.regularization, self.kernel, self._points(), queries)

    def _mean(self, solved: Solved, opponent_type: Vector) -> Matrix:
        t, past = self.count, self._observed
        if t and self.regularization < SUMS_RATIO * solved.prior_variance[solved.prior_variance.argmax()]:
            queries = pairs(self._menu.actions, opponent_type[None])
            responses = past.responses.first(t)
            return mean_from_sums(self.kernel, self.regularization, self._points(), responses, queries)
        return solved.v.T @ past.solved.first(t)

    def _points(self) -> Matrix:
        """z of all observations (t, d + p)."""
        t = self.count
        return np.hstack([self._menu.actions[self._observed.actions[:t]], self._observed.types.first(t)])
