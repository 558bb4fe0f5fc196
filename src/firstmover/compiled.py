"""Loops that numba compiles, where it is installed (extra `[fast]`) and asked for.

NumPy's calls cost more than the arithmetic of a menu of some hundred actions: one compiled loop does a round's work.
Loading numba takes about half a second, which pays after some ten thousand rounds; and sums are rounded in another
order. So it is never loaded unasked: set FIRSTMOVER_COMPILED=1, or call `use(True)`. Beliefs made from then on use it.
"""

import math
import os
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np

from firstmover.errors import InvalidInput, installing
from firstmover.records import Matrix, Vector

VARIABLE = "FIRSTMOVER_COMPILED"

LOG_2, LOG_2_REST = float.fromhex("0x1.62e42fefa38p-1"), float.fromhex("0x1.ef35793c7673p-45")
"""log 2 in two numbers, the first so short that its product with a whole number below 2048 is exact."""
ROUND = 1.5 * 2.0**52
"""Adding it rounds to a whole number."""
VANISHED = 708.0
"""exp(−d) of larger d is no normal number."""
F2, F3, F4, F5, F6, F7, F8, F9, F10, F11, F12, F13 = (1 / math.factorial(k) for k in range(2, 14))

_asked: bool | None = None


class Loops(NamedTuple):
    """The compiled functions of this module."""

    absorb: Callable[[Matrix, Matrix, int, int, float, float, Matrix, Matrix], tuple[float, bool]]
    exponential: Callable[[Vector, float, Vector], None]
    squared: Callable[[Matrix, Matrix, int, Vector], None]


def use(asked: bool | None) -> None:
    """Ask for compiled loops or for NumPy; None leaves it to the environment."""
    global _asked  # noqa: PLW0603 - one choice for the process, like the environment's
    _asked = asked


def loops() -> Loops | None:
    """The compiled loops if they are asked for, otherwise None.

    >>> use(False); print(loops()); use(None)
    None
    """
    return _compiled() if (_in_environment() if _asked is None else _asked) else None


def _in_environment() -> bool:
    value = os.environ.get(VARIABLE, "")
    if value not in {"", "0", "1"}:
        raise InvalidInput(f"{VARIABLE} is {value!r}: set it to 1 for compiled loops, or to 0.")
    return value == "1"


@cache
def _compiled() -> Loops:
    """Compile, or load from the cache that numba keeps on disk."""
    if find_spec("numba") is None:
        raise InvalidInput(f"{VARIABLE} asks for numba, which is not installed: {installing('fast')}.")
    from numba import boolean, float64, int64, njit, types, void  # noqa: PLC0415 - only who asks for it waits for it

    matrix, vector, frozen = float64[:, ::1], float64[::1], types.Array(float64, 2, "C", readonly=True)
    absorbed = types.Tuple((float64, boolean))
    return Loops(
        absorb=njit(
            absorbed(matrix, matrix, int64, int64, float64, float64, frozen, matrix), cache=True, error_model="numpy"
        )(absorb),
        exponential=njit(void(vector, float64, vector), cache=True, error_model="numpy")(exponential),
        squared=njit(void(matrix, matrix, int64, vector), cache=True, error_model="numpy")(squared),
    )


def absorb(  # noqa: PLR0917 - compiled functions take positions only
    covariance: Matrix, rows: Matrix, t: int, j: int, regularization: float, limit: float, old: Matrix, new: Matrix
) -> tuple[float, bool]:
    """One observation at point j of a finite domain: c = C[:, j] − Uᵀ U[:, j], d² = c_j + λ, v = c / d.

    U is the first t of `rows`, and v becomes row t, which holds C[:, j] already where C is empty. `old` and `new` are
    (m + 2, |D|): μ of m outputs, σ² and σ before and after; the response waits in new[:m, j]. Returns d and whether
    every σ² is above the limit.
    """
    row, size, m = rows[t], rows.shape[1], len(old) - 2
    if len(covariance):
        for i in range(j):
            row[i] = covariance[i, j]
        for i in range(j, size):
            row[i] = covariance[j, i]
    whole = t - t % 4
    for s in range(0, whole, 4):  # four rows at a time: `row` is read and written a quarter as often
        r0, r1, r2, r3 = rows[s], rows[s + 1], rows[s + 2], rows[s + 3]
        u0, u1, u2, u3 = r0[j], r1[j], r2[j], r3[j]
        for i in range(size):
            row[i] -= (u0 * r0[i] + u1 * r1[i]) + (u2 * r2[i] + u3 * r3[i])
    for s in range(whole, t):
        r0, u0 = rows[s], rows[s, j]
        for i in range(size):
            row[i] -= u0 * r0[i]
    d = math.sqrt(row[j] + regularization)
    unclear = 0
    for i in range(size):
        v = row[i] / d
        row[i] = v
        variance = old[m, i] - v * v
        new[m, i] = variance
        new[m + 1, i] = math.sqrt(variance)
        unclear += not variance > limit  # also a NaN
    for k in range(m):
        step = (new[k, j] - old[k, j]) / d
        for i in range(size):
            new[k, i] = old[k, i] + step * row[i]
    return d, unclear == 0


def squared(points: Matrix, menu: Matrix, i: int, row: Vector) -> None:
    """|x_i − x|² = points[i] · menu, at least 0, and 0 at i itself."""
    row[:] = 0.0
    size, terms = len(row), len(menu)
    whole = terms - terms % 4
    for k in range(0, whole, 4):
        p0, p1, p2, p3 = points[i, k], points[i, k + 1], points[i, k + 2], points[i, k + 3]
        m0, m1, m2, m3 = menu[k], menu[k + 1], menu[k + 2], menu[k + 3]
        for s in range(size):
            row[s] += (p0 * m0[s] + p1 * m1[s]) + (p2 * m2[s] + p3 * m3[s])
    for k in range(whole, terms):
        p0, m0 = points[i, k], menu[k]
        for s in range(size):
            row[s] += p0 * m0[s]
    for s in range(size):
        row[s] = row[s] if row[s] > 0 else 0.0
    row[i] = 0.0


def exponential(squared: Vector, quadratic: float, values: Vector) -> None:
    """(1 + d + quadratic d²) exp(−d) of squared distances d², without a branch or a call, so that it runs in vectors.

    −d = k log 2 + r with whole k and |r| ≤ log(2) / 2; exp(r) is its Taylor polynomial of degree 13, whose remainder is
    below 5e-18, and k is added to its exponent. The error is below three units in the last place, as NumPy's is.
    """
    for i in range(squared.size):
        d = math.sqrt(squared[i])
        near = min(d, VANISHED)
        shifted = ROUND - near * (1 / LOG_2)  # its last bits are k
        k = shifted - ROUND
        r = (-near - k * LOG_2) - k * LOG_2_REST
        s = r * r
        low, high = (F2 + r * F3) + s * (F4 + r * F5), (F6 + r * F7) + s * (F8 + r * F9)
        highest = (F10 + r * F11) + s * (F12 + r * F13)
        power = 1 + (r + s * (low + s * s * (high + s * s * highest)))
        bits = (np.float64(shifted).view(np.int64) << 52) + np.float64(power).view(np.int64)
        values[i] = (1 + d + quadratic * squared[i]) * (np.int64(bits).view(np.float64) if d < VANISHED else 0.0)
