"""The menu of a match: labels, features and further columns of numbers for every action."""

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.documents import is_number
from firstmover.core.errors import InvalidInput, shown, unknown_name

MOST_SHARES = 6
"""Actions of a mixture that are named in words, those with the largest shares."""


NUMBER = re.compile(r"[-−]?\d+(?:[.,]\d+)?")


def numbers_in(label: str) -> list[float]:
    """Return the numbers in a label.

    >>> numbers_in("2,50 €"), numbers_in("all north"), numbers_in("3 of 4")
    ([2.5], [], [3.0, 4.0])
    """
    return [float(found.replace(",", ".").replace("−", "-")) for found in NUMBER.findall(label)]


@dataclass(frozen=True, eq=False)
class Menu:
    """Actions as a table: labels (n), the features (n, d) that the kernel sees, and all columns of numbers by name.

    A menu may grow during a match. Actions that are `retired`, by index, stay in it and are not played any more.
    """

    labels: tuple[str, ...]
    features: tuple[str, ...]
    columns: dict[str, Vector]
    retired: tuple[int, ...] = ()

    @property
    def actions(self) -> Matrix:
        """X (n, d)."""
        return np.column_stack([self.columns[name] for name in self.features])

    def index(self, action: object) -> int:
        """Return the index of the action that a label or an index names.

        Where a label has a number in it, text is never read as an index: 2 is the label 2.00 €, or none.
        """
        if isinstance(action, str):
            alike = self.alike(action)
            if len(alike) == 1:
                return alike[0]
            if not (action.isascii() and action.isdecimal()) or any(map(numbers_in, self.labels)):
                raise unknown_name("action", action, self.labels)
            action = int(action) if len(action) < 20 else action
        index = (
            int(action)
            if isinstance(action, int | np.integer) and not isinstance(action, bool | np.timedelta64)
            else -1
        )
        if not 0 <= index < len(self.labels):
            found = "empty" if action is None else shown(action)
            raise InvalidInput(
                f"action is {found}: give a label of the menu or an index from 0 to {len(self.labels) - 1}."
            )
        return index

    def alike(self, action: str) -> list[int]:
        """Return the actions that have this label or else, if it is a number, labels with this number alone in them."""
        found = [i for i, label in enumerate(self.labels) if action == label]
        if found or not (is_number(action) and action.isascii()):
            return found
        return [i for i, label in enumerate(self.labels) if numbers_in(label) == [float(action)]]

    def described(self, action: int) -> dict[str, float]:
        """Return the features of one action by name."""
        return {name: float(self.columns[name][action]) for name in self.features}

    def only(self, action: int) -> "Menu":
        """Return the menu of this action alone."""
        columns = {name: column[[action]] for name, column in self.columns.items()}
        return Menu((self.labels[action],), self.features, columns)

    def shares(self, strategy: Vector) -> dict[str, float]:
        """Return the actions of a mixture by label, the largest share first; those without a share are left out."""
        return {self.labels[i]: float(strategy[i]) for i in np.argsort(-strategy, kind="stable") if strategy[i] > 0}

    def mixture(self, strategy: Vector) -> tuple[str, dict[str, float]]:
        """Return a mixture in words, and its features by name: the mean of those of its actions.

        >>> menu = Menu(("north", "centre", "south"), ("km",), {"km": np.array([4.0, 2.0, 8.0])})
        >>> menu.mixture(np.array([0.25, 0.0, 0.75]))
        ('75 % south, 25 % north', {'km': 7.0})
        """
        words = [
            f"{100 * share:.{0 if share >= 0.01 else 1}f} % {name}" for name, share in self.shares(strategy).items()
        ]
        words[MOST_SHARES:] = [f"{len(words) - MOST_SHARES} more"] if len(words) > MOST_SHARES else []
        return ", ".join(words), dict(zip(self.features, (strategy @ self.actions).tolist(), strict=True))

    def stored(self) -> dict[str, Any]:
        """Return the menu in the form that the journal stores."""
        return {
            "labels": list(self.labels),
            "features": list(self.features),
            "columns": {name: column.tolist() for name, column in self.columns.items()},
        } | ({"retired": list(self.retired)} if self.retired else {})

    @classmethod
    def restored(cls, stored: dict[str, Any]) -> "Menu":
        """Return the menu that a journal stores."""
        columns = {str(name): np.array(column, dtype=float) for name, column in stored["columns"].items()}
        return cls(tuple(stored["labels"]), tuple(stored["features"]), columns, tuple(stored.get("retired", ())))
