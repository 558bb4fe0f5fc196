"""Rows in and out: CSV, JSON and Parquet."""

import json
import sys
from collections.abc import Iterator, Mapping
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firstmover.core.documents import parse_error_text
from firstmover.core.errors import InvalidInput, shown, unknown_name
from firstmover.matches.csv_reader import read_table
from firstmover.matches.events import Event
from firstmover.matches.rounds import COLUMNS, MatchRound
from firstmover.matches.setup import Setting

if TYPE_CHECKING:
    import polars as pl

NUMBERS = {"action": "Int64", "probability": "Float64", "reward": "Float64", "delay": "Int64", "corrections": "Int64"}
"""Polars types of those columns of a table of rounds that hold numbers."""


def read_rows(path: Path) -> list[dict[str, Any]]:
    """The rows of a CSV, JSON or Parquet file, by column; `-` reads JSON from the standard input."""
    source = f"file {str(path)!r}"
    if str(path) != "-" and path.suffix.lower() != ".json":
        table = read_table(path, source)
        return [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    try:
        content = sys.stdin.buffer.read() if str(path) == "-" else path.read_bytes()
        rows = json.loads(content.decode("utf-8-sig"))
    except OSError as error:
        raise InvalidInput(f"{source} cannot be read: {error.strerror or 'no such file'}.") from None
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{source} holds no rows that can be read: {parse_error_text(error)}.") from None
    return _objects(rows)


def _objects(content: object) -> list[dict[str, Any]]:
    rows: list[Any] = content if isinstance(content, list) else [content]
    for row in rows:
        if not isinstance(row, dict):
            raise InvalidInput(f"a row is {row!r}: give an object with names and values, or a list of such.")
    return rows


def split_row(row: Mapping[str, Any], setting: Setting, key: str) -> tuple[Any, Any, Any]:
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


def history_rows(path: Path, setting: Setting) -> Iterator[dict[str, Any]]:
    """Rows of a file as `import_history` takes them."""
    for row in read_rows(path):
        action, opponent_type, response = split_row(row, setting, "action")
        yield {"action": action, "type": opponent_type, "response": response}


def rounds_table(rounds: list[MatchRound], setting: Setting) -> "pl.DataFrame":
    """One row per round; types and responses have columns of their own, also before the first tell."""
    import polars as pl

    numbers = {spec.name for spec in setting.config.types or () if spec.levels is None}
    schema: dict[str, Any] = {name: getattr(pl, NUMBERS.get(name, "String")) for name in COLUMNS}
    schema |= {f"type {name}": pl.Float64 if name in numbers else pl.String for name in setting.types.names}
    schema |= {f"response {name}": pl.Float64 for name in setting.responses.names}
    rows = [played.row() for played in rounds]
    for row in rows:
        row |= {name: json.dumps(value) for name, value in row.items() if isinstance(value, list)}
    return pl.DataFrame(rows, schema=schema)


def event_line(event: Event) -> dict[str, Any]:
    """An event by the names of its fields, with its hash."""
    fields = event._asdict()
    del fields["text"]
    return fields | {"payload": event.payload}


def exported(suffix: str, rounds: list[MatchRound], setting: Setting, events: Iterator[Event]) -> bytes:
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
