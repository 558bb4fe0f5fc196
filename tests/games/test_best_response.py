import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.errors import InvalidInput
from firstmover.games.choice_rules import BestResponse

CANDIDATES = np.array([[0.0], [1.0], [3.0]])


def near(actions: Matrix, responses: Matrix, theta: Vector) -> Matrix:
    """U = −(y − θx)²."""
    return -((responses[:, 0] - theta[0] * actions) ** 2)


def test_by_hand() -> None:
    """θ = 2: targets 0.4, 1.6, 2.4 are nearest to 0, 1, 3; with θ = −1 all are nearest to 0."""
    respond, actions = BestResponse(near, CANDIDATES), np.array([[0.2], [0.8], [1.2]])
    np.testing.assert_array_equal(respond(actions, np.array([2.0])), [[0], [1], [3]])
    np.testing.assert_array_equal(respond(actions, np.array([-1.0])), [[0], [0], [0]])


def test_candidates_may_have_several_outputs() -> None:
    respond = BestResponse(lambda x, y, _: x @ y.T, np.array([[1.0, 0.0], [0.0, 2.0]]))
    np.testing.assert_array_equal(respond(np.array([[3.0, 1.0], [1.0, 1.0]]), np.zeros(1)), [[1, 0], [0, 2]])


def test_ties_go_to_the_first_in_every_row_and_order() -> None:
    respond = BestResponse(near, np.array([[1.0], [0.0], [1.0]]))
    np.testing.assert_array_equal(respond(np.array([[0.5], [0.5], [0.4]]), np.ones(1)), [[1], [1], [0]])


@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e9])
def test_rounding_breaks_no_tie(scale: float) -> None:
    """0.1 + 0.2 and 0.3 are one utility, at any scale: the first candidate wins whichever way they are rounded."""
    for utilities in ([0.1 + 0.2, 0.3], [0.3, 0.1 + 0.2]):
        respond = BestResponse(lambda _x, _y, _t, u=utilities: scale * np.array([u]), np.array([[7.0], [8.0]]))
        assert respond(np.zeros((1, 1)), np.zeros(1)) == 7.0


def test_a_forbidding_penalty_blurs_no_difference() -> None:
    respond = BestResponse(lambda *_: np.array([[-1e12, 1.0, 1.0 + 1e-6]]), CANDIDATES)
    assert respond(np.zeros((1, 1)), np.zeros(1)) == 3.0


@given(st.lists(st.floats(-100, 100), min_size=3, max_size=3), st.floats(-5, 5))
def test_no_candidate_is_better_by_more_than_the_tolerance(x: list[float], theta: float) -> None:
    actions, opponent_type = np.array(x)[:, None], np.array([theta])
    chosen = BestResponse(near, CANDIDATES)(actions, opponent_type)
    utility = near(actions, CANDIDATES, opponent_type)
    gained = -((chosen[:, 0] - theta * actions[:, 0]) ** 2)
    assert np.all(utility.max(axis=1) - gained <= 1e-12 * np.maximum(1, np.abs(utility.max(axis=1))))


@pytest.mark.parametrize(
    ("utility", "sentence"),
    [
        (lambda x, y, _: np.zeros((len(y), len(x))), "utility gave shape (3, 2): it must be (2, 3), one row per"),
        (lambda *_: np.zeros(3), "utility has shape (3,): give an array with 2 dimension(s)."),
        (
            lambda *_: np.full((2, 3), np.nan),
            "utility has the value nan at position 0, 0: every number must be finite.",
        ),
    ],
)
def test_utilities_that_do_not_fit_are_refused(utility: object, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=re.escape(sentence)):
        BestResponse(utility, CANDIDATES)(np.zeros((2, 1)), np.zeros(1))


def test_candidates_that_are_no_rows_of_numbers_are_refused() -> None:
    with pytest.raises(InvalidInput, match="candidates has the value nan at position 0, 0"):
        BestResponse(lambda x, y, _: np.zeros((len(x), len(y))), np.array([[np.nan]]))


def test_nothing_to_choose_from_is_refused() -> None:
    with pytest.raises(InvalidInput, match="candidates has no rows: a best response needs at least one"):
        BestResponse(near, np.empty((0, 1)))
