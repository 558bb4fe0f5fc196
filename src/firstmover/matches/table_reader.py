"""Which column of a table is what, and its cells as numbers, names and dates."""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
from pydantic import Field

from firstmover.core.documents import Specification, is_number
from firstmover.core.errors import InvalidInput, shown, unknown_name
from firstmover.matches.csv_reader import Table
from firstmover.matches.number_format import Cell, check_currencies, decimal_mark, number_of
from firstmover.matches.value_schema import GameTypes

if TYPE_CHECKING:
    from firstmover.matches.setup import Setting

Rows = list[tuple[str, Mapping[str, Any]]]
"""Rows with types and responses by name, each with the place where it was found."""

ROUNDS = {"round_id", "status", "action", "label", "asked_at"}
"""Columns by which an export of rounds is recognised."""

TOTALS = (
    *("total", "totals", "grand total", "subtotal", "sum", "summe", "gesamt", "gesamtsumme", "somme", "totale", "suma"),
    "totaal",
)
"""First words of rows that add up the rows above."""

NAMED_MONTHS = ("%d %b %Y", "%d-%b-%Y", "%d-%b-%y")
DATES = {
    "day": ("%d.%m.%Y", "%d/%m/%Y", "%d.%m.%y", "%d/%m/%y", *NAMED_MONTHS),
    "month": ("%m/%d/%Y", "%m/%d/%y", *NAMED_MONTHS),
}
"""Forms of dates besides ISO 8601, by what comes first."""


class Reading(Specification):
    """How tables are read: the column of each value by name, and the decimal sign; a match remembers the last one."""

    columns: dict[str, str] = Field(default_factory=dict)
    decimal: str | None = None

    @classmethod
    def of(cls, columns: Mapping[str, str] | None, decimal: str | None) -> "Reading":
        """Return the reading that a caller states."""
        if decimal not in (None, ",", "."):
            raise InvalidInput(f"decimal is {shown(decimal)}: give a comma or a point.")
        return cls.read({"columns": dict(columns or {}), "decimal": decimal})

    def over(self, saved: "Reading") -> "Reading":
        """Return this reading, completed by the saved one."""
        return Reading(columns={**saved.columns, **self.columns}, decimal=self.decimal or saved.decimal)

    def named(self, setting: "Setting") -> "Reading":
        """Return this reading with the full name of each value."""
        columns = {full_name(name, roles_of(setting)): column for name, column in self.columns.items()}
        return Reading(columns=columns, decimal=self.decimal)


def roles_of(setting: "Setting", key: str = "action") -> dict[str, str]:
    """The values that a table may hold, by their full names such as `response congestion`, and their units."""
    responses = {f"response {spec.name}": spec.unit for spec in setting.responses.specs}
    specs = setting.config.types
    types = {f"type {spec.name}": spec.unit for spec in specs} if specs is not None else {"type type": ""}
    features = {f"feature {name}": "" for name in setting.menu.features} | {"when": "", "id": ""}
    return {key: "", **responses, **types, **(features if key == "action" else {"played": "", "reason": ""})}


def full_name(name: str, roles: Iterable[str]) -> str:
    """Return the full name of a value that a user named, with or without its kind."""
    roles = list(roles)
    found = [role for role in roles if name == role] or [role for role in roles if role.partition(" ")[2] == name]
    if not found:
        raise unknown_name("value of a row", name, [role.partition(" ")[2] or role for role in roles])
    if len(found) > 1:
        raise InvalidInput(f"columns names {name!r}, which is {' or '.join(map(repr, found))}: write it so.")
    return found[0]


