"""The posterior in 80-bit arithmetic: what every row of the benchmark is held against."""

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers.workloads import Workload
from firstmover.core.errors import InvalidInput
from firstmover.games.routing.network import Indices
from firstmover.kernels import pairs

Extended = NDArray[np.longdouble]

_BLOCK = 32


def extended_cholesky(matrix: Extended) -> Extended:
    """L with L Lᵀ = matrix, in the matrix's own precision, by blocks of rows.

    >>> extended_cholesky(np.array([[4, 2], [2, 5]], dtype=np.longdouble)).astype(float)
    array([[2., 0.],
           [1., 2.]])
    """
    factor = np.zeros_like(matrix)
    for start in range(0, len(matrix), _BLOCK):
        stop = min(start + _BLOCK, len(matrix))
        left = factor[start:, :start]
        rest = matrix[start:, start:stop] - np.dot(left, left[: stop - start].T)
        for j in range(stop - start):
            done = factor[start + j :, start : start + j]
            column = rest[j:, j] - done @ done[0]
            factor[start + j :, start + j] = column / np.sqrt(column[0])
    return factor


def extended_solve(factor: Extended, right: Extended) -> Extended:
    """V with L V = right (t, k)."""
    solved = np.zeros_like(right)
    for start in range(0, len(factor), _BLOCK):
        stop = min(start + _BLOCK, len(factor))
        block = right[start:stop] - np.dot(factor[start:stop, :start], solved[:start])
        for j in range(stop - start):
            i = start + j
            solved[i] = (block[j] - factor[i, start:i] @ solved[start:i]) / factor[i, i]
    return solved


def reference(workload: Workload, rounds: int, actions: Indices) -> tuple[Extended, Extended]:
    """μ (k, m) and σ (k,) of some actions at the next type, after so many rounds.

    c responses at one z, of mean ȳ, say the same as one response ȳ with λ / c: repeated points are joined, which keeps
    the system as small as the number of different points.
    """
    if np.finfo(np.longdouble).eps > 1e-18:
        raise InvalidInput("This machine has no 80-bit numbers, so errors cannot be measured: use an x86 processor.")
    d = workload.actions.shape[1]
    observed = np.hstack([workload.actions[workload.played[:rounds]], workload.seen[:rounds]])
    points, which, counts = np.unique(observed, axis=0, return_inverse=True, return_counts=True)
    means = np.zeros((len(points), workload.n_outputs), dtype=np.longdouble)
    np.add.at(means, which.reshape(-1), workload.responses[:rounds].astype(np.longdouble))
    means /= counts[:, None]
    points = points.astype(np.longdouble)
    queries = pairs(workload.actions[actions], workload.seen[[rounds]]).astype(np.longdouble)
    noise = np.longdouble(workload.regularization) / counts
    factor = extended_cholesky(workload.formula(points, points, d) + np.diag(noise))
    v = extended_solve(factor, np.hstack([workload.formula(points, queries, d), means]))
    v, w = v[:, : len(queries)], v[:, len(queries) :]
    prior = np.array([workload.formula(z[None], z[None], d)[0, 0] for z in queries])
    return v.T @ w, np.sqrt(prior - np.square(v).sum(axis=0))


@lru_cache(maxsize=16)
def _probes(workload: Workload, rounds: int) -> tuple[Indices, Extended, Extended]:
    actions = np.unique(np.linspace(0, len(workload.actions) - 1, 64).astype(np.int64))
    return actions, *reference(workload, rounds, actions)


def errors(workload: Workload, rounds: int, mean: NDArray[Any], std: NDArray[Any]) -> tuple[float, float, float]:
    """The largest error of μ, of σ, and of σ relative to σ, over up to 64 actions of the menu."""
    actions, true_mean, true_std = _probes(workload, rounds)
    off = np.abs(std[actions] - true_std)
    return float(np.abs(mean[actions] - true_mean).max()), float(off.max()), float((off / true_std).max())
