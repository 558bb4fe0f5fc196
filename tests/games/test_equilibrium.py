"""User equilibria against published numbers, hand-worked cases, another optimiser and another program."""

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import minimize

from firstmover.core.errors import InvalidInput
from firstmover.games.routing import equilibrium
from firstmover.games.routing.equilibrium import equilibria
from firstmover.games.routing.link_times import LinkTimes
from firstmover.games.routing.network import Network, sioux_falls

OTHER_PROGRAM = json.loads((Path(__file__).parent / "data" / "aequilibrae-equilibria.json").read_text())
"""Flows of AequilibraE 1.7.2 (biconjugate Frank-Wolfe) on random demands of Sioux Falls, with their relative gaps."""


def network_of(links, trips, through=None, b=0.15, power=4.0):
    """Links as (tail, head, capacity, free-flow time) of nodes 0, 1, …, and trips as (from, to, number)."""
    tails, heads, capacity, time = (np.array(column) for column in zip(*links, strict=True))
    origins, destinations, demand = (np.array(column) for column in zip(*trips, strict=True))
    n, e = int(max(tails.max(), heads.max())) + 1, len(links)
    return Network(
        nodes=np.arange(n),
        positions=np.zeros((n, 2)),
        tails=tails.astype(np.int64),
        heads=heads.astype(np.int64),
        capacity=capacity.astype(float),
        length=np.ones(e),
        free_flow_time=time.astype(float),
        origins=origins.astype(np.int64),
        destinations=destinations.astype(np.int64),
        demand=demand.astype(float),
        b=np.broadcast_to(b, e).astype(float),
        power=np.broadcast_to(power, e).astype(float),
        through=np.ones(n, dtype=bool) if through is None else np.array(through),
    )


def solved(network, demands=None, gap=1e-10, **given):
    demands = network.demand[None] if demands is None else demands
    times = given.pop("times", LinkTimes.of(network))
    found = equilibria(network, demands, times, gap=gap, **given)
    assert found.gap.max() <= gap
    return found


def braess(middle=True):
    """t = 10 v, 50 + v, 50 + v, 10 v and, in the middle, 10 + v; six users from 0 to 3 (Braess 1968)."""
    links = [(0, 1, 1.0, 1e-9), (0, 2, 1.0, 50.0), (1, 3, 1.0, 50.0), (2, 3, 1.0, 1e-9), (1, 2, 1.0, 10.0)]
    b = np.array([1e10, 1 / 50, 1 / 50, 1e10, 1 / 10])
    kept = slice(None) if middle else slice(4)
    return network_of(links[kept], [(0, 3, 6.0)], b=b[kept], power=1.0)


def test_sioux_falls_has_the_published_objective():
    """42.31335287107440, in units of 10⁵: the solution published with the network by Transportation Networks."""
    network = sioux_falls()
    found = solved(network.pairs_with_demand(), gap=1e-12)
    assert LinkTimes.of(network).integral(found.flows.T)[0] / 1e5 == pytest.approx(42.31335287107440, rel=1e-13)


def test_braess_paradox_by_hand():
    """Four take each outer half with a slow link, two the middle: all three routes take 92; without it they take 83."""
    found = solved(braess(), gap=1e-13)
    np.testing.assert_allclose(found.flows[0], [4, 2, 2, 4, 2], atol=1e-6)
    assert found.costs[0, 0] == pytest.approx(92)
    without = solved(braess(middle=False), gap=1e-13)
    np.testing.assert_allclose(without.flows[0], [3, 3, 3, 3], atol=1e-6)
    assert without.costs[0, 0] == pytest.approx(83)


def test_the_system_optimum_of_braess_by_hand():
    """Nobody takes the middle, and all pay 83 each: 498 in total, where the equilibrium costs 552."""
    network = braess()
    times = LinkTimes.of(network)
    best, everyone = solved(network, times=times.marginal()), solved(network, times=times)
    np.testing.assert_allclose(best.flows[0], [3, 3, 3, 3, 0], atol=1e-4)
    cost = [float(np.sum(times(f.flows.T)[0] * f.flows.T)) for f in (best, everyone)]
    assert cost == pytest.approx([498, 552], rel=1e-6)


