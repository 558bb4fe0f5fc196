"""A road network with the demand of its users, read from three tables and checked line by line."""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from firstmover.core.errors import InvalidInput
from firstmover.core.records import Matrix, Vector, positive

Indices = NDArray[np.int64]

SIOUX_FALLS = files("firstmover.games.routing") / "data" / "sioux-falls"
"""The tables of LeBlanc, Morlok and Pierskalla (1975)."""

_COLUMNS = {
    "nodes.csv": ("node", "x", "y"),
    "links.csv": ("from", "to", "capacity", "length", "free_flow_time"),
    "demand.csv": ("from", "to", "trips"),
}
_LABELS = ("node", "from", "to")


@dataclass(frozen=True, eq=False)
class Network:
    """Nodes, directed links and the trips that users want to make.

    Parameters
    ----------
    nodes, positions
        Labels (n,) and where to draw them (n, 2).
    tails, heads
        Where each link starts and ends, as rows of `nodes` (E,).
    capacity, length, free_flow_time
        C_e, the distance, and c_e of each link (E,).
    origins, destinations, demand
        The pairs of nodes between which users travel, as rows of `nodes` (p,), and how many at most (p,).
    """

    nodes: Indices
    positions: Matrix
    tails: Indices
    heads: Indices
    capacity: Vector
    length: Vector
    free_flow_time: Vector
    origins: Indices
    destinations: Indices
    demand: Vector

    def __post_init__(self) -> None:
        for array in vars(self).values():
            array.flags.writeable = False

    @property
    def n_links(self) -> int:
        """|E|."""
        return len(self.tails)

    @property
    def n_pairs(self) -> int:
        """The length of a demand profile θ."""
        return len(self.demand)

    @cached_property
    def graph(self) -> csr_array:
        """Lengths of links as a sparse (n, n) matrix."""
        n = len(self.nodes)
        ends = (self.tails.astype(np.int32), self.heads.astype(np.int32))  # csgraph reads 32-bit indices only
        return csr_array((self.length, ends), shape=(n, n))

    def row(self, node: int) -> int:
        """The row of a node's label."""
        found = np.flatnonzero(self.nodes == node)
        if len(found) == 0:
            raise InvalidInput(f"node {node} is not in the network: give one of {_some(self.nodes)}.")
        return int(found[0])

    def scaled(self, scale: float) -> "Network":
        """The same network with capacities and demands times `scale`."""
        scale = positive("scale", scale)
        return replace(self, capacity=self.capacity * scale, demand=self.demand * scale)

    def pairs_with_demand(self) -> "Network":
        """The same network without the pairs between which nobody travels.

        >>> sioux_falls().n_pairs, sioux_falls().pairs_with_demand().n_pairs
        (552, 528)
        """
        used = self.demand > 0
        return replace(self, origins=self.origins[used], destinations=self.destinations[used], demand=self.demand[used])


@lru_cache
def sioux_falls() -> Network:
    """The Sioux Falls network of LeBlanc, Morlok and Pierskalla (1975), unscaled.

    >>> network = sioux_falls()
    >>> len(network.nodes), network.n_links, network.n_pairs
    (24, 76, 552)
    """
    return load_network(SIOUX_FALLS)


def load_network(folder: Traversable | str) -> Network:
    """The network of a folder with nodes.csv, links.csv and demand.csv; further columns are left unread."""
    root = Path(folder) if isinstance(folder, str) else folder
    nodes, links, demand = (_read(root, name) for name in _COLUMNS)
    labels = nodes["node"].to_numpy()
    _refuse_twice("nodes.csv", nodes.select("node"))
    for name, table in (("links.csv", links), ("demand.csv", demand)):
        _check_ends(name, table, labels)
    for column in ("capacity", "length", "free_flow_time"):
        _refuse("links.csv", links, links[column] <= 0, column, "it must be above 0")
    _refuse("demand.csv", demand, demand["trips"] < 0, "trips", "it must be 0 or more")
    network = Network(
        nodes=labels.copy(),
        positions=nodes.select("x", "y").to_numpy().copy(),
        tails=_rows(labels, links["from"]),
        heads=_rows(labels, links["to"]),
        capacity=links["capacity"].to_numpy().copy(),
        length=links["length"].to_numpy().copy(),
        free_flow_time=links["free_flow_time"].to_numpy().copy(),
        origins=_rows(labels, demand["from"]),
        destinations=_rows(labels, demand["to"]),
        demand=demand["trips"].to_numpy().copy(),
    )
    _check_reachable(network)
    return network


def _read(root: Traversable, name: str) -> pl.DataFrame:
    """The columns that a table needs: labels as whole numbers, all else as finite numbers."""
    try:
        table = pl.read_csv((root / name).read_bytes(), infer_schema=False)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InvalidInput(f"{root / name} cannot be read as a CSV table: {str(error).splitlines()[0]}.") from None
    missing = [column for column in _COLUMNS[name] if column not in table.columns]
    if missing:
        raise InvalidInput(f"{name} has no column {missing[0]!r}: it needs {', '.join(_COLUMNS[name])}.")
    if table.height == 0:
        raise InvalidInput(f"{name} has no rows: give at least one.")
    return table.select(_numbers(name, table[column]) for column in _COLUMNS[name])


def _numbers(name: str, cells: pl.Series) -> pl.Series:
    kind, word = (pl.Int64, "whole number") if cells.name in _LABELS else (pl.Float64, "finite number")
    numbers = cells.str.strip_chars().cast(kind, strict=False)
    bad = numbers.is_null() | numbers.cast(pl.Float64).is_finite().not_()
    if bad.any():
        at = bad.arg_max() or 0
        raise InvalidInput(f"{name} line {at + 2} has {cells.name} {cells[at] or 'empty'}: give a {word}.")
    return numbers


def _refuse(name: str, table: pl.DataFrame, bad: pl.Series, column: str, remedy: str) -> None:
    if bad.any():
        at = bad.arg_max() or 0
        raise InvalidInput(f"{name} line {at + 2} has {column} {table[column][at]}: {remedy}.")


def _refuse_twice(name: str, keys: pl.DataFrame) -> None:
    again = ~keys.with_row_index().select(pl.struct(keys.columns).is_first_distinct()).to_series()
    if again.any():
        at = again.arg_max() or 0
        words = ", ".join(f"{column} {value}" for column, value in zip(keys.columns, keys.row(at), strict=True))
        raise InvalidInput(f"{name} line {at + 2} gives {words} a second time: keep one line of the two.")


def _check_ends(name: str, table: pl.DataFrame, labels: Indices) -> None:
    for column in ("from", "to"):
        _refuse(name, table, ~table[column].is_in(labels.tolist()), column, "nodes.csv has no such node")
    _refuse(name, table, table["from"] == table["to"], "to", "it must differ from the node that it comes from")
    _refuse_twice(name, table.select("from", "to"))


def _check_reachable(network: Network) -> None:
    distance = shortest_path(network.graph)
    lost = (network.demand > 0) & np.isinf(distance[network.origins, network.destinations])
    if lost.any():
        at = int(np.argmax(lost))
        ends = network.nodes[[network.origins[at], network.destinations[at]]]
        raise InvalidInput(f"demand.csv line {at + 2} asks for trips from {ends[0]} to {ends[1]}: no route joins them.")


def _rows(labels: Indices, column: pl.Series) -> Indices:
    order = np.argsort(labels)
    return order[np.searchsorted(labels, column.to_numpy(), sorter=order)]


def _some(labels: Indices) -> str:
    words = [str(label) for label in labels[:5]]
    return ", ".join(words) + (", ..." if len(labels) > 5 else "")
