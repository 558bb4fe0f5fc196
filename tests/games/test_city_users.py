"""What a leader of traffic can do, and what is observed of users in equilibrium, by hand and by plain loops."""

import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.games.routing.city_users import CityUsers, Traffic
from firstmover.games.routing.controls import closures, fleet, links_between, signals, tolls
from firstmover.games.routing.equilibrium import equilibria
from firstmover.games.routing.game import operator_plans
from firstmover.games.routing.link_times import LinkTimes
from firstmover.games.routing.network import sioux_falls
from tests.games.test_equilibrium import network_of


def pigou(demand=1.0):
    """From 0 to 3: a road that takes v by node 1, and one that always takes 1 by node 2 (Pigou 1920)."""
    links = [(0, 1, 1.0, 1e-9), (1, 3, 1.0, 0.0), (0, 2, 1.0, 1.0), (2, 3, 1.0, 0.0)]
    return network_of(links, [(0, 3, demand)], b=np.array([1e9, 0.0, 0.0, 0.0]), power=1.0)


def test_a_toll_of_a_half_is_the_best_by_hand():
    """Without a toll all take the first road, in time 1; with 0.5 half of them do, in 0.5, and the mean is 0.75."""
    network = pigou()
    menu = tolls(network, [(0, 1)], [0.0, 0.25, 0.5, 1.0], value_of_time=1.0)
    users = CityUsers(network, menu, measured="time", tolled=links_between(network, [(0, 1)]), gap=1e-10)
    found = users(menu.features, np.ones(1))
    np.testing.assert_allclose(found, [[1, 1], [0.8125, 0.75], [0.75, 0.5], [1, 0]], atol=1e-6)
    assert menu.labels == ("no toll", "0→1 0.25", "0→1 0.5", "0→1 1")


def test_money_is_worth_time():
    network = pigou()
    menu = tolls(network, [(0, 1)], [2.0], value_of_time=4.0)
    np.testing.assert_array_equal(menu.toll[0], [0.5, 0, 0, 0])
    np.testing.assert_array_equal(menu.prices[0], [2, 0, 0, 0])


def test_every_combination_of_tolls():
    network = pigou()
    menu = tolls(network, [(0, 1), (2, 3)], [0.0, 1.0, 3.0])
    assert menu.features.tolist() == [[a, b] for a in (0.0, 1.0, 3.0) for b in (0.0, 1.0, 3.0)]
    np.testing.assert_array_equal(menu.prices[5], [1, 0, 0, 3])
    assert menu.labels[5] == "0→1 1, 2→3 3"


def test_nobody_takes_a_closed_link():
    network = pigou(2.0)
    menu = closures(network, [(0, 1), (2, 3)])
    users = CityUsers(network, menu, measured="time", gap=1e-10)
    traffic = users.traffic(np.arange(3), np.full((3, 1), 2.0))
    np.testing.assert_allclose(traffic.users, [[1, 1, 1, 1], [0, 0, 2, 2], [2, 2, 0, 0]], atol=1e-6)
    np.testing.assert_allclose(traffic.mean_time(), [1, 1, 2], atol=1e-6)
    assert menu.labels == ("nothing closed", "0→1 closed", "2→3 closed")


def test_green_shares_are_capacities():
    network = pigou()
    menu = signals(network, [(1, 3)], [(2, 3)], [0.25, 0.5])
    np.testing.assert_array_equal(menu.capacity, [[1, 0.5, 1, 1.5], [1, 1, 1, 1]])
    assert menu.labels == ("25 % green", "50 % green")
    sioux = sioux_falls().pairs_with_demand()
    menu = signals(sioux, [(10, 16)], [(8, 16)], [0.3, 0.5])
    traffic = CityUsers(sioux, menu).traffic(np.arange(2), np.tile(sioux.demand, (2, 1)))
    link = links_between(sioux, [(10, 16)])[0]
    flow, capacity = traffic.flows[:, link], sioux.capacity[link] * np.array([0.6, 1.0])
    expected = sioux.free_flow_time[link] * (1 + 0.15 * (flow / capacity) ** 4)
    np.testing.assert_allclose(traffic.times[:, link], expected)


