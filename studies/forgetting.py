"""A belief that forgets: the round is a feature, and a kernel over time discounts the past."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from sklearn.gaussian_process.kernels import Kernel, Matern

from firstmover.beliefs.fresh import FreshBelief
from firstmover.beliefs.sampling import Sampling
from firstmover.core.arrays import Matrix, Vector, positive
from firstmover.core.records import Prediction
from firstmover.kernels import on_action, on_type


@dataclass(frozen=True, eq=False)
class Forgetting(Sampling):
    """Eqs. (2) and (3) with k((x, s), (x', t)) = k(x, x') · exp(−|s − t| / τ), for the coming round.

    Exact regression on z = (x, t) for an opponent of one type that drifts: an observation of age a has
    correlation exp(−a / τ) with the present, and σ grows again where nothing was observed lately. The belief counts its
    own observations as rounds.

    >>> from sklearn.gaussian_process.kernels import RBF
    >>> belief = Forgetting.prior(RBF(), 1.0, np.array([[0.0], [9.0]]), 1, lifetime=2.0)
    >>> belief = belief.condition(0, np.zeros(1), np.array([3.0]))
    >>> belief.predict(np.zeros(1)).mean[0].round(4)  # 3 / 2 · exp(−1 / 2)
    array([0.9098])
    """

    belief: FreshBelief

    @classmethod
    def prior(cls, kernel: Kernel, regularization: float, actions: Matrix, n_outputs: int, lifetime: float) -> Self:
        """Before the first round, for a kernel of the action and a lifetime τ in rounds."""
        fading = on_type(Matern(positive("lifetime", lifetime), nu=0.5))  # exp(−|s − t| / τ)
        return cls(FreshBelief.prior(on_action(kernel) * fading, regularization, actions, n_outputs))

    @property
    def _now(self) -> Vector:
        return np.array([self.belief.count + 1.0])

    def predict(self, _opponent_type: Vector, /) -> Prediction:
        """Mean (n, m) and standard deviation (n,) of all actions in the coming round."""
        return self.belief.predict(self._now)

    def covariance(self, _opponent_type: Vector, /, actions: Sequence[int] | None = None) -> Matrix:
        """The posterior covariance in the coming round, of some actions or all: (k, k)."""
        return self.belief.covariance(self._now, actions=actions)

    def condition(self, action: int, _opponent_type: Vector, /, response: Vector) -> Self:
        """The belief after this round's response."""
        return replace(self, belief=self.belief.condition(action, self._now, response))

    @property
    def information_gain(self) -> float:
        """½ log det(I + K_t / λ), which never stops growing: the past is worth less and less."""
        return self.belief.information_gain
