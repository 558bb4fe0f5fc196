"""The harbour against its own equations solved by hand, and menus of mixed strategies."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box
from firstmover.games import StackelbergGame, harbour, harbour_game, increasing
from firstmover.games.stackelberg.harbour_game import (
    CREWS,
    HARM,
    RESPONSE_LIPSCHITZ,
    REWARD_LIPSCHITZ,
    let_through,
    loads_landed,
    profit,
)

SEEDS = st.integers(0, 2**32 - 1)


def some_game(**changes: object) -> StackelbergGame:
    fields = {
        "n_leader_actions": 2,
        "leader_payoff": increasing(lambda x, y: x[:, 0] * y[:, 0]),
        "follower_utility": lambda x, y, theta: -((y[:, 0] - theta[0] * x[:, 0]) ** 2),
        "types": [[1.0]],
        "response_domain": Box([0.0], [1.0]),
    }
    return StackelbergGame(**fields | changes)


def two(strategies, responses):
    """A utility that forgets the type."""
    return responses[:, 0] - strategies[:, 0]


@given(seed=SEEDS)
def test_no_other_load_pays_the_crews_more(seed):
    rng = np.random.default_rng(seed)
    x, theta = rng.dirichlet(np.ones(3), size=50), rng.uniform(0, 1, 3)
    best = profit(x, loads_landed(x, theta), theta)
    assert np.all(profit(x, rng.uniform(0, 1, (50, 3)), theta) <= best + 1e-12)


def test_a_harbour_by_hand():
    """x = (.5, .3, .2), θ = (1, .3, .2): y = (.5, .21, .16), r = 1 − .5 (.25) − .3333 (.147) − .1667 (.128) = .8047."""
    x = np.array([[0.5, 0.3, 0.2]])
    y = loads_landed(x, CREWS[1])
    np.testing.assert_allclose(y, [[0.5, 0.21, 0.16]])
    np.testing.assert_allclose(let_through(x, y), [1 - 0.125 - 0.147 / 3 - 0.128 / 6])
    np.testing.assert_allclose(profit(x, y, CREWS[1]), [np.sum(y**2) / 2])  # θ (1 − x) = y


@given(seed=SEEDS)
def test_the_stated_lipschitz_constants_hold_on_the_simplex(seed):
    rng = np.random.default_rng(seed)
    x, other = rng.dirichlet(np.full(3, 0.5), size=(2, 100))
    y, another = rng.uniform(0, 1, (2, 100, 3))
    step = np.abs(x - other).sum(axis=1)
    assert np.all(np.abs(let_through(x, y) - let_through(other, y)) <= REWARD_LIPSCHITZ * step + 1e-12)
    move = np.abs(y - another).sum(axis=1)
    assert np.all(np.abs(let_through(x, y) - let_through(x, another)) <= REWARD_LIPSCHITZ * move + 1e-12)
    for crew in CREWS:
        answer = np.abs(loads_landed(x, crew) - loads_landed(other, crew)).sum(axis=1)
        assert np.all(answer <= RESPONSE_LIPSCHITZ * step + 1e-12)


def test_the_range_is_reached_at_both_ends():
    x = np.array([[0.0, 0.0, 1.0], [0.0, 3 / 8, 5 / 8]])
    earned = [let_through(x, loads_landed(x, crew)) for crew in CREWS]
    assert earned[1][0] == pytest.approx(harbour().reward_range[0])
    assert earned[2][1] == pytest.approx(harbour().reward_range[1])
    assert HARM.sum() == pytest.approx(1)


def test_the_game_is_the_stackelberg_game_on_a_grid():
    game = harbour_game(horizon=100)
    assert (game.name, game.n_outputs, game.n_actions) == ("harbour", 3, 45)
    np.testing.assert_array_equal(game.types, CREWS)
    np.testing.assert_allclose(game.actions.sum(axis=1), 1)


def test_a_menu_of_your_own():
    game = some_game().on_menu([[1.0, 0.0], [0.25, 0.75]])
    np.testing.assert_array_equal(game.actions, [[1.0, 0.0], [0.25, 0.75]])


def test_one_leader_action_is_a_game_with_one_strategy():
    game = some_game(n_leader_actions=1).on_grid(0.1)
    np.testing.assert_array_equal(game.actions, [[1.0]])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: some_game(n_leader_actions=0), "n_leader_actions is 0: give 1 or more."),
        (lambda: some_game(types=[1.0]), "types has shape (1,): give an array with 2 dimension(s)."),
        (
            lambda: some_game(follower_utility=None),
            "follower_utility is None: give it, or the followers' best_response in closed form.",
        ),
        (lambda: some_game().on_menu([[1.0]]), "strategies has 1 columns: give 2 probabilities."),
        (
            lambda: some_game().on_menu([[1.0, 0.0], [0.5, 0.6]]),
            "strategies has in row 1 the numbers [0.5, 0.6]: they must be 0 or more and sum to 1.",
        ),
        (
            lambda: some_game().on_menu([[1.5, -0.5]]),
            "strategies has in row 0 the numbers [1.5, -0.5]: they must be 0 or more and sum to 1.",
        ),
        (
            lambda: some_game(types=np.zeros((0, 1))).on_grid(1),
            "types has no rows: give at least one type, or None when ",
        ),
        (lambda: some_game(leader_payoff=lambda _, y: y), "leader_payoff is <function "),
        (lambda: some_game(leader_payoff=3), "leader_payoff is 3: give one with a method best_in_box, such as "),
        (lambda: some_game(response_domain=None), "response_domain is None: give a Box of two corners (m,)."),
        (lambda: some_game(response_domain=Box([[0.0]], [[1.0]])), "response_domain has corners of shape (1, 1): "),
        (lambda: some_game(follower_utility=3), "follower_utility is 3: give a function of (strategies, responses, "),
        (lambda: some_game(follower_utility=two), "follower_utility is <function two"),
        (lambda: some_game(best_response=len), "best_response is <built-in function len>: give a function of (strat"),
    ],
)
def test_what_makes_no_game_is_refused(call, said):
    with pytest.raises(InvalidInput) as refused:
        call()
    assert str(refused.value).startswith(said)


def test_a_closed_form_needs_no_utility():
    game = some_game(follower_utility=None, best_response=lambda x, theta: theta[0] * x[:, :1])
    assert game.on_grid(0.5).n_actions == 3
