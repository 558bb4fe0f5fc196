"""Slips of the hand, and worse: each is answered in one sentence, and nothing is recorded."""

import sys
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.matches import Match
from firstmover.matches.config import read_document
from firstmover.matches.files import read_records, table_of
from tests.matches.played import ROUTES, new, reopened

LONG = "9" * 5000
"""More digits than Python reads into a number."""


@pytest.mark.parametrize(
    "call",
    [
        lambda match, name: match.ask(name),
        lambda match, name: match.tell(name, "low", 1.0),
        lambda match, name: match.void(name, "missing"),
        lambda match, name: match.correct(name, "low", 1.0, reason="misread"),
    ],
)
def test_a_round_of_five_thousand_digits_is_refused_in_a_short_sentence(
    tmp_path: Path, call: Callable[[Match, str], Any]
) -> None:
    with pytest.raises(InvalidInput, match=r"99'(: give 1 to 80| was never asked)") as caught:
        call(new(tmp_path), LONG)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("action", [LONG, "٣", "-1", 1.0, None, True, np.float64(1), 4])
def test_what_is_no_action_is_refused(tmp_path: Path, action: object) -> None:
    with pytest.raises(InvalidInput, match=r"row 1: (Unknown action|action is)"):
        new(tmp_path).import_history([{"action": action, "type": "low", "response": 1.0}])


def test_an_index_may_be_numpys(tmp_path: Path) -> None:
    assert new(tmp_path).import_history([{"action": np.int64(3), "type": "low", "response": 1.0}]).new == 1


@pytest.mark.parametrize(
    "response", ["1_0", "٣", "3.2min", "nan", "inf", "-inf", float("nan"), True, None, "", LONG, 10**400]
)
def test_what_is_no_number_is_refused(tmp_path: Path, response: object) -> None:
    match = new(tmp_path)
    match.ask("a")
    with pytest.raises(InvalidInput, match=r"give a number alone, in min, as in congestion=3\.2") as caught:
        match.tell("a", "low", response)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("response", [1e308, -1e308, 1.1e100])
def test_a_response_whose_square_overflows_does_not_end_a_match(tmp_path: Path, response: float) -> None:
    """Without ends it was recorded once, and no later round could be told."""
    match = new(tmp_path, responses=[{"name": "congestion"}], types=[{"name": "demand"}])
    match.ask("a")
    with pytest.raises(InvalidInput, match=r"give the measured value, at most 1e\+100 in size"):
        match.tell("a", 1.0, response)
    with pytest.raises(InvalidInput, match=r"give the measured value, at most 1e\+100 in size"):
        match.tell("a", response, 1.0)
    match.tell("a", 1e100, 1e100)
    match.tell(match.ask("b").round_id, -1e100, -1e100)
    match.tell(match.ask("c").round_id, 1.0, 1.0)
    assert match.verify().rounds == 3


