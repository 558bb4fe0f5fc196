"""The columns of a table as people have it: numbers, names, dates, and those that say nothing."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import isfinite
from typing import Any, Literal

import numpy as np

from firstmover.core.arrays import Vector
from firstmover.core.errors import InvalidInput, shown
from firstmover.matches.column_units import unit_beside, unit_of
from firstmover.matches.csv_reader import Table
from firstmover.matches.number_format import CURRENCIES, Cell, Written, check_currencies, decimal_mark, number_of
from firstmover.matches.table_checks import check_names, check_sums, check_totals, odd_cell
from firstmover.matches.table_reader import is_moment, moments

Kind = Literal["number", "text", "date", "empty"]

MISSING = {
    *("", "-", "–", "?", "na", "n/a", "nan", "null", "none", "nil"),
    *("#n/a", "#na", "#div/0!", "#value!", "#ref!", "#name?", "#num!", "#null!"),
}
"""Texts that stand for a missing value."""

NAMES = {"none", "nil"}
"""Those of them that are names in a column of names, such as none of several findings."""

MOSTLY = 0.8
"""The share of numbers, or dates, from which on a column is one of them, and its other texts are errors."""


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

    @cached_property
    def whole(self) -> bool:
        """Whether it has whole numbers only."""
        return self.kind == "number" and all(value % 1 == 0 for value in self.distinct)

    @property
    def numbers(self) -> Vector:
        """The values as numbers, NaN where one is missing."""
        return np.array([np.nan if value is None else value for value in self.values], dtype=float)


def value_text(value: object) -> str:
    """Return a value of a column as a person writes it, 2 for 2.0."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def read_columns(table: Table, decimal: str | None = None) -> list[Column]:
    """Return the columns of a table; raise InvalidInput for one whose values contradict each other."""
    if not table.rows:
        raise InvalidInput(f"{table.source} has no rows: give one for each day or round that was observed.")
    check_names(table)
    if len(table.rows) == 1:
        raise InvalidInput(f"{table.source} has 1 row only: give one for each day or round that was observed.")
    check_totals(table)
    raw = {name: [_present(cell) for cell in table.column(name)] for name in table.names}
    written = {name: _numbers(table, name, cells) for name, cells in raw.items()}
    texts = [cell for cells in written.values() for cell in cells or ()]
    mark = decimal or decimal_mark(texts, table.source, None, table.separator)
    check_currencies(texts, table.source)
    found = [_column(table, name, cells, mark, is_number=written[name] is not None) for name, cells in raw.items()]
    check_sums(table, [(column.kind, column.values) for column in found])
    return found


def _present(cell: Any) -> Any:
    if isinstance(cell, float) and np.isnan(cell):
        return None
    return None if cell is None or str(cell).strip().casefold() in MISSING else cell


def _numbers(table: Table, name: str, cells: Sequence[Any]) -> list[Cell] | None:
    """The texts of a column of numbers; None if it is no such column, and an error if it nearly is, or is of dates."""
    given = [(place, cell) for place, cell in zip(table.places, cells, strict=True) if cell is not None]
    if any(is_moment(cell) for _, cell in given[:3]):
        wrong = [entry for entry in given if not is_moment(entry[1])]
        if 0 < len(wrong) <= (1 - MOSTLY) * len(given):
            raise odd_cell(table, name, wrong[0], len(given) - len(wrong), "dates")
        if not wrong:
            return None
    wrong = [(place, cell) for place, cell in given if not _is_number(cell)]
    if not given or len(wrong) > (1 - MOSTLY) * len(given):
        _check_units(table, name, given)
        return None
    if wrong:
        raise odd_cell(table, name, wrong[0], len(given) - len(wrong), "numbers")
    return [Cell(place, name, "", cell) for place, cell in given if isinstance(cell, str)]


def _check_units(table: Table, name: str, given: Sequence[tuple[str, Any]]) -> None:
    """Raise InvalidInput for a column of numbers with units beside them."""
    odd = [(place, cell) for place, cell in given if unit_beside(str(cell)) is not None]
    if odd and len(odd) >= MOSTLY * len(given):
        place, cell = odd[0]
        beside = unit_beside(str(cell))
        remedy = "a minus" if beside == "()" else f"numbers alone, and the unit in the name, as in '{name} ({beside})'"
        raise InvalidInput(f"{table.source} has {shown(cell)} in column {name!r}, {place}: write {remedy}.")


def _is_number(cell: Any) -> bool:
    if not isinstance(cell, str):
        return isinstance(cell, int | float | np.number) and bool(np.isfinite(cell))
    found = Written.of(cell)
    if found is None or not all(map(isfinite, found.values.values())):
        return False
    return found.beside in ("", "%") or found.beside.upper() in CURRENCIES


def _column(table: Table, name: str, cells: Sequence[Any], mark: str, *, is_number: bool) -> Column:
    if is_number:
        return _number_column(table, name, cells, mark)
    present = [cell for cell in cells if cell is not None]
    if not present:
        return Column(name, "empty", [None] * len(cells))
    if all(map(is_moment, present)):
        return Column(name, "date", moments(cells, table))
    texts = ["" if cell is None else str(cell).strip() for cell in table.column(name)]
    return Column(
        name,
        "text",
        [t if t.casefold() in NAMES or t.casefold() not in MISSING else None for t in texts],
        unit_of(name),
    )


def _number_column(table: Table, name: str, cells: Sequence[Any], mark: str) -> Column:
    """A column of numbers; with signs beside them, these are the unit, unless the name has one."""
    values: list[float | None] = []
    signs: set[str] = set()
    unit = unit_of(name)
    for place, cell in zip(table.places, cells, strict=True):
        if not isinstance(cell, str):
            values.append(None if cell is None else float(cell))
            continue
        found = Written.of(cell)
        sign = "" if found is None else CURRENCIES.get(found.beside.upper(), found.beside)
        signs |= {sign} - {""}
        number = number_of(Cell(place, name, "", cell), mark)
        if isinstance(number, str):
            raise InvalidInput(
                f"{table.source} has {cell!r} in column {name!r}, {place}, which is no number with the decimal "
                f"sign {mark!r} of the other rows: correct it."
            )
        if sign in CURRENCIES.values() and CURRENCIES.get(unit.upper(), sign) != sign:
            raise InvalidInput(
                f"{table.source} has {cell!r} in {place} of column {name!r}, which names {unit}: write one currency."
            )
        values.append(number)
    if "%" in signs:
        return Column(name, "number", values)  # 12 % is 0.12, also where the name has a percent sign
    return Column(name, "number", values, unit or next(iter(signs), ""))
