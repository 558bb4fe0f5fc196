"""Nested logit by hand: two stations in one nest and one alone, all at the segment's place, μ = ½, α = 1, N = 2.

V = (0, log 2, log 3) − prices. With prices 0: exp(V/μ) = (1, 4) in the first nest, so I = ½ log 5 and exp(I) = √5;
the second nest has exp(I) = 3. P(nest) = √5 / (1 + √5 + 3) and 3 / (1 + √5 + 3), the first split 1 : 4.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstmover.core.errors import InvalidInput
from firstmover.games.opponent import true_rewards
from firstmover.games.prices.game import SEGMENTS, Stations, prices_game, road_stations
from firstmover.games.prices.opponents import Customers

HERE = Stations([0.5, 0.5, 0.5], np.log([1.0, 2.0, 3.0]), [1.0, 1.0, 1.0], (0, 0, 1))
prices = st.lists(st.floats(0, 2), min_size=3, max_size=3)
segments = st.tuples(st.floats(0, 1), st.floats(0.1, 20), st.floats(0.1, 2))


def demand(customers, x, segment):
    return customers(np.array([x], dtype=float), np.array(segment, dtype=float))[0]


def test_demand_is_as_worked_by_hand():
    got = demand(Customers(HERE, dissimilarity=0.5), [0, 0, 0], [0.5, 1.0, 2.0])
    total = 1 + np.sqrt(5) + 3
    np.testing.assert_allclose(got, 2 * np.array([np.sqrt(5) / 5, np.sqrt(5) * 4 / 5, 3]) / total, rtol=1e-14)


def test_a_price_moves_drivers_as_worked_by_hand():
    got = demand(Customers(HERE, dissimilarity=0.5), [0, np.log(2), 0], [0.5, 1.0, 1.0])
    # exp(V/μ) = (1, 1): exp(I) = √2, split in halves
    np.testing.assert_allclose(got, np.array([np.sqrt(2) / 2, np.sqrt(2) / 2, 3]) / (4 + np.sqrt(2)), rtol=1e-14)


def test_distance_costs_on_both_sides():
    apart = Stations([0.25, 0.75], [1.0, 1.0], [1.0, 1.0], (0, 1))
    got = demand(Customers(apart, travel_cost=4.0), [0, 0], [0.5, 1.0, 1.0])
    np.testing.assert_allclose(got, [1 / 3, 1 / 3], rtol=1e-14)  # V = 1 − 4 · ¼ = 0: a third each, a third stays away


def test_with_dissimilarity_1_it_is_the_plain_logit():
    x, segment = [0.3, 0.5, 0.4], [0.5, 2.0, 1.0]
    utility = np.exp(np.log([1.0, 2.0, 3.0]) - 2 * np.array(x))
    got = demand(Customers(HERE, dissimilarity=1.0), x, segment)
    np.testing.assert_allclose(got, utility / (1 + utility.sum()), rtol=1e-14)


@given(prices, segments, st.floats(0.05, 1))
def test_shares_are_positive_and_some_stay_away(x, segment, dissimilarity):
    shares = demand(Customers(road_stations(), dissimilarity=dissimilarity), x, segment) / segment[2]
    assert np.all(shares >= 0)
    assert shares.sum() < 1


@given(prices, segments, st.integers(0, 2), st.floats(0.01, 1))
def test_demand_falls_in_its_own_price_and_rises_in_the_others(x, segment, j, rise):
    customers, dearer = Customers(road_stations()), np.array(x)
    dearer[j] += rise
    change = demand(customers, dearer, segment) - demand(customers, x, segment)
    assert change[j] < 0
    assert np.all(np.delete(change, j) >= 0)


def test_drivers_who_leave_go_to_the_nest_first():
    """Without nests, rivals gain in proportion to their shares; a neighbour in the nest gains more than that."""
    customers, plain = Customers(road_stations()), Customers(road_stations(), dissimilarity=1.0)
    for who, more in ((plain, False), (customers, True)):
        before, after = demand(who, [0.4, 0.4, 0.4], SEGMENTS[0]), demand(who, [0.5, 0.4, 0.4], SEGMENTS[0])
        gain = after / before
        assert (gain[1] > gain[2] * 1.05) == more


@pytest.mark.parametrize("dissimilarity", [0.3, 1.0])
def test_the_slope_in_the_own_price_is_the_textbook_s(dissimilarity):
    """∂P_j/∂x_j = −α P_j (1/μ − (1/μ − 1) P(j | g) − P_j) (Train 2009, Section 4.2, differentiated)."""
    who, x, segment = (
        Customers(road_stations(), dissimilarity=dissimilarity),
        np.array([0.4, 0.5, 0.3]),
        [0.4, 6.0, 1.0],
    )
    p = demand(who, x, segment)
    within = p / np.array([p[0] + p[1], p[0] + p[1], p[2]])
    for j in range(3):
        step = 1e-6 * np.eye(3)[j]
        slope = (demand(who, x + step, segment)[j] - demand(who, x - step, segment)[j]) / 2e-6
        wanted = -6.0 * p[j] * (1 / dissimilarity - (1 / dissimilarity - 1) * within[j] - p[j])
        assert slope == pytest.approx(wanted, rel=1e-6)


def test_no_price_is_too_high_to_compute():
    assert np.all(demand(Customers(road_stations()), [1e6, 1e6, 1e6], SEGMENTS[1]) == 0)
    assert demand(Customers(road_stations()), [-1e6, 0, 0], SEGMENTS[1]) == pytest.approx([1.0, 0, 0])


def test_no_price_vector_is_best_for_all_segments():
    game = prices_game()
    best = [int(np.argmax(true_rewards(game, Customers(road_stations()))(segment))) for segment in SEGMENTS]
    assert len(set(best)) == 4


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: Customers(HERE, dissimilarity=0.0), "dissimilarity is 0.0"),
        (lambda: Customers(HERE, dissimilarity=1.1), "dissimilarity is 1.1"),
        (lambda: Customers(HERE, travel_cost=-1.0), "travel_cost is -1.0"),
        (lambda: demand(Customers(HERE), [0, 0, 0], [1.0, 2.0]), "opponent_type has 2"),
    ],
)
def test_what_is_wrong_is_said(make, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        make()


@pytest.mark.parametrize(
    ("prices", "sentence"),
    [
        (np.ones((1, 2)), r"actions has 2 column\(s\): give a price for each of 3"),
        (np.full((1, 3), np.nan), "actions has the value nan"),
    ],
)
def test_prices_that_cannot_be_asked_are_refused(prices: np.ndarray, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        Customers(road_stations())(prices, np.array([0.3, 6.0, 1.0]))


def test_an_empty_menu_of_prices_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"actions has shape \(0, 3\)"):
        prices_game(actions=np.empty((0, 3)))
