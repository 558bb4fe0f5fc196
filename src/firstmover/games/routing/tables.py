"""Strict reading of tables of numbers: every error is one sentence that names file, line, column, value and remedy."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources.abc import Traversable
from math import isfinite, nan
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from firstmover.core.errors import InvalidInput, counted, shown

LARGEST_LABEL = 2**53
"""Whole numbers up to this size are exact in every table."""

LONGEST_CELL = 40


class Field(NamedTuple):
    """A column: the key that the program uses, the names that a file may give it, and the rule for its cells.

    Without a `default` the column is needed. `words` are cells that stand for numbers, in small letters.
    """

    key: str
    names: tuple[str, ...] = ()
    default: float | None = None
    whole: bool = False
    words: Mapping[str, float] = {}

    def name_in(self, header: Sequence[str]) -> str | None:
        """The name by which a header has this column."""
        return next((name for name in self.names or (self.key,) if name in header), None)

    def number(self, place: str, name: str, cell: str) -> float:
        """The number in a cell; `place` and `name` say where it stands."""
        try:
            word = self.words.get(cell.strip().lower())
            number = word if word is not None else _whole(cell) if self.whole else float(cell)
        except ValueError:
            number = nan
        if "_" in cell:  # Python reads 1_000 as a number
            number = nan
        if abs(number) <= LARGEST_LABEL if self.whole else isfinite(number):
            return number
        text = cell.strip()
        text = text if text.isprintable() and len(text) <= LONGEST_CELL else shown(text)
        raise InvalidInput(
            f"{place} has {name} {text or 'empty'}: give a {'whole' if self.whole else 'finite'} number."
        )


def _whole(cell: str) -> float:
    """A whole number, which spreadsheets and data frames may write as 3.0."""
    try:
        return int(cell)
    except ValueError:
        number = float(cell)
    return int(number) if number.is_integer() else nan


Row = tuple[int, Mapping[str, str | None]]
"""The line and the cells of a row, by the names of columns."""


@dataclass(frozen=True, eq=False)
class Table:
    """Columns of numbers by their keys, with the line of each row and the names that the file gives to columns."""

    name: str
    columns: dict[str, NDArray[Any]]
    lines: list[int]
    titles: Mapping[str, str]
    unit: str = "line"

    @classmethod
    def of(  # noqa: PLR0917 - a table has as many parts
        cls, name: str, header: Sequence[str], rows: Sequence[Row], fields: Sequence[Field],
        missing: Sequence[str] = (), unit: str = "line",
    ) -> Self:  # fmt: skip
        """Read the columns of rows; `missing` are cells that stand for the default of a column that has one."""
        columns: dict[str, NDArray[Any]] = {}
        titles = {field.key: field.name_in(header) or (field.names or (field.key,))[0] for field in fields}
        needed = [titles[field.key] for field in fields if field.default is None]
        lacking = [title for title in needed if title not in header]
        if lacking:
            raise InvalidInput(f"{name} has no column {lacking[0]!r}: it needs {', '.join(needed)}.")
        if not rows:
            raise InvalidInput(f"{name} has no rows: give at least one.")
        for field in fields:
            title = titles[field.key]
            cells = [(line, row.get(title) or "") for line, row in rows]
            columns[field.key] = np.array(
                [
                    field.default
                    if field.default is not None and (title not in header or cell.strip() in missing)
                    else field.number(f"{name} {unit} {line}", title, cell)
                    for line, cell in cells
                ]
            )
        return cls(name, columns, [line for line, _ in rows], titles, unit)

    def place(self, at: int) -> str:
        """The file and the line of a row."""
        return f"{self.name} {self.unit} {self.lines[at]}"

    def refuse(self, bad: NDArray[np.bool_], column: str, remedy: str) -> None:
        """Raise an error for the first bad row."""
        if bad.any():
            at = int(np.argmax(bad))
            value = self.columns[column][at]
            raise InvalidInput(f"{self.place(at)} has {self.titles[column]} {value}: {remedy}.")

    def refuse_repeated(self, *columns: str) -> None:
        """Raise an error for the first row whose keys stand in an earlier row."""
        keys = np.column_stack([self.columns[column] for column in columns])
        first = np.unique(keys, axis=0, return_index=True)[1]
        repeated = np.setdiff1d(np.arange(len(keys)), first)
        if len(repeated):
            at = int(repeated[0])
            named = zip(columns, keys[at], strict=True)
            words = ", ".join(f"{self.titles[column]} {value}" for column, value in named)
            raise InvalidInput(f"{self.place(at)} gives {words} a second time: keep one of the {self.unit}s.")

    def rows(self, chosen: NDArray[Any]) -> Self:
        """Some of the rows, by a mask or by their positions."""
        kept = np.arange(len(self.lines))[chosen]
        columns = {key: values[kept] for key, values in self.columns.items()}
        return replace(self, columns=columns, lines=[self.lines[at] for at in kept])

    def having(self, **columns: NDArray[Any]) -> Self:
        """The same table with other values of some columns."""
        return replace(self, columns=self.columns | columns)


def read_text(file: Traversable, kind: str = "text") -> str:
    """The content of a file in UTF-8; errors say that it cannot be read as its kind."""
    try:
        return file.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = (error.strerror or "there is no such file") if isinstance(error, OSError) else "give text in UTF-8"
        raise InvalidInput(f"{file} cannot be read as {kind}: {reason}.") from None


def read_cells(root: Traversable, name: str) -> tuple[Sequence[str], list[Row]]:
    """The header and the rows of a CSV file."""
    reader = csv.DictReader(read_text(root / name, "a CSV table").splitlines())
    try:
        rows: list[Row] = [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise InvalidInput(f"{root / name} cannot be read as a CSV table: {error}.") from None
    if reader.fieldnames is None:
        raise InvalidInput(f"{root / name} cannot be read as a CSV table: it is empty.")
    for line, row in rows:
        if None in row.values():
            given, wanted = sum(value is not None for value in row.values()), len(reader.fieldnames)
            raise InvalidInput(
                f"{name} line {line} has {counted(given, 'value')}, and the header {wanted}: give as many."
            )
    return reader.fieldnames, rows


def read_table(root: Traversable, name: str, fields: Sequence[Field], missing: Sequence[str] = ()) -> Table:
    """The columns of a CSV file that the fields name; other columns are ignored."""
    return Table.of(name, *read_cells(root, name), fields, missing)
