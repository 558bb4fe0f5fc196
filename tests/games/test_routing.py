from itertools import product

import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box
from firstmover.games.routing.game import operator_plans, routing_game, sioux_falls_game
from firstmover.games.routing.network import load_network, sioux_falls


def plans_of_the_text() -> set[tuple[float, ...]]:
    """Appendix E by plain loops: every group on every route, equal rows once."""
    network = sioux_falls()
    roads = {
        (network.nodes[a], network.nodes[b]): e
        for e, (a, b) in enumerate(zip(network.tails, network.heads, strict=True))
    }
    routes = [[12, 11, 10, 16, 18], [12, 13, 24, 21, 20, 18], [12, 3, 4, 5, 6, 8, 7, 18]]
    rows = set()
    for percent, *taken in product([0, 25, 50, 75, 100], routes, routes, routes):
        row = [0.0] * 76
        for route in taken:
            for i in range(len(route) - 1):
                row[roads[route[i], route[i + 1]]] += percent  # 300 units / 3 groups = 100 units a group
        rows.add(tuple(row))
    return rows


def test_the_menu_is_the_41_plans_of_the_text():
    occupancy = operator_plans().occupancy
    assert occupancy.shape == (41, 76)
    assert {tuple(row) for row in occupancy} == plans_of_the_text()
    assert len(plans_of_the_text()) == 41


def test_units_flow_from_origin_to_destination_and_nowhere_else():
    network, plans = sioux_falls(), operator_plans()
    into = np.zeros((len(plans.units), 24))
    np.add.at(into.T, network.heads, plans.occupancy.T)
    np.subtract.at(into.T, network.tails, plans.occupancy.T)
    expected = np.zeros_like(into)
    expected[:, network.row(12)] = -plans.units
    expected[:, network.row(18)] = plans.units
    assert np.allclose(into, expected)
    assert np.allclose(plans.occupancy @ plans.arrivals, plans.units)
    assert sorted(set(plans.units)) == [0, 75, 150, 225, 300]


def test_every_plan_has_its_own_label():
    plans = operator_plans()
    assert len(set(plans.labels)) == 41
    assert plans.labels[0] == "nothing routed"
    assert plans.labels[plans.index(1, [3, 0, 0])] == "100 % routed: 3 groups on route 1"
    assert plans.labels[plans.index(0.25, [1, 1, 1])] == "25 % routed: 1 group on route 1, 1 on route 2, 1 on route 3"
    assert plans.labels[plans.index(0.5, [0, 1, 2])] == "50 % routed: 1 group on route 2, 2 on route 3"


def test_everything_about_the_plans_can_be_changed():
    plans = operator_plans(origin=3, destination=20, units=80, shares=[1, 0.5, 0], groups=2, n_routes=2)
    assert plans.units.tolist() == [80, 80, 80, 40, 40, 40, 0]
    assert plans.groups.tolist() == [[2, 0], [1, 1], [0, 2]] * 2 + [[0, 0]]
    start = sioux_falls().row(3)
    leaving = plans.occupancy[:, sioux_falls().tails == start].sum(axis=1)
    assert leaving.tolist() == plans.units.tolist()
    other = operator_plans(ties="fewest links").occupancy
    assert not np.array_equal(other, operator_plans().occupancy)


def test_reward_is_units_less_ten_times_congestion():
    game, plans = routing_game(), operator_plans()
    rows = [plans.index(1, [3, 0, 0]), plans.index(0.75, [0, 2, 1]), 0]
    congestion = np.array([[8.0], [2.5], [0.5]])
    assert game.reward(game.actions[rows], congestion) == pytest.approx([220, 200, -5])
    assert routing_game(trade_off=2).reward(game.actions[rows], congestion) == pytest.approx([284, 220, -1])


def test_units_that_pass_through_the_destination_do_not_count():
    network = sioux_falls()
    into = (network.heads == network.row(18)) & (network.tails == network.row(7))
    out = (network.tails == network.row(18)) & (network.heads == network.row(20))
    rows = np.array([5.0 * into, 5.0 * into + 2.0 * out])
    assert routing_game().reward(rows, np.zeros((2, 1))) == pytest.approx([5, 3])


