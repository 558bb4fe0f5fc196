"""Reliability of predictions: nominal against observed coverage."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from firstmover.core.records import Matrix, Vector, non_negative
from firstmover.theory.coverage import Proportion
from firstmover.theory.replay import Replay

LEVELS = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99])
"""Nominal levels of a reliability curve."""


@dataclass(frozen=True)
class Reliability:
    """For each nominal level, the proportion of responses inside the interval predicted for them."""

    levels: Vector
    shares: tuple[Proportion, ...]

    @property
    def observed(self) -> Vector:
        """The proportions as numbers."""
        return np.array([share.value for share in self.shares])


def standard_errors(replay: Replay, responses: Matrix, noise_variance: float) -> Matrix:
    """(y_t − μ_t) / √(σ_t² + noise variance) of each round and output (T, m), each predicted before it was observed."""
    spread = np.sqrt(replay.stds**2 + non_negative("noise_variance", noise_variance))
    return (responses - replay.means) / spread[:, None]


def reliability_curve(errors: Matrix, levels: Vector = LEVELS) -> Reliability:
    """Return the share of |errors| below the normal quantile of each level, equal to the level if calibrated.

    In a Gaussian process λ is the variance of the noise, and the interval of level p is μ ± z_p √(σ² + λ). A curve
    above the diagonal means underconfident predictions, below it overconfident ones.

    >>> calm = reliability_curve(np.array([[0.1], [-0.5], [1.0], [-3.0]]), np.array([0.5, 0.9]))
    >>> print(calm.observed)  # z is 0.674 and 1.645
    [0.5  0.75]
    """
    sizes = np.abs(errors).ravel()
    within = np.sum(sizes[:, None] <= ndtri((1 + levels) / 2), axis=0)
    return Reliability(levels, tuple(Proportion(int(count), len(sizes)) for count in within))
