"""Checks of the names of columns, and of the names that are their values."""

from collections.abc import Sequence

from firstmover.core.errors import InvalidInput, shown
from firstmover.matches.column_roles import Guess
from firstmover.matches.csv_reader import Table
from firstmover.matches.names import LONGEST, writable


def check_spelling(table: Table, guesses: Sequence[Guess]) -> None:
    """Raise InvalidInput for names that a configuration cannot hold, or that differ in capital letters only."""
    decided = [guess.column.name for guess in guesses if guess.role == "action"]
    one = next((name for name in decided if name.casefold() == "action"), None)
    if one is not None and len(decided) > 1:
        raise InvalidInput(f"column {one!r} is one of {len(decided)} that you decide: give it a name of its own.")
    for column in (guess.column for guess in guesses if guess.role not in ("ignored", "when")):
        _check_name(f"column {shown(column.name)}", column.name)
        first: dict[str, str] = {}
        for value in column.distinct if column.kind == "text" else ():
            place = table.places[list(column.values).index(value)]
            _check_name(f"{shown(value)} in {place} of column {column.name!r}", value)
            other = first.setdefault(value.casefold(), value)
            if other != value:
                before = table.places[list(column.values).index(other)]
                raise InvalidInput(
                    f"{table.source} has {shown(other)} in {before} and {shown(value)} in {place} of column "
                    f"{column.name!r}: write it in one way."
                )


def _check_name(what: str, name: str) -> None:
    if any(sign in name for sign in "=,\n\r"):
        raise InvalidInput(f"{what} has = or , in its name: give it another name.")
    if not writable(name):
        raise InvalidInput(f"{what} has a sign in its name that cannot be written: give it another name.")
    if len(name) > LONGEST:
        raise InvalidInput(f"{what} has {len(name)} characters: give a name of at most {LONGEST}.")
