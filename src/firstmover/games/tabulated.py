"""Responses that were worked out beforehand: a table of b over a menu and the types that will come."""

import numpy as np
from numpy.typing import NDArray

from firstmover.core.errors import InvalidInput
from firstmover.core.records import Matrix, Vector


class Tabulated:
    """b looked up instead of computed, for simulations that know their types beforehand.

    >>> table = Tabulated(np.array([[0.0], [1.0]]), np.array([[5.0]]), np.array([[[2.0], [3.0]]]))
    >>> table(np.array([[1.0]]), np.array([5.0]))
    array([[3.]])
    """

    def __init__(self, actions: Matrix, opponent_types: Matrix, responses: NDArray[np.float64]) -> None:
        """Responses (T, n, m) of T types to a menu of n actions."""
        expected = (len(opponent_types), len(actions))
        if responses.shape[:2] != expected:
            raise InvalidInput(f"responses has shape {responses.shape}: give {expected} rows, a type by an action.")
        self._menu = actions
        self._rows = {row.tobytes(): i for i, row in enumerate(actions)}
        self._tables = dict(zip((row.tobytes() for row in opponent_types), responses, strict=True))

    def __call__(self, actions: Matrix, opponent_type: Vector, /) -> Matrix:
        """b of each of some actions of the menu at one of the types."""
        table = self._tables.get(opponent_type.tobytes())
        if table is None:
            raise InvalidInput(f"opponent_type {opponent_type.tolist()[:3]}… is not in the table of responses.")
        if actions is self._menu:
            return table
        try:
            return table[[self._rows[row.tobytes()] for row in actions]]
        except KeyError:
            raise InvalidInput("actions holds a row that is not in the table of responses.") from None