def test_the_best_congestion_in_a_box_is_the_lowest():
    game = routing_game()
    best = game.reward.best_in_box(game.actions[[0, 40]], Box([[1.0], [2.0]], [[7.0], [9.0]]))
    assert best == pytest.approx([-10, 280])


def test_the_authors_list_of_units_is_shifted_by_one():
    plans = operator_plans()
    shifted, routed = routing_game(units_counted="shifted"), routing_game()
    free_road = np.zeros((41, 1))
    surplus = shifted.reward(plans.occupancy, free_road) - routed.reward(plans.occupancy, free_road)
    wrong = {plans.index(share, [3, 0, 0]): 75.0 for share in (0.25, 0.5, 0.75)}
    assert {i: surplus[i] for i in np.flatnonzero(surplus)} == wrong
    some = [plans.index(0.75, [3, 0, 0])] * 2 + [plans.index(0.75, [2, 1, 0])]
    assert shifted.reward(plans.occupancy[some], np.array([[1.0], [2.0], [1.0]])) == pytest.approx([290, 280, 215])


def test_the_shift_follows_the_shares():
    plans = operator_plans(units=200, shares=(0.1, 1.0, 0.5))
    rows = [plans.index(share, [3, 0, 0]) for share in (0.1, 0.5, 1.0)]
    game = routing_game(plans, units_counted="shifted")
    assert game.reward(game.actions[rows], np.zeros((3, 1))) == pytest.approx([100, 200, 200])


@pytest.mark.parametrize("reading", ["paper", "released"])
def test_the_games_of_both_readings_have_one_menu(reading):
    game = sioux_falls_game(reading)
    assert np.array_equal(game.actions, operator_plans().occupancy)
    assert (game.n_actions, game.n_outputs, game.types) == (41, 1, None)
    assert (game.response_domain.lower.tolist(), game.response_domain.upper.tolist()) == ([0.0], [np.inf])


BAD = {
    "unknown node": (dict(origin=25), "node 25 is not in the network"),
    "one node": (dict(origin=18), "origin and destination are the same node"),
    "no units": (dict(units=0), "units is 0"),
    "no shares": (dict(shares=[]), r"shares is \[\]"),
    "big share": (dict(shares=[0.5, 1.5]), r"shares is \[0.5, 1.5\]: give different numbers between 0 and 1"),
    "nan share": (dict(shares=[float("nan")]), r"shares is \[nan\]"),
    "share twice": (dict(shares=[0.5, 0.5]), "give different numbers"),
    "no groups": (dict(groups=0), "groups is 0"),
    "no routes": (dict(n_routes=0), "n_routes is 0"),
    "too many": (dict(groups=20, n_routes=10), "make 50075025 plans: stay below 100000"),
    "unknown ties": (dict(ties="random"), "Unknown tie rule 'random'"),
}


@pytest.mark.parametrize(("changes", "sentence"), BAD.values(), ids=BAD.keys())
def test_bad_plans_are_refused(changes, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        operator_plans(**changes)


def test_bad_games_are_refused():
    with pytest.raises(InvalidInput, match="trade_off is 0"):
        routing_game(trade_off=0)
    with pytest.raises(InvalidInput, match="Unknown units_counted 'shift': did you mean 'shifted'"):
        routing_game(units_counted="shift")
    with pytest.raises(InvalidInput, match="Unknown reading 'text'"):
        sioux_falls_game("text")
    with pytest.raises(InvalidInput, match=r"No plan sends 100% in groups \[4, 0, 0\]"):
        operator_plans().index(1, [4, 0, 0])


def test_more_routes_than_there_are_is_refused(tmp_path):
    (tmp_path / "nodes.csv").write_text("node,x,y\n1,0,0\n2,1,0\n")
    (tmp_path / "links.csv").write_text("from,to,capacity,length,free_flow_time\n1,2,7,4,5\n")
    (tmp_path / "demand.csv").write_text("from,to,trips\n1,2,3\n")
    with pytest.raises(InvalidInput, match=r"n_routes is 2: only 1 route\(s\) join 1 and 2"):
        operator_plans(load_network(tmp_path), origin=1, destination=2, n_routes=2)
