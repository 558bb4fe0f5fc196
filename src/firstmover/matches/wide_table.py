"""Tables with several rows per round, such as one for each product and week, as tables with one row per round."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

from firstmover.core.errors import InvalidInput
from firstmover.matches.column_kinds import Column, value_text
from firstmover.matches.column_roles import Guess
from firstmover.matches.column_words import words_of
from firstmover.matches.csv_reader import Table
from firstmover.matches.row_selection import STORES, check_one_series, series_columns, several_series

MOST_KEYS = 50
"""Different rows per round up to which they are put beside each other."""


def one_row_per_round(table: Table, guesses: Sequence[Guess], given: Collection[str]) -> Table:
    """Return the table itself, or with the rows of each round put beside each other; columns in `given` have a role.

    Raise SeveralSeries if the rows of one round are decisions of their own: of several stores, or by names.
    """
    columns = [guess.column for guess in guesses]
    for guess in guesses:
        when = guess.column
        if guess.role != "when" or len(set(when.values)) == len(when.values):
            continue
        key = key_column(series_columns(guesses, when), when)
        if key is None:
            check_one_series(table, guesses, when, given)
        elif key.name not in given:
            decided = [each.column for each in guesses if each.role == "action" and each.column is not key]
            apart = [column for column in decided if not _same_in_rounds(column, when)]
            if any(words_of(key.name) & STORES or column.kind == "text" for column in apart):
                raise several_series(table, key, when)
            return widened(table, columns, when.name, key.name)
    return table


def _same_in_rounds(column: Column, when: Column) -> bool:
    """Whether a column has one value in each round."""
    return len(set(zip(when.values, column.values, strict=True))) == len(set(when.values))


def key_column(candidates: Sequence[Column], when: Column) -> Column | None:
    """Return the column that distinguishes the rows of each round; None if none of them does."""
    for column in candidates:
        pairs = Counter(zip(when.values, column.values, strict=True))
        if len(column.distinct) <= MOST_KEYS and max(pairs.values()) == 1:
            return column
    return None


def widened(table: Table, columns: Sequence[Column], when: str, key: str) -> Table:
    r"""Return the table with one row per round: columns that differ within a round get one column for each key.

    >>> from firstmover.matches.column_kinds import read_columns
    >>> from firstmover.matches.csv_reader import read_csv
    >>> table = read_csv("week,shop,holiday,sold\n1,a,0,5\n1,b,0,7\n2,a,1,6\n2,b,1,9", "sales")
    >>> wide = widened(table, read_columns(table), "week", "shop")
    >>> wide.names, wide.rows
    (['week', 'holiday', 'sold a', 'sold b'], [['1', '0', '5', '7'], ['2', '1', '6', '9']])
    """
    by_name = {column.name: column for column in columns}
    rounds: dict[object, dict[object, int]] = {}
    for number, pair in enumerate(zip(by_name[when].values, by_name[key].values, strict=True)):
        rounds.setdefault(pair[0], {})[pair[1]] = number
    keys = by_name[key].distinct
    lacking = next((moment for moment, rows in rounds.items() if len(rows) < len(keys)), None)
    if lacking is not None:
        missing = next(each for each in keys if each not in rounds[lacking])
        raise InvalidInput(
            f"{table.source} has no row for {key} {value_text(missing)} in {when} {value_text(lacking)}, and others "
            f"have: add it, or keep one {key} with the option where, as in --where {key}={value_text(keys[0])}."
        )
    others = [name for name in table.names if name != key]
    common = [name for name in others if all(_same(by_name[name], rows.values()) for rows in rounds.values())]
    varying = [name for name in others if name not in common]
    names = [*common, *(f"{name} {value_text(each)}" for name in varying for each in keys)]
    place = {name: list(table.names).index(name) for name in others}
    wide = []
    for rows in rounds.values():
        first = table.rows[next(iter(rows.values()))]
        each = [table.rows[rows[one]][place[name]] for name in varying for one in keys]
        wide.append([*(first[place[name]] for name in common), *each])
    return replace(table, names=names, rows=wide, places=[f"{when} {value_text(moment)}" for moment in rounds])


def _same(column: Column, rows: object) -> bool:
    return len({column.values[number] for number in rows}) == 1  # type: ignore[attr-defined]
