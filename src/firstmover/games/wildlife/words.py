"""Patrols in words."""

import numpy as np

from firstmover.core.contracts import Game
from firstmover.games.menu import Menu
from firstmover.games.wildlife.park import published_park
from firstmover.games.words import ShareGrid, Sheet, SheetRow, Words

LEADING = 5
"""The number of cells of a patrol that are named in words."""


def patrol_sheet(menu: Menu, action: int, units: tuple[str, ...]) -> Sheet:
    """Shares of the patrol by cell: a grid with north at the top, and the most covered cells in words."""
    first, second = published_park().cells
    shares = menu.actions[action].reshape(first, second)
    unit = units[0] or "cells"
    order = np.argsort(-shares, axis=None)[:LEADING]
    rows = tuple(
        SheetRow(f"{_span(i, unit)} east, {_span(j, unit)} north", f"{shares[i, j]:.1%}".replace("%", "\u00a0%"))
        for i, j in zip(*np.unravel_index(order, shares.shape), strict=True)
        if shares[i, j] > 0
    )
    grid = ShareGrid(
        f"Share of the patrol in each cell; {unit} east from left to right, {unit} north from bottom to top",
        tuple(f"{i}–{i + 1}" for i in range(first)),
        tuple(f"{j}–{j + 1}" for j in reversed(range(second))),
        shares.T[::-1].tolist(),
    )
    if len(rows) == 1:
        return Sheet(f"Patrol one cell only: {rows[0].name}", rows, grid=grid)
    next_ones = "; ".join(f"{row.name}: {row.value}" for row in rows[1:3])
    words = f"Then {next_ones}; and so on as in the grid."
    return Sheet(f"Patrol most often {rows[0].name}: {rows[0].value} of the time", rows, words, grid)


def _span(start: int, unit: str) -> str:
    """The extent of a cell along one side, without line breaks."""
    return f"{start} to {start + 1} {unit}".replace(" ", "\u00a0")


def cell_names(_: Game) -> tuple[str, ...]:
    """The cells of the park by their numbers from the west and from the south."""
    return tuple(f"cell {i + 1},{j + 1}" for i, j in np.ndindex(published_park().cells))


WORDS = Words(
    labels=lambda game: tuple(f"patrol {i}" for i in range(game.n_actions)),
    features=cell_names,
    sheet=patrol_sheet,
)

CELL_WORDS = Words(labels=cell_names, features=cell_names)
"""The words of the whole simplex, whose actions are the cells."""
