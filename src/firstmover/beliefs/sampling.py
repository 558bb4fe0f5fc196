"""Joint draws of b from a posterior."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from firstmover.beliefs.checks import CLEARLY_NEGATIVE
from firstmover.core.arrays import Matrix, Vector, as_count
from firstmover.core.cards import BeliefCard
from firstmover.core.contracts import Belief
from firstmover.core.errors import PrecisionLost


class Sampling(BeliefCard):
    """Joint draws, and how notebooks show it, for any belief that predicts and has a joint covariance."""

    __slots__ = ()

    def sample(
        self: Belief, n: int, rng: np.random.Generator, opponent_type: Vector, /, actions: Sequence[int] | None = None
    ) -> NDArray[np.float64]:
        """Return n joint draws of b at some actions (all by default) and one type: (n, k, m)."""
        mean = self.predict(opponent_type).mean
        covariance = self.covariance(opponent_type, actions=actions)
        return joint_draws(mean if actions is None else mean[list(actions)], covariance, n, rng)


def joint_draws(mean: Matrix, covariance: Matrix, n: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Return n draws of N(mean, covariance) (n, k, m), for independent outputs with one covariance (k, k).

    With C = Q Λ Qᵀ a draw is mean + Q √Λ g, g standard normal. Nothing is added to C. An eigenvalue from −1e-8 of the
    largest up to 0 is rounding and counts as 0; a smaller one raises `PrecisionLost`.

    >>> joint_draws(np.array([[1.0], [2.0]]), np.zeros((2, 2)), 1, np.random.default_rng(0))
    array([[[1.],
            [2.]]])
    """
    k, m = mean.shape
    normal = rng.standard_normal((as_count("n", n), k, m))
    return mean + covariance_root(covariance) @ normal


def covariance_root(covariance: Matrix) -> Matrix:
    """Return Q √Λ of a covariance C = Q Λ Qᵀ, whose product with its transpose is C; raise if C is not one."""
    eigenvalues, vectors = np.linalg.eigh(covariance)
    lowest, largest = eigenvalues.min(initial=0.0), eigenvalues.max(initial=0.0)
    if lowest < -CLEARLY_NEGATIVE * largest:
        raise PrecisionLost(
            f"the joint covariance of {len(covariance)} points has the eigenvalue {lowest:.3g} beside {largest:.3g}: "
            "raise the regularization, scale the features down, or draw fewer points together."
        )
    return np.asarray(vectors * np.sqrt(np.maximum(eigenvalues, 0.0)), dtype=np.float64)
