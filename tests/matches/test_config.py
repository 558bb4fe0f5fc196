"""What a user can write into a configuration, and what is refused, in one sentence each."""

import json
import sys
import tomllib
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box
from firstmover.learners import DEFAULT_LEARNER
from firstmover.matches import Match
from firstmover.matches.rewards import LinearReward
from firstmover.matches.setup import Setting
from firstmover.matches.template import template, templates
from tests.matches.played import ROUTES, new

ROWS = ROUTES["menu"]["rows"]
NAN = float("nan")


def changed(path: str, value: Any) -> dict[str, Any]:
    """The configuration with one entry, such as `menu.features`, changed; None takes it out."""
    fields: Any = deepcopy(ROUTES)
    *place, last = path.split(".")
    part = fields
    for name in place:
        part = part[int(name)] if isinstance(part, list) else part[name]
    if value is None:
        del part[last]
    else:
        part[int(last) if isinstance(part, list) else last] = value
    return dict(fields)


@pytest.mark.parametrize(
    ("path", "value", "sentence"),
    [
        ("kernell", 1, "Unknown field 'kernell': did you mean 'kernel'"),
        ("menu.feature", [], "Unknown field 'feature': did you mean 'features'"),
        ("kernel", None, "kernel is missing: learner 'stackelucb' needs kernel, regularization and confidence, so"),
        ("menu.game", "shore", "menu has rows and game: give one of rows, file and game."),
        ("menu.features", ["north", "sout"], "Unknown column of the menu 'sout': did you mean 'south'"),
        ("menu.label", "plan", "Unknown column of the menu 'plan'"),
        ("reward.value", "unit", "Unknown column of the menu 'unit': did you mean 'units'"),
        ("reward.responses", {"congest": 1.0}, "Unknown response in reward.responses 'congest'"),
        ("reward.responses", {}, "reward.responses is empty: give the worth of a response"),
        ("reward.directions", [1], "reward.directions and reward.lipschitz belong to reward.function"),
        ("reward.function", "os:system", "'os:system': name a module of your own, not one of Python's"),
        ("reward.function", "no_such_module:f", "'no_such_module:f' cannot be imported"),
        ("reward.function", "import os", "reward.function is 'import os': it should be a function of a module, as in"),
        ("regularization", True, "regularization is True: it should be a valid number"),
        ("regularization", "1", "regularization is '1': it should be a valid number"),
        ("regularization", 0, "regularization is 0: it should be greater than 0"),
        ("confidence", {}, "confidence needs either width, or rkhs_norm_bound, noise_std and failure_probability"),
        ("confidence", {"width": 1.0, "noise_std": 1.0, "rkhs_norm_bound": 1.0, "failure_probability": 0.1}, "either"),
        ("confidence", {"rkhs_norm_bound": 1.0}, "confidence needs either"),
        (
            "confidence",
            {"width": 1.5, "rkhs_norm_bound": 3.0},
            r"rkhs_norm_bound is 3\.0, beside a constant width: leave",
        ),
        ("strategy", "adahegde", "Unknown strategy 'adahegde': did you mean 'adahedge'"),
        ("types.0.levels", ["a", "a"], r"levels of type 'demand' is \['a', 'a'\]: give one or more different"),
        ("types.0.levels", [], r"levels of type 'demand' is \[\]: give one or more different names"),
        (
            "types.0.name",
            "a=b",
            "'a=b': it should be a name of 1 to 80 characters in one line, without = and ,",
        ),
        ("responses.0.lower", 30.0, "response 'congestion' has lower 30.0 and upper 20.0: give a lower below"),
        ("responses", [{"name": "a"}, {"name": "a"}], r"responses name \['a', 'a'\]: give each its own name"),
        ("menu.rows", [*ROWS, ROWS[1]], "menu names 'north' twice: give every action a label of its own"),
        ("menu.rows", [], "menu has no rows"),
        ("menu.rows.1.north", NAN, r"menu\.rows\.1\.north is nan: it should be a finite number or a text\.$"),
        ("menu.rows.1", [1], r"menu\.rows\.1 is \[1\]: it should be a table of names and values\.$"),
        (
            "reward.responses.congestion",
            NAN,
            r"reward\.responses\.congestion is nan: it should be a finite number, the",
        ),
        (
            "reward.responses",
            {"": 1.0},
            r"a name in reward\.responses is '': it should be a name of 1 to 80 characters in one line",
        ),
        ("types.0.levels", {"a": NAN}, r"types\.0\.levels is {'a': nan}: it should be a list of names, or names with"),
        ("menu.rows", [*ROWS, {**ROWS[1], "label": "x", "units": 3.0}], "'north' and 'x' have the same features and"),
        ("menu.rows", [*ROWS, {"label": "x", "north": 1.0}], "menu has nothing in column 'south', row 5"),
    ],
)
def test_a_wrong_configuration_is_refused_before_anything_is_written(
    tmp_path: Path, path: str, value: Any, sentence: str
) -> None:
    with pytest.raises(InvalidInput, match=sentence) as caught:
        Match.create(tmp_path / "m.db", "m", changed(path, value))
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "m.db").exists()


