"""Types that are assumed: levels by their counts, numbers by quantiles, in the context of the round."""

from typing import Any

import numpy as np
import pytest

from firstmover.matches.assumed_types import assumed_types
from firstmover.matches.observed_rows import ObservedRow
from firstmover.matches.setup import Setting
from tests.matches.test_contexts import KIOSK


def setting(types: list[dict[str, Any]]) -> Setting:
    return Setting.of(KIOSK | {"types": types})


def rows(*types: dict[str, Any]) -> list[ObservedRow]:
    return [ObservedRow("", "1.0", np.array([1.0]), each, {"sold": 3.0}) for each in types]


DAY = {"name": "weekday", "levels": ["mon", "sat"], "known": "before"}
WEATHER = {"name": "weather", "levels": ["dry", "wet"]}
HEAT = {"name": "heat"}


def test_levels_by_their_counts_in_the_context() -> None:
    seen = rows(
        {"weekday": "mon", "weather": "dry"}, {"weekday": "mon", "weather": "dry"}, {"weekday": "sat", "weather": "wet"}
    )
    found = assumed_types(setting([DAY, WEATHER]), seen, {"weekday": "sat"})
    assert [(each.values, each.words) for each in found] == [
        ({"weekday": "sat", "weather": "wet"}, "weather is 'wet'"),
    ]
    assert found[0].vector.tolist() == [0.0, 1.0, 0.0, 1.0]
    assert [each.words for each in assumed_types(setting([DAY, WEATHER]), seen, {"weekday": "mon"})] == [
        "weather is 'dry'"
    ]


def test_a_context_without_observations_takes_all() -> None:
    seen = rows({"weekday": "mon", "weather": "dry"}, {"weekday": "mon", "weather": "wet"})
    found = assumed_types(setting([DAY, WEATHER]), seen, {"weekday": "sat"})
    assert [each.values["weekday"] for each in found] == ["sat", "sat"]


def test_numbers_by_their_quartiles_as_they_are_shown() -> None:
    seen = rows(*[{"heat": value} for value in (10.0, 20.0, 30.00049, 40.0, 50.0)])
    found = assumed_types(setting([HEAT]), seen, None)
    assert [each.values["heat"] for each in found] == [30.0, 20.0, 40.0]
    assert found[0].words == "heat is 30"


def test_numbers_beside_levels_are_medians() -> None:
    seen = rows(
        *({"heat": value, "weather": "wet"} for value in (1.0, 2.0, 9.0)),
        *({"heat": value, "weather": "dry"} for value in (30.0, 40.0)),
    )
    found = assumed_types(setting([HEAT, WEATHER]), seen, None)
    assert [each.values for each in found] == [{"heat": 2.0, "weather": "wet"}, {"heat": 35.0, "weather": "dry"}]


@pytest.mark.parametrize("types", [[], [DAY]], ids=["no types", "context alone"])
def test_nothing_to_assume(types: list[dict[str, Any]]) -> None:
    context = {"weekday": "sat"} if types else None
    seen = rows({"weekday": "mon"} if types else {})
    [found] = assumed_types(setting(types), seen, context)
    assert found.words == ""
    assert found.values == (context or {})


def test_numbered_types_of_a_game() -> None:
    seen = rows({"type": "3"}, {"type": "1"}, {"type": "3"})
    found = assumed_types(Setting.of({"menu": {"game": "shore"}, "horizon": 9}), seen, None)
    assert [each.words for each in found] == ["type 3", "type 1"]
