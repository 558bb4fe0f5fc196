"""Each tolerance of the games from both sides: rounding passes, and what is more than rounding does not."""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

import firstmover as fm
from firstmover.core.arrays import distribution
from firstmover.core.errors import InvalidInput
from firstmover.games import BimatrixGame, harbour, shore_game
from firstmover.games.choice_rules import BestResponse
from firstmover.games.routing.game import sioux_falls_plans
from firstmover.games.routing.network import Network
from firstmover.games.routing.opponents import RoadUsers, sioux_falls_users
from firstmover.games.routing.routes import shortest_routes
from firstmover.games.stackelberg.opponents import BestInBox
from firstmover.games.wildlife.opponents import Poachers
from firstmover.games.wildlife.park import published_park
from firstmover.learners import uniform
from firstmover.learners.growing import mixes
from firstmover.simulation import single
from firstmover.simulation.loop import checked_rewards
from firstmover.strategies.multiplicative import scaled
from firstmover.theory.coverage import _largest_share, covers

ROUNDING, TOO_MUCH = 1e-10, 1e-8
"""A tenth of the tolerance 1e-9, and ten times it."""


@pytest.mark.parametrize("end", [0.0, 1.0])
def test_responses_outside_the_domain(end):
    """The domain of the shore is [0, 1]."""
    game, sign = shore_game(), 2 * end - 1

    def play(beyond):
        response = end + sign * beyond * (1 + end)
        opponent = fm.Opponent(single(game.types[0]), lambda x, _: np.full((len(x), 1), response))
        return next(fm.play(game, opponent, uniform(game.n_actions), seed=0)).true_response

    assert play(ROUNDING) == pytest.approx(end, abs=1e-9)
    for beyond in (TOO_MUCH, 0.05, 0.1):
        with pytest.raises(InvalidInput, match="outside the response_domain"):
            play(beyond)


@pytest.mark.parametrize("sign", [1, -1])
def test_mixed_strategies_that_do_not_sum_to_1(sign):
    game = harbour()
    n = game.n_leader_actions

    def shares(beyond):
        return np.append(np.full(n - 1, 1 / n), 1 / n + sign * beyond)

    assert len(game.on_menu([shares(ROUNDING)]).actions) == 1
    assert len(distribution("p", shares(ROUNDING), n)) == n
    assert mixes(shares(ROUNDING)[None])
    for beyond in (TOO_MUCH, 0.01):
        assert not mixes(shares(beyond)[None])
        with pytest.raises(InvalidInput, match="must be 0 or more and sum to 1"):
            game.on_menu([shares(beyond)])
        with pytest.raises(InvalidInput, match="probabilities must sum to 1"):
            distribution("p", shares(beyond), n)


def test_negative_probabilities_however_small():
    with pytest.raises(InvalidInput, match="probabilities are 0 or more"):
        distribution("p", [1.0, -1e-300], 2)
    with pytest.raises(InvalidInput, match="must be 0 or more and sum to 1"):
        harbour().on_menu([[1.0, -1e-300, *[0.0] * (harbour().n_leader_actions - 2)]])
    assert not mixes(np.array([[1.0, -1e-300]]))


@pytest.mark.parametrize("sign", [1, -1])
def test_a_density_that_is_no_mixture(sign):
    park = published_park()

    def heavier(beyond):
        return replace(park, weights=park.weights + sign * beyond * np.eye(len(park.weights))[0])

    def skewed(beyond):
        added = np.zeros_like(park.covariances)
        added[0, 0, 1] = sign * beyond * np.abs(park.covariances).max()
        return replace(park, covariances=park.covariances + added)

    heavier(ROUNDING)
    skewed(1e-13)
    for beyond in (TOO_MUCH, 0.01):
        with pytest.raises(InvalidInput, match="give shares, 0 or more, that sum to 1"):
            heavier(beyond)
    for beyond in (1e-11, 0.01):
        with pytest.raises(InvalidInput, match="give symmetric matrices"):
            skewed(beyond)


@pytest.mark.parametrize("end", [0, 1])
def test_rewards_outside_their_range(end):
    """In units of the range, which is 4 wide."""
    game = fm.Game("wide", [[0.0]], fm.increasing(lambda _, y: y[:, 0]), fm.Box([-9.0], [9.0]), (-1.0, 3.0))

    def reward(beyond):
        return game.reward_range[end] + 4 * beyond * (2 * end - 1)

    def check(beyond):
        checked_rewards(game, [0], np.array([[reward(beyond)]]))

    def scale(beyond):
        scaled(np.array([[1.0, reward(beyond)]]), game.reward_range)

    for call in (check, scale):
        call(ROUNDING)
        for beyond in (TOO_MUCH, 0.05):
            with pytest.raises(InvalidInput, match=r"reward .* is outside"):
                call(beyond)


