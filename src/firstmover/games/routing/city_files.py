"""Parts of the readers of cities that all formats share: a network with notes, trips within zones, a layout."""

from typing import NamedTuple

import numpy as np

from firstmover.core.arrays import Matrix
from firstmover.core.errors import InvalidInput, counted
from firstmover.games.routing.network import Network
from firstmover.games.routing.tables import Table


class City(NamedTuple):
    """A network that was read, the format of its files, and sentences about what the reader left out or added."""

    network: Network
    format: str
    notes: tuple[str, ...]


def between_zones(demand: Table) -> tuple[Table, list[str]]:
    """The rows of a demand whose ends differ, and a note if trips within zones are left out."""
    within = demand.columns["from"] == demand.columns["to"]
    if within.all():
        raise InvalidInput(f"{demand.name} has no trips between two zones: give at least one pair.")
    demand.refuse(demand.columns["trips"] < 0, "trips", "it must be 0 or more")
    inner = demand.rows(within & (demand.columns["trips"] > 0))
    trips = sum(inner.columns["trips"].tolist())
    zones = counted(len(inner.lines), "zone")
    notes = [f"Left out: {trips:,.6g} trips within {zones}."] if inner.lines else []
    return demand.rows(~within), notes


def on_circle(count: int) -> Matrix:
    """Positions for nodes without coordinates: in their order on a circle of radius 1 (count, 2)."""
    angle = 2 * np.pi * np.arange(count) / count
    return np.column_stack([np.cos(angle), np.sin(angle)])


def has_coordinates(positions: Matrix) -> bool:
    """Whether nodes lie elsewhere than `on_circle`."""
    return not np.allclose(positions, on_circle(len(positions)))
