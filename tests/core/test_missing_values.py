"""A value that is no real number is refused, wherever an array or a number enters; none is converted silently."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest

from firstmover import Box, Feedback, Match
from firstmover.core.arrays import (
    LARGEST,
    as_array,
    as_count,
    as_index,
    as_mask,
    as_number,
    as_range,
    distribution,
    non_negative,
    positive,
)
from firstmover.core.errors import InvalidInput
from firstmover.games import shore_game
from tests.matches.played import new
from tests.wrong_values import NO_NUMBERS, WITHIN_ARRAYS

GAME = shore_game()


@pytest.mark.parametrize("name", NO_NUMBERS)
def test_one_value_that_is_no_number(name):
    value = NO_NUMBERS[name]
    for check in (as_number, positive, non_negative, as_index, as_count):
        with pytest.raises(InvalidInput, match=r"^speed is "):
            check("speed", value)
    for call in (
        lambda: as_array("x", [1.0, value], ndim=1),
        lambda: as_array("x", [[1.0], [value]], ndim=2),
        lambda: as_range("x", (value, 1.0)),
        lambda: distribution("x", [1.0, value], 2),
        lambda: as_mask("x", [True, value], 3),
    ):
        with pytest.raises(InvalidInput, match=r"^x "):
            call()


@pytest.mark.parametrize("name", WITHIN_ARRAYS)
def test_an_array_of_values_that_are_no_numbers(name):
    value = WITHIN_ARRAYS[name]
    for call in (
        lambda: Feedback(0, [1.0], value),
        lambda: Feedback(0, value, [1.0]),
        lambda: replace(GAME, actions=value),
        lambda: replace(GAME, actions=[value]),
        lambda: replace(GAME, types=value),
        lambda: Box(value, [9.0]),
        lambda: Box([-9.0], value),
        lambda: replace(GAME, reward_range=value),
    ):
        with pytest.raises(InvalidInput):
            call()


@pytest.mark.parametrize(
    "value",
    [
        [3],
        (3.0,),
        range(3, 4),
        [Fraction(3)],
        [np.float32(3)],
        np.array([3], dtype=np.uint8),
        np.array([3], dtype=object),
        [np.array(3.0)],
        np.ma.array([3.0], mask=[False]),
        pd.Series([3]),
        pl.Series([3.0]),
    ],
)
def test_real_numbers_of_any_kind_are_taken(value):
    assert Feedback(0, [1.0], value).response.tolist() == [3.0]


def test_a_mask_of_truth_values_only():
    assert as_mask("allowed", [True, False]).tolist() == [True, False]
    for bad in ([1, 0], ["True"], [[True]], [True, [False]], np.ma.array([True, False], mask=[False, True]), None):
        with pytest.raises(InvalidInput, match=r"^allowed is .*: give True or False"):
            as_mask("allowed", bad)


@pytest.mark.parametrize("sign", [1, -1])
def test_numbers_whose_squares_overflow_are_refused(sign):
    """From both sides of the limit, also when the sum of squares of several allowed numbers exceeds its square."""
    assert as_array("x", np.full(50, sign * LARGEST), ndim=1)[7] == sign * LARGEST
    with pytest.raises(InvalidInput, match=r"position 2: every number must be finite and at most 1e\+150 in size"):
        as_array("x", [0.0, LARGEST, sign * np.nextafter(LARGEST, np.inf)], ndim=1)


@pytest.fixture(scope="module")
def match(tmp_path_factory):
    match: Match = new(tmp_path_factory.mktemp("values"))
    match.ask("a")
    yield match
    match.close()


@pytest.mark.parametrize("name", NO_NUMBERS)
def test_a_match_records_no_measurement_that_is_missing(match, name):
    value = NO_NUMBERS[name]
    for given in (value, [value], {"congestion": value}):
        with pytest.raises(InvalidInput):
            match.tell("a", "low", given)
        with pytest.raises(InvalidInput):
            match.tell("a", given, 1.0)
        with pytest.raises(InvalidInput):
            match.import_history([{"action": 0, "type": "low", "response": given}])
        with pytest.raises(InvalidInput):
            match.record(0, "low", given)
    assert match.sequence == 2


@pytest.mark.parametrize("name", WITHIN_ARRAYS)
def test_a_match_records_nothing_of_such_an_array(match, name):
    if name == "texts":  # a text is a number on the command line, and so it is here
        return
    with pytest.raises(InvalidInput):
        match.tell("a", "low", WITHIN_ARRAYS[name])
    assert match.sequence == 2
