import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box
from firstmover.games.prices.game import SEGMENTS, Stations, Takings, prices_game, road_stations
from firstmover.games.prices.words import segment_words
from firstmover.games.rewards import lattice
from tests.contracts.checks_reward import check_reward

CAPACITIES = np.array([0.3, 0.5])


def test_the_built_in_game_has_every_combination_of_six_prices():
    game = prices_game()
    assert game.actions.shape == (216, 3)
    assert np.unique(game.actions).round(9).tolist() == [0.2, 0.3, 0.4, 0.5, 0.6, 0.7]
    np.testing.assert_array_equal(game.types, SEGMENTS)
    np.testing.assert_array_equal(game.response_domain.upper, [1.0, 1.0, 1.0])


def test_the_reward_is_as_worked_by_hand():
    takings = Takings(CAPACITIES, overload_penalty=2.0)
    x = np.array([[0.6, 0.4], [0.6, 0.4], [0.0, 0.4]])
    y = np.array([[0.2, 0.5], [0.4, 0.7], [0.3, -0.1]])
    # 0.6·0.2 + 0.4·0.5;  0.6·0.3 + 0.4·0.5 − 2 (0.1 + 0.2);  noise can make a demand negative: 0.4·(−0.1)
    np.testing.assert_allclose(takings(x, y), [0.32, -0.22, -0.04], atol=1e-15)


def test_the_best_demand_in_a_box_is_the_one_nearest_to_the_capacity():
    takings = Takings(CAPACITIES, overload_penalty=2.0)
    x = np.tile([0.6, 0.4], (3, 1))
    box = Box([[0.0, 0.0], [0.4, 0.0], [0.1, 0.6]], [[0.2, 1.0], [0.9, 0.4], [0.9, 0.9]])
    # (0.2, 0.5), (0.4, 0.4), (0.3, 0.6)
    np.testing.assert_allclose(takings.best_in_box(x, box), [0.32, 0.18 - 0.2 + 0.16, 0.18 + 0.2 - 0.2], atol=1e-15)


@pytest.mark.parametrize("penalty", [0.0, 0.5, 3.0])
def test_the_reward_keeps_its_contract(penalty):
    rng = np.random.default_rng(1)
    takings = Takings(CAPACITIES, penalty)
    # The contract's own search has 17 points an axis of width at most 1.5: it meets the kink within 1.5 / 32.
    check_reward(takings, rng.uniform(0, 1, (9, 2)), Box([-0.5, -0.5], [1.0, 1.0]), rng, (1 + penalty) * 2 * 1.5 / 32)


@given(st.lists(st.floats(0, 2), min_size=2, max_size=2), st.lists(st.floats(0, 1), min_size=2, max_size=2))
def test_nobody_pays_who_is_not_served(demand, prices):
    y, x = np.array([demand]), np.array([prices])
    assert Takings(CAPACITIES, 0.0)(x, y)[0] <= (x @ CAPACITIES)[0] + 1e-12
    assert Takings(CAPACITIES, 0.7)(x, y)[0] <= Takings(CAPACITIES, 0.2)(x, y)[0] + 1e-12


@given(st.floats(0, 1), st.lists(st.floats(0, 1), min_size=3, max_size=3), st.integers(0, 215))
def test_every_demand_of_at_most_the_largest_segment_earns_a_reward_of_the_range(total, shares, action):
    game = prices_game()
    y = total * np.array([shares]) / max(1.0, sum(shares))
    low, high = game.reward_range
    assert low - 1e-12 <= game.reward(game.actions[[action]], y)[0] <= high + 1e-12


def test_the_low_end_of_the_range_is_reached_by_a_crowd_at_the_smallest_station():
    game = prices_game()
    crowd = np.array([[0.0, 1.0, 0.0]])
    assert game.reward(game.actions[:1], crowd)[0] == pytest.approx(game.reward_range[0])
    assert game.reward_range == pytest.approx((0.2 * 0.25 - 0.5 * 0.75, 0.7 * 0.85))


def test_the_menu_has_the_last_station_fastest():
    assert lattice([np.array([1.0, 2.0, 3.0])] * 2)[:4].tolist() == [[1, 1], [1, 2], [1, 3], [2, 1]]


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: prices_game(actions=-np.ones((2, 3))), "give a price, 0 or more, for each of 3 stations"),
        (lambda: prices_game(actions=np.ones((2, 2))), "actions has shape"),
        (lambda: prices_game(segments=np.ones((2, 2))), "segments has a row that is no"),
        (lambda: prices_game(segments=np.array([[0.5, -1.0, 1.0]])), "segments has a row that is no"),
        (lambda: prices_game(segments=np.array([[0.5, 1.0, 0.0]])), "the largest segment is 0.0"),
        (lambda: prices_game(overload_penalty=-1.0), "overload_penalty is -1.0"),
        (lambda: Stations([0.1], [1.0], [-1.0], (0,)), "capacities has the value -1.0"),
        (lambda: Stations([0.1], [1.0], [1.0], (1,)), "nests is"),
        (lambda: Stations([0.1, 0.2], [1.0], [1.0], (0,)), "places has 2"),
    ],
)
def test_what_is_wrong_is_said(make, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        make()


def test_stations_know_their_nests():
    assert road_stations().members.tolist() == [[1, 1, 0], [0, 0, 1]]


def test_a_segment_in_words() -> None:
    assert segment_words(np.array([0.25, 4.0, 1.5])) == "at 0.25, price aversion 4, 150 drivers"