@pytest.mark.parametrize(
    ("cell", "sentence"), [("nan", "'nan'"), ("", "nothing"), ("inf", "'inf'"), ("3 km", "'3 km'")]
)
def test_a_menu_file_with_a_hole_is_refused_by_row_and_column(tmp_path: Path, cell: str, sentence: str) -> None:
    (tmp_path / "menu.csv").write_text(f"label,north,south,units\na,1,2,3\nb,4,{cell},6\n")
    with pytest.raises(InvalidInput, match=f"has {sentence} in column 'south', row 2: give every action a finite"):
        Match.create(tmp_path / "m.db", "m", changed("menu", {"file": str(tmp_path / "menu.csv")}))


def test_the_menu_is_copied_from_csv_or_parquet_so_that_the_file_may_go(tmp_path: Path) -> None:
    pl.DataFrame(ROWS).write_csv(tmp_path / "menu.csv")
    pl.DataFrame(ROWS).write_parquet(tmp_path / "menu.parquet")
    rows = new(tmp_path).setting.menu
    for name in ("menu.csv", "menu.parquet"):
        fields = changed("menu", {"file": name, "features": ["north", "south"]})
        (tmp_path / "match.json").write_text(json.dumps(fields))
        Match.create(tmp_path / "matches.db", name, tmp_path / "match.json")
        (tmp_path / name).unlink()
        menu = Match.open(tmp_path / "matches.db", name).setting.menu
        assert (menu.labels, menu.features) == (rows.labels, rows.features)
        assert menu.actions.tolist() == rows.actions.tolist()


def test_without_labels_actions_go_by_their_number(tmp_path: Path) -> None:
    (tmp_path / "menu.csv").write_text("north,south,units\n1,2,3\n2,4,6\n")
    match = Match.create(tmp_path / "m.db", "m", changed("menu", {"file": str(tmp_path / "menu.csv")}))
    assert match.setting.menu.labels == ("0", "1")
    assert match.setting.menu.index("1") == match.setting.menu.index(1) == 1
    with pytest.raises(InvalidInput, match="action is 2: give a label of the menu or an index from 0 to 1"):
        match.setting.menu.index(2)


def test_the_linear_reward_is_largest_at_the_corner_its_signs_point_to() -> None:
    reward = LinearReward(np.array([[0.0], [1.0]]), np.array([5.0, 7.0]), np.array([[-1.0, 2.0], [3.0, 0.0]]))
    box = Box([[1.0, 10.0], [2.0, 20.0]], [[4.0, 11.0], [3.0, 30.0]])
    assert reward.best_in_box(reward.actions, box).tolist() == [5 - 1 + 22, 7 + 9]
    rng = np.random.default_rng(0)
    for _ in range(50):
        inside = box.lower + rng.random((2, 2)) * (box.upper - box.lower)
        assert np.all(reward(reward.actions, inside) <= reward.best_in_box(reward.actions, box))
    assert reward(reward.actions[[1]], np.array([[2.0, 9.0]])).tolist() == [13.0]
    assert reward.range_over(Box([0.0, -1.0], [1.0, 1.0])) == (2.0, 10.0)
    assert reward.range_over(Box([0.0, 0.0], [1.0, np.inf])) is None
    assert LinearReward(np.zeros((1, 1)), np.zeros(1), np.array([[1.0, 0.0]])).range_over(
        Box([0.0, 0.0], [1.0, np.inf])
    ) == (0.0, 1.0)


def test_a_coefficient_may_be_a_column_times_a_factor() -> None:
    fields = changed("reward.responses", {"congestion": {"column": "units", "times": -0.5}})
    game = Setting.of(fields).game
    assert game.reward(game.actions, np.full((4, 1), 2.0)).tolist() == [0.0, 0.0, 0.0, 0.0]
    assert game.reward_range == (-90.0, 10.0)


def test_a_function_of_the_user_is_imported_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_rewards.py").write_text("def profit(actions, responses):\n    return -responses[:, 0]\n")
    monkeypatch.syspath_prepend(tmp_path)
    named = changed("reward", {"function": "my_rewards:profit", "directions": [-1], "range": [-20.0, 0.0]})
    game = Setting.of(named).game
    assert game.reward.best_in_box(game.actions, Box([[1.0]] * 4, [[2.0]] * 4)).tolist() == [-1.0] * 4
    assert game.reward_range == (-20.0, 0.0)
    lattice = Setting.of(changed("reward", {"function": "my_rewards:profit", "lipschitz": 1.0})).game
    assert lattice.reward.best_in_box(game.actions, Box([[1.0]] * 4, [[2.0]] * 4))[0] >= -1.0
    with pytest.raises(InvalidInput, match=r"has no bound over boxes: give reward.directions or reward.lipschitz"):
        Setting.of(changed("reward", {"function": "my_rewards:profit"}))
    with pytest.raises(InvalidInput, match=r"reward.directions has 2 sign\(s\)"):
        Setting.of(changed("reward", {"function": "my_rewards:profit", "directions": [1, 1]}))
    sys.modules.pop("my_rewards")


