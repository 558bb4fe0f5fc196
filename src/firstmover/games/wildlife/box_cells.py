"""Boxes of responses cut along the borders of a park's cells."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import numpy as np
from numpy.typing import NDArray

from firstmover.core.records import Box, Vector
from firstmover.games.wildlife.park import Indices

Floats = NDArray[np.float64]
"""Floats in any number of dimensions."""


def ends_within(box: Box, cells: tuple[int, int]) -> Floats:
    """Boxes (n, 2) cut to the park, as ends[axis, 0 or 1, box]; what lies outside is taken to the nearest place."""
    ends = np.empty((2, 2, len(box.lower)))
    ends[:, 0], ends[:, 1] = box.lower.T, box.upper.T
    return np.minimum(np.maximum(ends, 0.0, out=ends), np.array(cells)[:, None, None], out=ends)


def cells_met(ends: Floats, cells: tuple[int, int]) -> NDArray[np.bool_]:
    """Whether box j meets cell i, as a table (c₁ c₂, n): boxes reach from the cell of one corner to that of the other.

    >>> met = cells_met(ends_within(Box([[0.5, 1.5]], [[1.0, 1.75]]), (2, 2)), (2, 2))
    >>> print(np.flatnonzero(met))
    [1 3]
    """
    corner = np.minimum(ends.astype(np.intp), np.array(cells)[:, None, None] - 1)
    first, second = (
        (corner[axis, 0] <= np.arange(c)[:, None]) & (corner[axis, 1] >= np.arange(c)[:, None])
        for axis, c in enumerate(cells)
    )
    return (first[:, None] & second).reshape(-1, ends.shape[2])


@dataclass(frozen=True, eq=False)
class Pieces:
    """Piece k is the part of box `boxes[k]` in cell `cells[k]`, from `ends[axis, 0, k]` to `ends[axis, 1, k]`.

    It is closed: its maximum is the supremum over a half-open cell. `places[:, k]` is the cell's row and column.
    """

    boxes: Indices
    cells: Indices
    places: Indices
    ends: Floats

    @classmethod
    def of(cls, ends: Floats, chosen: NDArray[np.bool_], cells: tuple[int, int]) -> Self:
        """The pieces of boxes that a table (c₁ c₂, n) chooses."""
        cell, box = np.divmod(np.flatnonzero(chosen), chosen.shape[1])
        places = _places(cells).take(cell, axis=1)
        inside = ends.take(box, axis=2)
        np.maximum(inside[:, 0], places, out=inside[:, 0])
        np.minimum(inside[:, 1], places + 1, out=inside[:, 1])
        return cls(box, cell, places, inside)

    def largest(self, values: Vector, n_boxes: int) -> Vector:
        """The largest value among the pieces of each box (n,)."""
        largest = np.full(n_boxes, -np.inf)
        np.maximum.at(largest, self.boxes, values)
        return largest


@lru_cache
def _places(cells: tuple[int, int]) -> Indices:
    return np.indices(cells).reshape(2, -1)
