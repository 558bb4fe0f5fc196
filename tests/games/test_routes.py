from dataclasses import replace
from itertools import pairwise, permutations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firstmover.core.errors import InvalidInput
from firstmover.games.routing.network import SIOUX_FALLS, Network, sioux_falls
from firstmover.games.routing.routes import link_incidence, shortest_routes


def network_of(links: dict[tuple[int, int], float], n_nodes: int) -> Network:
    """Nodes 1 to n, the given lengths between rows, and one pair of users."""
    ends = np.array(list(links), dtype=np.int64).reshape(-1, 2)
    ones = np.ones(len(links))
    return Network(
        nodes=np.arange(1, n_nodes + 1),
        positions=np.zeros((n_nodes, 2)),
        tails=ends[:, 0].copy(),
        heads=ends[:, 1].copy(),
        capacity=ones.copy(),
        length=np.array(list(links.values()), dtype=float),
        free_flow_time=ones.copy(),
        origins=np.array([0]),
        destinations=np.array([n_nodes - 1]),
        demand=np.array([1.0]),
        b=0.15 * ones,
        power=4.0 * ones,
        through=np.ones(n_nodes, dtype=bool),
    )


def every_route(links, n_nodes):
    """(length, nodes) of every route without loops from row 0 to the last row, by trying all orders of nodes."""
    last = n_nodes - 1
    for size in range(n_nodes - 1):
        for between in permutations(range(1, last), size):
            route = (0, *between, last)
            if all(step in links for step in pairwise(route)):
                yield sum(links[step] for step in pairwise(route)), route


@st.composite
def graphs(draw):
    n_nodes = draw(st.integers(2, 5))
    steps = [(a, b) for a in range(n_nodes) for b in range(n_nodes) if a != b]
    lengths = st.integers(1, 3)  # few lengths, so that many routes tie
    return draw(st.dictionaries(st.sampled_from(steps), lengths, min_size=1)), n_nodes


@settings(deadline=None)
@given(graphs(), st.integers(1, 4))
def test_routes_are_those_of_an_exhaustive_search(graph, k):
    links, n_nodes = graph
    network = network_of(links, n_nodes)
    found = list(every_route(links, n_nodes))
    by_nodes = [route for _, route in sorted(found)][:k]
    by_links = [route for *_, route in sorted((length, len(route), route) for length, route in found)][:k]
    assert shortest_routes(network, 0, n_nodes - 1, k, "node order") == by_nodes
    assert shortest_routes(network, 0, n_nodes - 1, k, "fewest links") == by_links


def test_sums_of_decimals_still_tie():
    links = {(0, 1): 0.1, (1, 2): 0.2, (2, 4): 0.3, (0, 3): 0.3, (3, 4): 0.3}
    assert 0.1 + 0.2 + 0.3 > 0.3 + 0.3  # by one rounding
    network = network_of(links, 5)
    assert shortest_routes(network, 0, 4, 1, "node order") == [(0, 1, 2, 4)]
    assert shortest_routes(network, 0, 4, 1, "fewest links") == [(0, 3, 4)]


@pytest.mark.parametrize(
    ("ties", "third"),
    [
        ("node order", [12, 3, 4, 5, 6, 8, 7, 18]),
        ("networkx", [12, 3, 4, 5, 6, 8, 7, 18]),
        ("fewest links", [12, 13, 24, 21, 22, 20, 18]),
    ],
)
def test_the_operators_third_route_hangs_on_the_tie_rule(ties, third):
    network = sioux_falls()
    routes = shortest_routes(network, network.row(12), network.row(18), 3, ties)
    assert [network.nodes[list(r)].tolist() for r in routes[:2]] == [[12, 11, 10, 16, 18], [12, 13, 24, 21, 20, 18]]
    assert network.nodes[list(routes[2])].tolist() == third
    assert (link_incidence(network, routes) @ network.length).tolist() == [18, 20, 21]


