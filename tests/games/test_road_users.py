from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firstmover.core.errors import InvalidInput
from firstmover.games.routing.game import REWARD_RANGES, operator_plans, routing_game, sioux_falls_game
from firstmover.games.routing.network import Network, load_network, sioux_falls
from firstmover.games.routing.opponents import (
    RoadUsers,
    certain_reward_range,
    random_demands,
    sampled_reward_range,
    sioux_falls_users,
)
from tests.games.plain_road_users import congestion_of_the_text, loads_of_the_text

SMALL = sioux_falls().scaled(0.01)
PLANS = operator_plans()


@pytest.fixture(scope="module")
def users():
    return sioux_falls_users()


@pytest.fixture
def corner(tmp_path) -> Network:
    """Three roads: 1 to 2, 2 to 3, and 1 to 3 directly; travellers from 1 to 3 and from 1 to 2."""
    (tmp_path / "nodes.csv").write_text("node,x,y\n1,0,0\n2,1,0\n3,1,1\n")
    (tmp_path / "links.csv").write_text("from,to,capacity,length,free_flow_time\n1,2,10,1,4\n2,3,5,2,3\n1,3,20,9,8\n")
    (tmp_path / "demand.csv").write_text("from,to,trips\n1,3,6\n1,2,5\n")
    return load_network(tmp_path)


def test_congestion_by_hand(corner):
    # 10 units on 1-2: 4 (1 + 0.15 · 1⁴) + 3 = 7.6 < 8, so the users stay: z = (10 + 6 + 2, 6, 0).
    # 12 units on 1-2: 4 (1 + 0.15 · 1.2⁴) + 3 = 8.244 > 8, so they take the direct road: z = (12 + 2, 0, 6).
    plans = np.array([[10.0, 0, 0], [12.0, 0, 0]])
    demand = np.array([6.0, 2.0])
    users = RoadUsers(corner)
    by_link = [[0.15 * 1.8**4, 0.15 * 1.2**4, 0], [0.15 * 1.4**4, 0, 0.15 * 0.3**4]]
    assert users.detours(plans).tolist() == [[False, False], [True, False]]
    assert users.congestion(plans, demand) == pytest.approx(np.array(by_link))
    assert users(plans, demand) == pytest.approx(np.array([[(1.57464 + 0.31104) / 3], [(0.57624 + 0.001215) / 3]]))


def test_the_released_travel_time_by_hand(corner):
    # 4 (1 + 0.15 · 0.1)⁴ + 3 = 7.245; 4 (1 + 0.15 · 0.4)⁴ + 3 = 8.0499: four units are enough to drive them away.
    users = RoadUsers(corner, travel_time="released")
    assert users.detours(np.array([[1.0, 0, 0], [4.0, 0, 0]]))[:, 0].tolist() == [False, True]


def test_detours_beyond_the_limit_are_not_taken(corner):
    # Without traffic the routes take 7 and 8: 8 < 1.2 · 7, but not 8 < 1.1 · 7.
    jam = np.array([[50.0, 0, 0]])
    assert RoadUsers(corner, detour_limit=1.2).detours(jam).tolist() == [[True, False]]
    assert RoadUsers(corner, detour_limit=1.1).detours(jam).tolist() == [[False, False]]


def test_logit_shares_by_hand(corner):
    """12 units on 1-2 make the routes from 1 to 3 take 8.24416 and 8: at λ = log(3) / 0.24416 three of four leave.

    10 units: 7.6 and 8, so the odds to leave are 3^(−0.4 / 0.24416). Who goes from 1 to 2 has one route.
    """
    rate = np.log(3) / 0.24416
    users, plans = RoadUsers(corner, rationality=rate), np.array([[12.0, 0, 0], [10.0, 0, 0]])
    odds = 3 ** (-0.4 / 0.24416)
    np.testing.assert_allclose(users.detours(plans), [[0.75, 0.0], [odds / (1 + odds), 0.0]], rtol=1e-9)
    # Of 6 users 4.5 take the direct road: z = (12 + 1.5 + 2, 1.5, 4.5), loads 1.55, 0.3 and 0.225.
    expected = 0.15 * (1.55**4 + 0.3**4 + 0.225**4) / 3
    assert users(plans[:1], np.array([6.0, 2.0])) == pytest.approx(np.array([[expected]]))
    assert users.batch(plans[:1], np.array([[6.0, 2.0]])).ravel() == pytest.approx([expected])
    assert users.congestion(plans[:1], np.array([6.0, 2.0])).mean() == pytest.approx(expected)


def test_without_rationality_users_share_both_routes(corner):
    assert RoadUsers(corner, rationality=0.0).detours(np.array([[50.0, 0, 0]])).tolist() == [[0.5, 0.0]]


