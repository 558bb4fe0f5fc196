"""Rows of a table with given values, such as those of one store, and tables that hold several series."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from itertools import combinations
from shlex import quote

from firstmover.core.errors import InvalidInput, shown, unknown_name
from firstmover.matches.column_kinds import Column, value_text
from firstmover.matches.column_roles import Guess
from firstmover.matches.column_words import PRODUCTS, words_of
from firstmover.matches.csv_reader import Table
from firstmover.matches.number_format import Written

STORES = {
    *("store", "stores", "shop", "branch", "outlet", "filiale", "laden", "markt", "magasin", "boutique", "tienda"),
    *("negozio", "winkel", "franchise", "restaurant", "station"),
}
"""Words in names of columns that number places of business, each with prices of its own."""

FULL = 0.5
"""The share of all combinations of rounds and series that has a row, from which on columns distinguish series."""

MOST_SHOWN = 8
"""Values that an error message lists."""


class SeveralSeries(InvalidInput):
    """A table that holds several series, of which one is chosen by a value of `column`; `values` are its values."""

    def __init__(self, sentence: str, column: str, values: Sequence[str]) -> None:
        super().__init__(sentence)
        self.column, self.values = column, values


def selected(table: Table, where: Mapping[str, object]) -> Table:
    r"""Return the rows that have a given value in each of some columns.

    >>> from firstmover.matches.csv_reader import read_csv
    >>> selected(read_csv("store,sold\n2,5\n5,7\n2,6", "sales"), {"store": 2}).rows
    [['2', '5'], ['2', '6']]
    """
    for name, value in where.items():
        if name not in table.names:
            raise unknown_name("column", name, table.names)
        cells = table.column(name)
        kept = [number for number, cell in enumerate(cells) if _same(cell, value)]
        if not kept:
            raise _absent(table, name, value)
        rows, places = [table.rows[number] for number in kept], [table.places[number] for number in kept]
        table = replace(table, rows=rows, places=places)
    chosen = " and ".join(f"{name} = {value}" for name, value in where.items())
    return replace(table, source=f"{table.source} where {chosen}") if chosen else table


def _numbers(value: object) -> set[float]:
    """The numbers that a cell may be, none if it is a text."""
    found = Written.of(str(value))
    return set() if found is None or found.beside else set(found.values.values())


def _same(cell: object, value: object) -> bool:
    if cell is None:
        return False
    return str(cell).casefold() == str(value).casefold() or bool(_numbers(cell) & _numbers(value))


def _absent(table: Table, name: str, value: object) -> InvalidInput:
    """The error for a value that no row has, with the nearest ones."""
    known = list(dict.fromkeys(str(cell) for cell in table.column(name) if cell is not None))
    own = _numbers(value)
    if own and all(map(_numbers, known)):
        known = sorted(known, key=lambda text: min(_numbers(text)))
        near = sorted(known, key=lambda text: min(abs(a - b) for a in _numbers(text) for b in own))[:2]
    else:
        near = get_close_matches(str(value), known, n=2, cutoff=0.4)
    hint = f"did you mean {' or '.join(near)}? It" if near else "it"
    return InvalidInput(f"column {name!r} of {table.source} has no value {shown(value)}: {hint} has {listed(known)}.")


def listed(values: Sequence[str]) -> str:
    """Return values for a message, those in the middle left out if there are many."""
    return ", ".join(values if len(values) <= MOST_SHOWN else [*values[: MOST_SHOWN - 2], "…", values[-1]])


def check_one_series(table: Table, guesses: Sequence[Guess], when: Column, given: Collection[str]) -> None:
    """Raise SeveralSeries if rounds have rows of several stores, or of series by more than one column."""
    free = [column for column in series_columns(guesses, when) if column.name not in given]
    rounds = len(when.distinct)
    for column in free:
        pairs = set(zip(when.values, column.values, strict=True))
        if words_of(column.name) & STORES and len(pairs) >= (1 + FULL) * rounds:
            raise several_series(table, column, when)
    for size in (1, 2, 3):
        for chosen in combinations(free, size):
            cells = Counter(zip(when.values, *(column.values for column in chosen), strict=True))
            possible = float(rounds)
            for column in chosen:
                possible *= len(column.distinct)
            if max(cells.values()) == 1 and len(cells) >= FULL * possible:
                raise several_series(table, chosen[0], when)


def series_columns(guesses: Sequence[Guess], when: Column) -> list[Column]:
    """Return the columns that may name the series that a row belongs to: names or whole numbers that repeat."""
    return [guess.column for guess in guesses if guess.column is not when and _names_series(guess)]


def _names_series(guess: Guess) -> bool:
    column = guess.column
    named = bool(words_of(column.name) & (STORES | PRODUCTS))
    told = guess.role in ("response", "before", "action", "when") and not named
    repeated = len(column.distinct) <= len(column.values) // 2 and None not in column.values
    return not told and repeated and (column.kind == "text" or column.whole)


def several_series(table: Table, column: Column, when: Column) -> SeveralSeries:
    """Return the error for a table with several series by the values of a column."""
    values = [value_text(value) for value in column.distinct]
    return SeveralSeries(
        f"{table.source} has rows of {len(values)} series in the same {when.name}, one for each {column.name}: choose "
        f"one with the option where, as in --where {quote(f'{column.name}={values[0]}')}.",
        column.name,
        values,
    )
