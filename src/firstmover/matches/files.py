"""Files in and out: tables in CSV and Parquet, rows in JSON, and the columns of an export."""

import json
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firstmover.core.documents import parse_error_text
from firstmover.core.errors import InvalidInput
from firstmover.core.files import read_at_most
from firstmover.matches.csv_reader import SAVING, SEPARATORS, Table, decoded, read_csv
from firstmover.matches.events import Event
from firstmover.matches.formula_cells import csv_bytes
from firstmover.matches.rounds import COLUMNS, MatchRound

if TYPE_CHECKING:
    import polars as pl

    from firstmover.matches.setup import Setting

NUMBERS = {"probability": "Float64", "reward": "Float64"} | dict.fromkeys(
    ("action", "played", "delay", "corrections", "closed"), "Int64"
)
"""Polars types of those columns of a table of rounds that hold numbers."""


LARGEST = 200_000_000
"""Bytes of the largest table that is read: its cells take ten times as much memory."""


def read_table(path: Path, source: str) -> dict[str, list[Any]]:
    """Columns by name of a CSV or Parquet file, which error messages call `source`."""
    table = table_of(path, source)
    if table.separator not in ("", ","):
        between = SEPARATORS[table.separator]
        raise InvalidInput(f"{source} has {between}s between columns: give commas there, and a point before decimals.")
    return {name: table.column(name) for name in table.names}


def table_of(path: Path, source: str = "") -> Table:
    """The table of a CSV or Parquet file."""
    source = source or f"file {str(path)!r}"
    if path.suffix.lower() in (".xlsx", ".xls", ".ods"):
        raise InvalidInput(f"{source} is a spreadsheet: {SAVING}.")
    content = _content(path, source)
    if path.suffix.lower() != ".parquet":
        return read_csv(content, source)
    import polars as pl

    try:
        frame = pl.read_parquet(content)
    except pl.exceptions.PolarsError as error:
        raise InvalidInput(f"{source} is no table: {str(error).splitlines()[0]}.") from None
    return Table(source, frame.columns, frame.rows(), [f"row {number}" for number in range(1, frame.height + 1)])


def csv_text(path: Path) -> str:
    """The text of a CSV file, whatever its encoding."""
    source = f"file {str(path)!r}"
    return decoded(_content(path, source), source)


def _content(path: Path, source: str) -> bytes:
    """The bytes of a file; `-` is the standard input."""
    try:
        with nullcontext(sys.stdin.buffer) if str(path) == "-" else path.open("rb") as file:
            return read_at_most(file, LARGEST, source)
    except InvalidInput:
        raise
    except OSError as error:
        raise InvalidInput(f"{source} cannot be read: {error.strerror or 'no such file'}.") from None
    except ValueError:
        raise InvalidInput(f"{source} cannot be read: the file name is not valid.") from None


def read_records(path: Path) -> list[dict[str, Any]]:
    """The rows of a JSON file, by name; `-` is the standard input."""
    source = f"file {str(path)!r}"
    content = _content(path, source)
    try:
        found = json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{source} holds no rows that can be read: {parse_error_text(error)}.") from None
    rows: list[Any] = found if isinstance(found, list) else [found]
    for row in rows:
        if not isinstance(row, dict):
            raise InvalidInput(f"a row is {row!r}: give an object with names and values, or a list of such.")
    return rows


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
        return csv_bytes(rounds_table(rounds, setting))
    else:
        raise InvalidInput(f"file ends in {suffix!r}: give one that ends in .csv, .parquet or .json.")
    return buffer.getvalue()