def test_two_routes_by_hand():
    """3 + v² = 1 + 3 (10 − v) / 2 on parallel routes of two links: v = (√(13 · 16 + 9) − 3) / 4."""
    links = [(0, 1, 1.0, 3.0), (1, 3, 1.0, 0.0), (0, 2, 2.0, 1.0), (2, 3, 1.0, 0.0)]
    network = network_of(links, [(0, 3, 10.0)], b=np.array([1 / 3, 0, 3.0, 0]), power=np.array([2.0, 4.0, 1.0, 0.0]))
    v = (np.sqrt(13 * 16 + 9) - 3) / 4
    assert 3 + v**2 == pytest.approx(1 + 1.5 * (10 - v))
    np.testing.assert_allclose(solved(network).flows[0], [v, v, 10 - v, 10 - v], rtol=1e-5)


def test_times_of_links_by_hand():
    network = network_of([(0, 1, 2.0, 3.0), (1, 2, 5.0, 7.0), (2, 3, 1.0, 4.0)], [(0, 3, 1.0)], power=[4.0, 2.0, 0.0])
    time, slope = LinkTimes.of(network, toll=np.array([[1.0], [0.0], [0.0]]))(np.array([[4.0], [10.0], [9.0]]))
    np.testing.assert_allclose(time[:, 0], [1 + 3 * (1 + 0.15 * 16), 7 * (1 + 0.15 * 4), 4 * 1.15])
    np.testing.assert_allclose(slope[:, 0], [3 * 0.15 * 4 * 4**3 / 2**4, 7 * 0.15 * 2 * 10 / 25, 0.0])
    whole = LinkTimes.of(network).integral(np.array([[4.0], [10.0], [9.0]]))
    by_hand = 3 * (4 + 0.15 * 4**5 / 5 / 2**4) + 7 * (10 + 0.15 * 10**3 / 3 / 25) + 4 * 1.15 * 9
    assert whole[0] == pytest.approx(by_hand)
    marginal = LinkTimes.of(network).marginal()(np.array([[4.0], [10.0], [9.0]]))[0]
    np.testing.assert_allclose(marginal, (time - [[1.0], [0.0], [0.0]]) + [[4.0], [10.0], [9.0]] * slope)


def random_network(rng, nodes=6):
    """A ring in both directions, so that every node is reached, and some chords."""
    ring = [(i, (i + step) % nodes) for i in range(nodes) for step in (1, nodes - 1)]
    others = [(i, j) for i in range(nodes) for j in range(nodes) if (i - j) % nodes not in (0, 1, nodes - 1)]
    chords = [others[k] for k in rng.choice(len(others), 4, replace=False)]
    links = [(i, j, rng.uniform(2, 6), rng.uniform(1, 4)) for i, j in ring + chords]
    ends = [others[k] for k in rng.choice(len(others), 4, replace=False)]
    return network_of(links, [(i, j, rng.uniform(1, 8)) for i, j in ends])


def every_route(network, origin, destination, visited=()):
    """The links of all routes without loops."""
    if origin == destination:
        yield ()
        return
    for link in np.flatnonzero(network.tails == origin):
        if (head := int(network.heads[link])) not in visited:
            for rest in every_route(network, head, destination, (*visited, origin)):
                yield (int(link), *rest)


