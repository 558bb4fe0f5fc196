"""A belief over actions x known types: the domain is finite, so mean and variance are kept for all of it."""

import math
from typing import Self

import numpy as np
from scipy.linalg.blas import dger
from sklearn.gaussian_process.kernels import Kernel

from firstmover.beliefs.buffers import AppendOnly
from firstmover.beliefs.checks import check_drift, check_features, check_scale, lost_variance, stands_clear
from firstmover.beliefs.columns import Columns
from firstmover.beliefs.exact import SUMS_RATIO, mean_from_sums
from firstmover.beliefs.known_types import KnownTypes
from firstmover.gram import DomainGram
from firstmover.kernels import bind
from firstmover.records import Matrix, Prediction, Vector, as_array, as_index, positive


class FiniteDomain:
    """D = X × Θ with its kernel and λ: what all beliefs over it share."""

    def __init__(self, kernel: Kernel, regularization: float, actions: Matrix, types: Matrix) -> None:
        actions, types = as_array("actions", actions, ndim=2), as_array("types", types, ndim=2)
        check_features(bind(kernel, actions.shape[1]), actions.shape[1], np.append(actions[0], types[0]))
        self.gram = DomainGram(kernel, actions, types)
        self.regularization = positive("regularization", regularization)
        self.prior_variance = self.gram.kernel.diag(self.gram.points)
        check_scale(regularization, self.prior_variance)
        self.tiny = regularization < SUMS_RATIO * self.prior_variance.max()
        self.types, self.n_actions = KnownTypes(types), len(actions)

    def start(self, opponent_type: Vector) -> int:
        """Where the actions at one type begin in the domain."""
        return self.types.position(opponent_type) * self.n_actions


class FiniteBelief:
    """Eqs. (2) and (3) on the finite domain D = X × Θ, one column of the posterior covariance a round.

    With an observation y at z_j of D, c = cov(D, z_j) and d² = σ²(z_j) + λ:

    v = c / d,   μ ← μ + v (y − μ(z_j)) / d,   σ² ← σ² − v²,   γ ← γ + log(d² / λ) / 2

    Reading a type costs O(n); m outputs share everything but the mean.
    """

    __slots__ = ("_columns", "_domain", "_mean", "_responses", "_variance", "count", "information_gain")

    _domain: FiniteDomain
    _columns: Columns
    _mean: Matrix  # (m, |D|): one output is one row, which updates quickly
    _responses: AppendOnly  # kept only where λ is tiny
    _variance: Vector
    count: int
    information_gain: float

    @classmethod
    def prior(cls, kernel: Kernel, regularization: float, actions: Matrix, types: Matrix, n_outputs: int) -> Self:
        """The belief before the first round: mean 0 and variance k(z, z)."""
        belief = cls()
        belief._domain = domain = FiniteDomain(kernel, regularization, actions, types)
        belief._columns, belief._variance = Columns(domain.gram, domain.regularization), domain.prior_variance
        belief._mean = np.zeros((n_outputs, len(domain.prior_variance)))
        belief._responses = AppendOnly.empty(n_outputs)
        belief.count, belief.information_gain = 0, 0.0
        return belief

    @property
    def kernel(self) -> Kernel:
        """k, bound to the menu."""
        return self._domain.gram.kernel

    @property
    def regularization(self) -> float:
        """λ."""
        return self._domain.regularization

    def predict(self, opponent_type: Vector) -> Prediction:
        """Mean (n, m) and standard deviation (n,) of all actions at a known type."""
        start = self._domain.start(opponent_type)
        stop = start + self._domain.n_actions
        return Prediction(self._mean_of(start, stop), np.sqrt(self._variance[start:stop]))

    def _mean_of(self, start: int, stop: int) -> Matrix:
        """μ of a part of the domain (stop − start, m); from the responses themselves where λ is tiny."""
        domain = self._domain
        if not (domain.tiny and self.count):
            return self._mean[:, start:stop].copy().T
        points, observed = domain.gram.points, self._columns.observed[: self.count]
        responses = self._responses.first(self.count)
        return mean_from_sums(
            domain.gram.kernel, domain.regularization, points[observed], responses, points[start:stop]
        )

    def condition(self, action: int, opponent_type: Vector, response: Vector) -> Self:
        """The belief after one more response."""
        domain = self._domain
        response = as_array("response", response, ndim=1, length=len(self._mean))
        j = domain.start(opponent_type) + as_index("action", action, domain.n_actions)
        columns = self._columns.at(self.count)
        row, d = columns.next_row(j)
        variance = row * row
        np.subtract(self._variance, variance, out=variance)
        if not stands_clear(variance, domain.prior_variance, columns.terms):
            gram = domain.gram
            points = gram.points[[*columns.observed, j]]
            raise lost_variance(variance, domain.regularization, gram.kernel, points, gram.points)
        child = type(self)()
        child._mean = self._mean.copy()
        dger(1 / d, row, response - self._mean[:, j], a=child._mean.T, overwrite_a=1)
        columns.append(j)
        folded = columns.variance()
        if folded is not None:
            check_drift(variance, folded, domain.prior_variance, domain.regularization)
            variance = folded.copy()
        child._responses = self._responses.append(self.count, response) if domain.tiny else self._responses
        child._domain, child._columns, child._variance, child.count = domain, columns, variance, self.count + 1
        child.information_gain = self.information_gain + 0.5 * math.log(d * d / domain.regularization)
        return child
