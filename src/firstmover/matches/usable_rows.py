"""Rows of a table that a match can learn from, and remarks about rows that may be wrong."""

from collections.abc import Sequence
from dataclasses import replace

from firstmover.core.errors import counted
from firstmover.matches.column_roles import Guess
from firstmover.matches.csv_reader import Table
from firstmover.matches.proposed_menu import ProposedMenu
from firstmover.matches.row_selection import listed

LONGEST_LIST = 60
"""Characters of a list of columns in a sentence."""


def usable_rows(table: Table, guesses: Sequence[Guess], menu: ProposedMenu) -> Table:
    """Return the rows that have a decision and an observation, with empty cells for marks such as n/a.

    Labels that join several columns are added as a column, and columns without a use that an import would take for
    another value are dropped. It is the table itself if nothing has to be changed.
    """
    lacking = {*_lacking(guesses), *_off_menu(menu)}
    used = [guess.column for guess in guesses if guess.role not in ("ignored", "when")]
    gaps = {
        (number, place)
        for column in used
        for place in [list(table.names).index(column.name)]
        for number, value in enumerate(column.values)
        if value is None and table.rows[number][place] is not None
    }
    misread = [guess.column.name for guess in guesses if _is_misread(guess, menu)]
    if not (lacking or gaps or misread or menu.joined):
        return table
    kept = [number for number in range(len(table.rows)) if number not in lacking]
    places = [place for place, name in enumerate(table.names) if name not in misread]
    rows = [[None if (n, i) in gaps else table.rows[n][i] for i in places] for n in kept]
    names = [table.names[place] for place in places]
    if menu.joined:
        rows = [[*row, menu.labels[menu.played[n]]] for n, row in zip(kept, rows, strict=True)]
        names = [*names, menu.name]
    return replace(table, names=names, rows=rows, places=[table.places[number] for number in kept])


def _is_misread(guess: Guess, menu: ProposedMenu) -> bool:
    """Whether an import would take a column that is not used for ids, moments or labels of actions."""
    name, unused = guess.column.name.casefold(), guess.role in ("ignored", "when")
    moments = name == "when" and guess.column.kind != "date"
    return unused and (moments or name in ("id", "action", menu.name.casefold()))


def _lacking(guesses: Sequence[Guess]) -> list[int]:
    """The rows without a decision or an observation."""
    needed = [guess.column.values for guess in guesses if guess.role in ("action", "response")]
    return [number for number, values in enumerate(zip(*needed, strict=True)) if None in values]


def _off_menu(menu: ProposedMenu) -> list[int]:
    """The rows with a decision that is no action, where labels join several columns."""
    return [number for number, index in enumerate(menu.played) if menu.joined and index < 0]


def remarks(table: Table, guesses: Sequence[Guess], menu: ProposedMenu) -> list[str]:
    """Sentences about rows that are left out, repeated or below zero."""
    found = []
    lacking = _lacking(guesses)
    rare = sorted({*_off_menu(menu)} - {*lacking})
    if lacking:
        names = " or ".join(guess.column.name for guess in guesses if guess.role in ("action", "response"))
        names = names if len(names) <= LONGEST_LIST else "a decision or an observation"
        found.append(_left_out(table, lacking, f"without {names}"))
    if rare:
        found.append(_left_out(table, rare, "with a rare decision"))
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


def _left_out(table: Table, numbers: Sequence[int], why: str) -> str:
    be = "is" if len(numbers) == 1 else "are"
    return f"{counted(len(numbers), 'row')} {why} {be} left out: {_places(table, numbers)}."


def _places(table: Table, numbers: Sequence[int]) -> str:
    return listed([table.places[number] for number in numbers])
