"""Reference answers of Pigou's and Braess's networks by hand, and of Sioux Falls by its objective."""

from dataclasses import replace

import numpy as np
import pytest

from firstmover.games.routing.city_game import CityGame, CityParameters, game_of
from firstmover.games.routing.link_times import LinkTimes
from firstmover.games.routing.network import Network, sioux_falls
from firstmover.games.routing.price_of_anarchy import value_of_leading
from tests.games.test_city_users import pigou
from tests.games.test_equilibrium import braess, solved


def city(network: Network, **leader: object) -> CityGame:
    return game_of(network, CityParameters.read({"leader": leader, "levels": (1.0,), "gap": 1e-9}))


def test_pigou_by_hand() -> None:
    """All on the first road cost 1, halves cost ¾: a toll of ½ closes the gap, one of ¼ three quarters of it."""
    found = value_of_leading(city(pigou(), kind="tolls", links=[[0, 1]], levels=[0.0, 0.25, 0.5]))
    assert (found.equilibrium, found.optimum, found.best) == pytest.approx((1, 0.75, 0.75), abs=1e-5)
    assert found.price_of_anarchy == pytest.approx(4 / 3, abs=1e-5)
    assert (found.best_action, found.closed) == ("0→1 0.5", pytest.approx(1, abs=1e-4))
    found = value_of_leading(city(pigou(), kind="tolls", links=[[0, 1]], levels=[0.0, 0.25]))
    assert found.closed == pytest.approx(0.75, abs=1e-4)


def test_closing_the_middle_of_braess_is_the_optimum() -> None:
    found = value_of_leading(city(braess(), kind="closures", links=[[1, 2]]))
    assert (found.equilibrium, found.optimum, found.best) == pytest.approx((552, 498, 498), rel=1e-4)
    assert (found.best_action, found.closed) == ("1→2 closed", pytest.approx(1, abs=1e-3))


def test_a_fleet_that_routes_one_of_two_units_of_pigou() -> None:
    """Of 2 units the fleet's 1 takes the slow road, then users take v = 1, as in equilibrium: 2; at best 1.75."""
    leader = {"kind": "fleet", "origin": 0, "destination": 3, "units": 1.0, "groups": 1, "routes": 2, "shares": [1.0]}
    found = value_of_leading(city(pigou(1.0), **leader))
    assert (found.equilibrium, found.optimum, found.best) == pytest.approx((2, 1.75, 2), abs=1e-4)
    assert found.closed == pytest.approx(0, abs=1e-3)


def test_a_fleet_between_nodes_without_users() -> None:
    network = sioux_falls().pairs_with_demand()
    leader = {"kind": "fleet", "origin": 12, "destination": 18, "units": 2000.0}
    with_pair = value_of_leading(city(network, **leader))
    without = np.flatnonzero((network.nodes[network.origins] != 12) | (network.nodes[network.destinations] != 18))
    fewer = replace(
        network,
        origins=network.origins[without],
        destinations=network.destinations[without],
        demand=network.demand[without],
    )
    apart = value_of_leading(city(fewer, **leader))
    removed = np.setdiff1d(np.arange(network.n_pairs), without)
    assert len(removed) == 1
    assert apart.equilibrium < with_pair.equilibrium
    whole = network.demand.copy()
    whole[removed] = 2000.0
    times = LinkTimes.of(network)
    flows = solved(network, whole[None], gap=1e-9).flows.T
    assert apart.equilibrium == pytest.approx(float(np.sum(flows * times(flows)[0])), rel=1e-6)


def test_no_gap_no_share() -> None:
    found = value_of_leading(city(pigou(1.0), kind="tolls", links=[[0, 1]], levels=[0.0]), level=0.25)
    assert found.price_of_anarchy == pytest.approx(1, abs=1e-6)
    assert np.isnan(found.closed)
