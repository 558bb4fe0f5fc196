"""A belief over actions x known types: the domain is finite, so mean and variance are kept for all of it."""

import math
from typing import Self

import numpy as np
from sklearn.gaussian_process.kernels import Kernel

from firstmover.beliefs.checks import check_drift, check_features, check_scale, lost_variance, stands_clear
from firstmover.beliefs.columns import TABLE_LIMIT, Columns
from firstmover.errors import InvalidInput
from firstmover.kernels import bind, pairs
from firstmover.records import Matrix, Prediction, Vector, as_array, as_index, positive


def _key(opponent_type: Vector) -> bytes:
    """Equal types have equal keys: adding 0 turns −0 into 0."""
    return (np.asarray(opponent_type, dtype=float) + 0.0).tobytes()


class FiniteDomain:
    """D = X × Θ with its kernel and λ: what all beliefs over it share."""

    def __init__(self, kernel: Kernel, regularization: float, actions: Matrix, types: Matrix) -> None:
        actions, types = as_array("actions", actions, ndim=2), as_array("types", types, ndim=2)
        self.kernel, self.points = bind(kernel, actions.shape[1]), pairs(actions, types)
        self.regularization = positive("regularization", regularization)
        check_features(self.kernel, actions.shape[1], self.points[0])
        self.prior_variance = self.kernel.diag(self.points)
        check_scale(regularization, self.prior_variance)
        self.type_index = {_key(row): i for i, row in enumerate(types)}
        self.n_actions = len(actions)

    def rows(self, opponent_type: Vector) -> slice:
        """Where the actions at one type stand in the domain."""
        index = self.type_index.get(_key(opponent_type))
        if index is None:
            raise InvalidInput(
                f"opponent_type {np.asarray(opponent_type).tolist()} is not among the {len(self.type_index)} known "
                "types: add it to the game's types, or give types=None for types that are new every round."
            )
        return slice(index * self.n_actions, (index + 1) * self.n_actions)

    def columns(self) -> Columns:
        """The prior covariance, as a table while that is small."""
        size = len(self.points)
        if size > TABLE_LIMIT:
            return Columns(lambda j: self.kernel(self.points[[j]], self.points)[0], None, size)
        gram = self.kernel(self.points)
        return Columns(gram.__getitem__, gram, size)


class FiniteBelief:
    """Eqs. (2) and (3) on the finite domain D = X × Θ, one column of the posterior covariance a round.

    With an observation y at z_j of D, c = cov(D, z_j) and d² = σ²(z_j) + λ:

    v = c / d,   μ ← μ + v (y − μ(z_j)) / d,   σ² ← σ² − v²,   γ ← γ + log(d² / λ) / 2

    Reading a type costs O(n); m outputs share everything but the mean.
    """

    __slots__ = ("_columns", "_domain", "_mean", "_variance", "count", "information_gain")

    _domain: FiniteDomain
    _columns: Columns
    _mean: Matrix
    _variance: Vector
    count: int
    information_gain: float

    @classmethod
    def prior(cls, kernel: Kernel, regularization: float, actions: Matrix, types: Matrix, n_outputs: int) -> Self:
        """The belief before the first round: mean 0 and variance k(z, z)."""
        belief = cls()
        belief._domain = FiniteDomain(kernel, regularization, actions, types)
        belief._columns = belief._domain.columns()
        belief._mean = np.zeros((len(belief._domain.points), n_outputs))
        belief._variance = belief._domain.prior_variance
        belief.count, belief.information_gain = 0, 0.0
        return belief

    @property
    def kernel(self) -> Kernel:
        """k, bound to the menu."""
        return self._domain.kernel

    @property
    def regularization(self) -> float:
        """λ."""
        return self._domain.regularization

    def predict(self, opponent_type: Vector) -> Prediction:
        """Mean (n, m) and standard deviation (n,) of all actions at a known type."""
        rows = self._domain.rows(opponent_type)
        return Prediction(self._mean[rows].copy(), np.sqrt(self._variance[rows]))

    def condition(self, action: int, opponent_type: Vector, response: Vector) -> Self:
        """The belief after one more response."""
        domain = self._domain
        response = as_array("response", response, ndim=1, length=self._mean.shape[1])
        j = domain.rows(opponent_type).start + as_index("action", action, domain.n_actions)
        columns = self._columns.at(self.count)
        d = math.sqrt(self._variance[j] + domain.regularization)
        row = columns.column(j) / d
        variance = self._variance - row * row
        if not stands_clear(variance, domain.prior_variance, columns.terms):
            points = domain.points[[*columns.observed, j]]
            raise lost_variance(variance, domain.regularization, domain.kernel, points, domain.points)
        columns.append(j, row, d)
        child = type(self)()
        child._domain, child._columns, child._variance, child.count = domain, columns, variance, self.count + 1
        child._mean = self._mean + row[:, None] * ((response - self._mean[j]) / d)
        child.information_gain = self.information_gain + 0.5 * math.log(d * d / domain.regularization)
        check_drift(variance, columns.variance(), domain.prior_variance, domain.regularization)
        return child