def test_82_pairs_of_users_have_no_settled_second_route():
    network = sioux_falls()
    pairs = list(zip(network.origins, network.destinations, strict=True))
    lengths = [link_incidence(network, shortest_routes(network, o, d, 3)) @ network.length for o, d in pairs]
    assert sum(second == third for _, second, third in lengths) == 82


def test_the_stored_order_is_one_of_the_orders_by_length():
    network = sioux_falls()
    table = pl.read_csv(SIOUX_FALLS.joinpath("ties-networkx.csv").read_bytes())
    for (start, end), rows in table.group_by("from", "to", maintain_order=True):
        stored = [tuple(network.row(int(n)) for n in nodes.split()) for nodes in rows["nodes"]]
        assert rows["rank"].to_list() == [1, 2, 3]
        assert len(set(stored)) == 3
        ends = network.row(start), network.row(end)
        assert {(route[0], route[-1]) for route in stored} == {ends}
        assert shortest_routes(network, *ends, 3, "networkx") == stored
        other = shortest_routes(network, *ends, 3, "node order")
        assert np.array_equal(*(link_incidence(network, r) @ network.length for r in (stored, other)))


def test_pairs_that_are_not_stored_have_no_tie():
    network = sioux_falls()
    table = pl.read_csv(SIOUX_FALLS.joinpath("ties-networkx.csv").read_bytes())
    stored = set(table.select("from", "to").iter_rows())
    for origin, destination in zip(network.origins, network.destinations, strict=True):
        lengths = link_incidence(network, shortest_routes(network, origin, destination, 4)) @ network.length
        tied = len(set(lengths)) < 4
        assert tied == ((network.nodes[origin], network.nodes[destination]) in stored)


def test_incidence_marks_the_links_of_each_route():
    network = network_of({(0, 1): 1, (1, 2): 1, (0, 2): 5}, 3)
    assert link_incidence(network, [(0, 1, 2), (0, 2), ()]).tolist() == [[1, 1, 0], [0, 0, 1], [0, 0, 0]]


def test_no_route_is_an_empty_list():
    assert shortest_routes(network_of({(1, 0): 1}, 2), 0, 1, 2) == []


def test_bad_requests_are_refused():
    network = network_of({(0, 1): 1}, 2)
    with pytest.raises(InvalidInput, match="k is 0"):
        shortest_routes(network, 0, 1, 0)
    with pytest.raises(InvalidInput, match="Unknown tie rule 'hops'"):
        shortest_routes(network, 0, 1, 1, "hops")
    with pytest.raises(InvalidInput, match="stored for the 3 shortest routes of Sioux Falls only"):
        shortest_routes(network, 0, 1, 1, "networkx")
    with pytest.raises(InvalidInput, match="stored for the 3 shortest routes of Sioux Falls only"):
        shortest_routes(sioux_falls(), 0, 1, 4, "networkx")


def test_a_pair_with_too_many_ties_is_refused():
    side = 8
    east = {(side * i + j, side * i + j + 1): 1.0 for i in range(side) for j in range(side - 1)}
    south = {(side * i + j, side * (i + 1) + j): 1.0 for i in range(side - 1) for j in range(side)}
    network = network_of(east | south, side * side)  # 14 choose 7 = 3,432 routes of length 14
    with pytest.raises(InvalidInput, match="More than 1024 routes of one length join 1 and 64"):
        shortest_routes(network, 0, side * side - 1, 1)


def test_routes_pass_no_node_at_which_trips_only_begin_and_end():
    """From 0 to 3: by 1, of length 2, or by 2, of length 4; only by 2 if no trip may pass 1."""
    links = {(0, 1): 1.0, (1, 3): 1.0, (0, 2): 2.0, (2, 3): 2.0}
    network = network_of(links, 4)
    assert shortest_routes(network, 0, 3, 2) == [(0, 1, 3), (0, 2, 3)]
    closed = replace(network, through=np.array([False, False, True, False]))
    assert shortest_routes(closed, 0, 3, 2) == [(0, 2, 3)]
    assert shortest_routes(closed, 0, 1, 1) == [(0, 1)]
    assert shortest_routes(closed, 1, 3, 1) == [(1, 3)]
