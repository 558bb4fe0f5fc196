"""Presets: what they refuse, and that each of their switches does something."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Any

import polars as pl
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.paper.preset import Preset
from firstmover.paper.routing import RoutingPreset
from firstmover.paper.wildlife import WildlifePreset

PRESETS: dict[str, type[Preset]] = {"routing": RoutingPreset, "wildlife": WildlifePreset}
SHORT_ROUTING = {
    "offline_points": 30,
    "range_pairs": 300,
    "degrees": (3,),
}  # below 89 rounds Exp3 does nothing but explore
SHORT_WILDLIFE = {
    "rounds": 40, "offline_points": 30, "history_points": 30, "mixed_patrols": 60,
    "widths": (0.5,), "reward_widths": (3.0,),
}  # fmt: skip


def switches(game: str) -> list[str]:
    """The fields in which the two presets differ, but for the number of degrees."""
    fields = [PRESETS[game].load(reading).model_dump() for reading in ("paper", "released")]
    return [name for name in fields[0] if fields[0][name] != fields[1][name] and name != "degrees"]


def fields_of(game: str) -> dict[str, Any]:
    path = files("firstmover.paper") / "presets" / f"{game}-paper.toml"
    return tomllib.loads(path.read_text(encoding="utf-8"))


def played(tables: list[pl.DataFrame]) -> pl.DataFrame:
    """All that rounds consist of but the noise, which is no one's choice."""
    return pl.concat(tables).select("learner", "t", "action", "probability", "entropy", "true_response_0", "reward")


@cache
def routing_runs(preset: RoutingPreset) -> pl.DataFrame:
    return played([task.play() for task in preset.tasks(1)[0]])


def test_the_switches_are_those_of_the_two_readings() -> None:
    assert switches("routing") == [
        "deviation", "first_observation", "ties", "units_counted", "travel_time", "detour_limit", "pairs", "exp3",
        "baseline_feedback", "paired",
    ]  # fmt: skip
    assert switches("wildlife") == [
        "deviation", "first_observation", "density_of_rangers", "optimism", "max_min",
    ]  # fmt: skip


@pytest.mark.parametrize("switch", switches("routing"))
def test_a_switch_of_routing_changes_the_runs(switch: str) -> None:
    text, released = (RoutingPreset.load(r).model_copy(update=SHORT_ROUTING) for r in ("paper", "released"))
    changed = text.model_copy(update={switch: getattr(released, switch)})
    assert not routing_runs(text).equals(routing_runs(changed))


@pytest.mark.parametrize(
    ("switch", "value"),
    [(switch, None) for switch in switches("wildlife")] + [("density_of_poachers", 1.0), ("avoid_rangers", False)],
)
def test_a_switch_of_the_park_changes_the_runs_or_the_references(switch: str, value: object) -> None:
    text, released = (WildlifePreset.load(r).model_copy(update=SHORT_WILDLIFE) for r in ("paper", "released"))
    changed = text.model_copy(update={switch: getattr(released, switch) if value is None else value})
    (before, notes), (after, other_notes) = text.tasks(1), changed.tasks(1)
    same = played([task.play() for task in before]).equals(played([task.play() for task in after]))
    assert not (same and notes == other_notes)


@pytest.mark.parametrize("game", PRESETS)
def test_an_unknown_preset_is_refused(game: str) -> None:
    with pytest.raises(InvalidInput, match=r"^Unknown preset 'relesed': did you mean 'released'\? Known: paper, r"):
        PRESETS[game].load("relesed")


@pytest.mark.parametrize(
    ("game", "change", "sentence"),
    [
        ("routing", {"kappa": 10.0}, r"^Unknown field 'kappa': .*Known: baseline_feedback, .*trade_off"),
        ("routing", {"rounds": "100"}, r"^rounds is '100': it should be a valid integer\.$"),
        ("routing", {"paired": 1}, r"^paired is 1: it should be a valid boolean\.$"),
        ("routing", {"ties": "alphabet"}, r"^ties is 'alphabet': it should be 'node order', 'fewest links' or 'netw"),
        ("wildlife", {"widths": [0.1, "wide"]}, r"^widths\.1 is 'wide': it should be a valid number"),
        ("wildlife", {"optimism": "edge"}, r"^optimism is 'edge': it should be 'box' or 'corner'\.$"),
        ("wildlife", {"menu": 4}, r"^Unknown field 'menu': .*Known: avoid_rangers, .*menu_seed"),
    ],
)
def test_a_preset_of_the_wrong_shape_is_refused_in_one_sentence(
    game: str, change: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InvalidInput, match=sentence) as refused:
        PRESETS[game].read(fields_of(game) | change)
    assert "\n" not in str(refused.value)


def test_a_preset_that_lacks_a_field_is_refused() -> None:
    fields = fields_of("wildlife")
    del fields["menu_seed"]
    with pytest.raises(InvalidInput, match=r"^menu_seed is missing: give it\.$"):
        WildlifePreset.read(fields)
