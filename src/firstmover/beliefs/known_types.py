"""The finitely many types that a game states, and where each stands among them."""

import numpy as np

from firstmover.errors import InvalidInput
from firstmover.records import Matrix, Vector

_FLOAT = np.dtype(np.float64)


class KnownTypes:
    """Positions of known types, `step` apart; equal types have one position, and −0 equals 0."""

    def __init__(self, types: Matrix, step: int = 1) -> None:
        self._positions = {_key(row): step * i for i, row in enumerate(types)}

    def position(self, opponent_type: Vector) -> int:
        """Where a type stands in the list, or the refusal of one that is not known."""
        known = type(opponent_type) is np.ndarray and opponent_type.dtype is _FLOAT
        position = self._positions.get(opponent_type.tobytes()) if known else None
        if position is None:
            position = self._positions.get(_key(opponent_type))
        if position is None:
            raise InvalidInput(
                f"opponent_type {np.asarray(opponent_type).tolist()} is not among the {len(self._positions)} known "
                "types: add it to the game's types, or give types=None for types that are new every round."
            )
        return position


def _key(opponent_type: Vector) -> bytes:
    """Equal types have equal keys: adding 0 turns −0 into 0."""
    return (np.asarray(opponent_type, dtype=float) + 0.0).tobytes()
