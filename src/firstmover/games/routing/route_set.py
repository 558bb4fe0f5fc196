"""The routes of all pairs that were found so far, as one sparse matrix, and the shortest routes of many instances."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from firstmover.core.arrays import Matrix
from firstmover.games.routing.network import Indices, Network

Keys = NDArray[np.uint64]


class Nearest(NamedTuple):
    """The least cost of each pair in each instance (p, B), and the keys of the routes that have it (p, B).

    `last` is the node before each node on the way from each origin (B, origins, nodes), negative where there is none.
    """

    costs: Matrix
    keys: Keys
    last: NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class RouteSet:
    """Routes in the order of their pairs: links one after another, the number of links, the pair and a key of each.

    A key is a hash of the pair and the links.
    """

    links: Indices
    lengths: Indices
    pairs: Indices
    keys: Keys
    n_links: int

    @classmethod
    def empty(cls, n_links: int) -> Self:
        """No routes."""
        none = np.empty(0, dtype=np.int64)
        return cls(none, none, none, np.empty(0, dtype=np.uint64), n_links)

    @cached_property
    def by_route(self) -> csr_array:
        """1 where a route has a link (routes, E)."""
        ends = np.concatenate([[0], np.cumsum(self.lengths)])
        return csr_array((np.ones(len(self.links)), self.links, ends), shape=(len(self.pairs), self.n_links))

    @cached_property
    def by_link(self) -> csr_array:
        """The same matrix, transposed."""
        return self.by_route.T.tocsr()

    @cached_property
    def _by_pair(self) -> csr_array:
        """1 where a route is one of a pair (p, routes)."""
        ends = np.append(self.first, len(self.pairs))
        return csr_array(
            (np.ones(len(self.pairs)), np.arange(len(self.pairs)), ends), shape=(len(self.first), len(self.pairs))
        )

    @cached_property
    def first(self) -> Indices:
        """The first route of each pair; every pair has one."""
        return np.flatnonzero(np.diff(self.pairs, prepend=-1))

    def total(self, of_routes: Matrix) -> Matrix:
        """Sums over the routes of each pair, repeated for each of them (routes, B)."""
        return np.asarray((self._by_pair @ of_routes)[self.pairs])

    def least(self, of_routes: Matrix) -> Matrix:
        """Minima over the routes of each pair, repeated for each of them (routes, B)."""
        return np.asarray(np.minimum.reduceat(of_routes, self.first, axis=0)[self.pairs])

    def with_new(self, others: "RouteSet") -> "RouteSet":
        """This set and those routes of another one that it does not have."""
        new = ~np.isin(others.keys, self.keys)
        links = others.links[np.repeat(new, others.lengths)]
        more = RouteSet(links, others.lengths[new], others.pairs[new], others.keys[new], self.n_links)
        return self.joined(more, np.zeros((len(self.pairs), 0)))[0]

    def joined(self, more: "RouteSet", flows: Matrix) -> tuple["RouteSet", Matrix]:
        """Both sets as one, and the flows (routes, B) of this one in it; others have none."""
        pairs = np.concatenate([self.pairs, more.pairs])
        order = np.argsort(pairs, kind="stable")
        lengths = np.concatenate([self.lengths, more.lengths])
        begins = np.cumsum(lengths) - lengths
        within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths[order]) - lengths[order], lengths[order])
        links = np.concatenate([self.links, more.links])[np.repeat(begins[order], lengths[order]) + within]
        keys = np.concatenate([self.keys, more.keys])
        both = RouteSet(links, lengths[order], pairs[order], keys[order], self.n_links)
        return both, np.concatenate([flows, np.zeros((len(more.pairs), flows.shape[1]))])[order]


@dataclass(frozen=True, eq=False)
class ShortestRoutes:
    """Shortest routes between the pairs of a network, for any times of its links.

    A node that may not be passed is two nodes of the graph, as `Network.leaving` says.
    """

    network: Network

    @cached_property
    def _graph(self) -> tuple[csr_array, Indices, Indices]:
        """The graph, the links in the order of its entries, and the codes of these entries, which rise."""
        size = len(self.network.nodes) + int((~self.network.through).sum())
        tails, heads = self.network.leaving[self.network.tails], self.network.heads
        order = np.lexsort((heads, tails))
        starts = np.searchsorted(tails[order], np.arange(size + 1)).astype(np.int32)
        entries = (np.ones(len(order)), heads[order].astype(np.int32), starts)
        return csr_array(entries, shape=(size, size)), order, tails[order] * size + heads[order]

    @cached_property
    def _origins(self) -> tuple[Indices, Indices]:
        """The origins, and the place of each pair's origin among them."""
        return np.unique(self.network.origins, return_inverse=True)

    @cached_property
    def _hashes(self) -> tuple[Keys, Keys]:
        """Random numbers of links and pairs, whose sum, modulo 2⁶⁴, is the key of a route."""
        rng = np.random.default_rng(0)
        largest = np.iinfo(np.uint64).max
        return (
            rng.integers(largest, size=self.network.n_links, dtype=np.uint64),
            rng.integers(largest, size=self.network.n_pairs, dtype=np.uint64),
        )

    def nearest(self, times: Matrix) -> Nearest:
        """The shortest routes of every pair for times (E, B); the cost is infinite where there is none."""
        (graph, order, _), (origins, place) = self._graph, self._origins
        costs = np.empty((self.network.n_pairs, times.shape[1]))
        last = np.empty((times.shape[1], len(origins), graph.shape[0]), dtype=np.int32)
        for b in range(times.shape[1]):
            graph.data = times[order, b]
            distances, last[b] = dijkstra(graph, indices=self.network.leaving[origins], return_predecessors=True)
            costs[:, b] = distances[place, self.network.destinations]
        keys = np.broadcast_to(self._hashes[1][:, None], costs.shape).copy()
        pair, instance = (each.ravel() for each in np.indices(costs.shape))
        for at, links in self._steps(last, pair, instance):
            keys[pair[at], instance[at]] += self._hashes[0][links]
        return Nearest(costs, keys, last)

    def _steps(self, last: NDArray[np.int32], pair: Indices, instance: Indices) -> Iterator[tuple[Indices, Indices]]:
        """Walk from destinations back to origins: at each step, which walks go on and the links that they take."""
        (_, order, codes), place = self._graph, self._origins[1][pair]
        size = last.shape[2]
        node, end = self.network.destinations[pair], self.network.leaving[self.network.origins[pair]]
        at = np.flatnonzero(last[instance, place, node] >= 0)  # the others are unreachable
        while len(at):
            before = last[instance[at], place[at], node[at]].astype(np.int64)
            yield at, order[np.searchsorted(codes, before * size + node[at])]
            node[at] = before
            at = at[before != end[at]]

    def routes(self, nearest: Nearest, known: Keys) -> RouteSet:
        """The nearest routes whose keys are not known, each once; that of an unreachable pair has no links."""
        keys, first = np.unique(nearest.keys, return_index=True)
        pair, instance = np.unravel_index(first[~np.isin(keys, known)], nearest.keys.shape)
        steps = list(self._steps(nearest.last, pair, instance))
        walks = np.concatenate([at for at, _ in steps]) if steps else np.empty(0, dtype=np.int64)
        links = np.concatenate([taken for _, taken in steps]) if steps else np.empty(0, dtype=np.int64)
        lengths = np.bincount(walks, minlength=len(pair))
        found = nearest.keys[pair, instance]
        return RouteSet(links[np.argsort(walks, kind="stable")], lengths, pair, found, self.network.n_links)
