"""An array that grows by rows."""

import numpy as np

from firstmover.core.records import Matrix, Vector


class GrowingRows:
    """Rows that are appended one at a time; a row shorter than the array is padded with zeros.

    >>> rows = GrowingRows(2)
    >>> rows.append(0, np.array([1.0, 2.0]))
    >>> rows.append(1, np.array([3.0]))
    >>> rows.first(2)
    array([[1., 2.],
           [3., 0.]])
    """

    __slots__ = ("_rows",)

    def __init__(self, width: int) -> None:
        self._rows = np.zeros((16, width))

    @property
    def width(self) -> int:
        """The number of columns."""
        return self._rows.shape[1]

    def first(self, count: int) -> Matrix:
        """Return the first rows, as a view."""
        return self._rows[:count]

    def append(self, count: int, row: Vector) -> None:
        """Write row number `count`; earlier rows stay."""
        if count == len(self._rows) or len(row) > self.width:
            self._rows = self._resized(
                count, max(16, 2 * count), self.width if len(row) <= self.width else 2 * len(row)
            )
        self._rows[count, : len(row)] = row

    def copied(self, count: int) -> "GrowingRows":
        """Return an independent copy of the first rows."""
        copy = GrowingRows.__new__(GrowingRows)
        copy._rows = self._resized(count, max(16, 2 * count), self.width)
        return copy

    def _resized(self, count: int, rows: int, width: int) -> Matrix:
        resized = np.zeros((rows, width))
        resized[:count, : self.width] = self._rows[:count]
        return resized
