"""Tables in CSV and Parquet files: what cannot be read is reported, not guessed."""

import csv
from collections.abc import Iterable, Iterator, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

from firstmover.core.documents import parse_error_text
from firstmover.core.errors import InvalidInput, counted, shown, unknown_name

Rows = list[list[str | None]]

SPREADSHEETS = (".xlsx", ".xls", ".ods")
"""File name extensions of spreadsheets."""

OTHER_SEPARATORS = {";": "semicolons", "\t": "tabs"}
"""Separators of columns in files of countries that write a comma before decimals."""


def read_table(path: Path, source: str) -> dict[str, list[Any]]:
    """Columns by name of a CSV or Parquet file, which error messages call `source`."""
    if path.suffix.lower() in SPREADSHEETS:
        raise InvalidInput(f"{source} is a spreadsheet: save it as .csv, with commas between columns, or as .parquet.")
    try:
        content = path.read_bytes()
        if path.suffix.lower() == ".parquet":
            return _read_parquet(content, source)
        header, rows = read_csv(content, source)
    except InvalidInput:
        raise
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{source} is no table: {parse_error_text(error)}.") from None
    except ValueError:
        raise InvalidInput(f"{source} cannot be read: the file name is not valid.") from None
    except OSError as error:
        raise InvalidInput(f"{source} cannot be read: {error.strerror or 'no such file'}.") from None
    return {name: [row[i] for row in rows] for i, name in enumerate(header)}


def _read_parquet(content: bytes, source: str) -> dict[str, list[Any]]:
    import polars as pl

    try:
        return pl.read_parquet(content).to_dict(as_series=False)
    except pl.exceptions.PolarsError as error:
        raise InvalidInput(f"{source} is no table: {str(error).splitlines()[0]}.") from None


def read_csv(content: bytes, source: str) -> tuple[list[str], Rows]:
    r"""Names of columns and rows of values, None for an empty cell; blank lines are skipped.

    >>> read_csv(b"action,sold\nlow,3\n\nhigh,\n", "file 'x.csv'")
    (['action', 'sold'], [['low', '3'], ['high', None]])
    """
    lines = csv.reader(StringIO(content.decode("utf-8-sig"), newline=""), strict=True)
    try:
        header, *rows = [line for line in lines if any(cell.strip() for cell in line)] or [[]]
    except csv.Error:
        raise InvalidInput(
            f"{source} has a quotation mark too many or too few, in line {lines.line_num} or before: correct it there."
        ) from None
    _check(header, rows, source)
    return header, [[cell or None for cell in row] for row in rows]


def _check(header: list[str], rows: list[list[str]], source: str) -> None:
    if not header:
        raise InvalidInput(f"{source} is empty: give a line with the names of its columns, and rows below it.")
    between = next((words for sign, words in OTHER_SEPARATORS.items() if len(header) == 1 and sign in header[0]), None)
    if between is not None:
        raise InvalidInput(f"{source} has {between} between columns: give commas there, and a point before decimals.")
    twice = next((name for name in header if header.count(name) > 1), None)
    if twice is not None:
        raise InvalidInput(f"{source} has the column {shown(twice)} twice: give it once.")
    wrong = next((i for i, row in enumerate(rows, start=1) if len(row) != len(header)), None)
    if wrong is not None:
        raise InvalidInput(
            f"{source} has {counted(len(rows[wrong - 1]), 'value')} in row {wrong}, under "
            f"{counted(len(header), 'column')}: give one for each, with quotation marks around a value that has a "
            "comma."
        )


def numbered(rows: Iterable[Mapping[str, Any]]) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The rows of a history with their numbers from 1; raise InvalidInput for one that is no row."""
    if isinstance(rows, Mapping | str) or not isinstance(rows, Iterable):
        raise InvalidInput(f"history is {shown(rows)}: give a list of rows, each with action, type and response.")
    known = ("action", "type", "response")
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, Mapping):
            raise InvalidInput(f"row {number} is {shown(row)}: give action, type and response by name.")
        for name in row:
            if name not in known:
                raise InvalidInput(f"row {number}: {unknown_name('column', str(name), known)}")
        yield number, row
