"""Games of a city: rewards by hand, what is observed, and refusals."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.games import GAMES
from firstmover.games.routing.cities import add_city
from firstmover.games.routing.city_game import CityGame, CityParameters, busiest_tolls, city_game, game_of
from firstmover.games.routing.network import Network, sioux_falls
from tests.games.test_city_users import pigou
from tests.games.test_equilibrium import network_of

SIOUX_FALLS = sioux_falls().pairs_with_demand()


def played(network: Network = SIOUX_FALLS, **given: Any) -> CityGame:
    return game_of(network, CityParameters.read({"levels": (1.0,)} | given))


def tolls(**given: Any) -> dict[str, Any]:
    return {"kind": "tolls", "links": [[0, 1]], "levels": [0.0, 0.5, 1.0]} | given


def responses(game: CityGame, level: float = 1.0) -> Any:
    return game.users(game.actions, np.array([level]))


def test_the_time_of_trips_and_revenue_by_hand() -> None:
    """Pigou: with a toll of 0, ½ and 1 the mean time is 1, ¾ and 1, and 1, ½ and none pay."""
    game = played(pigou(), leader=tolls(), gap=1e-9)
    np.testing.assert_allclose(game.reward(game.actions, responses(game)), [-1, -0.75, -1], atol=1e-5)
    assert game.reward_range == pytest.approx((-1, -0.75), abs=1e-5)
    game = played(pigou(), leader=tolls(), goal="revenue", trade_off=0.5, gap=1e-9)
    assert game.n_outputs == 2
    np.testing.assert_allclose(game.reward(game.actions, responses(game)), [-0.5, 0.25 - 0.375, -0.5], atol=1e-5)
    box = type(game.response_domain)(np.tile([0.5, 0.1], (3, 1)), np.tile([0.9, 0.4], (3, 1)))
    np.testing.assert_allclose(game.reward.best_in_box(game.actions, box), [-0.25, -0.25 + 0.2, -0.25 + 0.4])


def test_a_fleet_earns_the_units_that_arrive_less_congestion() -> None:
    leader = {"kind": "fleet", "origin": 12, "destination": 18, "units": 300.0}
    game = played(SIOUX_FALLS.scaled(0.01), leader=leader)
    assert (game.n_actions, game.congestion, game.actions.shape[1]) == (41, True, 76)
    y = responses(game)
    units = np.repeat([0.0, 75.0, 150.0, 225.0, 300.0], [1, 10, 10, 10, 10])
    np.testing.assert_allclose(game.reward(game.actions, y), units - 10 * y[:, 0])
    assert GAMES["city"].words.menu(game).labels[0] == "nothing routed"


def test_a_fleet_may_use_connectors_of_length_0() -> None:
    """Nodes 0 and 3 are zones, joined to the roads by connectors without length."""
    links = [(0, 1, 9.0, 0.0), (1, 2, 5.0, 3.0), (1, 4, 5.0, 4.0), (4, 2, 5.0, 4.0), (2, 3, 9.0, 0.0)]
    network = network_of(links, [(0, 3, 2.0)], through=[False, True, True, False, True])
    object.__setattr__(network, "length", np.array([0.0, 1.0, 1.0, 1.0, 0.0]))
    leader = {"kind": "fleet", "origin": 0, "destination": 3, "units": 2.0, "groups": 1, "routes": 2, "shares": [1.0]}
    assert played(network, leader=leader).actions.tolist() == [[2, 2, 0, 0, 2], [2, 0, 2, 2, 2]]


def test_detectors_see_groups_of_links_and_their_mean_counts() -> None:
    leader = {"kind": "closures", "links": [[10, 16], [16, 10]]}
    game = played(leader=leader, goal="congestion", detectors=[[[10, 15], [15, 10]], [[9, 10]]], trade_off=2.0)
    y = responses(game)
    assert y.shape == (3, 2)
    np.testing.assert_allclose(game.reward(game.actions, y), -y[:, 0] - y[:, 1])


def test_a_signal_and_emissions() -> None:
    leader = {"kind": "signals", "first": [[10, 16]], "second": [[8, 16]], "shares": [0.3, 0.5, 0.7]}
    game = played(leader=leader, goal="emissions", length_in_km=0.5)
    y = responses(game)
    np.testing.assert_allclose(game.reward(game.actions, y), -y[:, 0])
    assert game.actions.tolist() == [[0.3], [0.5], [0.7]]
    assert len(set(y[:, 0].round(6))) == 3


def test_a_unit_of_length_is_a_kilometre_unless_stated() -> None:
    leader = {"kind": "closures", "links": [[10, 16]]}
    unstated, whole, half = (
        responses(played(leader=leader, goal="emissions", **given))
        for given in ({}, {"length_in_km": 1.0}, {"length_in_km": 0.5})
    )
    np.testing.assert_array_equal(unstated, whole)
    assert np.all(half < 0.9 * whole)


def test_logit_drivers_are_asked_for_by_a_number() -> None:
    leader = {"kind": "closures", "links": [[10, 16]]}
    spread, exact = (responses(played(leader=leader, rationality=r))[0, 0] for r in (0.1, None))
    assert spread > 1.01 * exact  # drivers who do not take the quickest route lose time


def test_types_are_levels_or_the_demand_of_each_pair() -> None:
    leader = {"kind": "closures", "links": [[10, 16]]}
    levels = played(leader=leader, levels=[0.5, 1.0])
    assert levels.types is not None
    assert levels.types.tolist() == [[0.5], [1.0]]
    pairs = played(leader=leader, demand="pairs")
    assert pairs.types is None
    behaviour = GAMES["city"].opponents(pairs)
    assert behaviour.sampler is not None
    drawn = behaviour.sampler(np.random.default_rng(0))
    assert ((drawn >= 0) & (drawn <= SIOUX_FALLS.demand)).all()
    usual = responses(pairs, 0.5)[0]
    np.testing.assert_allclose(behaviour.noise_std, 0.02 * usual)
    assert pairs.reward_range is not None
    assert pairs.reward_range[0] == pytest.approx(-responses(pairs).max())


def test_without_a_leader_the_busiest_links_have_a_toll() -> None:
    """At half of the demand: flow times delay, by a plain loop; the toll is power times the delay, to two digits."""
    found = busiest_tolls(SIOUX_FALLS)
    free = played(leader={"kind": "tolls", "links": [[1, 2]], "levels": [0.0]})
    traffic = free.users.traffic(np.zeros(1, dtype=np.int64), 0.5 * SIOUX_FALLS.demand[None])
    delay = traffic.times[0] - SIOUX_FALLS.free_flow_time
    order = sorted(range(76), key=lambda link: -traffic.flows[0, link] * delay[link])[:3]
    ends = {(int(SIOUX_FALLS.nodes[SIOUX_FALLS.tails[i]]), int(SIOUX_FALLS.nodes[SIOUX_FALLS.heads[i]])) for i in order}
    assert set(found.links) == ends
    level = float(f"{4 * np.mean(delay[order]):.2g}")
    assert found.levels == (0.0, level / 2, level)


def test_a_city_that_was_added_is_played_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRSTMOVER_CITIES", str(tmp_path))
    add_city("pigou", pigou())
    entry, parameters = GAMES.resolve("city:pigou", {"leader": tolls(), "levels": (1.0,)})
    game = entry.build(**dict(parameters))
    assert isinstance(game, CityGame)
    np.testing.assert_allclose(game.reward(game.actions, responses(game)), [-1, -0.75, -1], atol=1e-3)
    with pytest.raises(InvalidInput, match="nowhere"):
        city_game(city="nowhere")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"goal": "revenue"}, "goal is 'revenue': only a leader who asks tolls earns"),
        ({"goal": "time", "detectors": [[[10, 16]]]}, "goal is 'time', which detectors do not see"),
        ({"goal": "congestion", "detectors": [[[10, 16]], [[10, 16]]]}, "a link of group 2 in another group"),
        ({"goal": "congestion", "detectors": [[[1, 24]]]}, "links has 1 to 24: the network has no such link"),
        ({"goal": "speed"}, "goal is 'speed'"),
        ({"rationality": 0.0}, "rationality"),
        ({"leader": {"kind": "closures", "links": [[1]]}}, "the two nodes of a link"),
        ({"leader": {"kind": "parade"}}, "leader"),
    ],
)
def test_what_makes_no_game_is_refused(given: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence) as refusal:
        played(**{"leader": {"kind": "closures", "links": [[10, 16]]}} | given)
    assert "\n" not in str(refusal.value)


def test_a_city_without_congestion_needs_a_leader() -> None:
    with pytest.raises(InvalidInput, match="leader is missing: no link of this city is congested"):
        played(network_of([(0, 1, 9.0, 1.0)], [(0, 1, 3.0)], b=0.0), leader=None)
