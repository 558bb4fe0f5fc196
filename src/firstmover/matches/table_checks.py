"""Lines of a table that are no rows: titles, second lines of names, totals; and names of columns that are none."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from firstmover.core.errors import InvalidInput, counted, shown
from firstmover.matches.csv_reader import Table
from firstmover.matches.number_format import Written
from firstmover.matches.table_reader import TOTALS, is_moment

AVERAGES = ("average", "mean", "durchschnitt", "mittelwert", "moyenne", "promedio", "media", "gemiddelde")
"""First words of rows that are means of the rows above."""

FEWEST_ADDED = 3
"""Rows from which on a last row that equals their sum is one of totals."""


def check_names(table: Table) -> None:
    """Raise InvalidInput if the first line has numbers or dates, or if there is one column only."""
    if len(table.names) == 1:
        raise InvalidInput(
            f"{table.source} has one column only, {shown(table.names[0])}: save it as CSV, with commas, semicolons or "
            "tabs between columns."
        )
    odd = [name for name in table.names if is_moment(name) or _is_plain_number(name)]
    if 2 * len(odd) >= len(table.names):
        raise InvalidInput(
            f"{table.source} has {shown(odd[0])} where the name of a column should be: put a line with names above the "
            "rows; if it has one column per day or week, exchange rows and columns."
        )


def _is_plain_number(text: str) -> bool:
    found = Written.of(text)
    return found is not None and not found.beside


def check_totals(table: Table) -> None:
    """Raise InvalidInput for a row that says that it summarises others: the last one, or one with empty cells."""
    last = len(table.rows) - 1
    for number, row in enumerate(table.rows):
        words = [cell for cell in row if isinstance(cell, str) and cell.casefold().rstrip(":") in (*TOTALS, *AVERAGES)]
        if words and (number == last or None in row):
            raise _total(table, number, f" ({words[0]})")


def check_sums(table: Table, columns: Sequence[tuple[str, Sequence[Any]]]) -> None:
    """Raise InvalidInput if the last row lacks a value that all others have, and is the sum or mean of a column."""
    numbers = [values for kind, values in columns if kind == "number" and None not in values]
    gaps = [values for _, values in columns if values[-1] is None and None not in values[:-1]]
    if not gaps or len(table.rows) <= FEWEST_ADDED:
        return
    for values in numbers:
        above = np.array(values[:-1], dtype=float)
        if any(np.isclose(values[-1], found, rtol=1e-9, atol=0.0) for found in (above.sum(), above.mean())):
            raise _total(table, len(table.rows) - 1, "")


def _total(table: Table, number: int, said: str) -> InvalidInput:
    return InvalidInput(f"{table.places[number]} of {table.source} summarises the rows above it{said}: delete it.")


def odd_cell(table: Table, name: str, wrong: tuple[str, Any], others: int, what: str) -> InvalidInput:
    """Return the error for a cell that is not as the others of its column are; the first may be a line of names."""
    place, cell = wrong
    if place == table.places[0] and isinstance(cell, str):
        return InvalidInput(
            f"{table.source} has {shown(cell)} in column {name!r}, {place}, above {counted(others, 'row')} of {what}: "
            "keep one line of names above the rows, and no line of units."
        )
    return InvalidInput(
        f"{table.source} has {shown(cell)} in column {name!r}, {place}, and {what} in "
        f"{counted(others, 'other row')}: correct it, or leave the cell empty."
    )
