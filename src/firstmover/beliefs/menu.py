"""The actions that a large belief speaks of: a whole menu, or a part whose other actions are elsewhere."""

import numpy as np
from sklearn.gaussian_process.kernels import Kernel

from firstmover.errors import InvalidInput
from firstmover.gram import DomainGram
from firstmover.kernels import on_action
from firstmover.records import Matrix, Vector, as_array


class Menu:
    """All actions that can be played, with k_x between them."""

    def __init__(self, over_actions: Kernel, actions: Matrix) -> None:
        self._kernel, self._actions = over_actions, actions
        self._gram = DomainGram(on_action(over_actions), actions, np.zeros((1, 1)))

    @property
    def n_actions(self) -> int:
        """How many actions can be played."""
        return len(self._actions)

    def row(self, action: int) -> Vector:
        """k_x between an action that can be played and all actions here."""
        return self._gram.row(action)

    def features(self, actions: list[int]) -> Matrix:
        """Rows x of actions that can be played (k, d)."""
        return self._actions[actions]

    def place(self, action: int) -> int | None:
        """Where an action that can be played stands here; None when it is elsewhere."""
        return action

    def visit(self, action: int, features: Vector) -> None:
        """Make an action known, with its row x; here all are."""


class PartOfMenu(Menu):
    """The actions first, first + 1, ... of a menu of `total`; the others are known once they were played.

    >>> from sklearn.gaussian_process.kernels import RBF
    >>> part = PartOfMenu(RBF(), np.array([[1.0], [3.0]]), first=1, total=3)
    >>> part.visit(0, np.array([1.0]))
    >>> part.place(2), part.place(0), part.row(0).round(4)
    (1, None, array([1.    , 0.1353]))
    """

    def __init__(self, over_actions: Kernel, actions: Matrix, first: int, total: int) -> None:
        super().__init__(over_actions, actions)
        self._first, self._total, self._visitors = first, total, dict[int, Vector]()

    @property
    def n_actions(self) -> int:
        """How many actions the whole menu has."""
        return self._total

    def visit(self, action: int, features: Vector) -> None:
        """Make an action of another part known, with its row x."""
        if self.place(action) is None:
            self._visitors[action] = as_array("features", features, ndim=1, length=self._actions.shape[1])

    def row(self, action: int) -> Vector:
        """k_x between an action of the whole menu and all actions here."""
        place = self.place(action)
        return self._kernel(self.features([action]), self._actions)[0] if place is None else self._gram.row(place)

    def features(self, actions: list[int]) -> Matrix:
        """Rows x of actions of this part, or of others that were made known."""
        unknown = [a for a in actions if self.place(a) is None and a not in self._visitors]
        if unknown:
            raise InvalidInput(f"action {unknown[0]} is in another part of the menu: make it known with visit first.")
        rows = np.empty((len(actions), self._actions.shape[1]))
        for line, action in enumerate(actions):
            place = self.place(action)
            rows[line] = self._visitors[action] if place is None else self._actions[place]
        return rows

    def place(self, action: int) -> int | None:
        """Where an action of the whole menu stands in this part; None when it is in another."""
        place = action - self._first
        return place if 0 <= place < len(self._actions) else None
