"""A belief for types that may be new every round: a growing Cholesky factor, one solve a round."""

import math
from collections.abc import Iterator
from typing import NamedTuple, Self

import numpy as np
from sklearn.gaussian_process.kernels import Kernel

from firstmover.beliefs.buffers import AppendOnly
from firstmover.beliefs.checks import check_features, check_scale, lost_variance, stands_clear
from firstmover.beliefs.exact import SUMS_RATIO, mean_from_sums
from firstmover.beliefs.factor import GrowingFactor
from firstmover.beliefs.skeleton import skeleton_of
from firstmover.errors import InvalidInput
from firstmover.gram import WHOLE, MenuGram
from firstmover.kernels import pairs
from firstmover.records import Matrix, Prediction, Vector, as_array, as_index, positive


class Menu:
    """X with its kernel and λ: what all beliefs over it share."""

    def __init__(self, kernel: Kernel, regularization: float, actions: Matrix) -> None:
        self.actions = as_array("actions", actions, ndim=2)
        self.regularization = positive("regularization", regularization)
        skeleton = skeleton_of(kernel, self.actions)
        self.gram = MenuGram(kernel, self.actions, among=skeleton.indices if skeleton else None)
        self.weights = skeleton.weights if skeleton else None


FEW = 64
"""Columns of V that are solved together even for one action: L has to be read for one as for all of them."""


class Asked(NamedTuple):
    """What was worked out at the type that a belief was asked about last: k((x, θ), (x, θ)), and V of the skeleton."""

    key: bytes
    diagonal: Vector
    solved: Matrix