def test_levels_with_numbers_are_a_scale_and_names_alone_are_features_of_their_own() -> None:
    both = [{"name": "demand", "levels": {"low": 0.5, "high": 2.0}}, {"name": "day", "levels": ["work", "rest"]}]
    setting = Setting.of(changed("types", both))
    assert setting.types.vector({"demand": "high", "day": "rest"}).tolist() == [2.0, 0.0, 1.0]
    known = setting.game.types
    assert known is not None
    assert known.tolist() == [[0.5, 1, 0], [0.5, 0, 1], [2, 1, 0], [2, 0, 1]]
    free = Setting.of(changed("types", [{"name": "demand"}]))
    assert free.game.types is None
    assert free.types.read("2.5") == {"demand": 2.5}


def test_the_horizon_decides_between_the_rates_and_the_lemma_can_be_asked_for() -> None:
    plain = {name: value for name, value in ROUTES.items() if name != "strategy"}
    assert Setting.of(plain).strategy == "adahedge"
    lemma = {"rkhs_norm_bound": 3.0, "noise_std": 1.0, "failure_probability": 0.05}
    setting = Setting.of(plain | {"horizon": 100, "confidence": lemma})
    assert setting.strategy == "fixed-rate"
    assert setting.confidence(0.0) == pytest.approx(np.sqrt(9 + 2 * np.log(20)))
    assert Setting.restored(setting.stored()).confidence == setting.confidence


def test_a_journal_without_a_formula_keeps_the_sum_and_its_hash() -> None:
    lemma = {"rkhs_norm_bound": 3.0, "noise_std": 1.0, "failure_probability": 0.05}
    stored = Setting.of(ROUTES | {"confidence": lemma}).stored()
    assert stored["config"]["confidence"].pop("formula") == "tight"
    earlier = Setting.restored(stored)
    assert earlier.confidence(0.0) == pytest.approx(3 + np.sqrt(2 * np.log(20)))
    assert earlier.stored() == stored
    assert "formula" not in Setting.of(ROUTES).stored()["config"]["confidence"]


def test_a_menu_may_declare_that_its_features_are_loads_and_others_keep_their_hash() -> None:
    plain = Setting.of(ROUTES)
    declared = Setting.of(ROUTES | {"menu": ROUTES["menu"] | {"congestion": True}})
    assert (plain.game.congestion, declared.game.congestion) == (False, True)
    assert "congestion" not in plain.stored()["config"]["menu"]
    assert Setting.restored(declared.stored()).game.congestion
    assert Setting.of(tomllib.loads(template("sioux-falls"))).game.congestion
    assert Setting.of(tomllib.loads(template("routing"))).game.congestion


@pytest.mark.parametrize("more", [{"congestion": True}, {"features": ["x"]}, {"label": "route"}])
def test_a_game_brings_its_own_features_labels_and_congestion(more: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=r"menu\.game brings its own"):
        Setting.of({"menu": {"game": "routing"} | more})


@pytest.mark.parametrize("name", templates())
def test_every_template_works_as_it_is(tmp_path: Path, name: str) -> None:
    (tmp_path / "match.toml").write_text(template(name))
    match = Match.create(tmp_path / "m.db", name, tmp_path / "match.toml")
    assert match.setting.config.learner == {"name": DEFAULT_LEARNER}
    told = {
        "routing": ("high", 12.5),
        "sioux-falls": ("heavy", 4.5),
        "patrol": ("1", {"east": 1.2, "north": 3.4}),
        "pricing": ("tourists", 30),
        "inspections": (None, "centre"),
    }[name]
    assert match.tell(match.ask().round_id, *told) is True
    assert match.verify().exact == 1


def test_only_numbers_alone_within_the_stated_ends_are_responses(tmp_path: Path) -> None:
    match = new(tmp_path)
    match.ask("a")
    for response, sentence in [
        ("3.2 km", "response 'congestion' is '3.2 km': give a number alone, in min, as in congestion=3.2."),
        (float("nan"), "response 'congestion' is nan: give a number alone, in min"),
        (True, "response 'congestion' is True: give a number alone"),
        ([1.0, 2.0], r"response has 2 value\(s\): give 1, for congestion"),
        ({"congestoin": 1.0}, "Unknown response 'congestoin': did you mean 'congestion'"),
        ({}, "response 'congestion' is missing: give it"),
        (-1, "response 'congestion' is -1, outside the allowed range .from 0 up to 20 min."),
    ]:
        with pytest.raises(InvalidInput, match=sentence):
            match.tell("a", "low", response)
    with pytest.raises(InvalidInput, match="Unknown level of type 'demand' 'hgih': did you mean 'high'"):
        match.tell("a", "hgih", 1)
    with pytest.raises(InvalidInput, match=r"round 'b' was never asked: ask for it first, .* \('a'\)"):
        match.tell("b", "high", 1)
    assert match.state().sequence == 2
