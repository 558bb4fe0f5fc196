"""Eqs. (2) and (3) with fifty digits."""

import mpmath
import numpy as np

from firstmover.records import Matrix, Vector

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