def find_columns(
    table: Table, setting: "Setting", reading: Reading, saved: Reading, key: str = "action"
) -> dict[str, str]:
    """Return the column of each value that the table has.

    A column is the one that the caller names, else the one of the last import, else one of the same name.
    """
    for name, column in reading.columns.items():
        if column not in table.names:
            raise InvalidInput(f"columns says that {name!r} is in {column!r}: {table.source} has {_there(table)}.")
    before = {name: column for name, column in saved.columns.items() if column in table.names}
    found = before | reading.columns
    if set(table.names) >= ROUNDS:
        found = {"action": "action" if setting.commits else "label", "when": "asked_at"} | found
    taken = set(found.values())
    for role in roles_of(setting, key):
        names = (role, role.partition(" ")[2]) if " " in role else (role, _label_name(setting, role))
        alike = [each for each in table.names if each.casefold() in map(str.casefold, names) and each not in taken]
        exact = [each for name in names for each in alike if each == name] or alike
        if role not in found and exact:
            found[role] = exact[0]
            taken.add(exact[0])
    features = [f"feature {name}" for name in setting.menu.features]
    return found if found.keys() >= set(features) else {r: c for r, c in found.items() if r not in features}


def _label_name(setting: "Setting", role: str) -> str:
    """The name of the column of labels in the menu, by which a table may name actions too."""
    return setting.config.menu.label or role if role == "action" else role


def missing_columns(found: Mapping[str, str], setting: "Setting", key: str = "action") -> list[str]:
    """The values that a table must have and has not, by the names of the match."""
    needed = [role for role in roles_of(setting, key) if role.startswith(("response ", "type "))]
    if setting.commits:
        needed.remove("type type")
    if key == "round":
        needed = [role for role in needed if role not in [f"type {name}" for name in setting.context.names]]
    absent = [role.partition(" ")[2] for role in needed if role not in found]
    return [key] * (key not in found and f"feature {setting.menu.features[0]}" not in found) + absent


def _there(table: Table) -> str:
    return ", ".join(map(shown, table.names)) or "no columns"


def table_rows(
    table: Table,
    setting: "Setting",
    columns: Mapping[str, str],
    reading: Reading,
    saved: Reading,
    *,
    key: str = "action",
) -> Rows:
    """Return the rows of a table with types and responses by name, every text that is a number read as one."""
    absent = next(iter(missing_columns(columns, setting, key)), None)
    if absent is not None:
        free = next((name for name in table.names if name not in columns.values() and name.isprintable()), None)
        remedy = f"state which of them it is with the option columns, such as {absent}={free}" if free else "give it"
        raise InvalidInput(f"column {absent!r} is missing, {table.source} has {_there(table)}: {remedy}.")
    values = _values(table, setting, columns, reading, saved)
    rows: Rows = []
    for number, place in enumerate(table.places):
        row: dict[str, Any] = {"type": {}, "response": {}, "features": {}}
        for role, cells in values.items():
            kind, _, name = role.partition(" ")
            if name:
                row["features" if kind == "feature" else kind][name] = cells[number]
            elif cells[number] is not None or kind == key:
                row[kind] = cells[number]
        features = row.pop("features")
        if features and all(isinstance(value, int | float) for value in features.values()):
            row = {name: value for name, value in row.items() if value is not None} | {"features": features}
        elif key == "action" and row.get("action") not in setting.menu.labels:
            row.setdefault("action", next(iter(features.values()), None))
            _check_total(table, values, number)
        rows.append((place, row))
    return rows


def _values(
    table: Table, setting: "Setting", columns: Mapping[str, str], reading: Reading, saved: Reading
) -> dict[str, list[Any]]:
    """The cells of each value: texts as numbers, and names as those of the match that they mean."""
    units, names = roles_of(setting), _names(setting)
    cells = {role: table.column(column) for role, column in columns.items()}
    numbers = [role for role in cells if " " in role and role not in names and role != "type type"]
    numbers += [role for role in cells.keys() & names.keys() if any(map(is_number, names[role]))]
    texts = {
        (role, number): Cell(table.places[number], columns[role], units[role], cell)
        for role in numbers
        for number, cell in enumerate(cells[role])
        if isinstance(cell, str) and cell not in names.get(role, ())
    }
    mark = reading.decimal or decimal_mark(texts.values(), table.source, saved.decimal, table.separator)
    check_currencies(texts.values(), table.source)
    for (role, number), cell in texts.items():
        cells[role][number] = number_of(cell, mark)
    for role in cells.keys() & names.keys():
        written = table.column(columns[role])
        cells[role] = [_known(cell, names[role], text) for cell, text in zip(cells[role], written, strict=True)]
    if "type type" in cells:
        cells["type type"] = [_vector(cell) for cell in cells["type type"]]
    if "when" in cells:
        cells["when"] = moments(cells["when"], table)
    return cells