def test_users_make_way_for_a_fleet():
    """The fleet's flows count for the times, users are in equilibrium given them, and y is the mean over links."""
    network = sioux_falls().pairs_with_demand().scaled(0.01)
    plans = operator_plans(network)
    users = CityUsers(network, fleet(network, plans))
    demand = network.demand / 2
    found = users(plans.occupancy[[0, 31]], np.array([0.5]))
    for row, plan in enumerate((0, 31)):
        alone = equilibria(network, demand[None], LinkTimes.of(network), plans.occupancy[plan])
        load = (alone.flows[0] + plans.occupancy[plan]) / network.capacity
        assert found[row, 0] == pytest.approx(np.mean(0.15 * load**4), rel=1e-3)
    np.testing.assert_allclose(users(plans.occupancy[[0, 31]], demand), found)
    many = users.batch(plans.occupancy[[31, 0]], np.array([demand, 0.4 * demand]))
    assert many.shape == (2, 2, 1)
    np.testing.assert_allclose(many[0, ::-1], found, rtol=1e-3)


def test_detectors_see_links_and_districts():
    network = sioux_falls().pairs_with_demand()
    menu = tolls(network, [(10, 16)], [0.0, 2.0])
    detectors = np.full(76, -1)
    detectors[[3, 9]], detectors[20] = 0, 1
    users = CityUsers(network, menu, measured=None, detectors=detectors, gap=1e-8)
    found, traffic = users(menu.features, np.ones(1)), users.traffic(np.arange(2), np.tile(network.demand, (2, 1)))
    congestion = 0.15 * (traffic.flows / network.capacity) ** 4
    np.testing.assert_allclose(found[:, 0], congestion[:, [3, 9]].mean(axis=1))
    np.testing.assert_allclose(found[:, 1], congestion[:, 20])
    assert users.n_outputs == 2
    both = CityUsers(network, menu, "time", detectors, links_between(network, [(10, 16)]), gap=1e-8)
    time, *seen, flow = both(menu.features, np.ones(1)).T
    np.testing.assert_allclose(np.array(seen).T, found)
    np.testing.assert_allclose(time, traffic.mean_time())
    np.testing.assert_allclose(flow, traffic.users[:, links_between(network, [(10, 16)])[0]])


def test_emissions_by_hand():
    """Two users on a link of 3 units, 1.5 km, in 2 minutes, and one on another in 4 minutes; a link without a time."""
    network = network_of([(0, 1, 1.0, 2.0), (1, 2, 1.0, 4.0), (2, 3, 1.0, 0.0)], [(0, 3, 3.0)])
    object.__setattr__(network, "length", np.array([3.0, 1.0, 1.0]))
    traffic = Traffic(
        np.array([[2.0, 1.0, 3.0]]), np.zeros((1, 3)), np.array([[2.0, 4.0, 0.0]]), np.array([3.0]), network
    )
    first, second = 0.2038 * 2 * np.exp(0.7962 * 1.5 / 2), 0.2038 * 4 * np.exp(0.7962 * 0.5 / 4)
    assert traffic.mean_emissions(0.5)[0] == pytest.approx((2 * first + second) / 3)
    assert traffic.mean_time()[0] == pytest.approx((2 * 2 + 4) / 3)
    np.testing.assert_allclose(traffic.congestion(), [[0, 0, 0]])


def test_what_is_not_in_the_city_is_refused():
    network = pigou()
    menu = tolls(network, [(0, 1)], [0.0, 1.0])
    users = CityUsers(network, menu)
    for call, sentence in [
        (lambda: links_between(network, [(1, 0)]), "links has 1 to 0: the network has no such link"),
        (lambda: links_between(network, [(0, 1), (0, 1)]), "links names a link twice"),
        (lambda: links_between(network, []), "links is empty"),
        (lambda: tolls(network, [(0, 1)], [1.0, 1.0]), r"levels is \[1.0, 1.0\]: give different tolls"),
        (lambda: tolls(network, [(0, 1)], [-1.0]), r"levels is \[-1.0\]"),
        (lambda: tolls(network, [(0, 1)], []), r"levels is \[\]"),
        (lambda: tolls(network, [(0, 1)], [1.0], value_of_time=0.0), "value_of_time is 0.0"),
        (lambda: tolls(network, [(0, 1), (1, 3), (0, 2), (2, 3)], range(11)), "more than 10000 actions"),
        (lambda: signals(network, [(0, 1)], [(0, 1)], [0.5]), "first and second name the same link"),
        (lambda: signals(network, [(0, 1)], [(0, 2)], [1.0]), r"shares is \[1.0\]"),
        (lambda: users(np.array([[0.5]]), np.ones(1)), "actions holds a row that is not on the menu"),
        (lambda: users(menu.features, np.ones(2)), r"opponent_type has 2 number\(s\) from 1 to 1: give the demand"),
        (lambda: users(menu.features, -np.ones(1)), "from -1 to -1"),
        (lambda: users(menu.features, np.array([np.nan])), "from nan to nan"),
    ]:
        with pytest.raises(InvalidInput, match=sentence):
            call()
