"""How honest the predictions of a played game were: nominal levels against what came."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from firstmover.guarantees.coverage import Share
from firstmover.guarantees.replay import Replay
from firstmover.records import Matrix, Vector, non_negative

LEVELS = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99])
"""Nominal levels of a reliability curve."""


@dataclass(frozen=True)
class Reliability:
    """For each nominal level, how many of the observed responses lay inside the interval predicted for them."""

    levels: Vector
    shares: tuple[Share, ...]

    @property
    def observed(self) -> Vector:
        """The shares as numbers."""
        return np.array([share.value for share in self.shares])


def standard_errors(replay: Replay, responses: Matrix, noise_variance: float) -> Matrix:
    """(y_t − μ_t) / √(σ_t² + noise variance) of each round and output (T, m), each predicted before it was seen."""
    spread = np.sqrt(replay.stds**2 + non_negative("noise_variance", noise_variance))
    return (responses - replay.means) / spread[:, None]


def reliability(errors: Matrix, levels: Vector = LEVELS) -> Reliability:
    """The share of |errors| below the normal quantile of each level: equal to the level where predictions are honest.

    As a Gaussian process reads λ, it is the variance of the noise, and the interval of level p is μ ± z_p √(σ² + λ). A
    curve above the diagonal says that predictions were too careful, below that they were too sure.

    >>> calm = reliability(np.array([[0.1], [-0.5], [1.0], [-3.0]]), np.array([0.5, 0.9]))
    >>> print(calm.observed)  # z is 0.674 and 1.645
    [0.5  0.75]
    """
    sizes = np.abs(errors).ravel()
    within = np.sum(sizes[:, None] <= ndtri((1 + levels) / 2), axis=0)
    return Reliability(levels, tuple(Share(int(count), len(sizes)) for count in within))