def test_logit_becomes_the_quicker_route_as_rationality_grows(users):
    """But for the pairs whose two routes take equally long, who share them: those keep to the first without logit."""
    times = SMALL.free_flow_time * (1 + 0.15 * (PLANS.occupancy / SMALL.capacity) ** 4)
    tied = np.isclose(times @ users._detour.T, 0.0, atol=1e-6)
    sure, nearly = users.detours(PLANS.occupancy), RoadUsers(users.network, rationality=1e7).detours(PLANS.occupancy)
    np.testing.assert_allclose(nearly[~tied], sure[~tied], atol=1e-4)
    gaps = [
        np.abs(RoadUsers(users.network, rationality=rate).detours(PLANS.occupancy) - sure)[~tied].max()
        for rate in (1.0, 10.0, 1e3, 1e7)
    ]
    assert gaps == sorted(gaps, reverse=True)


def test_equal_times_keep_users_on_their_shortest_route(corner):
    even = replace(corner, free_flow_time=np.array([5.0, 3.0, 8.0]))
    assert RoadUsers(even).detours(np.zeros((1, 3))).tolist() == [[False, False]]
    quicker = replace(corner, free_flow_time=np.array([5.0, 3.1, 8.0]))
    assert RoadUsers(quicker).detours(np.zeros((1, 3))).tolist() == [[True, False]]


@pytest.mark.parametrize("ties", ["node order", "fewest links", "networkx"])
def test_responses_of_the_text_against_plain_loops(ties):
    demand = random_demands(SMALL)(np.random.default_rng(7))
    users = RoadUsers(SMALL, ties=ties)
    slow = [congestion_of_the_text(SMALL, loads_of_the_text(SMALL, x, demand, ties=ties)[0]) for x in PLANS.occupancy]
    assert users(PLANS.occupancy, demand)[:, 0] == pytest.approx(slow, rel=1e-12)


def test_released_responses_against_plain_loops():
    network = SMALL.pairs_with_demand()
    demand = random_demands(network)(np.random.default_rng(8))
    slow = [
        congestion_of_the_text(network, loads_of_the_text(network, x, demand, ties="networkx", released=True)[0])
        for x in PLANS.occupancy
    ]
    assert sioux_falls_users("released")(PLANS.occupancy, demand)[:, 0] == pytest.approx(slow, rel=1e-12)


def test_the_released_users_are_528_pairs_of_which_54_have_no_second_route():
    users = sioux_falls_users("released")
    assert users.network.n_pairs == 528
    jams = np.eye(76) * 1e6  # one blocked road at a time drives away everybody who has another way
    assert (~users.detours(jams).any(axis=0)).sum() == 54
    assert sioux_falls_users("paper").detours(jams).any(axis=0).all()


@settings(deadline=None, max_examples=25)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4))
def test_users_leave_where_they_start_and_arrive_where_they_want(users, seed, k):
    rng = np.random.default_rng(seed)
    plans = rng.uniform(0, 400, (k, 76)) * (rng.random((k, 76)) < 0.3)
    demand = rng.uniform(0, 9, 552)
    occupancy = (users.congestion(plans, demand) / 0.15) ** 0.25 * SMALL.capacity - plans
    balance = np.zeros((24, k))
    np.add.at(balance, SMALL.tails, occupancy.T)
    np.subtract.at(balance, SMALL.heads, occupancy.T)
    wanted = np.zeros(24)
    np.add.at(wanted, SMALL.origins, demand)
    np.subtract.at(wanted, SMALL.destinations, demand)
    assert np.allclose(balance, wanted[:, None], atol=1e-6)
    assert np.all(occupancy > -1e-6)


def test_a_batch_is_one_round_after_another(users):
    demands = SMALL.demand * np.random.default_rng(1).random((37, 552))
    batch = users.batch(PLANS.occupancy, demands)
    assert batch.shape == (37, 41, 1)
    assert np.allclose(batch, [users(PLANS.occupancy, demand) for demand in demands], rtol=1e-13)
    assert users.batch(PLANS.occupancy, demands[:0]).shape == (0, 41, 1)


def test_plans_outside_the_menu_and_single_plans_are_answered_alike(users):
    demand = SMALL.demand / 3
    menu = users(PLANS.occupancy, demand)
    assert users(PLANS.occupancy[[5]], demand) == pytest.approx(menu[[5]], rel=1e-13)
    assert users(PLANS.occupancy[::-2], demand) == pytest.approx(menu[::-2], rel=1e-13)
    between = (PLANS.occupancy[[5]] + PLANS.occupancy[[38]]) / 2
    slow = congestion_of_the_text(SMALL, loads_of_the_text(SMALL, between[0], demand)[0])
    assert users(between, demand)[0, 0] == pytest.approx(slow, rel=1e-12)


def test_the_response_is_the_average_of_the_links(users):
    demand = SMALL.demand / 2
    by_link = users.congestion(PLANS.occupancy, demand)
    assert by_link.shape == (41, 76)
    assert users(PLANS.occupancy, demand)[:, 0] == pytest.approx(by_link.mean(axis=1))


@pytest.mark.parametrize("reading", ["paper", "released"])
def test_the_stored_reward_range_is_the_certain_one_rounded_outwards(reading):
    game = sioux_falls_game(reading)
    assert game.reward_range == REWARD_RANGES[reading]
    low, high = certain_reward_range(game, sioux_falls_users(reading))
    assert 0 <= low - game.reward_range[0] <= 0.01
    assert 0 <= game.reward_range[1] - high <= 0.01


