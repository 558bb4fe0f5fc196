"""History as people have it: files, frames, exports and rows, as rows that a match records."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from firstmover.core.errors import InvalidInput, counted, shown, unknown_name
from firstmover.matches.csv_reader import Table
from firstmover.matches.exported_rounds import exported_journal, exported_rounds
from firstmover.matches.files import read_records, table_of
from firstmover.matches.learner_state import Fits
from firstmover.matches.table_reader import ROUNDS, Reading, Rows, find_columns, missing_columns, roles_of, table_rows
from firstmover.matches.value_schema import Types, one_number

if TYPE_CHECKING:
    from firstmover.matches.setup import Setting

FIELDS = ("action", "features", "type", "response", "when", "id")
"""Names of the values of a row; either action or features, and the last two, may be left out."""

SAME = 1e-9
"""Relative difference up to which two features are the same number."""


@dataclass(frozen=True)
class Imported:
    """The result of an import of past observations.

    Parameters
    ----------
    new
        Rows that are new.
    on_record
        Rows that were on record before.
    without_type
        New rows without a type: they are recorded, and nothing is learnt from them.
    ignored
        Names of columns that were not read.
    as_rounds
        New rows that the strategy has learnt from, in a match with a warm start.

    Examples
    --------
    >>> from firstmover.matches import Imported
    >>> Imported(new=3, on_record=1).lines()[1]
    '1 row of the file skipped: on record before.'
    """

    new: int
    on_record: int = 0
    without_type: int = 0
    ignored: tuple[str, ...] = ()
    as_rounds: int = field(default=0, repr=False)

    def lines(self) -> list[str]:
        """All of it in sentences."""
        if not self.new:
            return ["These rows were imported before: nothing changed."]
        strategy = (
            f"{self.as_rounds} of them count as rounds"
            if self.as_rounds
            else "the weights of actions count rounds only"
        )
        lines = [f"{counted(self.new, 'row')} imported into the belief; {strategy}."]
        if self.on_record:
            lines.append(f"{counted(self.on_record, 'row')} of the file skipped: on record before.")
        if self.without_type:
            lines.append(f"{counted(self.without_type, 'row')} without a type: recorded, but not learnt from.")
        if self.ignored:
            lines.append(f"Columns that were not read: {', '.join(map(shown, self.ignored))}.")
        return lines


@dataclass(frozen=True)
class History:
    """Rows with the place where each was found, columns that were not read, and the fits of an exported journal.

    `rounds` says that the rows are rounds of a match, which were learnt one by one with fits between them.
    """

    rows: Rows
    fits: Fits = ()
    ignored: tuple[str, ...] = ()
    rounds: bool = False


def read_history(given: object, setting: "Setting", reading: Reading, saved: Reading) -> History:
    """Return the rows of a file, a frame, an export, or a list of rows by name; `saved` is the last reading."""
    given = table_or_rows(given)
    if not isinstance(given, Table):
        rows = checked_rows(given)
        if rows and all("kind" in row and "payload" in row for row in rows):
            return History(*exported_journal(rows, setting), rounds=True)
        if not rows or any("response" in row and "opponent_type" not in row for row in rows):
            return History(_nested(rows))
        given = _flat(rows)
    given = replace(given, rows=[[_plain(cell) for cell in row] for row in given.rows])
    columns = find_columns(given, setting, reading, saved)
    if set(given.names) >= ROUNDS:
        return History(exported_rounds(given, setting, columns, reading), rounds=True)
    ignored = tuple(name for name in given.names if name not in columns.values())
    return History(table_rows(given, setting, columns, reading, saved), ignored=ignored)


def table_or_rows(given: object) -> object:
    """Return the table of a file or of a frame, or the rows of a JSON file; other values as they are."""
    if isinstance(given, Path):
        return read_records(given) if given.suffix.lower() == ".json" or str(given) == "-" else table_of(given)
    return frame_table(given) or given


def told_rows(path: Path, setting: "Setting") -> list[dict[str, Any]]:
    """Round, type and response of each row of a file, perhaps with the action that was played and a reason.

    Columns go by the names of the match, and no other is allowed.
    """
    given: Any = table_or_rows(path)
    if not isinstance(given, Table):
        if all("type" in row and "response" in row for row in given):
            known = ("round", "type", "response", "played", "reason")
            for name in (name for row in given for name in row if name not in known):
                raise unknown_name("column", name, known)
            return [{"round": None, **row} for row in given]
        given = _flat(given)
    columns = find_columns(given, setting, Reading(), Reading(), key="round")
    unread = next((name for name in given.names if name not in columns.values()), None)
    if unread is not None and missing_columns(columns, setting, "round") != ["round"]:
        raise unknown_name("column", unread, [role.partition(" ")[2] or role for role in roles_of(setting, "round")])
    return [dict(row) for _, row in table_rows(given, setting, columns, Reading(), Reading(), key="round")]


def recorded(place: str, row: Mapping[str, Any], setting: "Setting") -> dict[str, Any]:
    """Return a row as the journal records it: the action by index, or by its features if it is not on the menu."""
    try:
        action = _action(row, setting)
        opponent_type = row["type"]
        if setting.commits and _unknown(opponent_type):
            if "action" not in action:
                raise InvalidInput("action is not on the menu: name one that is, since the opponent sees the mixture.")
            opponent_type = {"type": np.eye(len(setting.menu.labels))[action["action"]].tolist()}
        found = {**action, "type": _type(opponent_type, setting), "response": setting.responses.read(row["response"])}
        extra = {name: str(row[name]) for name in ("when", "id") if row.get(name) is not None}
        return found | extra
    except KeyError as error:
        raise InvalidInput(f"{place} has no {error}: give action, type and response.") from None
    except InvalidInput as error:
        raise InvalidInput(f"{place}: {error}") from None


def _unknown(value: Any) -> bool:
    """Whether a type has no part that is known."""
    return value is None or (isinstance(value, Mapping) and all(part is None for part in value.values()))


def _type(value: Any, setting: "Setting") -> dict[str, Any] | None:
    """The type of a row; parts that are not known are None, and all of it is if none is."""
    if setting.types == Types(()):  # all opponents are alike: there is nothing to know
        return Types(()).read(value)
    if _unknown(value):
        return None
    known, types = value, setting.types
    if isinstance(value, Mapping) and isinstance(types, Types):
        known = {name: part for name, part in value.items() if part is not None}
        types = Types(tuple(spec for spec in types.specs if value.get(spec.name, "") is not None))
    return dict.fromkeys(setting.types.names) | types.read(known)


def _action(row: Mapping[str, Any], setting: "Setting") -> dict[str, Any]:
    """The action of a row: its index or, where it is not on the menu, its features."""
    menu, given = setting.menu, row.get("features")
    if given is None:
        return {"action": menu.index(row["action"])}
    if not isinstance(given, Mapping) or set(given) != set(menu.features):
        raise InvalidInput(f"features is {shown(given)}: give a number for each of {', '.join(menu.features)}.")
    features = {name: one_number("feature", name, given[name]) for name in menu.features}
    numbers = np.array(list(features.values()))
    if row.get("action") in menu.labels or isinstance(row.get("action"), int):
        action = menu.index(row["action"])
        if not np.allclose(numbers, menu.actions[action], rtol=SAME, atol=0.0):
            raise InvalidInput(
                f"action {menu.labels[action]!r} has other features on the menu: leave its name or its features out."
            )
        return {"action": action}
    on_menu = np.flatnonzero(np.isclose(menu.actions, numbers, rtol=SAME, atol=0.0).all(axis=1))
    return {"action": int(on_menu[0])} if len(on_menu) else {"features": features}


def checked_rows(rows: object) -> list[Mapping[str, Any]]:
    """Return the rows of a history; raise InvalidInput for one that is no row."""
    if isinstance(rows, Mapping | str | np.ndarray) or not isinstance(rows, Iterable):
        raise InvalidInput(
            f"history is {shown(rows)}: give a list of rows, each with action, type and response, or a frame, or the "
            "Path of a file."
        )
    found = list(rows)
    for number, row in enumerate(found, start=1):
        if not isinstance(row, Mapping):
            raise InvalidInput(f"row {number} is {shown(row)}: give action, type and response by name.")
    return found


def _nested(rows: list[Mapping[str, Any]]) -> Rows:
    """Rows that have types and responses as tables of their own, or as values without names."""
    for number, row in enumerate(rows, start=1):
        for name in row:
            if name not in FIELDS:
                raise InvalidInput(f"row {number}: {unknown_name('column', str(name), FIELDS)}")
    return [(f"row {number}", row) for number, row in enumerate(rows, start=1)]


def frame_table(frame: object) -> Table | None:
    """Return the table of a frame of pandas, polars or another library that narwhals knows; None if it is none."""
    if isinstance(frame, list | tuple | Mapping | str | Table):
        return None
    import narwhals as nw

    found = nw.from_native(frame, eager_only=True, pass_through=True)
    if not isinstance(found, nw.DataFrame):
        return None
    rows = [[_plain(cell) for cell in row] for row in found.iter_rows()]
    names = [str(name) for name in found.columns]
    return Table("history", names, rows, [f"row {number}" for number in range(1, len(rows) + 1)])


def records_of(table: Table) -> list[dict[str, Any]]:
    """Return the rows of a table by the names of its columns, in plain values that JSON can hold."""
    return [dict(zip(table.names, map(_plain, row), strict=True)) for row in table.rows]


def _plain(cell: Any) -> Any:
    """A cell as a plain value; None for NaN, NaT and other marks of missing values."""
    if isinstance(cell, np.generic):
        cell = cell.item()
    if cell is None or isinstance(cell, int | str | Sequence | np.ndarray):
        return (cell.strip() or None) if isinstance(cell, str) else cell
    if isinstance(cell, date):
        return cell.isoformat() if cell == cell else None  # noqa: PLR0124 - NaT differs from itself
    try:
        number = float(cell)
    except (TypeError, ValueError):  # pandas.NA
        return None if repr(cell) == "<NA>" else cell
    return None if number != number else number  # noqa: PLR0124 - NaN


def _flat(rows: list[Mapping[str, Any]]) -> Table:
    """Rows by name as a table; those of the service's export of rounds have types and responses as tables."""
    flat = []
    for row in rows:
        found = {str(name): value for name, value in row.items()}
        for part, name in (("type", "opponent_type"), ("response", "response")):
            if "opponent_type" in row and isinstance(row.get(name) or {}, Mapping):
                found |= {f"{part} {each}": value for each, value in (found.pop(name, None) or {}).items()}
        flat.append(found)
    names = list(dict.fromkeys(name for row in flat for name in row))
    places = [f"row {number}" for number in range(1, len(rows) + 1)]
    return Table("history", names, [[row.get(name) for name in names] for row in flat], places)
