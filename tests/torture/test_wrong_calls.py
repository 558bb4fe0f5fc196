"""The public API refuses wrong values with its own errors: no strategy is NaN, and nothing else is recorded."""

from collections.abc import Callable, Iterable
from pathlib import Path
from unittest import mock

import numpy as np
import pytest

import firstmover as fm
from firstmover.core import arrays
from firstmover.matches import value_schema
from tests.torture.wrong_calls import CALLS, Case, cases, given_number, match_cases
from tests.wrong_values import NO_NUMBERS, WITHIN_ARRAYS

PROMISE = "wrong values: refused by name, never converted"

QUICK, SLOW = (400, 100), (30_000, 10_000)
"""Calls of the library, and of a match."""

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning", "ignore::UserWarning")


def failures(found: Iterable[Case]) -> list[str]:
    return [f"{case.name}({case.arguments!r:.300}): {said}" for case in found if (said := case.failure())]


@pytest.mark.parametrize("name", CALLS)
def test_right_values_are_taken(name: str) -> None:
    call, right = CALLS[name]
    call(**right)


def test_wrong_values_are_refused(tmp_path: Path) -> None:
    assert failures(cases(seed=0, count=QUICK[0])) == []
    assert failures(match_cases(tmp_path, seed=0, count=QUICK[1])) == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10))
def test_many_wrong_values_are_refused(tmp_path: Path, seed: int, reached: Callable[[str], None]) -> None:
    library, match = (total // 10 for total in SLOW)
    found = [*failures(cases(seed + 1, library)), *failures(match_cases(tmp_path, seed + 1, match))]
    reached(f"{library + match} calls, {len(found)} wrong")
    assert found == []


def test_the_programme_notices_a_raw_exception() -> None:
    raw = [
        Case(name, fm.Feedback, {"action": 0, "opponent_type": [1.0], "response": [value]})
        for name, value in NO_NUMBERS.items()
    ]
    assert failures(raw) == []
    with mock.patch("firstmover.core.records.as_array", lambda _, value, **__: np.array(value, dtype=float)):
        assert any("TypeError" in said for said in failures(raw))


def test_the_programme_notices_a_strategy_that_is_no_number() -> None:
    def call(rewards: object) -> object:
        return fm.MultiplicativeWeights.start(2).update(rewards)

    case = Case("weights", call, {"rewards": [1e308, np.nan]})
    assert case.failure() == ""
    with mock.patch("firstmover.strategies.multiplicative.as_array", lambda _, value, **__: np.array(value)):
        assert "AssertionError" in case.failure()


@pytest.mark.parametrize("mistaken", [lambda value: 0.0, lambda value: arrays.real_number(value) + 1])  # noqa: ARG005
def test_the_programme_notices_what_was_not_given(tmp_path: Path, mistaken: Callable[[object], float]) -> None:
    with mock.patch.object(value_schema, "real_number", mistaken):
        assert any("AssertionError" in said for said in failures(match_cases(tmp_path, seed=0, count=300)))


def test_the_rule_of_the_programme() -> None:
    assert [given_number(value) for value in (3, "3", [3.0], np.array(3), {"congestion": 3})] == [3.0] * 5
    none = [name for name, value in NO_NUMBERS.items() if given_number_or_nan(value) is None]
    assert {"masked", "bytes", "truth", "date of numpy", "duration of numpy", "complex"} <= set(none)
    assert given_number(WITHIN_ARRAYS["masked"]) is None


def given_number_or_nan(value: object) -> float | None:
    try:
        return given_number(value)
    except (ValueError, OverflowError):
        return None
