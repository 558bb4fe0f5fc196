"""The menu of a match: labels, features and further columns of numbers for every action."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.documents import is_number
from firstmover.core.errors import InvalidInput, shown, unknown_name


@dataclass(frozen=True, eq=False)
class Menu:
    """Actions as a table: labels (n), the features (n, d) that the kernel sees, and all columns of numbers by name."""

    labels: tuple[str, ...]
    features: tuple[str, ...]
    columns: dict[str, Vector]

    @property
    def actions(self) -> Matrix:
        """X (n, d)."""
        return np.column_stack([self.columns[name] for name in self.features])

    def index(self, action: object) -> int:
        """Return the index of the action that a label or an index names.

        Where a label is itself a number, text is never read as an index: a spreadsheet may turn 2.00 into 2.
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
        """Return the features of one action by name."""
        return {name: float(self.columns[name][action]) for name in self.features}

    def stored(self) -> dict[str, Any]:
        """Return the menu in the form that the journal stores."""
        return {
            "labels": list(self.labels),
            "features": list(self.features),
            "columns": {name: column.tolist() for name, column in self.columns.items()},
        }

    @classmethod
    def restored(cls, stored: dict[str, Any]) -> "Menu":
        """Return the menu that a journal stores."""
        columns = {str(name): np.array(column, dtype=float) for name, column in stored["columns"].items()}
        return cls(tuple(stored["labels"]), tuple(stored["features"]), columns)
