"""Growing arrays that successive beliefs share."""

from dataclasses import dataclass

import numpy as np

from firstmover.records import Matrix, Vector


@dataclass
class AppendOnly:
    """Rows that are written once: every belief reads its own first rows of one shared array.

    `used` is the high-water mark. A belief that holds all used rows appends in place; a second child of one parent
    finds its place taken and copies. Rows shorter than the array are padded with zeros (rows of a triangle).

    >>> first = AppendOnly.empty(2).append(0, np.array([1.0, 2.0]))
    >>> child = first.append(1, np.array([3.0, 4.0]))
    >>> child is first, first.append(1, np.array([5.0, 6.0])) is first
    (True, False)
    """

    rows: Matrix
    used: int

    @classmethod
    def empty(cls, width: int) -> "AppendOnly":
        """No rows yet."""
        return cls(np.zeros((16, width)), 0)

    def first(self, count: int) -> Matrix:
        """The first rows, as a view."""
        return self.rows[:count]

    def append(self, count: int, row: Vector) -> "AppendOnly":
        """The buffer that holds the first `count` rows and then this one."""
        home = self
        if self.used != count or count == len(self.rows) or len(row) > self.rows.shape[1]:
            home = self._copied(count, len(row))
        home.rows[count, : len(row)] = row
        home.used = count + 1
        return home

    def _copied(self, count: int, width: int) -> "AppendOnly":
        old = self.rows.shape[1]
        rows = np.zeros((max(16, 2 * count), old if width <= old else 2 * width))
        rows[:count, :old] = self.rows[:count]
        return AppendOnly(rows, count)
