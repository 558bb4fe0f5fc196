"""The columns of a table as people have it: numbers, names, dates, and those that say nothing."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from firstmover.core.arrays import Vector
from firstmover.core.errors import InvalidInput, counted, shown
from firstmover.matches.csv_reader import Table
from firstmover.matches.number_format import CURRENCIES, Cell, Written, check_currencies, decimal_mark, number_of
from firstmover.matches.table_reader import TOTALS, is_moment, moments

Kind = Literal["number", "text", "date", "empty"]

MISSING = {"", "-", "–", "?", "na", "n/a", "nan", "null", "none", "#n/a", "nil"}
"""Texts that stand for a missing value."""

MOSTLY = 0.8
"""The share of numbers from which on a column is one of numbers, and its other texts are errors."""

UNIT = re.compile(r"[\[(]\s*([^\])]+?)\s*[\])]\s*$")
"""A unit at the end of a column's name, such as price (EUR)."""


@dataclass(frozen=True)
class Column:
    """A column by name, with its values as numbers, texts or ISO dates, None where one is missing."""

    name: str
    kind: Kind
    values: Sequence[Any]
    unit: str = ""

    @cached_property
    def distinct(self) -> list[Any]:
        """The different values, in order."""
        return sorted({value for value in self.values if value is not None})

    @property
    def constant(self) -> bool:
        """Whether the column has the same value in all rows, or none."""
        return len(self.distinct) < 2

    @property
    def numbers(self) -> Vector:
        """The values as numbers, NaN where one is missing."""
        return np.array([np.nan if value is None else value for value in self.values], dtype=float)


def read_columns(table: Table, decimal: str | None = None) -> list[Column]:
    """Return the columns of a table; raise InvalidInput for one whose values contradict each other."""
    if not table.rows:
        raise InvalidInput(f"{table.source} has no rows: give one for each day or round that was observed.")
    _check_totals(table)
    raw = {name: [_present(cell) for cell in table.column(name)] for name in table.names}
    written = {name: _numbers(table, name, cells) for name, cells in raw.items()}
    texts = [cell for cells in written.values() for cell in cells or ()]
    mark = decimal or decimal_mark(texts, table.source, None, table.separator)
    check_currencies(texts, table.source)
    return [_column(table, name, cells, mark, is_number=written[name] is not None) for name, cells in raw.items()]


def _present(cell: Any) -> Any:
    if isinstance(cell, float) and np.isnan(cell):
        return None
    return None if cell is None or str(cell).strip().casefold() in MISSING else cell


def _check_totals(table: Table) -> None:
    """Raise InvalidInput if the last row adds up the others."""
    words = [cell for cell in table.rows[-1] if isinstance(cell, str) and cell.casefold().rstrip(":") in TOTALS]
    if words:
        raise InvalidInput(f"{table.places[-1]} of {table.source} adds up the rows above it ({words[0]}): delete it.")


def _numbers(table: Table, name: str, cells: Sequence[Any]) -> list[Cell] | None:
    """The texts of a column of numbers; None if it is no such column, and an error if it nearly is."""
    given = [(place, cell) for place, cell in zip(table.places, cells, strict=True) if cell is not None]
    if not given or all(is_moment(cell) for _, cell in given):
        return None
    wrong = [(place, cell) for place, cell in given if not _is_number(cell)]
    if wrong and len(wrong) > (1 - MOSTLY) * len(given):
        return None
    if wrong:
        place, cell = wrong[0]
        raise InvalidInput(
            f"{table.source} has {shown(cell)} in column {name!r}, {place}, and numbers in "
            f"{counted(len(given) - len(wrong), 'other row')}: correct it, or leave the cell empty."
        )
    return [Cell(place, name, "", cell) for place, cell in given if isinstance(cell, str)]


def _is_number(cell: Any) -> bool:
    if not isinstance(cell, str):
        return isinstance(cell, int | float | np.number) and bool(np.isfinite(cell))
    found = Written.of(cell)
    return found is not None and (found.beside in ("", "%") or found.beside.upper() in CURRENCIES)


def _column(table: Table, name: str, cells: Sequence[Any], mark: str, *, is_number: bool) -> Column:
    in_name = UNIT.search(name)
    if is_number:
        values: list[Any] = []
        beside = ""
        for place, cell in zip(table.places, cells, strict=True):
            found = Written.of(cell) if isinstance(cell, str) else None
            beside = beside or ("" if found is None else CURRENCIES.get(found.beside.upper(), ""))
            values.append(number_of(Cell(place, name, "", cell), mark) if isinstance(cell, str) else cell)
            if isinstance(values[-1], str):
                raise InvalidInput(
                    f"{table.source} has {cell!r} in column {name!r}, {place}, which is no number with the decimal "
                    f"sign {mark!r} of the other rows: correct it."
                )
        values = [None if value is None else float(value) for value in values]
        return Column(name, "number", values, in_name[1] if in_name else beside)
    present = [cell for cell in cells if cell is not None]
    if not present:
        return Column(name, "empty", [None] * len(cells))
    if all(map(is_moment, present)):
        return Column(name, "date", moments(cells, table))
    return Column(name, "text", [None if cell is None else str(cell).strip() for cell in cells])
