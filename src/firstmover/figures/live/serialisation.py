"""Records as values that JSON can hold."""

from dataclasses import fields, is_dataclass
from math import isfinite
from typing import Any

import numpy as np

DIGITS = 5
"""Significant digits of a number in a figure."""


def json_values(value: object) -> Any:
    """Return dictionaries, lists, text and rounded numbers; numbers that are not finite become None.

    >>> json_values({"mean": np.array([[1 / 3, np.nan]]), "n": np.int64(4)})
    {'mean': [[0.33333, None]], 'n': 4}
    """
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    if isinstance(value, float):
        return float(f"{value:.{DIGITS}g}") if isfinite(value) else None
    if isinstance(value, list | tuple):
        return [json_values(entry) for entry in value]
    if is_dataclass(value) and not isinstance(value, type):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    return {str(key): json_values(entry) for key, entry in value.items()} if isinstance(value, dict) else value
