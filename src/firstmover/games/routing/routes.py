"""The k shortest routes between two nodes, with a stated rule for routes of equal length."""

import csv
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, get_args

import numpy as np
from scipy.sparse.csgraph import yen

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.errors import InvalidInput, unknown_name
from firstmover.games.routing.network import SIOUX_FALLS, Network, sioux_falls

Route = tuple[int, ...]
"""The nodes of a route, as rows of the network's nodes."""

TieRule = Literal["node order", "fewest links", "networkx"]
"""The order of equally long routes.

- `node order`: compare node by node; at the first difference the node that is earlier in nodes.csv comes first.
- `fewest links`: the one with fewer links, then node order.
- `networkx`: the order of networkx's `shortest_simple_paths`, stored for the 3 shortest routes of Sioux Falls.
"""

SAME_LENGTH = 1e-9
"""Lengths that differ by less than this fraction are equal: sums of decimals are rounded."""

MOST_TIES = 1024
"""The largest number of routes that are compared for one pair."""

STORED_ROUTES = 3


def shortest_routes(
    network: Network, origin: int, destination: int, k: int, ties: TieRule = "node order"
) -> list[Route]:
    """Up to k shortest routes without loops, by length and then by the tie rule; origin and destination are rows.

    >>> [[row + 1 for row in route] for route in shortest_routes(sioux_falls(), 11, 17, 3)]
    [[12, 11, 10, 16, 18], [12, 13, 24, 21, 20, 18], [12, 3, 4, 5, 6, 8, 7, 18]]
    """
    if k < 1:
        raise InvalidInput(f"k is {k}: ask for at least 1 route.")
    if ties not in get_args(TieRule):
        raise unknown_name("tie rule", ties, get_args(TieRule))
    network.refuse_zeros("length")
    preferred = _stored_order(network, k).get((origin, destination), []) if ties == "networkx" else []
    lengths, routes = _with_all_ties(network, origin, destination, k)
    rank = np.cumsum(np.diff(lengths, prepend=lengths[:1]) > SAME_LENGTH * lengths)

    def order(i: int) -> tuple[int, int, Route]:
        listed = preferred.index(routes[i]) if routes[i] in preferred else len(preferred)
        return int(rank[i]), len(routes[i]) if ties == "fewest links" else listed, routes[i]

    return [routes[i] for i in sorted(range(len(routes)), key=order)[:k]]


def link_incidence(network: Network, routes: Sequence[Route]) -> Matrix:
    """Row i is 1 on the links of route i and 0 elsewhere (len(routes), E)."""
    link_between = np.zeros((len(network.nodes),) * 2, dtype=np.int64)
    link_between[network.tails, network.heads] = np.arange(network.n_links)
    steps = [len(route[1:]) for route in routes]
    tails = np.fromiter((node for route in routes for node in route[:-1]), dtype=np.int64)
    heads = np.fromiter((node for route in routes for node in route[1:]), dtype=np.int64)
    incidence = np.zeros((len(routes), network.n_links))
    incidence[np.repeat(np.arange(len(routes)), steps), link_between[tails, heads]] = 1.0
    return incidence


def _with_all_ties(network: Network, origin: int, destination: int, k: int) -> tuple[Vector, list[Route]]:
    """At least k routes by length, and every route as long as the k-th."""
    asked, start = k + 4, int(network.leaving[origin])
    while True:
        lengths, predecessors = yen(network.graph, start, destination, asked, return_predecessors=True)
        if len(lengths) < asked or lengths[-1] > lengths[k - 1] * (1 + SAME_LENGTH):
            return lengths, [(origin, *_walk(row, start, destination)[1:]) for row in predecessors.tolist()]
        if asked > MOST_TIES:
            ends = network.nodes[[origin, destination]]
            raise InvalidInput(
                f"More than {MOST_TIES} routes of one length join {ends[0]} and {ends[1]}: make the lengths differ."
            )
        asked *= 2


def _walk(predecessors: list[int], origin: int, destination: int) -> Route:
    route = [destination]
    while route[-1] != origin:
        route.append(predecessors[route[-1]])
    return tuple(reversed(route))


def _stored_order(network: Network, k: int) -> dict[tuple[int, int], list[Route]]:
    known = sioux_falls()
    same = all(np.array_equal(getattr(network, a), getattr(known, a)) for a in ("nodes", "tails", "heads", "length"))
    if not same or k > STORED_ROUTES:
        raise InvalidInput(
            f"ties is 'networkx', stored for the {STORED_ROUTES} shortest routes of Sioux Falls only: "
            "use 'node order' or 'fewest links'."
        )
    return _read_stored()


@lru_cache
def _read_stored() -> dict[tuple[int, int], list[Route]]:
    order: dict[tuple[int, int], list[Route]] = {}
    for row in csv.DictReader((SIOUX_FALLS / "ties-networkx.csv").read_text("utf-8").splitlines()):
        route = tuple(sioux_falls().row(int(node)) for node in row["nodes"].split())
        order.setdefault((route[0], route[-1]), []).append(route)
    return order
