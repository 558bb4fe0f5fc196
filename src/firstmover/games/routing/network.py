"""A road network with the demand of its users, read from three tables and checked line by line."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order

from firstmover.core.arrays import Matrix, Vector, positive
from firstmover.core.errors import InvalidInput
from firstmover.games.routing.tables import Field, Table, read_table

Indices = NDArray[np.int64]

SIOUX_FALLS = files("firstmover.games.routing") / "data" / "sioux-falls"
"""The tables of LeBlanc, Morlok and Pierskalla (1975)."""

NODES = (Field("node", whole=True), Field("x"), Field("y"), Field("through", default=1.0))
LINKS = (
    Field("from", whole=True),
    Field("to", whole=True),
    Field("capacity"),
    Field("length"),
    Field("free_flow_time"),
    Field("b", default=0.15),
    Field("power", default=4.0),
)
DEMAND = (Field("from", whole=True), Field("to", whole=True), Field("trips"))
"""The columns of nodes.csv, links.csv and demand.csv."""


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
        """Lengths of links as a sparse matrix; routes begin at the row that is `leaving` their origin."""
        size = len(self.nodes) + int((~self.through).sum())
        ends = (
            self.leaving[self.tails].astype(np.int32),
            self.heads.astype(np.int32),
        )  # csgraph reads 32-bit indices only
        return csr_array((self.length, ends), shape=(size, size))

    @cached_property
    def leaving(self) -> Indices:
        """The rows from which the links of each node leave, if a node that may not be passed is two nodes of a graph.

        Links enter its own row and leave from a further one.
        """
        rows = np.arange(len(self.nodes))
        ends = ~self.through
        rows[ends] = len(rows) + np.arange(ends.sum())
        return rows

    def unreachable(self) -> NDArray[np.bool_]:
        """The pairs that no route joins (p,)."""
        graph, lost = self.graph, np.ones(self.n_pairs, dtype=bool)
        for origin in np.unique(self.origins):
            pairs = np.flatnonzero(self.origins == origin)
            reached = breadth_first_order(graph, self.leaving[origin], return_predecessors=False)
            lost[pairs] = ~np.isin(self.destinations[pairs], reached)
        return lost

    def refuse_zeros(self, *columns: str) -> None:
        """Raise an error for the first link with a 0 in one of these columns, for models that cannot have it."""
        for column in columns:
            zero = np.flatnonzero(getattr(self, column) == 0)
            if len(zero):
                ends = self.nodes[[self.tails[zero[0]], self.heads[zero[0]]]]
                raise InvalidInput(f"The link from {ends[0]} to {ends[1]} has {column} 0: this game needs it above 0.")

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


def link_names(network: Network) -> tuple[str, ...]:
    """The links by their ends, as in 12→18."""
    ends = zip(network.nodes[network.tails], network.nodes[network.heads], strict=True)
    return tuple(f"{tail}→{head}" for tail, head in ends)


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
    tables = {"nodes.csv": NODES, "links.csv": LINKS, "demand.csv": DEMAND}
    return network_of(*(read_table(root, name, fields) for name, fields in tables.items()))


def network_of(nodes: Table, links: Table, demand: Table) -> Network:
    """Check tables with the columns of NODES, LINKS and DEMAND, and return their network.

    A link of length 0 or free-flow time 0 is a connector; a capacity of 0 is allowed where b is 0.
    """
    labels = nodes.columns["node"]
    nodes.refuse_repeated("node")
    nodes.refuse(~np.isin(nodes.columns["through"], (0, 1)), "through", "give 1 where routes may pass, otherwise 0")
    for table in (links, demand):
        for column in ("from", "to"):
            table.refuse(~np.isin(table.columns[column], labels), column, f"{nodes.name} has no such node")
        differ = f"it must differ from the node in column {table.titles['from']}"
        table.refuse(table.columns["from"] == table.columns["to"], "to", differ)
        table.refuse_repeated("from", "to")
    capacity, b, power = (links.columns[name] for name in ("capacity", "b", "power"))
    links.refuse((capacity < 0) | ((capacity == 0) & (b != 0)), "capacity", "it must be above 0")
    for column in ("length", "free_flow_time", "b", "power"):
        links.refuse(links.columns[column] < 0, column, "it must be 0 or more")
    links.refuse((power > 0) & (power < 1), "power", "it must be 0, or 1 or more")
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
        **{name: links.columns[name] for name in ("capacity", "length", "free_flow_time", "b", "power")},
        origins=origins,
        destinations=destinations,
        demand=demand.columns["trips"],
        through=nodes.columns["through"] == 1,
    )
    lost = network.unreachable() & (network.demand > 0)
    if lost.any():
        at = int(np.argmax(lost))
        ends = network.nodes[[network.origins[at], network.destinations[at]]]
        raise InvalidInput(f"{demand.place(at)} asks for trips from {ends[0]} to {ends[1]}: no route joins them.")
    return network


def network_tables(network: Network) -> dict[str, str]:
    """The content of nodes.csv, links.csv and demand.csv, from which load_network reads the identical network."""
    label = network.nodes
    ends = (label[network.tails], label[network.heads])
    links = (getattr(network, field.key) for field in LINKS[2:])
    pairs = (label[network.origins], label[network.destinations], network.demand)
    return {
        "nodes.csv": _csv(NODES, label, *network.positions.T, network.through.astype(int)),
        "links.csv": _csv(LINKS, *ends, *links),
        "demand.csv": _csv(DEMAND, *pairs),
    }


def _csv(fields: Iterable[Field], *columns: NDArray[Any]) -> str:
    """Columns of numbers, each as the shortest text that reads back as the same number."""
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return "\n".join([",".join(field.key for field in fields), *(",".join(map(repr, row)) for row in rows), ""])
