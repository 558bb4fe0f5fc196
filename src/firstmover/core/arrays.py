"""Arrays and numbers that users give: Vector, Matrix, and the checks that reject NaN, wrong shapes and wrong ranges."""

import numbers
from math import isfinite
from operator import index

import numpy as np
from numpy.typing import ArrayLike, NDArray

from firstmover.core.errors import InvalidInput

Vector = NDArray[np.float64]
"""A one-dimensional array of floats."""

Matrix = NDArray[np.float64]
"""A two-dimensional array of floats, one row for each action, round or point."""

Mask = NDArray[np.bool_]
"""Which actions are allowed, one entry for each."""


def as_array(name: str, value: ArrayLike, ndim: int, length: int | None = None) -> NDArray[np.float64]:
    """Return a finite, read-only float array with `ndim` dimensions and, if given, the stated length.

    A read-only float array that owns its memory is returned as it is; any other value is copied.

    >>> as_array("response", [1, float("nan")], ndim=1)
    Traceback (most recent call last):
    ...
    firstmover.core.errors.InvalidInput: response has the value nan at position 1: every number must be finite.
    """
    if type(value) is np.ndarray and value.dtype == np.float64 and value.base is None and not value.flags.writeable:
        array = value
    else:
        try:
            array = np.array(value, dtype=np.float64)
        except (TypeError, ValueError, OverflowError) as error:
            uneven = "inhomogeneous" in str(error)
            reason = "rows differ in length, so give each as many numbers" if uneven else error
            raise InvalidInput(f"{name} must hold numbers in {ndim} dimension(s): {reason}.") from None
    if array.ndim != ndim:
        raise InvalidInput(f"{name} has shape {array.shape}: give an array with {ndim} dimension(s).")
    if length is not None and len(array) != length:
        raise InvalidInput(f"{name} has {len(array)} number(s): give {length}.")
    # The sum of squares overflows before the numbers do.
    if not (isfinite(np.vdot(array, array)) or np.isfinite(array).all()):
        bad = tuple(np.argwhere(~np.isfinite(array))[0])
        where = ", ".join(str(i) for i in bad)
        raise InvalidInput(f"{name} has the value {array[bad]} at position {where}: every number must be finite.")
    array.flags.writeable = False
    return array


def as_index(name: str, value: int, count: int | None = None) -> int:
    """Return the value as a whole number; with a count, it must be from 0 to count − 1."""
    try:
        whole = index(value)
    except TypeError:
        raise InvalidInput(f"{name} is {value!r}: give a whole number.") from None
    if count is not None and not 0 <= whole < count:
        raise InvalidInput(f"{name} is {whole}: give an index from 0 to {count - 1}.")
    return whole


def as_mask(name: str, value: ArrayLike, count: int | None = None) -> Mask:
    """Return a read-only mask of actions, of which at least one is allowed.

    >>> as_mask("allowed", [False, False])
    Traceback (most recent call last):
    ...
    firstmover.core.errors.InvalidInput: allowed contains no action: allow at least one of 2.
    """
    mask = np.array(value)
    if mask.dtype != np.bool_ or mask.ndim != 1 or (count is not None and len(mask) != count):
        raise InvalidInput(f"{name} is {value!r}: give True or False for each of {count or 'all'} actions.")
    if not mask.any():
        raise InvalidInput(f"{name} contains no action: allow at least one of {len(mask)}.")
    mask.flags.writeable = False
    return mask


def as_range(name: str, value: tuple[float, float]) -> tuple[float, float]:
    """Return (smallest, largest) as two finite numbers in rising order."""
    try:
        low, high = (as_number(name, end) for end in value)
    except (TypeError, ValueError):  # InvalidInput is a ValueError
        raise InvalidInput(f"{name} is {value!r}: give (smallest, largest), both finite.") from None
    if not low < high:
        raise InvalidInput(f"{name} is {value}: give (smallest, largest), both finite.")
    return low, high


def distribution(name: str, value: ArrayLike, count: int) -> Vector:
    """Return a read-only vector of `count` probabilities that sum to 1."""
    p = as_array(name, value, ndim=1, length=count)
    if p.size and p[worst := p.argmin()] < 0:
        raise InvalidInput(f"{name} has the value {p[worst]:.6g} at position {worst}: probabilities are 0 or more.")
    if abs(total := float(np.add.reduce(p)) - 1) > 1e-9:
        raise InvalidInput(f"{name} sums to {total + 1:.12g}: probabilities must sum to 1.")
    return p


def as_number(name: str, value: float) -> float:
    """Return the value if it is one finite number."""
    if isinstance(value, numbers.Real) and isfinite(value):
        return float(value)
    raise InvalidInput(f"{name} is {value!r}: give one finite number.")


def positive(name: str, value: float) -> float:
    """Return the value if it is a finite number above 0."""
    if isinstance(value, numbers.Real) and isfinite(value) and value > 0:
        return float(value)
    raise InvalidInput(f"{name} is {value!r}: it must be a finite number above 0.")


def non_negative(name: str, value: float) -> float:
    """Return the value if it is a finite number, 0 or more."""
    if isinstance(value, numbers.Real) and isfinite(value) and value >= 0:
        return float(value)
    raise InvalidInput(f"{name} is {value!r}: give a finite number, 0 or more.")


def as_count(name: str, value: int, least: int = 1) -> int:
    """Return the value if it is a whole number, `least` or more."""
    whole = as_index(name, value)
    if whole < least:
        raise InvalidInput(f"{name} is {whole}: give {least} or more.")
    return whole
