"""A road network with the demand of its users, read from three tables and checked line by line."""

import csv
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from math import isfinite, nan
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import shortest_path

from firstmover.core.arrays import Matrix, Vector, positive
from firstmover.core.errors import InvalidInput

Indices = NDArray[np.int64]

SIOUX_FALLS = files("firstmover.games.routing") / "data" / "sioux-falls"
"""The tables of LeBlanc, Morlok and Pierskalla (1975)."""

_COLUMNS = {
    "nodes.csv": ("node", "x", "y"),
    "links.csv": ("from", "to", "capacity", "length", "free_flow_time"),
    "demand.csv": ("from", "to", "trips"),
}
_LABELS = ("node", "from", "to")
_OPTIONAL = {"nodes.csv": {"through": 1.0}, "links.csv": {"b": 0.15, "power": 4.0}, "demand.csv": {}}
"""Columns that may be left out, and the number that every row has then."""


@dataclass(frozen=True, eq=False)
class Network:
    """Labels of nodes (n,) with coordinates for drawing, directed links (E,), and the demand of pairs of nodes (p,).

    `tails` and `heads`, `origins` and `destinations` are rows of `nodes`. Links have a capacity C_e, a length, a
    free-flow time c_e, and the time c_e (1 + b_e (v / C_e)^power_e) at a flow v; `demand` is the largest number of
    users who travel between a pair. `through` (n,) says which nodes may be passed: at the others trips only begin and
    end.
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
    b: Vector
    power: Vector
    through: NDArray[np.bool_]

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
        """Return the row of a node's label."""
        found = np.flatnonzero(self.nodes == node)
        if len(found) == 0:
            known = ", ".join(str(label) for label in self.nodes[:5]) + (", ..." if len(self.nodes) > 5 else "")
            raise InvalidInput(f"node {node} is not in the network: give one of {known}.")
        return int(found[0])

    def scaled(self, scale: float) -> "Network":
        """The same network with capacities and demands times `scale`."""
        scale = positive("scale", scale)
        return replace(self, capacity=self.capacity * scale, demand=self.demand * scale)

    def pairs_with_demand(self) -> "Network":
        """The same network without the pairs whose demand is 0."""
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
    """Return the network of a folder with nodes.csv, links.csv and demand.csv.

    Links may have columns b and power, and nodes a column through, which is 0 where trips only begin and end; further
    columns are ignored.
    """
    root = Path(folder) if isinstance(folder, str) else folder
    nodes, links, demand = (_read(root, name) for name in _COLUMNS)
    labels = nodes.columns["node"]
    nodes.refuse_repeated("node")
    for table in (links, demand):
        for column in ("from", "to"):
            table.refuse(~np.isin(table.columns[column], labels), column, "nodes.csv has no such node")
        table.refuse(table.columns["from"] == table.columns["to"], "to", "it must differ from the node in column from")
        table.refuse_repeated("from", "to")
    for column in ("capacity", "length", "free_flow_time"):
        links.refuse(links.columns[column] <= 0, column, "it must be above 0")
    for column in ("b", "power"):
        links.refuse(links.columns[column] < 0, column, "it must be 0 or more")
    power = links.columns["power"]
    links.refuse((power > 0) & (power < 1), "power", "it must be 0, or 1 or more")
    nodes.refuse(~np.isin(nodes.columns["through"], (0, 1)), "through", "give 1 where routes may pass, otherwise 0")
    demand.refuse(demand.columns["trips"] < 0, "trips", "it must be 0 or more")
    row_of = {label: row for row, label in enumerate(labels.tolist())}
    tails, heads, origins, destinations = (
        np.array([row_of[label] for label in table.columns[column].tolist()])
        for table in (links, demand)
        for column in ("from", "to")
    )
    network = Network(
        nodes=labels,
        positions=np.column_stack([nodes.columns["x"], nodes.columns["y"]]),
        tails=tails,
        heads=heads,
        **{name: links.columns[name] for name in ("capacity", "length", "free_flow_time")},
        origins=origins,
        destinations=destinations,
        demand=demand.columns["trips"],
        b=links.columns["b"],
        power=power,
        through=nodes.columns["through"] == 1,
    )
    lost = np.isinf(shortest_path(network.graph)[network.origins, network.destinations]) & (network.demand > 0)
    if lost.any():
        at = int(np.argmax(lost))
        ends = network.nodes[[network.origins[at], network.destinations[at]]]
        raise InvalidInput(
            f"demand.csv line {demand.lines[at]} asks for trips from {ends[0]} to {ends[1]}: no route joins them."
        )
    return network


@dataclass(frozen=True, eq=False)
class _Table:
    """Columns of numbers from a CSV file, with the line of each row."""

    name: str
    columns: dict[str, NDArray[Any]]
    lines: list[int]

    def refuse(self, bad: NDArray[np.bool_], column: str, remedy: str) -> None:
        """Raise an error for the first bad row."""
        if bad.any():
            at = int(np.argmax(bad))
            value = self.columns[column][at]
            raise InvalidInput(f"{self.name} line {self.lines[at]} has {column} {value}: {remedy}.")

    def refuse_repeated(self, *columns: str) -> None:
        """Raise an error for the first row whose keys stand in an earlier row."""
        keys = np.column_stack([self.columns[column] for column in columns])
        first = np.unique(keys, axis=0, return_index=True)[1]
        repeated = np.setdiff1d(np.arange(len(keys)), first)
        if len(repeated):
            at = repeated[0]
            words = ", ".join(f"{column} {value}" for column, value in zip(columns, keys[at], strict=True))
            raise InvalidInput(f"{self.name} line {self.lines[at]} gives {words} a second time: keep one of the lines.")


def _read(root: Traversable, name: str) -> _Table:
    """Read the columns that a table needs: labels as whole numbers, all others as finite numbers."""
    try:
        reader = csv.DictReader((root / name).read_text("utf-8-sig").splitlines())
        rows = [(reader.line_num, row) for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InvalidInput(f"{root / name} cannot be read as a CSV table: {error}.") from None
    if reader.fieldnames is None:
        raise InvalidInput(f"{root / name} cannot be read as a CSV table: it is empty.")
    missing = [column for column in _COLUMNS[name] if column not in reader.fieldnames]
    if missing:
        raise InvalidInput(f"{name} has no column {missing[0]!r}: it needs {', '.join(_COLUMNS[name])}.")
    if not rows:
        raise InvalidInput(f"{name} has no rows: give at least one.")
    given = [column for column in (*_COLUMNS[name], *_OPTIONAL[name]) if column in reader.fieldnames]
    columns = {column: np.full(len(rows), default) for column, default in _OPTIONAL[name].items()} | {
        column: np.array([_number(name, line, column, row[column] or "") for line, row in rows]) for column in given
    }
    return _Table(name, columns, [line for line, _ in rows])


def _number(name: str, line: int, column: str, cell: str) -> float:
    try:
        number = int(cell) if column in _LABELS else float(cell)
    except ValueError:
        number = nan
    if isfinite(number):
        return number
    words = "whole" if column in _LABELS else "finite"
    raise InvalidInput(f"{name} line {line} has {column} {cell.strip() or 'empty'}: give a {words} number.")
