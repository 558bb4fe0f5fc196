"""Tables in and out: import of rounds and history from CSV, JSON and Parquet, and the columns of an export."""

import csv
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO, StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firstmover.core.documents import parse_error_text
from firstmover.core.errors import InvalidInput, counted, shown, unknown_name
from firstmover.matches.events import Event
from firstmover.matches.rounds import COLUMNS, MatchRound

if TYPE_CHECKING:
    import polars as pl

    from firstmover.matches.setup import Setting

Rows = list[list[str | None]]

OTHER_SEPARATORS = {";": "semicolons", "\t": "tabs"}
"""Separators of columns in files of countries that write a comma before decimals."""

NUMBERS = {
    "action": "Int64",
    "played": "Int64",
    "probability": "Float64",
    "reward": "Float64",
    "delay": "Int64",
    "corrections": "Int64",
}
"""Polars types of those columns of a table of rounds that hold numbers."""


def read_table(path: Path, source: str) -> dict[str, list[Any]]:
    """Columns by name of a CSV or Parquet file, which error messages call `source`."""
    if path.suffix.lower() in (".xlsx", ".xls", ".ods"):
        raise InvalidInput(f"{source} is a spreadsheet: save it as .csv, with commas between columns, or as .parquet.")
    content = _content(path, source)
    if path.suffix.lower() != ".parquet":
        header, rows = read_csv(content, source)
        return {name: [row[i] for row in rows] for i, name in enumerate(header)}
    import polars as pl

    try:
        return pl.read_parquet(content).to_dict(as_series=False)
    except pl.exceptions.PolarsError as error:
        raise InvalidInput(f"{source} is no table: {str(error).splitlines()[0]}.") from None


def _content(path: Path, source: str) -> bytes:
    """The bytes of a file; `-` is the standard input."""
    try:
        return sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
    except OSError as error:
        raise InvalidInput(f"{source} cannot be read: {error.strerror or 'no such file'}.") from None
    except ValueError:
        raise InvalidInput(f"{source} cannot be read: the file name is not valid.") from None


def read_csv(content: bytes, source: str) -> tuple[list[str], Rows]:
    r"""Names of columns and rows of values, None for an empty cell; blank lines are skipped.

    >>> read_csv(b"action,sold\nlow,3\n\nhigh,\n", "file 'x.csv'")
    (['action', 'sold'], [['low', '3'], ['high', None]])
    """
    try:
        lines = csv.reader(StringIO(content.decode("utf-8-sig"), newline=""), strict=True)
        header, *rows = [line for line in lines if any(cell.strip() for cell in line)] or [[]]
    except UnicodeDecodeError as error:
        raise InvalidInput(f"{source} is no table: {parse_error_text(error)}.") from None
    except csv.Error:
        raise InvalidInput(
            f"{source} has a quotation mark too many or too few, in line {lines.line_num} or before: correct it there."
        ) from None
    if not header:
        raise InvalidInput(f"{source} is empty: give a line with the names of its columns, and rows below it.")
    between = next((words for sign, words in OTHER_SEPARATORS.items() if len(header) == 1 and sign in header[0]), None)
    if between is not None:
        raise InvalidInput(f"{source} has {between} between columns: give commas there, and a point before decimals.")
    twice = next((name for name in header if header.count(name) > 1), None)
    if twice is not None:
        raise InvalidInput(f"{source} has the column {shown(twice)} twice: give it once.")
    for number, row in enumerate(rows, start=1):
        if len(row) != len(header):
            raise InvalidInput(
                f"{source} has {counted(len(row), 'value')} in row {number}, under {counted(len(header), 'column')}: "
                "give one for each, with quotation marks around a value that has a comma."
            )
    return header, [[cell or None for cell in row] for row in rows]


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


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a CSV, JSON or Parquet file, by column; `-` reads JSON from the standard input."""
    source = f"file {str(path)!r}"
    if str(path) != "-" and path.suffix.lower() != ".json":
        table = read_table(path, source)
        return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    try:
        content = json.loads(_content(path, source).decode("utf-8-sig"))
    except InvalidInput:
        raise
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{source} holds no rows that can be read: {parse_error_text(error)}.") from None
    rows: list[Any] = content if isinstance(content, list) else [content]
    for row in rows:
        if not isinstance(row, dict):
            raise InvalidInput(f"a row is {row!r}: give an object with names and values, or a list of such.")
    return rows


def split_row(row: Mapping[str, Any], setting: "Setting", key: str) -> tuple[Any, Any, Any]:
    """The key of a row ("round" or "action"), its type and its response; columns go by the names of the match."""
    if key not in row:
        alike = next((name for name in row if str(name).strip().lower() == key), None)
        if alike is not None:
            raise InvalidInput(f"column {key!r} is missing, did you mean {shown(alike)}? Write it as {key!r}.")
        there = ", ".join(map(shown, row)) or "nothing"
        raise InvalidInput(f"column {key!r} is missing, there is {there}: give it, with commas between columns.")
    if "type" in row and "response" in row:
        known = {key, "type", "response"}
        values = row["type"], row["response"]
    else:
        types, responses = setting.types.names, setting.responses.names
        known = {key, *types, *responses}
        values = {n: row[n] for n in types if n in row}, {n: row[n] for n in responses if n in row}
    for name in row:
        if name not in known:
            raise unknown_name("column", name, known)
    return row[key], *values


def history_rows(path: Path, setting: "Setting") -> Iterator[dict[str, Any]]:
    """Rows of a file as `import_history` takes them."""
    for row in read_rows(path):
        action, opponent_type, response = split_row(row, setting, "action")
        yield {"action": action, "type": opponent_type, "response": response}


def rounds_table(rounds: list[MatchRound], setting: "Setting") -> "pl.DataFrame":
    """One row per round; types and responses have columns of their own, also before the first tell."""
    import polars as pl

    numbers = {spec.name for spec in setting.config.types or () if spec.levels is None}
    schema: dict[str, Any] = {name: getattr(pl, NUMBERS.get(name, "String")) for name in COLUMNS}
    schema |= {f"type {name}": pl.Float64 if name in numbers else pl.String for name in setting.types.names}
    response = pl.Float64 if setting.responses.levels is None else pl.String
    schema |= {f"response {name}": response for name in setting.responses.names}
    rows = [played.row() for played in rounds]
    for row in rows:
        row |= {name: json.dumps(value) for name, value in row.items() if isinstance(value, list)}
    return pl.DataFrame(rows, schema=schema)


def event_line(event: Event) -> dict[str, Any]:
    """An event by the names of its fields, with its hash."""
    fields = event._asdict()
    del fields["text"]
    return fields | {"payload": event.payload}


def exported(suffix: str, rounds: list[MatchRound], setting: "Setting", events: Iterator[Event]) -> bytes:
    """Rounds as CSV or Parquet; or, as JSON, every event with its hash, so that the chain can be checked elsewhere."""
    buffer = BytesIO()
    if suffix == ".json":
        return json.dumps([event_line(event) for event in events], indent=1).encode()
    if suffix == ".parquet":
        rounds_table(rounds, setting).write_parquet(buffer)
    elif suffix == ".csv":
        rounds_table(rounds, setting).write_csv(buffer)
    else:
        raise InvalidInput(f"file ends in {suffix!r}: give one that ends in .csv, .parquet or .json.")
    return buffer.getvalue()