def _names(setting: "Setting") -> dict[str, Sequence[str]]:
    """The values that are names: labels of actions, and levels."""
    names: dict[str, Sequence[str]] = {"action": setting.menu.labels}
    for kind, specs in (("type", setting.config.types or ()), ("response", setting.responses.specs)):
        names |= {f"{kind} {spec.name}": list(spec.levels) for spec in specs if spec.levels is not None}
    if isinstance(setting.types, GameTypes) and setting.types.known is not None:
        names["type type"] = [str(number) for number in range(1, len(setting.types.known) + 1)]
    return names


def _known(cell: Any, known: Sequence[str], original: Any) -> Any:
    """The name that a cell means: as it is, in other letters, or as the same number, such as 8 for 8.00."""
    if cell is None or cell in known:
        return cell
    alike = [name for name in known if name.casefold() == str(original).casefold()]
    if not alike and isinstance(cell, int | float) and not isinstance(cell, bool):
        alike = [name for name in known if is_number(name) and float(name) == cell]
        if not alike and any(map(is_number, known)):
            return str(original)  # no index: labels are numbers
    return alike[0] if len(alike) == 1 else original


def _vector(cell: Any) -> Any:
    """A type that is a list of numbers, which an export writes as JSON."""
    try:
        return json.loads(cell) if isinstance(cell, str) and cell.startswith("[") else cell
    except ValueError:
        return cell


def moments(cells: Sequence[Any], table: Table) -> list[str | None]:
    """Dates or times in ISO 8601; the order of days and months between slashes must follow from one of them."""
    orders = [order for order in DATES if all(cell is None or _moment(cell, order) for cell in cells)]
    found = [None if cell is None else {_moment(cell, order) for order in orders or DATES} for cell in cells]
    for place, cell, read in zip(table.places, cells, found, strict=True):
        if read is not None and (len(read) > 1 or None in read):
            raise InvalidInput(
                f"{place}: when is {shown(cell)}: give dates in one form that is clear, such as 2025-03-31 or "
                "2025-03-31 14:30."
            )
    return [None if read is None else next(iter(read)) for read in found]


def is_moment(cell: Any) -> bool:
    """Whether a cell is a date or a time in one of the forms that are read."""
    return any(_moment(cell, order) for order in DATES)


def _moment(cell: Any, order: str) -> str | None:
    """A date or time in ISO 8601; None if it has another form."""
    text = str(cell)
    with suppress(ValueError):
        return (datetime if len(text) > len("2025-03-31") else date).fromisoformat(text).isoformat()
    for form, clock in product(DATES[order], ("", " %H:%M", " %H:%M:%S")):
        with suppress(ValueError):
            moment = datetime.strptime(text, form + clock)
            return (moment if clock else moment.date()).isoformat()
    return None


def _check_total(table: Table, values: Mapping[str, list[Any]], number: int) -> None:
    """Raise InvalidInput for a row without an action that adds up the rows above it, or says that it does."""
    word = next((c for c in table.rows[number] if isinstance(c, str) and c.casefold().rstrip(":") in TOTALS), None)
    above = [cells[: number + 1] for role, cells in values.items() if role.startswith("response ")]
    sums = [cells for cells in above if number > 1 and all(isinstance(cell, int | float) for cell in cells)]
    if word or any(np.isclose(sum(cells[:-1]), cells[-1], rtol=1e-9) for cells in sums):
        said = f" ({word})" if word else ""
        raise InvalidInput(f"{table.places[number]} of {table.source} adds up the rows above it{said}: delete it.")
