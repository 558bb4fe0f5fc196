"""K_x(observed, X), kept once for all types of a product kernel."""

from collections.abc import Callable

import numpy as np
from numpy.typing import DTypeLike, NDArray

from firstmover.memory import check_memory
from firstmover.records import Matrix, Vector

ROWS = 16
"""Rows a block: each type has its own blocks, and the last one is half empty on average."""


class KernelRows:
    """k_x(x, X) of every action x that was observed, grouped by the type it was observed at.

    A row depends on nothing but its action, so that all beliefs over one domain share them. They are written once, in
    blocks: nothing is ever moved.
    """

    def __init__(self, row: Callable[[int], Vector], n_actions: int, n_types: int, dtype: DTypeLike) -> None:
        self._row, self._n_actions, self.dtype = row, n_actions, np.dtype(dtype)
        self._blocks: list[list[NDArray[np.floating]]] = [[] for _ in range(n_types)]
        self._slots: list[dict[int, int]] = [{} for _ in range(n_types)]

    def slot(self, kind: int, action: int) -> int:
        """Where the row of an action stands among those of a type; it is computed when it is new."""
        slots, blocks = self._slots[kind], self._blocks[kind]
        if action not in slots:
            block, line = divmod(len(slots), ROWS)
            if line == 0:
                self.check_block()
                blocks.append(np.empty((ROWS, self._n_actions), dtype=self.dtype))
            blocks[block][line] = self._row(action)
            slots[action] = len(slots)
        return slots[action]

    def check_block(self) -> None:
        """Refuse a further block when it does not fit."""
        check_memory(
            ROWS * self._n_actions * self.dtype.itemsize,
            f"keeping {ROWS} more rows of the kernel over {self._n_actions:,} actions",
            "give a smaller menu, play fewer rounds, or set single_precision=True where the regularization allows it",
        )

    def count(self, kind: int) -> int:
        """How many rows a type has."""
        return len(self._slots[kind])

    def weighted(self, kind: int, weights: Matrix, columns: slice) -> Matrix:
        """Σ_i weights[:, i] k_x(x_i, X[columns]) over the rows of one type: weights (p, count) give (p, width)."""
        total = None
        for first, block in zip(range(0, weights.shape[1], ROWS), self._blocks[kind], strict=False):
            part = weights[:, first : first + ROWS]
            product = part @ block[: part.shape[1], columns]
            total = product if total is None else np.add(total, product, out=total)
        assert total is not None
        return total
