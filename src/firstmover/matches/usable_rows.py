"""Rows of a table that a match can learn from, and remarks about rows that may be wrong."""

from collections.abc import Sequence
from dataclasses import replace

from firstmover.core.errors import counted
from firstmover.matches.column_roles import Guess
from firstmover.matches.csv_reader import Table
from firstmover.matches.row_selection import listed


def usable_rows(table: Table, guesses: Sequence[Guess]) -> Table:
    """Return the rows that have a decision and an observation, with empty cells for marks such as n/a.

    It is the table itself if nothing has to be changed.
    """
    lacking = set(_lacking(guesses))
    used = [guess.column for guess in guesses if guess.role not in ("ignored", "when")]
    gaps = {
        (number, place)
        for column in used
        for place in [list(table.names).index(column.name)]
        for number, value in enumerate(column.values)
        if value is None and table.rows[number][place] is not None
    }
    if not lacking and not gaps:
        return table
    kept = [number for number in range(len(table.rows)) if number not in lacking]
    rows = [[None if (n, i) in gaps else cell for i, cell in enumerate(table.rows[n])] for n in kept]
    return replace(table, rows=rows, places=[table.places[number] for number in kept])


def _lacking(guesses: Sequence[Guess]) -> list[int]:
    """The rows without a decision or an observation."""
    needed = [guess.column.values for guess in guesses if guess.role in ("action", "response")]
    return [number for number, values in enumerate(zip(*needed, strict=True)) if None in values]


def remarks(table: Table, guesses: Sequence[Guess]) -> list[str]:
    """Sentences about rows that are left out, repeated or below zero."""
    found = []
    lacking = _lacking(guesses)
    if lacking:
        names = " or ".join(guess.column.name for guess in guesses if guess.role in ("action", "response"))
        names = names if len(names) <= 60 else "a decision or an observation"
        be = "is" if len(lacking) == 1 else "are"
        found.append(f"{counted(len(lacking), 'row')} without {names} {be} left out: {_places(table, lacking)}.")
    rows = list(map(tuple, table.rows))
    first: dict[tuple[object, ...], int] = {}
    copies = [number for number, row in enumerate(rows) if first.setdefault(row, number) != number]
    if copies and any(guess.role == "when" for guess in guesses):
        found.append(
            f"Rows that repeat earlier ones exactly: {_places(table, copies)}; delete them if they are copies."
        )
    for column in (guess.column for guess in guesses if guess.role == "response" and guess.column.kind == "number"):
        below = [number for number, value in enumerate(column.values) if value is not None and value < 0]
        if below and not column.name.casefold().startswith("log"):
            found.append(f"{column.name} is below 0 in {_places(table, below)}: is that right?")
    return found


def _places(table: Table, numbers: Sequence[int]) -> str:
    return listed([table.places[number] for number in numbers])
