"""Records as values that JSON can hold: arrays become lists of rounded numbers."""

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

DIGITS = 5
"""Significant digits of a number in a picture: more cannot be seen."""


def json_values(value: object) -> Any:
    """Return dictionaries, lists, text and numbers; numbers that are not finite become None.

    >>> json_values({"mean": np.array([[1 / 3, np.nan]]), "n": np.int64(4)})
    {'mean': [[0.33333, None]], 'n': 4}
    """
    if is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, dict):
        return {str(key): json_values(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [json_values(entry) for entry in value]
    if isinstance(value, np.ndarray | np.generic):
        return _rounded(value) if np.issubdtype(value.dtype, np.floating) else value.tolist()
    return _rounded(np.array(value)) if isinstance(value, float) else value


def _rounded(numbers: Any) -> Any:
    """Round all entries to DIGITS significant digits."""
    numbers = np.asarray(numbers, dtype=float)
    finite = np.isfinite(numbers)
    sound = np.where(finite, numbers, 0.0)
    sizes = np.floor(np.log10(np.maximum(np.abs(sound), np.finfo(float).tiny)))
    scale = 10.0 ** np.clip(DIGITS - 1 - sizes, -300, 300)
    short = np.where(sound == 0, 0.0, np.round(sound * scale) / scale)
    entries = short.astype(object)
    entries[~finite] = None
    return entries.tolist()