@pytest.mark.parametrize(("reading", "ends"), [("paper", (-17.11, 287.88)), ("released", (-15.92, 287.15))])
def test_the_range_of_10_000_pairs_is_narrower(reading, ends):
    measured = sampled_reward_range(sioux_falls_game(reading), sioux_falls_users(reading))
    assert measured == pytest.approx(ends, abs=0.006)


def test_the_reward_range_holds_every_sampled_reward(users):
    game = routing_game()
    low, high = sampled_reward_range(game, users, pairs=500, seed=4)
    assert low < 0 < high < 300
    assert (low, high) == sampled_reward_range(game, users, pairs=500, seed=4)
    assert (low, high) != sampled_reward_range(game, users, pairs=500, seed=5)


def test_no_demand_leaves_the_certain_reward_range(users):
    game = routing_game()
    low, high = certain_reward_range(game, users)
    demands = SMALL.demand * np.random.default_rng(6).beta(0.3, 0.3, (1000, 552))
    rewards = PLANS.units - 10 * users.batch(PLANS.occupancy, demands)[:, :, 0]
    assert low < rewards.min() < rewards.max() < high
    assert low == pytest.approx(min(PLANS.units - 10 * users(PLANS.occupancy, SMALL.demand)[:, 0]))
    free = [300 - 10 * congestion_of_the_text(SMALL, x) for x in PLANS.occupancy[31:]]
    assert high == pytest.approx(max(free))


def test_random_demands_are_uniform_shares_of_the_data():
    draw = random_demands(SMALL)
    rng = np.random.default_rng(2)
    shares = np.stack([draw(rng) for _ in range(2000)])[:, SMALL.demand > 0] / SMALL.demand[SMALL.demand > 0]
    assert shares.min() >= 0
    assert shares.max() < 1
    error = np.sqrt(1 / 12 / 2000)
    assert np.abs(shares.mean(axis=0) - 0.5).max() < 5 * error  # 528 pairs, each beyond it once in 1,700,000
    assert np.abs(shares.var(axis=0) - 1 / 12).max() < 5 * np.sqrt(1 / 180 / 2000)  # var of (U − ½)² is 1/180
    assert np.array_equal(draw(np.random.default_rng(9)), draw(np.random.default_rng(9)))


def test_a_pair_that_nobody_travels_needs_no_route(corner):
    lonely = replace(corner, origins=np.array([0, 2]), destinations=np.array([2, 0]), demand=np.array([6.0, 0.0]))
    assert RoadUsers(lonely)(np.zeros((1, 3)), np.array([6.0, 0.0]))[0, 0] > 0


@pytest.mark.parametrize("rationality", [-1.0, np.nan])
def test_bad_rationality_is_refused(rationality):
    with pytest.raises(InvalidInput, match=r"rationality is .*: give 0 or more, or infinity"):
        RoadUsers(SMALL, rationality=rationality)


def test_bad_users_are_refused():
    with pytest.raises(InvalidInput, match="Unknown travel_time 'BPR'"):
        RoadUsers(SMALL, travel_time="BPR")
    with pytest.raises(InvalidInput, match="Unknown tie rule 'first'"):
        RoadUsers(SMALL, ties="first")
    with pytest.raises(InvalidInput, match="detour_limit is nan: give a number above 1"):
        RoadUsers(SMALL, detour_limit=float("nan"))
    with pytest.raises(InvalidInput, match="Unknown reading 'text'"):
        sioux_falls_users("text")


def test_bad_questions_are_refused(users):
    demand = SMALL.demand
    with pytest.raises(InvalidInput, match=r"opponent_type has shape \(551,\): give the demand of 552 pairs"):
        users(PLANS.occupancy, demand[1:])
    with pytest.raises(InvalidInput, match="opponent_type has the value nan"):
        users(PLANS.occupancy, np.where(np.arange(552) == 3, np.nan, demand))
    with pytest.raises(InvalidInput, match=r"opponent_type has the value -1.0: demands are finite, 0 or more"):
        users(PLANS.occupancy, np.where(np.arange(552) == 3, -1.0, demand))
    with pytest.raises(InvalidInput, match="opponent_type has the value inf"):
        users.batch(PLANS.occupancy, np.where(np.arange(552) == 3, np.inf, demand)[None])
    with pytest.raises(InvalidInput, match=r"actions has shape \(41, 75\).* give plans of 76 links"):
        users(PLANS.occupancy[:, 1:], demand)
    with pytest.raises(InvalidInput, match=r"smallest value -300.0: give plans of 76 links with 0 or more units"):
        users(-PLANS.occupancy, demand)
    with pytest.raises(InvalidInput, match="actions has the value nan"):
        users(PLANS.occupancy * np.nan, demand)
    with pytest.raises(InvalidInput, match=r"actions has shape \(76,\)"):
        users(PLANS.occupancy[0], demand)
    with pytest.raises(InvalidInput, match="pairs is 1"):
        sampled_reward_range(routing_game(), users, pairs=1)