@pytest.mark.parametrize("seed", range(10))
def test_another_optimiser_over_all_routes_finds_the_same(seed):
    rng = np.random.default_rng(seed)
    network = random_network(rng)
    others = rng.uniform(0, 3, network.n_links)
    toll = rng.uniform(0, 2, (network.n_links, 1))
    times = LinkTimes.of(network, toll)
    pairs = [
        list(every_route(network, int(o), int(d))) for o, d in zip(network.origins, network.destinations, strict=True)
    ]
    incidence = np.array([[link in route for link in range(network.n_links)] for routes in pairs for route in routes])
    owner = np.repeat(range(len(pairs)), [len(routes) for routes in pairs])

    def objective(flows):
        total = (others + flows @ incidence)[:, None]
        return times.integral(total)[0], incidence @ times(total)[0][:, 0]

    demand = [
        {"type": "eq", "fun": lambda f, w=w, d=d: f[owner == w].sum() - d, "jac": lambda _, w=w: (owner == w) * 1.0}
        for w, d in enumerate(network.demand)
    ]
    start = network.demand[owner] / np.bincount(owner)[owner]
    reference = minimize(
        objective,
        start,
        jac=True,
        method="SLSQP",
        bounds=[(0, None)] * len(owner),
        constraints=demand,
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    found = solved(network, times=times, background=others)
    np.testing.assert_allclose(found.flows[0], reference.x @ incidence, atol=2e-4)
    assert times.integral((others + found.flows).T)[0] <= reference.fun * (1 + 1e-10)


def test_another_program_finds_the_same():
    """On 5 random demands; its flows are as far off as its gap of about 1e-6 lets them be."""
    network = sioux_falls().pairs_with_demand()
    demands = network.demand * np.random.default_rng(OTHER_PROGRAM["seed"]).random((5, network.n_pairs))
    found = solved(network, demands, gap=1e-8)
    other = np.array(OTHER_PROGRAM["flows"])
    assert max(OTHER_PROGRAM["gaps"]) < 2e-6
    assert np.abs(found.flows - other).sum() / other.sum() < 1e-3
    times = LinkTimes.of(network)
    ours, theirs = times.integral(found.flows.T), times.integral(other.T)
    assert (ours <= theirs * (1 + 1e-12)).all()
    np.testing.assert_allclose(ours, theirs, rtol=2e-6)


def test_nobody_passes_a_node_at_which_trips_only_begin_and_end():
    links = [(0, 1, 9.0, 1.0), (1, 2, 9.0, 1.0), (0, 2, 9.0, 5.0)]
    trips = [(0, 2, 3.0), (0, 1, 1.0), (1, 2, 2.0)]
    free = solved(network_of(links, trips, b=0.0))
    np.testing.assert_allclose(free.flows[0], [4, 5, 0])
    closed = solved(network_of(links, trips, through=[True, False, True], b=0.0))
    np.testing.assert_allclose(closed.flows[0], [1, 2, 3])


def test_a_batch_has_the_equilibria_of_its_instances():
    """Different demands, flows of others, tolls and capacities: each as if it were alone."""
    rng = np.random.default_rng(3)
    network = random_network(rng)
    demands = network.demand * rng.uniform(0, 2, (7, network.n_pairs))
    demands[3] = 0.0
    others = rng.uniform(0, 2, (7, network.n_links))
    toll, capacity = rng.uniform(0, 3, (network.n_links, 7)), rng.uniform(3, 9, (network.n_links, 7))
    together = solved(network, demands, times=LinkTimes.of(network, toll, capacity), background=others)
    for b in range(7):
        times = LinkTimes.of(network, toll[:, [b]], capacity[:, [b]])
        alone = solved(network, demands[[b]], times=times, background=others[b])
        np.testing.assert_allclose(together.flows[b], alone.flows[0], atol=1e-3)
    np.testing.assert_array_equal(together.flows[3], 0.0)


def test_a_batch_may_be_solved_in_parts(monkeypatch):
    network = sioux_falls().pairs_with_demand()
    demands = network.demand * np.random.default_rng(1).random((5, network.n_pairs))
    whole = solved(network, demands)
    monkeypatch.setattr(equilibrium, "CELLS", 2 * network.n_pairs)
    np.testing.assert_allclose(solved(network, demands).flows, whole.flows, atol=1.0)


@pytest.mark.parametrize("seed", range(5))
def test_flows_enter_and_leave_where_demand_does(seed):
    network = random_network(np.random.default_rng(seed))
    flows = solved(network).flows[0]
    balance = np.zeros(len(network.nodes))
    np.add.at(balance, network.heads, flows)
    np.subtract.at(balance, network.tails, flows)
    wanted = np.zeros(len(network.nodes))
    np.add.at(wanted, network.destinations, network.demand)
    np.subtract.at(wanted, network.origins, network.demand)
    np.testing.assert_allclose(balance, wanted, atol=1e-9)


def test_what_cannot_be_solved_is_refused(monkeypatch):
    network = network_of([(0, 1, 9.0, 1.0), (1, 2, 9.0, 1.0)], [(0, 2, 3.0), (2, 0, 1.0)])
    with pytest.raises(InvalidInput, match=r"^demand from 2 to 0: no route joins them; leave it out\.$"):
        solved(network)
    solved(network, np.array([[3.0, 0.0]]))  # nobody asks for the way back
    monkeypatch.setattr(equilibrium, "MOST_ROUNDS", 2)
    with pytest.raises(InvalidInput, match=r"relative gap of .* after 2 searches for routes: ask for a larger gap"):
        solved(sioux_falls())
    with pytest.raises(InvalidInput, match="gap is -1"):
        equilibria(network, network.demand[None], LinkTimes.of(network), gap=-1)
