"""The indices of the finitely many types of a game."""

import numpy as np

from firstmover.core.errors import InvalidInput
from firstmover.core.records import Matrix, Vector

_FLOAT = np.dtype(np.float64)


class KnownTypes:
    """Positions of known types, `step` apart; equal types share a position, and −0 equals 0."""

    def __init__(self, types: Matrix, step: int = 1) -> None:
        self._positions = {_key(row): step * i for i, row in enumerate(types)}

    def position(self, opponent_type: Vector) -> int:
        """Return the position of a type; raise if it is unknown."""
        known = type(opponent_type) is np.ndarray and opponent_type.dtype is _FLOAT
        position = self._positions.get(opponent_type.tobytes()) if known else None
        if position is None:
            position = self._positions.get(_key(opponent_type))
        if position is None:
            raise InvalidInput(
                f"opponent_type {np.asarray(opponent_type).tolist()} is not among the {len(self._positions)} known "
                "types: add it to the game's types, or give types=None if every round may bring a new type."
            )
        return position


def _key(opponent_type: Vector) -> bytes:
    """Return equal keys for equal types: adding 0 turns −0 into 0."""
    return (np.asarray(opponent_type, dtype=float) + 0.0).tobytes()