def test_a_box_that_misses_by_more_than_rounding():
    """Of the width of the box, and of the largest response, which is 1000."""
    assert covers(np.array([1 + ROUNDING, 1 + TOO_MUCH])).tolist() == [True, False]
    share = partial(_largest_share, np.zeros((1, 1)), np.zeros(1), largest=1000.0)
    assert share(np.array([[1000 * ROUNDING]])) == 0
    assert share(np.array([[1000 * TOO_MUCH]])) == np.inf


@pytest.mark.parametrize("plans", [1, 2])
def test_negative_demands_however_small_and_for_one_plan_too(plans):
    """One plan alone is computed in another way."""
    users, occupancy = sioux_falls_users(), sioux_falls_plans().occupancy[:plans]
    demand = users.network.demand.copy()
    assert users(occupancy, demand).shape == (plans, 1)
    demand[7] = -1e-12
    with pytest.raises(InvalidInput, match="opponent_type has the value -1e-12: demands are finite, 0 or more"):
        users(occupancy, demand)


@pytest.mark.parametrize("worse", [0, 1])
def test_a_follower_ties_up_to_rounding_of_its_stakes(worse):
    """The leader prefers action 1, so that a tie goes there; the stakes are 1000."""
    for loss, tie in ((ROUNDING, True), (TOO_MUCH, False)):
        follower = np.array([[1000.0, 1000.0, 0.0]])
        follower[0, worse] -= 1000 * loss
        chosen = BimatrixGame([[1.0, 2.0, 0.0]], [follower]).best_response([[1.0]], [1.0])
        assert np.argmax(chosen) == (1 if tie else 1 - worse)


@pytest.mark.parametrize("best", [0.5, 1000.0])
def test_a_best_response_ties_up_to_rounding_of_its_utility(best):
    for loss, chosen in ((1e-13, 0), (1e-11, 1)):
        utilities = np.array([[best - loss * max(1, best), best]])
        respond = BestResponse(lambda *_, u=utilities: u, np.array([[0.0], [1.0]]))
        assert respond(np.zeros((1, 1)), np.zeros(1)) == chosen


@pytest.mark.parametrize(("loss", "first"), [(1e-13, True), (1e-11, False)])
def test_poachers_tie_up_to_rounding(loss, first):
    """Of two places of one cell, and of the best places of two cells without rangers."""
    park = published_park()
    one, other = np.flatnonzero(park.cell_of(park.grid) == 0)[:2]
    elsewhere = np.flatnonzero(park.cell_of(park.grid) == 7)[0]
    for better in (other, elsewhere):
        poachers = Poachers(park)
        utilities = np.full(len(park.grid), -9.0)
        utilities[[one, better]] = -loss, 0.0
        vars(poachers)["utilities"] = utilities
        [place] = poachers(np.zeros((1, 25)), np.zeros(25))
        assert place.tolist() == park.grid[one if first else better].tolist()


@pytest.mark.parametrize(("loss", "first"), [(1e-13, True), (1e-11, False)])
def test_a_best_response_in_a_box_ties_up_to_rounding(loss, first):
    """Peaks at two points of the first lattice."""
    peaks, heights = np.array([0.25, 0.75]), np.array([1 - loss, 1.0])
    respond = BestInBox(lambda _, y, __: (heights - np.abs(y - peaks)).max(axis=1), fm.Box([0.0], [1.0]))
    assert respond(np.ones((1, 1)), np.zeros(1))[0, 0] == pytest.approx(0.25 if first else 0.75, abs=1e-6)


def diamond(longer):
    """From 0 to 3 by 1 or by 2; the way by 1, first in node order, is longer by this share."""
    length = np.array([500.0 * (1 + 2 * longer), 500.0, 500.0, 500.0])
    tails, heads, nodes = np.array([0, 1, 0, 2]), np.array([1, 3, 2, 3]), np.arange(4)
    one = np.array([0]), np.array([3]), np.array([10.0])
    times = length.copy(), *one, np.full(4, 0.15), np.full(4, 4.0), np.ones(4, dtype=bool)
    return Network(nodes, np.zeros((4, 2)), tails, heads, np.full(4, 10.0), length, *times)


def test_routes_tie_up_to_rounding_of_their_length():
    for longer, first in ((ROUNDING, 1), (TOO_MUCH, 2)):
        assert shortest_routes(diamond(longer), 0, 3, 2)[0] == (0, first, 3)


def test_users_leave_a_route_for_one_that_is_quicker_by_more_than_rounding():
    """Alone on the network they see free-flow times; with TOO_MUCH to lose, they leave the first way in node order."""
    for slower, leave in ((ROUNDING, 0.0), (TOO_MUCH, 1.0)):
        network = diamond(0.0)
        times = network.free_flow_time * np.array([1 + 2 * slower, 1.0, 1.0, 1.0])
        users = RoadUsers(replace(network, free_flow_time=times))
        assert users.detours(np.zeros((1, 4))).ravel().tolist() == [leave]
