"""Each tolerance of the games from both sides: rounding passes, and what is more than rounding does not."""

import numpy as np
import pytest

import firstmover as fm
from firstmover.core.arrays import distribution
from firstmover.core.errors import InvalidInput
from firstmover.games import BimatrixGame, harbour, shore_game
from firstmover.games.choice_rules import BestResponse
from firstmover.games.routing.game import sioux_falls_plans
from firstmover.games.routing.opponents import sioux_falls_users
from firstmover.learners import uniform
from firstmover.simulation import single

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
    for beyond in (TOO_MUCH, 0.01):
        with pytest.raises(InvalidInput, match="must be 0 or more and sum to 1"):
            game.on_menu([shares(beyond)])
        with pytest.raises(InvalidInput, match="probabilities must sum to 1"):
            distribution("p", shares(beyond), n)


def test_negative_probabilities_however_small():
    with pytest.raises(InvalidInput, match="probabilities are 0 or more"):
        distribution("p", [1.0, -1e-300], 2)
    with pytest.raises(InvalidInput, match="must be 0 or more and sum to 1"):
        harbour().on_menu([[1.0, -1e-300, *[0.0] * (harbour().n_leader_actions - 2)]])


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
