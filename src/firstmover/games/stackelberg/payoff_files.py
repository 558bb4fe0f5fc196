"""Payoff tables from files: NumPy's .npy, or CSV whose first line may name the follower's actions."""

import csv
from math import isfinite
from pathlib import Path

import numpy as np

from firstmover.core.errors import InvalidInput
from firstmover.core.records import Matrix, as_array


def payoff_table(path: Path) -> Matrix:
    """A row of numbers for each leader action."""
    if path.suffix == ".npy":
        return _from_numpy(path)
    lines = _lines(path)
    if lines and not any(_is_data(cell) for cell in lines[0][1]):
        lines = lines[1:]
    if not lines:
        raise InvalidInput(f"payoff table {str(path)!r} has no numbers: give a row for each leader action.")
    first, width = lines[0][0], len(lines[0][1])
    for line, cells in lines:
        if len(cells) != width:
            raise InvalidInput(
                f"payoff table {str(path)!r} has {len(cells)} entries in line {line}, and {width} in line {first}: "
                "give as many."
            )
    return np.array([[_number(path, line, i, cell) for i, cell in enumerate(cells, 1)] for line, cells in lines])


def _from_numpy(path: Path) -> Matrix:
    try:
        table = np.load(path, allow_pickle=False)
    except OSError as error:
        raise InvalidInput(f"payoff table {str(path)!r} cannot be read: {error.strerror}; name a file.") from None
    except (ValueError, EOFError):
        raise InvalidInput(
            f"payoff table {str(path)!r} is no NumPy array of numbers: write it with numpy.save, or as CSV."
        ) from None
    if table.dtype.kind not in "biuf":
        raise InvalidInput(f"payoff table {str(path)!r} holds values of type {table.dtype}: give real numbers.")
    return as_array(f"payoff table {str(path)!r}", table, ndim=2)


def _lines(path: Path) -> list[tuple[int, list[str]]]:
    """The cells of each line that has any, with its number in the file."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file)
            lines = [(reader.line_num, [cell.strip() for cell in row]) for row in reader]
    except OSError as error:
        raise InvalidInput(f"payoff table {str(path)!r} cannot be read: {error.strerror}; name a file.") from None
    except (UnicodeDecodeError, csv.Error):
        raise InvalidInput(f"payoff table {str(path)!r} is no text in UTF-8: save it as CSV, or as .npy.") from None
    return [(line, cells) for line, cells in lines if any(cells)]


def _is_data(cell: str) -> bool:
    """Whether a cell cannot be the name of an action: empty, a number, or several with another sign between them."""
    try:
        float(cell)
    except ValueError:
        return not cell or _separated(cell)
    return True


def _separated(cell: str) -> bool:
    return ";" in cell or "\t" in cell


def _number(path: Path, line: int, column: int, cell: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = float("nan")
    if isfinite(value):
        return value
    what = f"has {cell!r}" if cell else "misses the entry"
    remedy = "separate numbers by commas" if _separated(cell) else "give a finite number"
    raise InvalidInput(f"payoff table {str(path)!r} {what} in line {line}, column {column}: {remedy}.")
