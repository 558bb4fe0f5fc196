"""Stochastic user equilibria by hand, by their definition, and in the limits of rationality."""

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import expit

from firstmover.core.errors import InvalidInput, PrecisionLost
from firstmover.games.routing import logit_equilibrium
from firstmover.games.routing.city_users import CityUsers
from firstmover.games.routing.controls import closures
from firstmover.games.routing.equilibrium import equilibria
from firstmover.games.routing.link_times import LinkTimes
from firstmover.games.routing.logit_equilibrium import logit_equilibria
from firstmover.games.routing.network import sioux_falls
from tests.games.test_city_users import pigou
from tests.games.test_equilibrium import network_of, random_network

SMALL = network_of([(0, 1, 2.0, 3.0), (1, 3, 9.0, 1.0), (0, 2, 4.0, 5.0), (2, 3, 9.0, 1.0)], [(0, 3, 6.0)])


def routes_of(network):
    return equilibria(network, network.demand * np.array([[0.01], [1.0], [3.0]]), LinkTimes.of(network)).routes


def test_two_routes_by_hand():
    """v users of 6 take the first route, with v = 6 / (1 + exp(λ (T₁(v) − T₂(6 − v)))), as one equation says."""
    times = [lambda v: 3 * (1 + 0.15 * (v / 2) ** 4), lambda v: 5 * (1 + 0.15 * (v / 4) ** 4)]
    last = lambda v: 1 * (1 + 0.15 * (v / 9) ** 4)  # noqa: E731
    slower = lambda v: times[0](v) + last(v) - times[1](6 - v) - last(6 - v)  # noqa: E731
    for rationality in (0.1, 1.0, 10.0):
        v = brentq(lambda v, r=rationality: v - 6 * expit(-r * slower(v)), 0, 6, xtol=1e-13)
        found = logit_equilibria(routes_of(SMALL), SMALL.demand[None], LinkTimes.of(SMALL), 0.0, rationality)
        np.testing.assert_allclose(found[0], [v, v, 6 - v, 6 - v], atol=1e-6)


@pytest.mark.parametrize("rationality", [0.3, 3.0, 30.0])
@pytest.mark.parametrize("seed", range(3))
def test_flows_are_the_choices_at_the_times_that_they_cause(seed, rationality):
    rng = np.random.default_rng(seed)
    network = random_network(rng)
    demands = network.demand * rng.uniform(0.2, 2, (4, network.n_pairs))
    others, toll = rng.uniform(0, 2, (4, network.n_links)), rng.uniform(0, 2, (network.n_links, 4))
    times, routes = LinkTimes.of(network, toll), routes_of(network)
    flows = logit_equilibria(routes, demands, times, others, rationality)
    for b in range(4):
        cost = routes.by_route.toarray() @ times((others + flows).T)[0][:, b]
        chosen = np.zeros(network.n_links)
        for pair, demand in enumerate(demands[b]):
            mine = routes.pairs == pair
            weight = np.exp(-rationality * (cost[mine] - cost[mine].min()))
            chosen += demand * weight / weight.sum() @ routes.by_route.toarray()[mine]
        np.testing.assert_allclose(flows[b], chosen, atol=1e-5)


def test_without_rationality_routes_are_equally_likely_and_with_much_of_it_quickest():
    network = sioux_falls().pairs_with_demand()
    times, routes = LinkTimes.of(network), routes_of(network)
    equal = network.demand[routes.pairs] / np.bincount(routes.pairs)[routes.pairs] @ routes.by_route
    none = logit_equilibria(routes, network.demand[None], times, 0.0, 1e-9)[0]
    np.testing.assert_allclose(none, equal, rtol=1e-5)
    quickest = equilibria(network, network.demand[None], times).flows[0]
    off = [
        np.abs(logit_equilibria(routes, network.demand[None], times, 0.0, r)[0] - quickest).sum() for r in (1, 10, 100)
    ]
    assert off[0] > 3 * off[1] > 9 * off[2]
    assert off[2] / quickest.sum() < 0.005


def test_closed_links_have_no_users_of_a_city():
    """Pigou's roads at λ = 1: of 2 users v take the first, with v = 2 / (1 + exp(v − 1)): one each; none if closed."""
    network = pigou(2.0)
    menu = closures(network, [(0, 1), (2, 3)])
    traffic = CityUsers(network, menu, rationality=1.0).traffic(np.arange(3), np.full((3, 1), 2.0))
    np.testing.assert_allclose(traffic.users, [[1, 1, 1, 1], [0, 0, 2, 2], [2, 2, 0, 0]], atol=1e-6)


def test_what_cannot_be_solved_is_refused(monkeypatch):
    with pytest.raises(InvalidInput, match="rationality is 0"):
        logit_equilibria(routes_of(SMALL), SMALL.demand[None], LinkTimes.of(SMALL), 0.0, 0.0)
    with pytest.raises(InvalidInput, match="rationality is -1: give a number above 0, or infinity"):
        CityUsers(pigou(), closures(pigou(), [(0, 1)]), rationality=-1)
    monkeypatch.setattr(logit_equilibrium, "MOST_STEPS", 1)
    with pytest.raises(PrecisionLost, match="not settled after 1 steps: give a smaller rationality than 3"):
        logit_equilibria(routes_of(SMALL), SMALL.demand[None], LinkTimes.of(SMALL), 0.0, 3.0)
