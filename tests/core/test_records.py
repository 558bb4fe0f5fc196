import dataclasses
import re

import numpy as np
import pytest

from firstmover.core.arrays import as_array, as_index, as_range, positive
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box, Feedback, Round, Run


def refused(sentence):
    return pytest.raises(InvalidInput, match=re.escape(sentence))


def test_array_is_a_read_only_copy():
    mine = np.array([1.0, 2.0])
    array = as_array("x", mine, ndim=1)
    mine[0] = 9.0
    assert array.tolist() == [1.0, 2.0]
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 3.0


@pytest.mark.parametrize(
    ("value", "ndim", "sentence"),
    [
        ([[1.0]], 1, "x has shape (1, 1): give an array with 1 dimension(s)."),
        (3.0, 1, "x has shape (): give an array with 1 dimension(s)."),
        ([1.0, np.inf], 1, "x has the value inf at position 1: every number must be finite."),
        ([[0.0, 1.0], [np.nan, 0.0]], 2, "x has the value nan at position 1, 0: every number must be finite."),
        ([None], 1, "x has None: give real numbers, and leave out what is missing."),
        (["one"], 1, "x has 'one': give real numbers, and leave out what is missing."),
        ([[1.0], [1.0, 2.0]], 2, "x must hold numbers: rows differ in length, so give each as many numbers."),
        ([10**400], 1, "x must hold numbers: OverflowError: int too large to convert to float."),
        ([1j], 1, "x has 1j: give real numbers, and leave out what is missing."),
    ],
)
def test_array_refuses(value, ndim, sentence):
    with refused(sentence):
        as_array("x", value, ndim)


def test_array_of_another_length():
    assert len(as_array("x", [1, 2], ndim=1, length=2)) == 2
    with refused("x has 2 number(s): give 3."):
        as_array("x", [1, 2], ndim=1, length=3)


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_positive_refuses(value):
    with refused(f"speed is {value}: it must be a finite number above 0."):
        positive("speed", value)


def test_index():
    assert as_index("action", np.int64(2), count=3) == 2
    assert as_index("action", -5) == -5
    for bad in (-1, 3):
        with refused(f"action is {bad}: give an index from 0 to 2."):
            as_index("action", bad, count=3)
    for bad in (1.0, "1", None):
        with refused(f"action is {bad!r}: give a whole number."):
            as_index("action", bad)


def test_range():
    assert as_range("reward_range", (0, 1)) == (0.0, 1.0)
    for bad in ((1, 1), (2, 1), (0, np.inf), (np.nan, 1)):
        with refused(f"reward_range is {bad}: give (smallest, largest), both finite."):
            as_range("reward_range", bad)


class TestBox:
    def test_corners_are_kept_as_read_only_copies(self):
        mine = np.zeros(2)
        box = Box(mine, [1, 2])
        mine[0] = 9.0
        assert box.lower.tolist() == [0.0, 0.0]
        for corner in (box.lower, box.upper):
            with pytest.raises(ValueError, match="read-only"):
                corner[0] = 3.0

    @pytest.mark.parametrize(
        ("lower", "upper", "sentence"),
        [
            ([0.0, 2.0], [1.0, 1.0], "box.lower 2.0 is not at or below box.upper 1.0 at (1,): swap or correct them."),
            ([[0.0], [np.nan]], [[1.0], [1.0]], "box.lower nan is not at or below box.upper 1.0 at (1, 0): swap"),
            ([0.0], [1.0, 1.0], "box corners have shapes (1,) and (2,): give two of (m,) or (n, m)."),
            (0.0, 1.0, "box corners have shapes () and (): give two of (m,) or (n, m)."),
        ],
    )
    def test_refuses(self, lower, upper, sentence):
        with refused(sentence):
            Box(lower, upper)

    def test_within_cuts_each_coordinate_and_misses_to_the_nearest_face(self):
        box = Box([[-2.0, 0.5], [3.0, 8.0]], [[1.0, 0.5], [5.0, 9.0]]).within(Box([0.0, 0.0], [4.0, 1.0]))
        assert box.lower.tolist() == [[0.0, 0.5], [3.0, 1.0]]
        assert box.upper.tolist() == [[1.0, 0.5], [4.0, 1.0]]

    def test_within_a_domain_above(self):
        box = Box([[-2.0]], [[-1.0]]).within(Box([0.0], [4.0]))
        assert (box.lower.tolist(), box.upper.tolist()) == ([[0.0]], [[0.0]])

    def test_within_everything_is_itself(self):
        box = Box([[-2.0]], [[5.0]]).within(Box([-np.inf], [np.inf]))
        assert (box.lower[0, 0], box.upper[0, 0]) == (-2.0, 5.0)


def test_feedback_checks_and_copies():
    kind = np.array([1.0])
    feedback = Feedback(np.int64(2), kind, [3, 4])
    kind[0] = 9.0
    assert feedback.opponent_type.tolist() == [1.0]
    assert type(feedback.action) is int
    with pytest.raises(dataclasses.FrozenInstanceError):
        feedback.action = 1
    with refused("action is 1.7: give a whole number."):
        Feedback(1.7, [0.0], [0.0])
    with refused("opponent_type has the value nan at position 0"):
        Feedback(0, [np.nan], [0.0])
    with refused("response has the value inf at position 1"):
        Feedback(0, [0.0], [0.0, np.inf])


def test_run_collects_rounds_into_columns():
    rounds = [
        Round(
            t, np.array([0.25, 0.75]), t % 2, np.array([t]), np.array([t, 1.0, 2.0]), np.array([t, 1.5, 2.5]), 0.5 * t
        )
        for t in range(4)
    ]
    run = Run.of(rounds)
    assert run.strategies.shape == (4, 2)
    assert run.actions.tolist() == [0, 1, 0, 1]
    assert run.opponent_types.shape == (4, 1)
    assert run.true_responses[3].tolist() == [3.0, 1.0, 2.0]
    assert run.responses[3].tolist() == [3.0, 1.5, 2.5]
    assert run.rewards.tolist() == [0.0, 0.5, 1.0, 1.5]


def test_the_learner_is_shown_the_noisy_response_only():
    played = Round(0, np.array([1.0]), 0, np.array([7.0]), np.array([1.0]), np.array([1.5]), 9.0)
    feedback = played.feedback
    assert (feedback.action, feedback.opponent_type.tolist(), feedback.response.tolist()) == (0, [7.0], [1.5])


def test_an_empty_run_is_refused():
    with refused("A run needs at least one round: none were played."):
        Run.of([])
