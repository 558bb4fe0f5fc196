"""The menu that follows from the decisions of a table: its distinct values, a grid, or names with their properties."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.errors import InvalidInput
from firstmover.matches.column_kinds import Column, value_text

MOST_DISTINCT = 30
"""Different values of one number up to which each is an action; of more, a grid is proposed."""

MOST_COMBINED = 60
"""Different rows of several numbers that are actions; of more, those that were played most often."""

MOST_NAMED = 3
"""Numbers of an action up to which they are its label."""

GRID = 20
"""Actions of a proposed grid, about."""

RECENT = 0.25
"""The share of the last rows by which the usual action is found."""


@dataclass(frozen=True)
class ProposedMenu:
    """Labels with the name of their column, the columns of numbers, and the index of the action of each row.

    An index is −1 where a row has no action of the menu. An action off a grid has the index of the nearest one.
    `joined` says that labels are made of several columns of the table.
    """

    name: str
    labels: list[str]
    columns: dict[str, Vector]
    played: list[int]
    joined: bool = False

    def usual(self, order: Iterable[int]) -> str:
        """Return the label of the action that was played most often in the last quarter, the later one of equals.

        `order` has the rows from the first round to the last.
        """
        known = [self.played[row] for row in order if self.played[row] >= 0]
        recent = known[-max(1, round(RECENT * len(known))) :]
        return self.labels[max(reversed(recent), key=recent.count)]


def propose_menu(columns: Sequence[Column], grid_size: int | None = None) -> ProposedMenu:
    """Return the menu for the columns of decisions, for one number a grid of a given size."""
    texts = [column for column in columns if column.kind == "text"]
    numbers = [column for column in columns if column.kind == "number"]
    if len(texts) == 1 and all(_is_property(texts[0], column) for column in numbers):
        return _named_menu(texts[0], numbers)
    if texts:
        return _joined_menu(texts, numbers)
    rows = np.column_stack([column.numbers for column in numbers])
    known = rows[~np.isnan(rows).any(axis=1)]
    if len(numbers) == 1 and (grid_size is not None or len(np.unique(known)) > MOST_DISTINCT):
        known = grid(known[:, 0], grid_size or GRID)[:, None]
    distinct, counts = np.unique(known, axis=0, return_counts=True)
    if len(numbers) > 1 and len(distinct) > MOST_COMBINED:
        distinct = distinct[np.sort(np.argsort(-counts, kind="stable")[:MOST_COMBINED])]
    digits = [_decimals(column) for column in distinct.T]
    labels = [" / ".join(f"{x:.{d}f}" for x, d in zip(row, digits, strict=True)) for row in distinct]
    if len(numbers) > MOST_NAMED:
        labels = [f"choice {number}" for number in range(1, len(distinct) + 1)]
    features = {column.name: distinct[:, i] for i, column in enumerate(numbers)}
    return ProposedMenu("label", labels, features, _nearest(rows, distinct))


def _nearest(rows: Matrix, actions: Matrix) -> list[int]:
    """The action nearest to each row, in units of the range of each feature; −1 for rows with a gap."""
    scale = np.ptp(actions, axis=0)
    scale[scale == 0] = 1.0
    distances = (((rows[:, None, :] - actions) / scale) ** 2).sum(axis=2)
    return [-1 if np.isnan(row).any() else int(np.argmin(row)) for row in distances]


def _named_menu(named: Column, numbers: Sequence[Column]) -> ProposedMenu:
    """Named actions with their properties; without any, each has an indicator of its own."""
    labels = [str(label) for label in named.distinct]
    played = [-1 if value is None else labels.index(value) for value in named.values]
    if not numbers:
        columns = {f"is {label}": np.eye(len(labels))[i] for i, label in enumerate(labels)}
    else:
        columns = {column.name: np.array([_property(named, label, column) for label in labels]) for column in numbers}
    return ProposedMenu(named.name, labels, columns, played)


def _property(named: Column, label: str, column: Column) -> float:
    """The number that goes with a name, in the first row that has it."""
    pairs = zip(named.values, column.values, strict=True)
    found = next((value for name, value in pairs if name == label and value is not None), None)
    if found is None:
        raise InvalidInput(f"column {column.name!r} is empty wherever {named.name} is {label!r}: fill it in.")
    return float(found)


def _is_property(named: Column, column: Column) -> bool:
    """Whether a number is the same in all rows with the same name."""
    pairs = {pair for pair in zip(named.values, column.values, strict=True) if None not in pair}
    return len(pairs) == len({name for name, _ in pairs})


def _joined_menu(texts: Sequence[Column], numbers: Sequence[Column]) -> ProposedMenu:
    """Decisions about names and numbers that vary freely: combinations that were played, with indicators of names."""
    columns = [*texts, *numbers]
    rows = list(zip(*(column.values for column in columns), strict=True))
    counts = Counter(row for row in rows if None not in row)
    distinct = sorted(sorted(counts, key=lambda row: -counts[row])[:MOST_COMBINED])
    labels = [" / ".join(map(value_text, row)) for row in distinct]
    features = {
        f"{f'{column.name} ' if len(texts) > 1 else ''}is {value}": np.array(
            [float(row[i] == value) for row in distinct]
        )
        for i, column in enumerate(texts)
        for value in column.distinct
    }
    for i, column in enumerate(numbers, start=len(texts)):
        features[column.name] = np.array([row[i] for row in distinct], dtype=float)
    index = {row: number for number, row in enumerate(distinct)}
    name = " / ".join(column.name for column in columns)
    return ProposedMenu(name, labels, features, [index.get(row, -1) for row in rows], joined=True)


def grid(values: Vector, size: int) -> Vector:
    """Return about `size` evenly spaced values over the usual range, multiples of 1, 2 or 5 times a power of ten.

    >>> grid(np.linspace(7.93, 12.2, 100), 10).tolist()
    [8.0, 8.5, 9.0, 9.5, 10.0, 10.5, 11.0, 11.5, 12.0]
    """
    low, high = np.quantile(values, [0.02, 0.98])
    if low == high:
        low, high = np.min(values), np.max(values)
    if low == high:
        return np.array([low])
    step = (high - low) / max(size - 1, 1)
    power = 10.0 ** np.floor(np.log10(step))
    step = min((factor * power for factor in (1, 2, 5, 10)), key=lambda each: abs(np.log(each / step)))
    return np.round(np.arange(np.round(low / step), np.round(high / step) + 1) * step, 10)


def _decimals(values: Vector) -> int:
    """The digits after the point that distinguish all values, at most 6."""
    return next((d for d in range(6) if np.allclose(np.round(values, d), values, rtol=1e-12, atol=0.0)), 6)
