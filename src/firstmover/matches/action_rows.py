"""Actions to add to a menu, from a file as spreadsheets write it."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from firstmover.core.errors import InvalidInput
from firstmover.matches.csv_reader import Table
from firstmover.matches.history import records_of, table_or_rows
from firstmover.matches.menu import LABELS
from firstmover.matches.number_format import Cell, check_currencies, decimal_mark, number_of
from firstmover.matches.table_reader import Reading

if TYPE_CHECKING:
    from firstmover.matches.setup import Setting


def read_actions(path: Path, setting: "Setting", decimal: str | None = None) -> list[dict[str, Any]]:
    """Return the rows of a CSV, Parquet or JSON file by the columns of the menu, upper and lower case alike.

    `decimal` is the decimal sign of the file, a comma or a point, where its numbers do not tell.
    """
    stated = Reading.of(None, decimal).decimal
    table: Any = table_or_rows(path)
    if not isinstance(table, Table):
        return list(table)
    if not table.rows:
        raise InvalidInput(f"{table.source} has no rows: give one for each action.")
    labels = [setting.config.menu.label] if setting.config.menu.label else list(LABELS)
    known = {name.casefold(): name for name in [*labels, *setting.menu.columns]}
    table = replace(table, names=[_known(name, table.names, known) for name in table.names])
    rows = records_of(table)
    label = next((name for name in labels if name in table.names), None)
    texts = {
        (number, name): Cell(table.places[number], name, "", value)
        for number, row in enumerate(rows)
        for name, value in row.items()
        if name != label and isinstance(value, str)
    }
    mark = stated or decimal_mark(texts.values(), table.source, None, table.separator)
    check_currencies(texts.values(), table.source)
    for (number, name), cell in texts.items():
        rows[number][name] = number_of(cell, mark)
    return rows


def _known(name: str, names: Any, known: dict[str, str]) -> str:
    """The column of the menu that a column of the file means."""
    meant = known.get(name.casefold(), name)
    return name if meant in names else meant