class FreshBelief:
    """Eqs. (2) and (3) with K_t + λI = L Lᵀ, for all actions at any one type.

    V = L⁻¹ K(observed, (X, θ)),   μ = Vᵀ W with W = L⁻¹ y,   σ² = k − Σ_i V_i²

    Predicting costs O(t² s), where s is the size of the menu or, for kernels polynomial in the action, of its skeleton.
    An observation appends one row to L and W: V of the one action, at no cost where its type was predicted just before
    and s is small, else in O(t² + t s). How it is solved depends on s alone, so that the last bits of a belief do not
    depend on what was predicted before.
    """

    __slots__ = (
        "_asked",
        "_factor",
        "_last",
        "_menu",
        "_observed",
        "_responses",
        "_shares",
        "_solved",
        "_types",
        "count",
        "information_gain",
    )

    _menu: Menu
    _factor: GrowingFactor
    _observed: list[int]
    _shares: list[AppendOnly]
    _responses: AppendOnly
    _solved: AppendOnly
    _types: AppendOnly
    _asked: Asked | None
    _last: tuple[bytes, Matrix, Vector] | None
    count: int
    information_gain: float

    @classmethod
    def prior(cls, kernel: Kernel, regularization: float, actions: Matrix, n_outputs: int) -> Self:
        """The belief before the first round: mean 0 and variance k(z, z)."""
        belief = cls()
        belief._menu = menu = Menu(kernel, regularization, actions)
        belief._factor, belief._observed = GrowingFactor(), []
        belief._shares = [AppendOnly.empty(len(menu.gram.menu)) for _ in menu.gram.shares]
        belief._solved, belief._responses = AppendOnly.empty(n_outputs), AppendOnly.empty(n_outputs)
        belief._types = AppendOnly.empty(0)
        belief._asked, belief._last, belief.count, belief.information_gain = None, None, 0, 0.0
        return belief

    def _ask(self, opponent_type: Vector) -> Asked:
        """V of the skeleton at one type, or of all actions where there is none; kept for whoever asks again."""
        key = opponent_type.tobytes()
        if self._asked is None or self._asked.key != key:
            diagonal = self._diagonal(opponent_type)
            self._asked = Asked(key, diagonal, self._factor.solve(self.count, self._across(opponent_type)))
        return self._asked

    def _solve(self, asked: Asked, opponent_type: Vector) -> tuple[Matrix, Vector]:
        """V and σ² of all actions at the type that was asked about; kept too."""
        weights = self._menu.weights
        if self._last is None or self._last[0] != asked.key:
            v = asked.solved if weights is None else asked.solved @ weights
            self._last = asked.key, v, self._left(asked.diagonal, v, self._menu.actions, opponent_type)
        return self._last[1:]

    def _solve_one(self, action: int, opponent_type: Vector) -> tuple[Vector, float]:
        """V and σ² of one action at one type."""
        weights, one = self._menu.weights, slice(action, action + 1)
        if len(self._menu.gram.menu) <= FEW:
            _, diagonal, solved = self._ask(opponent_type)
            v = solved[:, one] if weights is None else solved @ weights[:, one]
        else:
            diagonal = self._diagonal(opponent_type)
            part = self._across(opponent_type, one if weights is None else WHOLE)
            v = self._factor.solve(self.count, part if weights is None else part @ weights[:, one])
        return v[:, 0], float(self._left(diagonal[one], v, self._menu.actions[one], opponent_type)[0])

    def _diagonal(self, opponent_type: Vector) -> Vector:
        """k((x, θ), (x, θ)) of all actions, if the type is one that can be asked about."""
        menu, types = self._menu, self._types.first(self.count)
        if self.count and types.shape[1] != len(opponent_type):
            raise InvalidInput(
                f"opponent_type has {len(opponent_type)} feature(s): those observed before had {types.shape[1]}; "
                "give as many."
            )
        if not self.count:
            check_features(menu.gram.kernel, menu.actions.shape[1], np.append(menu.actions[0], opponent_type))
        diagonal = menu.gram.diagonal(opponent_type)
        check_scale(menu.regularization, diagonal)
        return diagonal

    def _across(self, opponent_type: Vector, columns: slice = WHOLE) -> Matrix:
        """K(observed, (X, θ)), for the skeleton of X where it has one."""
        t, shares = self.count, [buffer.first(self.count) for buffer in self._shares]
        return self._menu.gram.across(shares, self._observed[:t], self._types.first(t), opponent_type, columns)

    def _left(self, diagonal: Vector, v: Matrix, actions: Matrix, opponent_type: Vector) -> Vector:
        """σ² of these actions."""
        variance: Vector = diagonal - np.einsum("ij,ij->j", v, v)
        if not stands_clear(variance, diagonal, self.count):
            queries = pairs(actions, opponent_type[None])
            raise lost_variance(variance, self.regularization, self.kernel, self._points(), queries)
        return variance

    @property
    def menu(self) -> Menu:
        """X with its kernel and λ."""
        return self._menu

    @property
    def n_outputs(self) -> int:
        """m."""
        return self._solved.rows.shape[1]

    def history(self) -> Iterator[tuple[int, Vector, Vector]]:
        """Action, type and response of every observation."""
        t = self.count
        return zip(self._observed[:t], self._types.first(t), self._responses.first(t), strict=True)

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

    def predict(self, opponent_type: Vector) -> Prediction:
        """Mean (n, m) and standard deviation (n,) of all actions at any type."""
        opponent_type = as_array("opponent_type", opponent_type, ndim=1)
        asked = self._ask(opponent_type)
        v, variance = self._solve(asked, opponent_type)
        if self.count and self.regularization < SUMS_RATIO * asked.diagonal[asked.diagonal.argmax()]:
            mean = mean_from_sums(
                self.kernel,
                self.regularization,
                self._points(),
                self._responses.first(self.count),
                pairs(self._menu.actions, opponent_type[None]),
            )
        else:
            mean = v.T @ self._solved.first(self.count)
        return Prediction(mean, np.sqrt(variance))

    def _points(self) -> Matrix:
        """z of all observations (t, d + p)."""
        return np.hstack([self._menu.actions[self._observed[: self.count]], self._types.first(self.count)])

    def condition(self, action: int, opponent_type: Vector, response: Vector) -> Self:
        """The belief after one more response."""
        menu, t = self._menu, self.count
        response = as_array("response", response, ndim=1, length=self.n_outputs)
        action = as_index("action", action, len(menu.actions))
        opponent_type = as_array("opponent_type", opponent_type, ndim=1)
        row, variance = self._solve_one(action, opponent_type)
        d = math.sqrt(variance + menu.regularization)
        child = type(self)()
        child._menu, child.count, child._asked, child._last = menu, t + 1, None, None
        child._factor = self._factor.append(t, row, d)
        child._observed = self._observed if len(self._observed) == t else self._observed[:t]
        child._observed.append(action)
        child._shares = [
            buffer.append(t, share[0])
            for buffer, share in zip(self._shares, menu.gram.action_rows(action), strict=True)
        ]
        child._types = (self._types if t else AppendOnly.empty(len(opponent_type))).append(t, opponent_type)
        child._responses = self._responses.append(t, response)
        child._solved = self._solved.append(t, (response - (row[None] @ self._solved.first(t))[0]) / d)
        child.information_gain = self.information_gain + 0.5 * math.log(d * d / menu.regularization)
        return child
