"""A belief about noisy responses instead of b itself."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from firstmover.beliefs.sampling import Sampling
from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Belief
from firstmover.core.records import Prediction


@dataclass(frozen=True, eq=False)
class WithNoise(Sampling):
    """The same mean, and a standard deviation that includes the noise: √(σ² + noise variance).

    The authors' released program builds its bounds this way; the text takes σ alone.
    """

    belief: Belief
    noise_variance: float

    @property
    def count(self) -> int:
        """The number of observations."""
        return self.belief.count  # type: ignore[attr-defined]  # all beliefs of this package have it

    @property
    def latest_type(self) -> Vector | None:
        """That of the belief about b."""
        return self.belief.latest_type  # type: ignore[attr-defined]

    def predict(self, opponent_type: Vector) -> Prediction:
        """Mean (n, m) and the standard deviation of a new response (n,)."""
        prediction = self.belief.predict(opponent_type)
        return Prediction(prediction.mean, np.sqrt(prediction.std**2 + self.noise_variance))

    def prior_std(self, opponent_type: Vector) -> NDArray[np.float64]:
        """The standard deviation of a response before any was observed (n,)."""
        prior = self.belief.prior_std(opponent_type)  # type: ignore[attr-defined]  # all beliefs of this package have it
        return np.sqrt(prior**2 + self.noise_variance)

    def covariance(self, opponent_type: Vector, /, actions: Sequence[int] | None = None) -> Matrix:
        """Return the covariance of new responses at some actions (all by default) and one type: (k, k)."""
        covariance = self.belief.covariance(opponent_type, actions=actions)
        return covariance + self.noise_variance * np.eye(len(covariance))

    def condition(self, action: int, opponent_type: Vector, response: Vector) -> Self:
        """The belief after one more response."""
        return replace(self, belief=self.belief.condition(action, opponent_type, response))

    @property
    def information_gain(self) -> float:
        """That of the belief about b."""
        return self.belief.information_gain
