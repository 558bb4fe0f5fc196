"""The action menu: names, labels and numbers, read once and then kept in the match itself."""

from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from firstmover.errors import InvalidInput, shown, unknown_name
from firstmover.matches.config import LARGEST, MenuSpec
from firstmover.matches.tables import read_table
from firstmover.records import Matrix, Vector
from firstmover.specification import is_number

LABELS = ("label", "name", "action")
"""Columns that hold the names of actions, if the user does not say which does."""


@dataclass(frozen=True, eq=False)
class Menu:
    """Actions as a table: labels (n), features (n, d) that the kernel sees, and all columns of numbers by name."""

    labels: tuple[str, ...]
    features: tuple[str, ...]
    columns: dict[str, Vector]

    @property
    def actions(self) -> Matrix:
        """X (n, d)."""
        return np.column_stack([self.columns[name] for name in self.features])

    def index(self, action: object) -> int:
        """The action that a label or an index names.

        Where a label is itself a number, text is never an index: what a spreadsheet makes of 2.00 would be another one.
        """
        if isinstance(action, str):
            if action in self.labels:
                return self.labels.index(action)
            if not (action.isascii() and action.isdecimal()) or any(map(is_number, self.labels)):
                raise unknown_name("action", action, self.labels)
            action = int(action) if len(action) < 20 else action
        index = int(action) if isinstance(action, int | np.integer) and not isinstance(action, bool) else -1
        if not 0 <= index < len(self.labels):
            found = "empty" if action is None else shown(action)
            raise InvalidInput(
                f"action is {found}: give a label of the menu or an index from 0 to {len(self.labels) - 1}."
            )
        return index

    def described(self, action: int) -> dict[str, float]:
        """The features of one action, by name."""
        return {name: float(self.columns[name][action]) for name in self.features}

    def stored(self) -> dict[str, Any]:
        """The menu as it is kept in the journal."""
        return {
            "labels": list(self.labels),
            "features": list(self.features),
            "columns": {name: column.tolist() for name, column in self.columns.items()},
        }

    @classmethod
    def restored(cls, stored: dict[str, Any]) -> "Menu":
        """The menu that a journal keeps."""
        columns = {str(name): np.array(column, dtype=float) for name, column in stored["columns"].items()}
        return cls(tuple(stored["labels"]), tuple(stored["features"]), columns)


def read_menu(spec: MenuSpec) -> Menu:
    """The menu that a configuration describes."""
    if spec.features == []:  # of menus in a journal, which may have it, nothing is read
        raise InvalidInput("menu.features is []: name one or more columns, or leave it out for all that hold numbers.")
    if spec.game is not None:
        return _of_game(spec.game)
    if spec.file is not None:
        source = f"menu file {spec.file!r}"
        return _tabled(read_table(Path(spec.file), source), source, spec)
    assert spec.rows is not None
    names = list(dict.fromkeys(name for row in spec.rows for name in row))
    table = {name: [row.get(name) for row in spec.rows] for name in names}
    return _tabled(table, "menu", spec)


def _of_game(name: str) -> Menu:
    from firstmover.games import GAMES
    from firstmover.games.network import sioux_falls
    from firstmover.games.park import published_park
    from firstmover.games.routing import operator_plans
    from firstmover.games.wildlife import cells_of

    game = GAMES[name].build()
    features = tuple(f"x{i}" for i in range(game.actions.shape[1]))
    labels = tuple(f"{i}" for i in range(game.n_actions))
    if name == "routing":
        network = sioux_falls()
        ends = zip(network.nodes[network.tails], network.nodes[network.heads], strict=True)
        labels, features = operator_plans().labels, tuple(f"{tail}→{head}" for tail, head in ends)
    elif name == "wildlife":
        corners = cells_of(published_park()).box.lower
        features = tuple(f"cell {first + 1:.0f},{second + 1:.0f}" for first, second in corners)
        labels = tuple(f"patrol {i}" for i in range(game.n_actions))
    elif name == "prices":
        features = tuple(f"price {i + 1}" for i in range(len(features)))
        labels = tuple(" / ".join(f"{price:.2f}" for price in row) for row in game.actions)
    return Menu(labels, features, dict(zip(features, game.actions.T, strict=True)))


def _tabled(table: dict[str, list[Any]], source: str, spec: MenuSpec) -> Menu:
    """Labels, and columns of finite numbers."""
    if not table or not next(iter(table.values())):
        raise InvalidInput(f"{source} has no rows: give one for each action.")
    label = spec.label or next((name for name in LABELS if name in table), None)
    if label is not None and label not in table:
        raise unknown_name("column of the menu", label, table)
    count = len(next(iter(table.values())))
    labels = tuple(str(value) for value in table[label]) if label else tuple(str(i) for i in range(count))
    if label is not None and None in table[label]:
        row = table[label].index(None) + 1
        raise InvalidInput(f"{source} has nothing in column {label!r}, row {row}: give every action a label.")
    _check_labels(labels, source)
    columns = {name: _numbers(name, values, source) for name, values in table.items() if name != label}
    features = tuple(spec.features or columns)
    for name in features:
        if name not in columns:
            raise unknown_name("column of the menu", name, columns)
        if features.count(name) > 1:
            raise InvalidInput(f"menu.features names {name!r} twice: give it once.")
    if not features:
        raise InvalidInput(f"{source} has no column of numbers: give each action at least one feature.")
    return Menu(labels, features, columns)


def _check_labels(labels: tuple[str, ...], source: str) -> None:
    empty = next((row for row, name in enumerate(labels, start=1) if not name.strip()), None)
    if empty is not None:
        raise InvalidInput(f"{source} has an empty label in row {empty}: give every action a label of its own.")
    twice = next((name for name in labels if labels.count(name) > 1), None) if len(set(labels)) < len(labels) else None
    if twice is not None:
        raise InvalidInput(f"{source} names {twice!r} twice: give every action a label of its own.")


def _numbers(name: str, values: list[Any], source: str) -> Vector:
    numbers = []
    for row, value in enumerate(values, start=1):
        try:
            number = float(value)
        except (TypeError, ValueError):
            number = float("nan")
        if isinstance(value, bool) or not abs(number) <= LARGEST:
            found = "nothing" if value is None else shown(value)
            raise InvalidInput(
                f"{source} has {found} in column {name!r}, row {row}: give every action a finite number there"
                f"{f', up to {LARGEST:g}' if isfinite(number) else ''}."
            )
        numbers.append(number)
    return np.array(numbers)