def test_bounds_whose_rewards_overflow_count_as_none(tmp_path: Path) -> None:
    """NumPy's warning of the overflow reached the caller."""
    match = new(tmp_path, responses=[{"name": "congestion", "lower": -1e308, "upper": 1e308}])
    assert match.setting.game.reward_range is None
    match.tell(match.ask("a").round_id, "low", 1.0)
    assert match.verify().rounds == 1


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"types": [{"name": "congestion"}]}, "'congestion' names a type or response, and another column of files"),
        ({"types": [{"name": "round"}]}, "'round' names a type or response, and another column of files"),
        ({"horizon": 10**400}, r"horizon is 1000\d*...0*: it should be less than or equal"),
        (
            {"menu": ROUTES["menu"] | {"features": ["north", "north"]}},
            "menu.features names 'north' twice: give it once",
        ),
        ({"menu": ROUTES["menu"] | {"features": []}}, r"menu\.features is \[\]: name one or more columns, or leave it"),
        ({"menu": {"rows": [{"label": "a", "units": 1e101}]}}, r"menu has 1e\+101 in column 'units', row 1: .*, up to"),
        ({"menu": {"rows": [{"units": 1.0}, {"label": "a", "units": 2.0}]}}, "an empty label in row 1: give"),
        (
            {"reward": {"value": 1.0, "responses": {"congestion": 1e250}}},
            r"reward reaches 2e\+251 over the menu and the responses: keep it within 1e\+150 by smaller",
        ),
        (
            {"reward": {"responses": {"congestion": 1e250}}, "responses": [{"name": "congestion"}]},
            "reward reaches inf over the menu and the responses",
        ),
        (
            {"reward": {"value": 1.0, "responses": {"congestion": 1e308}}},
            "reward reaches inf over the menu and the responses",
        ),
        (
            {"kernel": {"name": "rbf", "length_scale": 1e-300}},
            r"kernel\.length_scale is 1e-300: a length scale must be at least 1e-50",
        ),
        (
            {
                "kernel": {
                    "name": "product",
                    "action": {"name": "rbf"},
                    "opponent_type": {"name": "rbf", "length_scale": 1e-60},
                }
            },
            r"kernel\.opponent_type\.length_scale is 1e-60",
        ),
        (
            {"menu": {"rows": [{"label": "a", "units": 1.0}, {"label": " ", "units": 2.0}]}},
            "an empty label in row 2: give",
        ),
        ({"reward": {"function": "numpy:sum", "directions": [1]}}, r"reward.function 'numpy:sum' fails at .*\[0.0\]"),
        ({"reward": {"function": "numpy:vecdot", "directions": [1]}}, "reward.function 'numpy:vecdot' fails at"),
    ],
)
def test_a_configuration_that_would_fail_later_is_refused(
    tmp_path: Path, changes: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        new(tmp_path, **changes)
    assert not (tmp_path / "matches.db").exists()


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("a.json", "[" * 100_000, "it is nested too deeply"),
        ("a.toml", f"a = {'[' * 100_000}", "it is nested too deeply"),
        ("a.json", LONG, "a number has too many digits"),
        ("a.toml", f"horizon = {LONG}", "a number has too many digits"),
        ("a.json", '{"a": 1,\n "b"}', "something is missing or wrong in line 2, column 5"),
    ],
)
def test_a_document_that_no_parser_ends_is_refused(tmp_path: Path, name: str, text: str, sentence: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(InvalidInput, match=f"is not (TOML|JSON): {sentence}"):
        read_document(tmp_path / name)
    with pytest.raises(InvalidInput, match=r"holds no rows that can be read|a row is"):
        read_records((tmp_path / name).rename(tmp_path / "rows.json"))


def test_files_go_by_their_names_and_not_by_patterns(tmp_path: Path) -> None:
    table = "label,north,south,units\na,1,2,3\nb,4,5,6\n"
    (tmp_path / "menu[1].csv").write_text(table)
    match = new(tmp_path, menu={"file": str(tmp_path / "menu[1].csv"), "features": ["north", "south"]})
    assert match.setting.menu.labels == ("a", "b")
    assert table_of(tmp_path / "menu[1].csv").column("label") == ["a", "b"]
    for folder in (tmp_path, tmp_path / "a\0b"):
        with pytest.raises(InvalidInput, match="cannot be read: "):
            new(tmp_path, menu={"file": str(folder)})


@pytest.mark.parametrize("name", ["a?b.db", "a%20b.db", "a#b.db", "ü [1].db"])
def test_a_store_is_the_file_that_was_named(tmp_path: Path, name: str) -> None:
    with Match.create(tmp_path / name, "roads", ROUTES) as match:
        match.ask("a")
    assert [path.name for path in tmp_path.iterdir()] == [name]
    with Match.open(tmp_path / name, "roads") as match:
        assert match.status().pending == ("a",)


@pytest.mark.parametrize(
    ("store", "sentence"),
    [
        ("postgresql://ann:secret@h:port/x", r"store is .postgresql://ann:\*\*\*@h:port/x.: give a file, or a URL"),
        ("mysql://ann:secret@host/x", r"store is .mysql://ann:\*\*\*@host/x.: give a file for SQLite"),
        ("a\0b.db", "the name is not valid"),
        (".", "Is a directory"),
    ],
)
def test_a_store_that_cannot_be_is_refused(store: str, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        Match.create(store, "roads", ROUTES)


def test_a_folder_is_not_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"is a folder: name a file in it"):
        Match.open(tmp_path, "roads")


def test_a_reward_that_is_no_number_is_not_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "steep.py").write_text("def profit(actions, responses):\n    return responses[:, 0] ** 5.0\n")
    monkeypatch.syspath_prepend(tmp_path)
    reward = {"function": "steep:profit", "directions": [1], "range": [0.0, 1.0]}
    match = new(tmp_path, reward=reward, responses=[{"name": "congestion"}])
    match.ask("a")
    with pytest.raises(
        InvalidInput, match=r"round 'a' would have the reward inf at .*: nothing was recorded; give the measured value"
    ):
        match.tell("a", "low", 1e90)
    match.tell("a", "low", 2.0)
    with pytest.raises(InvalidInput, match="would have the reward inf"):
        match.correct("a", "low", 1e90, reason="misread")
    assert match.history()[0].reward == 32.0
    assert match.correct("a", reason="another road") is True
    sys.modules.pop("steep")


