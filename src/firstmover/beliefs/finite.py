"""A belief over actions x known types: the domain is finite, so mean and variance are kept for all of it."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from sklearn.gaussian_process.kernels import Kernel

from firstmover.beliefs.buffers import AppendOnly
from firstmover.beliefs.checks import check_scale, negative_variance
from firstmover.errors import InvalidInput
from firstmover.kernels import bind, pairs
from firstmover.records import Matrix, Prediction, Vector, as_array, as_index, positive


def _key(opponent_type: Vector) -> bytes:
    """Equal types have equal keys: adding 0 turns −0 into 0."""
    return (np.asarray(opponent_type, dtype=float) + 0.0).tobytes()


@dataclass(frozen=True, eq=False)
class FiniteBelief:
    """Eqs. (2) and (3) on the finite domain D = X × Θ, one appended row of V = L⁻¹ K(observed, D) a round.

    With K_t + λI = L Lᵀ and an observation at z_j of D, d² = σ²(z_j) + λ:

    v = (k(z_j, D) − V[:, j]ᵀ V) / d,   μ ← μ + v (y − μ(z_j)) / d,   σ² ← σ² − v²,   γ ← γ + log(d² / λ) / 2

    A round costs O(t |D|) and reading a type costs O(n); m outputs share everything but the mean.
    """

    kernel: Kernel
    regularization: float
    n_actions: int
    domain: Matrix
    type_index: dict[bytes, int]
    observed: tuple[int, ...]
    factor: AppendOnly
    mean: Matrix
    variance: Vector
    prior_variance: Vector
    information_gain: float

    @classmethod
    def prior(cls, kernel: Kernel, regularization: float, actions: Matrix, types: Matrix, n_outputs: int) -> Self:
        """The belief before the first round: mean 0 and variance k(z, z)."""
        actions, types = as_array("actions", actions, ndim=2), as_array("types", types, ndim=2)
        kernel, domain = bind(kernel, actions.shape[1]), pairs(actions, types)
        prior_variance = kernel.diag(domain)
        check_scale(positive("regularization", regularization), prior_variance)
        return cls(
            kernel=kernel,
            regularization=regularization,
            n_actions=len(actions),
            domain=domain,
            type_index={_key(row): i for i, row in enumerate(types)},
            observed=(),
            factor=AppendOnly.empty(len(domain)),
            mean=np.zeros((len(domain), n_outputs)),
            variance=prior_variance,
            prior_variance=prior_variance,
            information_gain=0.0,
        )

    def _rows(self, opponent_type: Vector) -> slice:
        """Where the actions at one type stand in the domain."""
        index = self.type_index.get(_key(opponent_type))
        if index is None:
            raise InvalidInput(
                f"opponent_type {np.asarray(opponent_type).tolist()} is not among the {len(self.type_index)} known "
                "types: add it to the game's types, or give types=None for types that are new every round."
            )
        return slice(index * self.n_actions, (index + 1) * self.n_actions)

    def predict(self, opponent_type: Vector) -> Prediction:
        """Mean (n, m) and standard deviation (n,) of all actions at a known type."""
        rows = self._rows(opponent_type)
        return Prediction(self.mean[rows].copy(), np.sqrt(self.variance[rows]))

    def condition(self, action: int, opponent_type: Vector, response: Vector) -> Self:
        """The belief after one more response."""
        response = as_array("response", response, ndim=1, length=self.mean.shape[1])
        j = self._rows(opponent_type).start + as_index("action", action, self.n_actions)
        observed, t = (*self.observed, j), len(self.observed)
        d = float(np.sqrt(self.variance[j] + self.regularization))
        past = self.factor.first(t)
        v = (self.kernel(self.domain[j : j + 1], self.domain)[0] - past[:, j] @ past) / d
        variance = self.variance - v**2
        if not np.min(variance) >= 0:
            raise negative_variance(
                variance, self.regularization, self.kernel, self.domain[list(observed)], self.domain
            )
        return replace(
            self,
            observed=observed,
            factor=self.factor.append(t, v),
            mean=self.mean + np.outer(v, (response - self.mean[j]) / d),
            variance=variance,
            information_gain=self.information_gain + 0.5 * float(np.log(d**2 / self.regularization)),
        )
