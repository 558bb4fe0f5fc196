"""A lower bound of the smallest density over boxes cut along the borders of a park's cells, with a stated error.

The minimum over a rectangle lies at a corner, in a valley of an edge, or in a basin, a local minimum inside. A fine
lattice is searched once for the valleys of its lines and for its basins; a rectangle then costs a few look-ups.
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box
from firstmover.games.wildlife.park import Indices, Park

Floats = NDArray[np.float64]
"""Floats in any number of dimensions."""

Mask = NDArray[np.bool_]


def ends_within(box: Box, cells: tuple[int, int]) -> Floats:
    """Boxes (n, 2) cut to the park, as ends[axis, 0 or 1, box]; parts outside move to the nearest location in it."""
    ends = np.empty((2, 2, len(box.lower)))
    ends[:, 0], ends[:, 1] = box.lower.T, box.upper.T
    return np.minimum(np.maximum(ends, 0.0, out=ends), np.array(cells)[:, None, None], out=ends)


def cells_met(ends: Floats, cells: tuple[int, int]) -> Mask:
    """The table (c₁ c₂, n) of cells i that meet box j, from the cell of its lower to that of its upper corner."""
    corner = np.minimum(ends.astype(np.intp), np.array(cells)[:, None, None] - 1)
    return _cells_between(corner[:, 0], corner[:, 1], cells)


def cells_inside(ends: Floats, cells: tuple[int, int]) -> Mask:
    """The table (c₁ c₂, n) of cells i that lie wholly in box j."""
    return _cells_between(ends[:, 0], ends[:, 1] - 1, cells)


def _cells_between(first: NDArray[Any], last: NDArray[Any], cells: tuple[int, int]) -> Mask:
    """The table (c₁ c₂, n) of cells whose row and column lie between two places (2, n)."""
    number = [np.arange(c)[:, None] for c in cells]
    row, column = ((first[axis] <= number[axis]) & (last[axis] >= number[axis]) for axis in (0, 1))
    return (row[:, None] & column).reshape(-1, first.shape[1])


@dataclass(frozen=True, eq=False)
class Pieces:
    """Piece k is the part of box `boxes[k]` in cell `cells[k]`, from `ends[axis, 0, k]` to `ends[axis, 1, k]`.

    Pieces are closed: a maximum is the supremum over the half-open cell. `places[:, k]` is the cell's row and column.
    """

    boxes: Indices
    cells: Indices
    places: Indices
    ends: Floats

    @classmethod
    def of(cls, ends: Floats, chosen: Mask, cells: tuple[int, int]) -> Self:
        """The pieces of boxes that a table (c₁ c₂, n) chooses."""
        cell, box = np.divmod(np.flatnonzero(chosen), chosen.shape[1])
        places = _places(cells).take(cell, axis=1)
        inside = ends.take(box, axis=2)
        np.maximum(inside[:, 0], places, out=inside[:, 0])
        np.minimum(inside[:, 1], places + 1, out=inside[:, 1])
        return cls(box, cell, places, inside)


@lru_cache
def _places(cells: tuple[int, int]) -> Indices:
    return np.indices(cells).reshape(2, -1)


@dataclass(frozen=True, eq=False)
class LocalMinima:
    """Local minima by row: slot s of row i has places[a, s, i] on axis a, in lattice steps, and values[s, i]."""

    places: Floats
    values: Matrix

    @classmethod
    def by_row(cls, rows: Indices, n_rows: int, places: list[Indices], values: Vector) -> Self:
        """Sort local minima into rows, with as many slots as the fullest row needs; empty slots are NaN."""
        order = np.argsort(rows, kind="stable")
        counts = np.bincount(rows, minlength=n_rows)
        slots = np.arange(len(rows)) - np.repeat(np.cumsum(counts) - counts, counts)
        tables = np.full((len(places) + 1, int(counts.max()), n_rows), np.nan)
        tables[:, slots, rows[order]] = np.stack([*places, values])[:, order]
        return cls(tables[:-1], tables[-1])

    def lower(self, found: Floats, rows: Indices, *limits: tuple[Floats, Floats]) -> None:
        """Lower `found` (contiguous), in place, to the local minima of its row within the limits on every axis."""
        flat = found.reshape(-1)
        for slot, values in enumerate(self.values):
            within = np.True_
            for places, (low, high) in zip(self.places[:, slot], limits, strict=True):
                place = places.take(rows)
                within = within & (place >= low) & (place <= high)
            hit = np.flatnonzero(within)
            flat[hit] = np.minimum(flat[hit], values.take(rows.ravel()[hit]))


@dataclass(frozen=True, eq=False)
class SmallestDensity:
    """min φ over pieces of cells, from a lattice of `per_cell` steps h to a cell.

    On an edge at a, between the lattice lines a_i and a_{i+1}, m(a) = min_t φ(a, t) is a minimum of functions that
    bend by at most M_a = sup |∂²φ/∂a²|, so (1 − s) m(a_i) + s m(a_{i+1}) exceeds it by M_a h² / 8 at most, and falls
    short by L_a h / 2 at most, with L_a = sup |∂φ/∂a|. On a line the lattice errs by M_t h² / 8. A lattice path
    downhill from a basin it missed ends in one it found or crosses an edge, within M h² / 4, M = sup Σ_ij |∂²φ/∂i∂j|.
    Hence `at_least` ≤ min φ ≤ `at_least` + `error`.
    """

    park: Park
    per_cell: int = 100

    def __post_init__(self) -> None:
        if self.per_cell < 2:
            raise InvalidInput(f"per_cell is {self.per_cell}: the lattice needs 2 or more steps to a cell.")

    @cached_property
    def values(self) -> Matrix:
        """φ on the lattice, borders included."""
        first, second = (np.arange(c * self.per_cell + 1) / self.per_cell for c in self.park.cells)
        blocks = np.array_split(first[:, None], len(first) // 16 + 1)  # blocks fit into the processor's cache
        return np.concatenate([self.park.density_at(block, second[None, :]) for block in blocks])

    @cached_property
    def bends(self) -> tuple[Vector, float]:
        """M_1 and M_2, and M: the second derivatives of c exp(−dᵀA d / 2) along v are at most c vᵀA v."""
        size = np.abs(self.park.precisions)
        return np.einsum("k,kii->i", self.park.peaks, size), float(self.park.peaks @ size.sum(axis=(1, 2)))

    @cached_property
    def slope(self) -> float:
        """max(L_1, L_2): the steepest step of the lattice, plus the largest change of slope within two steps."""
        steepest = max(float(np.abs(np.diff(self.values, axis=axis)).max()) for axis in (0, 1))
        return steepest * self.per_cell + self.bends[1] / self.per_cell

    @cached_property
    def below(self) -> float:
        """The amount subtracted from the minimum on the lattice, so that it never exceeds the true one."""
        (first, second), whole = self.bends
        return float(whole / 4 + (first + second) / 8) / self.per_cell**2

    @cached_property
    def error(self) -> float:
        """The largest difference between the minimum and `at_least`."""
        return self.below + self.slope / (2 * self.per_cell) + float(self.bends[0].max()) / (8 * self.per_cell**2)

    @cached_property
    def range_in_cells(self) -> tuple[Vector, Vector]:
        """Lower bound of `at_least` and upper bound of φ in each cell."""
        n = self.per_cell
        windows = np.lib.stride_tricks.sliding_window_view(self.values, (n + 1, n + 1))[::n, ::n]
        lowest, highest = windows.min(axis=(2, 3)).ravel(), windows.max(axis=(2, 3)).ravel()
        return np.maximum(lowest - self.below, 0.0), highest + self.bends[0].sum() / (8 * n**2)

    @cached_property
    def in_whole_cells(self) -> Vector:
        """`at_least` of each cell."""
        cells = self.park.cells
        ends = ends_within(Box(np.zeros((1, 2)), np.full((1, 2), np.inf)), cells)
        return self.at_least(Pieces.of(ends, np.ones((self.park.n_cells, 1), dtype=bool), cells))

    @cached_property
    def valleys(self) -> LocalMinima:
        """Points lower than both neighbours on their line, in row i c + k for line i, cell k of c: axis 0, then 1."""
        rows, places, values = [], [], []
        for first, v in zip(self._first_rows[:2], (self.values, self.values.T), strict=True):
            inner = v[:, 1:-1]
            line, j = np.nonzero((inner < v[:, :-2]) & (inner <= v[:, 2:]))
            rows.append(first + line * (v.shape[1] // self.per_cell) + (j + 1) // self.per_cell)
            places.append(j + 1)
            values.append(inner[line, j])
        joined = np.concatenate(rows), self._first_rows[2], [np.concatenate(places)], np.concatenate(values)
        return LocalMinima.by_row(*joined)

    @cached_property
    def basins(self) -> LocalMinima:
        """Lattice points lower than their eight neighbours, in the row of their cell."""
        v, n = self.values, self.per_cell
        inner = v[1:-1, 1:-1]
        low = np.ones(inner.shape, dtype=bool)
        for step in ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)):
            beside = v[1 + step[0] : v.shape[0] - 1 + step[0], 1 + step[1] : v.shape[1] - 1 + step[1]]
            low &= (inner < beside) if step < (0, 0) else (inner <= beside)
        i, j = np.nonzero(low)
        rows = (i + 1) // n * self.park.cells[1] + (j + 1) // n
        return LocalMinima.by_row(rows, self.park.n_cells, [i + 1, j + 1], inner[i, j])

    def at_least(self, pieces: Pieces) -> Vector:
        """A lower bound of min φ over each piece."""
        ends = pieces.ends * self.per_cell
        line = np.minimum(ends.astype(np.intp), ((pieces.places + 1) * self.per_cell - 1)[:, None])
        share = ends - line
        lowest = self._lower_ends(line, share)
        across = np.array(self.park.cells[::-1])[:, None, None]
        rows = line * across + (pieces.places[::-1] + np.array(self._first_rows[:2])[:, None])[:, None]
        beside = rows + np.arange(2)[:, None, None, None] * across
        self.valleys.lower(lowest, beside, (ends[::-1, :1], ends[::-1, 1:]))
        edges = lowest[0] + share * (lowest[1] - lowest[0])
        found = edges.reshape(4, -1).min(axis=0)
        self.basins.lower(found, pieces.cells, (ends[0, 0], ends[0, 1]), (ends[1, 0], ends[1, 1]))
        return self._near_points(found - self.below, pieces.ends)

    @property
    def _first_rows(self) -> tuple[int, int, int]:
        """The first rows of the valleys of axis 0 and of axis 1, and the number of rows."""
        n, (c1, c2) = self.per_cell, self.park.cells
        return 0, (c1 * n + 1) * c2, (c1 * n + 1) * c2 + (c2 * n + 1) * c1

    def _lower_ends(self, line: Indices, share: Floats) -> Floats:
        """φ at the lower end of the two lattice lines beside each edge of a piece: (line, axis, edge, piece)."""
        width, flat = self.values.shape[1], self.values.reshape(-1)
        corner = line[0][:, None] * width + line[1]
        v = np.empty((2, 2, *corner.shape))
        for i, j in ((0, 0), (0, 1), (1, 0), (1, 1)):
            flat[i * width + j :].take(corner, out=v[i, j], mode="clip")
        lowest = np.empty((2, 2, *line[0].shape))
        ends = v[:, 0] + share[1] * (v[:, 1] - v[:, 0])
        np.minimum(ends[:, :, 0], ends[:, :, 1], out=lowest[:, 0])
        ends = v[0] + share[0][:, None] * (v[1] - v[0])
        np.minimum(ends[:, 0], ends[:, 1], out=lowest[:, 1])
        return lowest

    def _near_points(self, found: Vector, ends: Floats) -> Vector:
        """Raise `found` for pieces smaller than a step by φ at their centre, so that a point has its own density."""
        width = (ends[:, 1] - ends[:, 0]).sum(axis=0)
        small = np.flatnonzero(width * self.per_cell < 1)
        if len(small):
            centre = (ends[:, 0].take(small, axis=1) + ends[:, 1].take(small, axis=1)) / 2
            fall = self.slope / 2 + self.error * self.per_cell
            found[small] = np.maximum(found[small], self.park.density_at(*centre) - fall * width[small])
        return np.maximum(found, 0.0)