@pytest.mark.parametrize(("reason", "found"), [("", "empty"), (" ", "empty"), (5, "5"), (None, "None")])
def test_a_reason_is_said_in_words(tmp_path: Path, reason: Any, found: str) -> None:
    match = new(tmp_path)
    match.ask("a")
    with pytest.raises(InvalidInput, match=f"^reason is {found}: say in a few words why"):
        match.void("a", reason)


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        (None, "history is None: give a list of rows, each with action, type and response."),
        (5, "history is 5: give a list of rows"),
        ({"action": 0, "type": "low", "response": 1.0}, "history is {'action': 0, .*}: give a list of rows"),
        ("past.csv", "history is 'past.csv': give a list of rows"),
        ([5], "row 1 is 5: give action, type and response by name."),
        ([None], "row 1 is None: give action"),
        ([(0, "low", 1.0)], r"row 1 is \(0, 'low', 1.0\): give action"),
        (
            [{"action": 0, "type": "low", "response": 1.0, "extra": 2}],
            "row 1: Unknown column 'extra': Known: action, features, id, response, type, when.",
        ),
        ([{"action": 0, "type": "low", "response": 1.0, 7: 2}], "row 1: Unknown column '7'"),
    ],
)
def test_what_is_no_history_is_refused(tmp_path: Path, rows: Any, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=f"^{sentence}"):
        new(tmp_path).import_history(rows)


def test_an_array_without_an_axis_is_a_number(tmp_path: Path) -> None:
    match = new(tmp_path)
    match.ask("a")
    assert match.tell("a", np.array("low"), np.array(3.0)) is True
    assert match.tell("a", {"demand": np.array("low")}, {"congestion": np.array(3.0)}) is False
    with pytest.raises(InvalidInput, match="Unknown level of type 'demand'"):
        match.tell("a", {"demand": np.array(["low", "high"])}, 3.0)
    with pytest.raises(InvalidInput, match=r"response 'congestion' is array\(\[1., 2.\]\): give a number alone"):
        match.tell("a", "low", {"congestion": np.array([1.0, 2.0])})


def test_a_type_of_a_built_in_game_may_be_numpys(tmp_path: Path) -> None:
    match = Match.create(tmp_path / "bay.db", "bay", {"menu": {"game": "shore"}})
    match.ask("a")
    with pytest.raises(InvalidInput, match="Unknown type"):
        match.tell("a", np.array([1.0, 2.0]), 0.5)
    assert match.tell("a", np.array(3), 0.5) is True


def test_a_date_in_a_menu_is_shown_as_people_write_it(tmp_path: Path) -> None:
    pl.DataFrame({"label": ["a"], "day": [date(2020, 1, 1)]}).write_parquet(tmp_path / "menu.parquet")
    with pytest.raises(InvalidInput, match="has 2020-01-01 in column 'day', row 1: give every action a finite number"):
        new(tmp_path, menu={"file": str(tmp_path / "menu.parquet")})


def test_a_menu_with_semicolons_is_told_so(tmp_path: Path) -> None:
    (tmp_path / "menu.csv").write_text("label;north\na;1,5\n")
    with pytest.raises(InvalidInput, match="has semicolons between columns: give commas there"):
        new(tmp_path, menu={"file": str(tmp_path / "menu.csv")})


@pytest.mark.parametrize("reason", ["caf\udce9 closed", "x" * 501])
def test_a_reason_can_be_written_to_any_file(tmp_path: Path, reason: str) -> None:
    match = new(tmp_path)
    match.ask("a")
    for call in (match.void, lambda name, why: match.correct(name, "low", 1.0, reason=why)):
        with pytest.raises(InvalidInput, match=r"^reason is .*: give a text in UTF-8 of at most 500 characters\.$"):
            call("a", reason)


@pytest.mark.parametrize("name", [".", ".."])
def test_a_name_is_no_way_through_folders(tmp_path: Path, name: str) -> None:
    with pytest.raises(InvalidInput, match=r"name is '\.\.?': give another, since browsers read this as"):
        Match.create(tmp_path / "matches.db", name, ROUTES)
    with pytest.raises(InvalidInput, match=r"round_id is '\.\.?': give another"):
        new(tmp_path).ask(name)
    assert reopened(tmp_path).sequence == 1


@pytest.mark.parametrize("store", [None, 5, b"matches.db"])
def test_a_store_is_a_file_or_an_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, store: Any) -> None:
    monkeypatch.chdir(tmp_path)
    for call in (lambda: Match.create(store, "roads", ROUTES), lambda: Match.open(store, "roads")):
        with pytest.raises(InvalidInput, match=r"^store is (None|5|b'matches.db'): give a file, or a URL such as"):
            call()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("bounds", "value", "allowed"), [({"lower": 0.0}, -1, "from 0 min"), ({"upper": 20.0}, 21, "up to 20 min")]
)
def test_a_range_with_one_end_is_named(tmp_path: Path, bounds: dict[str, float], value: int, allowed: str) -> None:
    match = new(tmp_path, responses=[{"name": "congestion", "unit": "min", **bounds}])
    match.ask("a")
    with pytest.raises(InvalidInput, match=rf"'congestion' is {value}, outside the allowed range \({allowed}\)"):
        match.tell("a", "low", value)
