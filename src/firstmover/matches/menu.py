"""The action menu of a configuration, read once when a match is created; the journal stores it."""

from collections import Counter
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from firstmover.core.arrays import Vector
from firstmover.core.errors import InvalidInput, shown, unknown_name
from firstmover.games.menu import Menu
from firstmover.matches.config import LARGEST, MenuSpec
from firstmover.matches.files import read_table
from firstmover.matches.names import normal_form, writable

MOST_LETTERS = 200
"""Letters of a label."""

LABELS = ("label", "name", "action")
"""Columns that hold the names of actions, in this order, unless the configuration names one."""


def kind_of(game: str | None) -> str:
    """Return the kind of a match: the name of its game, or `menu` for a menu of its own."""
    return game or "menu"


def read_menu(spec: MenuSpec) -> Menu:
    """Return the menu that a configuration describes."""
    if spec.game is not None:
        from firstmover.games import GAMES

        entry = GAMES.find(spec.game)
        return entry.words.menu(entry.build())
    if spec.file is not None:
        source = f"menu file {spec.file!r}"
        return _tabled(read_table(Path(spec.file), source), source, spec)
    assert spec.rows is not None
    names = list(dict.fromkeys(name for row in spec.rows for name in row))
    table = {name: [row.get(name) for row in spec.rows] for name in names}
    return _tabled(table, "menu", spec)


def _tabled(table: dict[str, list[Any]], source: str, spec: MenuSpec) -> Menu:
    """Return the menu of a table: labels, and columns of finite numbers."""
    if not table or not next(iter(table.values())):
        raise InvalidInput(f"{source} has no rows: give one for each action.")
    label = spec.label or next((name for name in LABELS if name in table), None)
    if label is not None and label not in table:
        raise unknown_name("column of the menu", label, table)
    count = len(next(iter(table.values())))
    labels = tuple("" if name is None else normal_form(str(name)) for name in (table[label] if label else range(count)))
    empty = next((row for row, name in enumerate(labels, start=1) if not name.strip()), None)
    if empty is not None:
        raise InvalidInput(f"{source} has an empty label in row {empty}: give every action a label of its own.")
    for row, name in enumerate(labels, start=1):
        if not writable(name) or name != name.strip() or len(name) > MOST_LETTERS:
            raise InvalidInput(
                f"{source} has the label {shown(name)} in row {row}: give one of at most {MOST_LETTERS} letters in one "
                "line, without blanks at its ends."
            )
    twice = next((name for name, times in Counter(labels).items() if times > 1), None)
    if twice is not None:
        raise InvalidInput(f"{source} names {twice!r} twice: give every action a label of its own.")
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
