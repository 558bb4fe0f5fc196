"""Arrays and numbers that users give: Vector, Matrix, and the checks that reject NaN, wrong shapes and wrong ranges."""

import numbers
from collections.abc import Callable, Sequence
from math import inf, isfinite, nan
from operator import index
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from firstmover.core.errors import InvalidInput, first_line, shown

Vector = NDArray[np.float64]
"""A one-dimensional array of floats."""

Matrix = NDArray[np.float64]
"""A two-dimensional array of floats, one row for each action, round or point."""

Mask = NDArray[np.bool_]
"""Which actions are allowed, one entry for each."""

LARGEST = 1e150
"""The largest size of a number in an array: its square is finite, and so are sums of such squares."""

MOST_ACTIONS = 10**8
"""The most actions of a strategy that is made from their number."""

MOST_ROUNDS = 10**12
"""The most rounds of a run."""

MOST_OUTPUTS = 10_000
"""The most outputs of a belief: each adds a row to its state."""


def real_number(value: object) -> float:
    """Return one real number as a float, infinite if it is too large for one; NaN for anything else.

    Truth values, texts, dates, durations, complex and masked numbers are no real numbers, nor is an array without axes.

    >>> [real_number(value) for value in (3, np.float32(0.5), 10**400, True, "3", b"3", np.ma.masked, 2j, None)]
    [3.0, 0.5, inf, nan, nan, nan, nan, nan, nan]
    """
    if not isinstance(value, numbers.Real) or isinstance(value, bool | np.timedelta64):
        return nan
    try:
        return float(value)
    except OverflowError:
        return inf
    except Exception:
        return nan


def _no_number(value: Any) -> str:
    """Return what in a value, or in the lists and arrays within it, is no real number; empty if all are."""
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        return "masked values"
    if isinstance(value, np.ndarray | np.generic) and value.dtype.kind != "O":
        return "" if value.dtype.kind in "iuf" else f"values of type {value.dtype.name}"
    if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str | bytes | bytearray | memoryview):
        within = value if np.ndim(value) else (value.item(),)  # type: ignore[union-attr]
        return next((found for each in within if type(each) not in (float, int) and (found := _no_number(each))), "")
    return shown(value) if real_number(value) != real_number(value) else ""


def as_floats(name: str, value: ArrayLike) -> NDArray[np.float64]:
    """Return a new float array; raise unless the value holds real numbers only, of which each may be infinite or NaN.

    NumPy would drop masks and imaginary parts, and read numbers from texts, bytes, dates and durations.

    >>> as_floats("response", np.ma.array([1.0, 2.0], mask=[False, True]))
    Traceback (most recent call last):
    ...
    firstmover.core.errors.InvalidInput: response has masked values: give real numbers, and leave out what is missing.
    """
    try:
        if hasattr(value, "__array__") and not isinstance(value, np.ndarray | np.generic):
            value = np.asanyarray(value)  # a Series or a table; a mask stays
        found = _no_number(value)
        array = None if found else np.array(value, dtype=np.float64)
    except Exception as error:
        uneven = "inhomogeneous" in str(error)
        reason = "rows differ in length, so give each as many numbers" if uneven else first_line(error)
        raise InvalidInput(f"{name} must hold numbers: {reason}.") from None
    if array is None:
        raise InvalidInput(f"{name} has {found}: give real numbers, and leave out what is missing.")
    return array


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
        array = as_floats(name, value)
    if array.ndim != ndim:
        raise InvalidInput(f"{name} has shape {array.shape}: give an array with {ndim} dimension(s).")
    if length is not None and len(array) != length:
        raise InvalidInput(f"{name} has {len(array)} number(s): give {length}.")
    if not np.vdot(array, array) <= LARGEST**2 and (refused := ~(np.abs(array) <= LARGEST)).any():
        bad = tuple(np.argwhere(refused)[0])
        where = ", ".join(str(i) for i in bad)
        limit = f" and at most {LARGEST:g} in size" if isfinite(array[bad]) else ""
        raise InvalidInput(
            f"{name} has the value {array[bad]} at position {where}: every number must be finite{limit}."
        )
    array.flags.writeable = False
    return array


def as_menu(name: str, value: ArrayLike) -> Matrix:
    """Return a matrix with at least one row and one column."""
    menu = as_array(name, value, ndim=2)
    if not menu.size:
        raise InvalidInput(f"{name} has shape {menu.shape}: give one row or more, with one number or more in each.")
    return menu


def as_index(name: str, value: int, count: int | None = None) -> int:
    """Return the value as a whole number; with a count, it must be from 0 to count − 1."""
    try:
        whole = index(value)
    except TypeError:
        whole = None
    if whole is None or not isfinite(real_number(value)):
        raise InvalidInput(f"{name} is {shown(value)}: give a whole number.")
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
    try:
        mask = np.array(value)
    except Exception:
        mask = np.empty(0)
    known = mask.dtype == np.bool_ and mask.ndim == 1 and not np.ma.is_masked(value)
    if not known or (count is not None and len(mask) != count):
        raise InvalidInput(f"{name} is {shown(value)}: give True or False for each of {count or 'all'} actions.")
    if not mask.any():
        raise InvalidInput(f"{name} contains no action: allow at least one of {len(mask)}.")
    mask.flags.writeable = False
    return mask


def as_range(name: str, value: tuple[float, float]) -> tuple[float, float]:
    """Return (smallest, largest) as two finite numbers in rising order."""
    try:
        low, high = (as_number(name, end) for end in value)
    except (TypeError, ValueError):  # InvalidInput is a ValueError
        raise InvalidInput(f"{name} is {shown(value)}: give (smallest, largest), both finite.") from None
    if not low < high:
        raise InvalidInput(f"{name} is {value}: give (smallest, largest), both finite.")
    return low, high


def distribution(name: str, value: ArrayLike, count: int | None = None) -> Vector:
    """Return a read-only vector of probabilities that sum to 1, `count` of them if it is given."""
    p = as_array(name, value, ndim=1, length=count)
    if p.size and p[worst := p.argmin()] < 0:
        raise InvalidInput(f"{name} has the value {p[worst]:.6g} at position {worst}: probabilities are 0 or more.")
    if abs(total := float(np.add.reduce(p)) - 1) > 1e-9:
        raise InvalidInput(f"{name} sums to {total + 1:.12g}: probabilities must sum to 1.")
    return p


def as_number(name: str, value: float) -> float:
    """Return the value if it is one finite number."""
    return _checked(name, value, "give one finite number", isfinite)


def positive(name: str, value: float) -> float:
    """Return the value if it is a finite number above 0."""
    return _checked(name, value, "it must be a finite number above 0", lambda number: 0 < number < inf)


def non_negative(name: str, value: float) -> float:
    """Return the value if it is a finite number, 0 or more."""
    return _checked(name, value, "give a finite number, 0 or more", lambda number: 0 <= number < inf)


def _checked(name: str, value: float, remedy: str, allowed: Callable[[float], bool]) -> float:
    number = real_number(value)
    if not allowed(number):
        raise InvalidInput(f"{name} is {shown(value)}: {remedy}.")
    return number


def as_count(name: str, value: int, least: int = 1, most: float = inf) -> int:
    """Return the value if it is a whole number from `least` to `most`."""
    whole = as_index(name, value)
    if whole < least:
        raise InvalidInput(f"{name} is {whole}: give {least} or more.")
    if whole > most:
        raise InvalidInput(f"{name} is {whole:.6g}: give at most {most:,}.")
    return whole
