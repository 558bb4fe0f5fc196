"""γ_T, the maximum information gain of Eq. (5), bounded above by a greedy choice of points."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.gaussian_process.kernels import Kernel

from firstmover.beliefs.checks import check_features, check_scale
from firstmover.core.errors import InvalidInput
from firstmover.core.numerics import check_memory
from firstmover.core.records import Matrix, Vector, as_array, as_count, positive

GREEDY_SHARE = 1 - np.exp(-1)
"""The gain is submodular: a greedy choice reaches at least this share of the maximum (Nemhauser et al. 1978)."""


@dataclass(frozen=True)
class GreedyGain:
    """½ log det(I + K_t / λ) of the greedy choice for t = 1 … T, and the chosen points, which may repeat."""

    gains: Vector
    points: NDArray[np.intp]

    @property
    def upper(self) -> Vector:
        """An upper bound of γ_t: the greedy gain divided by 1 − 1/e."""
        return self.gains / GREEDY_SHARE


def _check(kernel: Kernel, points: Matrix, rounds: int) -> None:
    """Raise an error unless there are a kernel, points, and memory for one column per round."""
    if not isinstance(kernel, Kernel):
        raise InvalidInput(f"kernel is {kernel!r}: give a kernel of scikit-learn, such as RBF().")
    if not len(points):
        raise InvalidInput("points has no rows: give at least one.")
    check_features(kernel, points.shape[1], points[0])
    check_memory(8.0 * rounds * len(points), "the greedy information gain", "take fewer rounds or points")


def greedy_gain(kernel: Kernel, points: Matrix, regularization: float, rounds: int) -> GreedyGain:
    """Choose the point with the largest σ² in every round: a pivoted Cholesky factorisation of K + λI.

    With z_j the point of largest σ² and d² = σ²(z_j) + λ, for all points D at once:

    v = (k(D, z_j) − Σ_{i<t} v_i v_i[j]) / d,   σ² ← σ² − v²,   gain ← gain + ½ log(d² / λ)

    Only the columns v are kept, T × N numbers; the Gram matrix of all N points is never formed. `kernel` acts on the
    rows of `points`: bind it first if it acts on the action or the type alone.

    >>> from sklearn.gaussian_process.kernels import RBF
    >>> greedy_gain(RBF(), np.array([[0.0], [9.0]]), 1.0, 3).gains.round(4)  # new, new, repeated: σ² is 1, 1 and 1/2
    array([0.3466, 0.6931, 0.8959])
    """
    points = as_array("points", points, ndim=2)
    rounds, regularization = as_count("rounds", rounds), positive("regularization", regularization)
    _check(kernel, points, rounds)
    variance = np.array(kernel.diag(points), dtype=float)
    check_scale(regularization, variance)
    columns, gains, chosen = np.empty((rounds, len(points))), np.empty(rounds), np.empty(rounds, dtype=np.intp)
    for t in range(rounds):
        j = int(np.argmax(variance))
        row = columns[t]
        np.subtract(kernel(points[j : j + 1], points)[0], columns[:t, j] @ columns[:t], out=row)
        row /= np.sqrt(variance[j] + regularization)
        chosen[t], gains[t] = j, 0.5 * np.log1p(variance[j] / regularization)
        variance -= row * row
    return GreedyGain(np.cumsum(gains), chosen)
