"""Eqs. (2) and (3) with fifty digits."""

import mpmath
import numpy as np

from firstmover.core.arrays import Matrix, Vector

_to_mp = np.frompyfunc(mpmath.mpf, 1, 1)
_to_float = np.frompyfunc(float, 1, 1)


def posterior_50(
    gram: Matrix, regularization: float, responses: Matrix, cross: Matrix, diagonal: Vector
) -> tuple[Matrix, Vector]:
    """Mean (k, m) and variance (k,) from K (t, t), y (t, m), k(z) for each query (t, k) and k(z, z) (k,).

    Eliminating K + λI from the block matrix ((K + λI, y, k), (kᵀ, 0, 0)) leaves (−μ, −kᵀ(K + λI)⁻¹k) below it.
    """
    t, m = responses.shape
    with mpmath.workdps(50):
        top = np.hstack([_to_mp(gram), _to_mp(responses), _to_mp(cross)])
        bottom = np.hstack([_to_mp(cross.T), _to_mp(np.zeros((cross.shape[1], m + cross.shape[1])))])
        block = np.vstack([top, bottom])
        block[np.arange(t), np.arange(t)] += mpmath.mpf(regularization)
        for i in range(t):
            share = block[i + 1 :, i] / block[i, i]
            block[i + 1 :, i + 1 :] -= np.outer(share, block[i, i + 1 :])
        rest = block[t:, t:]
        variance = _to_mp(diagonal) + np.diagonal(rest[:, m:])
        return _to_float(-rest[:, :m]).astype(float), _to_float(variance).astype(float)


def posterior_80(
    gram: np.ndarray, regularization: float, responses: Matrix, cross: np.ndarray, diagonal: np.ndarray
) -> tuple[Matrix, Vector]:
    """Mean (k, m) and standard deviation (k,) in the widest floats of the machine, for hundreds of observations."""
    t, m = responses.shape
    lower = gram.astype(np.longdouble) + np.longdouble(regularization) * np.eye(t, dtype=np.longdouble)
    right = np.hstack([responses, cross]).astype(np.longdouble)
    for i in range(t):  # K + λI = L Lᵀ and V = L⁻¹ (y, k), column by column
        lower[i:, i] /= np.sqrt(lower[i, i])
        lower[i + 1 :, i + 1 :] -= np.outer(lower[i + 1 :, i], lower[i + 1 :, i])
        right[i] /= lower[i, i]
        right[i + 1 :] -= np.outer(lower[i + 1 :, i], right[i])
    w, v = right[:, :m], right[:, m:]
    return v.T @ w, np.sqrt(diagonal - np.sum(v * v, axis=0))
