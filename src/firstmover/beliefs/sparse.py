"""A belief for very long horizons with fresh types: a budget of inducing points, with its error stated."""

from dataclasses import dataclass
from typing import Self

import numpy as np
from sklearn.gaussian_process.kernels import Kernel

from firstmover.beliefs.buffers import AppendOnly
from firstmover.beliefs.exact import posterior
from firstmover.beliefs.fresh import FreshBelief
from firstmover.beliefs.inducing import Features
from firstmover.errors import InvalidInput
from firstmover.kernels import pairs
from firstmover.records import Matrix, Prediction, Vector, as_array, as_index


@dataclass(frozen=True)
class ProbeError:
    """How far a budgeted belief is from the exact one, at some types and all actions.

    `mean` is the largest |μ̃ − μ| / σ; `narrowest` and `widest` are the extremes of σ̃ / σ, before any widening.
    """

    mean: float
    narrowest: float
    widest: float


class BudgetedBelief:
    """Eqs. (2) and (3) in the features of at most `budget` inducing points, as in BKB (Calandriello et al. 2019).

    Exact until more than `budget` responses came; then a round costs O(budget² n) whatever t, and the inducing points
    are chosen anew, in O(t budget²), whenever t has doubled. With tr(K − Q) the part of all k(z, z) that the inducing
    points do not explain and σ̃² = k − zᵀz + λ zᵀA⁻¹z,

    |b − μ̃| ≤ (σ / √λ · √(2 log(1/δ) + 2γ) + B (1 + √(tr(K − Q) / λ))) σ̃

    holds under the assumptions of Lemma 4. So `std` is σ̃ times `width_factor` = 1 + √(tr(K − Q) / λ), and
    `information_gain` is an upper bound of γ: any width that is right for the exact belief is right here.
    """

    __slots__ = (
        "_dimension",
        "_exact",
        "_features",
        "_observed",
        "_responses",
        "_selected_at",
        "_types",
        "budget",
        "count",
    )

    _dimension: float  # an upper bound of the effective dimension
    _exact: FreshBelief
    _features: Features | None
    _observed: list[int]
    _responses: AppendOnly
    _selected_at: int
    _types: AppendOnly
    budget: int
    count: int

    @classmethod
    def prior(cls, kernel: Kernel, regularization: float, actions: Matrix, n_outputs: int, budget: int) -> Self:
        """The belief before the first round: mean 0 and variance k(z, z)."""
        belief = cls()
        if as_index("budget", budget) < 1:
            raise InvalidInput(f"budget is {budget}: give 1 inducing point or more.")
        belief._exact = FreshBelief.prior(kernel, regularization, actions, n_outputs)
        belief._features, belief._observed = None, []
        belief._responses, belief._types = AppendOnly.empty(n_outputs), AppendOnly.empty(0)
        belief._dimension = 0.0
        belief._selected_at, belief.budget, belief.count = budget, budget, 0
        return belief

    @property
    def kernel(self) -> Kernel:
        """k, bound to the menu."""
        return self._exact.kernel

    @property
    def regularization(self) -> float:
        """λ."""
        return self._exact.regularization

    @property
    def information_gain(self) -> float:
        """½ log det(I + K_t / λ), or an upper bound of it beyond the budget."""
        return self._exact.information_gain if self._features is None else self._features.information_gain()

    @property
    def effective_dimension(self) -> float:
        """tr K(K + λI)⁻¹ as far as the inducing points can tell: an upper bound beyond the budget."""
        if self._features is not None:
            return self._features.effective_dimension()
        eigenvalues = np.linalg.eigvalsh(self.kernel(self._points())) if self.count else np.zeros(0)
        return float(np.sum(eigenvalues / (eigenvalues + self.regularization)))

    @property
    def width_factor(self) -> float:
        """By how much σ̃ is widened: 1 + √(tr(K − Q) / λ)."""
        unexplained = 0.0 if self._features is None else self._features.unexplained
        return 1 + float(np.sqrt(unexplained / self.regularization))

    def _points(self) -> Matrix:
        """z of all observations (t, d + p)."""
        return np.hstack([self._exact.actions[self._observed[: self.count]], self._types.first(self.count)])

    def predict(self, opponent_type: Vector) -> Prediction:
        """Mean (n, m) and widened standard deviation (n,) of all actions at any type."""
        if self._features is None:
            return self._exact.predict(opponent_type)
        plain = self._plain(opponent_type)
        return Prediction(plain.mean, plain.std * self.width_factor)

    def _plain(self, opponent_type: Vector) -> Prediction:
        """μ̃ and σ̃."""
        assert self._features is not None
        opponent_type = as_array("opponent_type", opponent_type, ndim=1, length=self._types.rows.shape[1])
        mean, variance = self._features.posterior(pairs(self._exact.actions, opponent_type[None]))
        return Prediction(mean, np.sqrt(variance))

    def condition(self, action: int, opponent_type: Vector, response: Vector) -> Self:
        """The belief after one more response; refused once the budget is below the effective dimension."""
        child, t = type(self)(), self.count
        response = as_array("response", response, ndim=1, length=self._responses.rows.shape[1])
        action = as_index("action", action, len(self._exact.actions))
        opponent_type = as_array("opponent_type", opponent_type, ndim=1)
        child.budget, child.count = self.budget, t + 1
        child._selected_at, child._dimension = self._selected_at, self._dimension
        child._exact = self._exact if t >= self.budget else self._exact.condition(action, opponent_type, response)
        child._observed = self._observed if len(self._observed) == t else self._observed[:t]
        child._observed.append(action)
        child._types = (self._types if t else AppendOnly.empty(len(opponent_type))).append(t, opponent_type)
        child._responses, child._features = self._responses.append(t, response), self._features
        if child.count > self.budget:
            child._compress(np.append(self._exact.actions[action], opponent_type)[None], response[None])
        return child

    def _compress(self, point: Matrix, response: Matrix) -> None:
        """Take in the newest observation, with new inducing points when they are due or the old ones fall short."""
        old = self._features
        if old is not None and self.count < 2 * self._selected_at:
            self._features = new = old.with_observations(point, response)
            # One more observation adds at most 1 to tr QA⁻¹, and its own share of what is unexplained.
            self._dimension += 1 + (new.unexplained - old.unexplained) / self.regularization
            if self._dimension > self.budget:
                self._dimension = new.effective_dimension()
            if self._dimension <= self.budget:
                return
        points, responses = self._points(), self._responses.first(self.count)
        self._features = Features.of(self.kernel, self.regularization, points, responses, self.budget)
        self._selected_at, self._dimension = self.count, self._features.effective_dimension()
        if self._dimension > self.budget:
            raise InvalidInput(
                f"budget is {self.budget}: {self.count} responses have an effective dimension of up to "
                f"{self._dimension:.1f}, below which the belief is unsafe; give a larger budget or regularization, or "
                "use the exact belief."
            )

    def error_on(self, opponent_types: Matrix) -> ProbeError:
        """The error against the exact belief at some types, which is computed for the purpose in O(t³)."""
        probes = as_array("opponent_types", opponent_types, ndim=2)
        if self._features is None:
            return ProbeError(0.0, 1.0, 1.0)
        queries = pairs(self._exact.actions, probes)
        responses = self._responses.first(self.count)
        exact = posterior(self.kernel, self.regularization, self._points(), responses, queries)
        mean, variance = self._features.posterior(queries)
        share = np.sqrt(variance) / exact.std
        off = np.max(np.abs(mean - exact.mean) / exact.std[:, None])
        return ProbeError(float(off), float(share.min()), float(share.max()))
