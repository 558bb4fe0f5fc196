"""A person changes a match while it is played: the menu, the reward, the levels of a type."""

import json
from pathlib import Path

import pytest

from firstmover.matches import Match
from tests.cli.running import match
from tests.matches.test_changes import SHOP

HEAT = {"name": "heat", "levels": {"cold": 0.0, "warm": 1.0}}


@pytest.fixture(autouse=True)
def _shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("shop.json").write_text(json.dumps(SHOP | {"types": [*SHOP["types"], HEAT]}))
    match("new", "shop", "--config", "shop.json")


def test_actions_are_added_from_options() -> None:
    added = ["add-actions", "shop", "--action", "label=6,price=6.0", "--action", "label=6,50 €, price=6.5"]
    assert match(*added, "--reason", "printed today") == "Added 6, 6,50 €: the menu has 6 actions."
    assert match(*added) == "All of them are on the menu already: nothing changed."
    again = ["add-actions", "shop", "--action", "label=6,price=6.0", "--action", "label=8,price=8", "--json"]
    assert json.loads(match(*again)) == {"new": True, "added": ["8"], "actions": 7}
    assert json.loads(match(*again)) == {"new": False, "added": [], "actions": 7}
    assert match("add-actions", "shop", "--action", "label=8,price=9", code=3).startswith(
        "action '8' is on the menu with other numbers: nothing was changed"
    )


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("more.csv", "label,price\n6,6.0\n7,7.5\n"),
        ("german.csv", "Label;Price\n6;6,00 €\n7;7,50 €\n\n"),
        ("more.json", json.dumps([{"label": "6", "price": 6.0}, {"label": "7", "price": 7.5}])),
    ],
)
def test_actions_are_added_from_files_as_people_have_them(name: str, content: str) -> None:
    Path(name).write_text(content)
    assert match("add-actions", "shop", "--file", name) == "Added 6, 7: the menu has 6 actions."
    assert match("add-actions", "shop", "--file", name) == "All of them are on the menu already: nothing changed."
    with Match.open("matches.db", "shop") as opened:
        assert opened.setting.menu.columns["price"].tolist() == [1.0, 2.0, 3.0, 4.0, 6.0, 7.5]


def test_a_decimal_sign_that_does_not_follow_from_the_file_is_stated() -> None:
    Path("more.csv").write_text("label;price\nlarge;1.234\n")
    refused = match("add-actions", "shop", "--file", "more.csv", code=2)
    assert refused.endswith(
        "may be 1.234 or 1234: state its decimal sign with the option decimal, as a comma or a point."
    )
    match("add-actions", "shop", "--file", "more.csv", "--decimal", ",")
    with Match.open("matches.db", "shop") as opened:
        assert opened.setting.menu.columns["price"][-1] == 1234.0


def test_actions_are_retired_and_come_back_and_the_menu_shows_it() -> None:
    assert match("retire", "shop", "2", "--reason", "sold out") == "Action '2' is retired: no further round plays it."
    assert match("retire", "shop", "2") == "Action '2' was retired before: nothing changed."
    assert json.loads(match("ask", "shop", "--json"))["strategy"][1] == 0.0
    menu = match("menu", "shop").splitlines()
    assert menu[:3] == ["label  price  retired", "1      1", "2      2      yes"]
    assert "menu: retired 2 (sold out), by " in menu[-1]
    found = json.loads(match("menu", "shop", "--json"))
    assert found["actions"][1] == {"action": 1, "label": "2", "columns": {"price": 2.0}, "retired": True}
    assert [(each["words"], each["reason"]) for each in found["changes"]] == [("menu: retired 2", "sold out")]
    assert match("unretire", "shop", "2") == "Action '2' may be played again."
    assert match("unretire", "shop", "2") == "Action '2' was not retired: nothing changed."
    assert json.loads(match("retire", "shop", "3", "--json")) == {"action": "3", "retired": True, "new": True}


def test_the_reward_is_set_from_options_or_a_file() -> None:
    assert match("set-reward", "shop", "--response", "sold=price", "--value", "-2", "--reason", "rent") == (
        "The reward is now −2 + price · sold."
    )
    assert match("set-reward", "shop", "--response", "sold=price", "--value", "-2") == (
        "That is the reward already: nothing changed."
    )
    Path("reward.toml").write_text('[reward]\nresponses = { sold = { column = "price", times = 2.0 } }\n')
    assert match("set-reward", "shop", "--config", "reward.toml") == "The reward is now 2 · price · sold."
    found = json.loads(match("set-reward", "shop", "--config", "shop.json", "--json"))
    assert found == {"new": True, "reward": "price · sold"}


def test_levels_are_added_by_name_or_with_numbers() -> None:
    assert match("add-levels", "shop", "customers", "business", "students") == (
        "Type 'customers' has the levels locals, visitors, business, students."
    )
    assert match("add-levels", "shop", "customers", "students") == "Type 'customers' has them already: nothing changed."
    assert match("add-levels", "shop", "heat", "mild=0.5", "hot=2", "--reason", "summer") == (
        "Type 'heat' has the levels cold, mild, warm, hot."
    )
    assert json.loads(match("add-levels", "shop", "heat", "hot=2", "--json")) == {
        **{"new": False, "type": "heat", "levels": ["cold", "mild", "warm", "hot"]},
    }
    assert match("add-levels", "shop", "heat", "hot=3", code=3).startswith("level 'hot' of type 'heat' is 2.0, and now")


def test_rounds_told_from_a_file_may_say_what_was_played() -> None:
    for name in "ab":
        match("ask", "shop", "--round", name)
    with Match.open("matches.db", "shop") as opened:
        advised = {each.round_id: each.label for each in opened.history()}
    other = next(label for label in SHOP["menu"]["rows"] if label["label"] not in advised.values())["label"]
    Path("told.csv").write_text(
        f"round,customers,heat,sold,played,reason\na,locals,cold,3,{other}.0,rain\nb,locals,cold,4,,\n"
    )
    assert match("tell", "shop", "--from", "told.csv") == "2 rounds told; 0 pending."
    assert match("tell", "shop", "--from", "told.csv") == "0 rounds told, 2 recorded before; 0 pending."
    rows = json.loads(match("history", "shop", "--json"))["rounds"]
    assert [(row["played_label"], row["reason"]) for row in rows] == [(other, "rain"), (None, "")]
    match("ask", "shop", "--round", "c")
    row = {"round": "c", "type": {"customers": "locals", "heat": "warm"}, "response": 2, "played": other}
    assert match("tell", "shop", "--from", "-", stdin=json.dumps(row)) == "1 round told; 0 pending."
    assert json.loads(match("history", "shop", "--json"))["rounds"][2]["played_label"] in (other, None)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["add-actions", "shop"], "add-actions needs either --action, once for each, or --file with all of them"),
        (["add-actions", "shop", "--action", "6"], "--action is '6': give its columns, as in label=6,price=6.0."),
        (
            ["add-actions", "shop", "--action", "label=6,6"],
            "rows have no column 'price': give each action label, price",
        ),
        (["add-actions", "shop", "--action", "label=6,price=x"], "menu has 'x' in column 'price', row 1: give every"),
        (["add-actions", "shop", "--file", "no.csv"], "file 'no.csv' cannot be read: "),
        (["add-actions", "shop", "--file", "empty.csv"], "file 'empty.csv' has no rows: give one for each action."),
        (["retire", "shop", "9"], "Unknown action '9'"),
        (["set-reward", "shop"], "set-reward needs either --config, or --response and perhaps --value"),
        (["set-reward", "shop", "--response", "5"], "--response is '5': give a response and its worth"),
        (["set-reward", "shop", "--response", "sold=cost"], "Unknown column of the menu 'cost'"),
        (["set-reward", "shop", "--config", "empty.toml"], "Match file 'empty.toml' has no table reward: give it"),
        (["add-levels", "shop", "weather", "dry"], "Unknown type 'weather'"),
        (
            ["add-levels", "shop", "heat", "hot"],
            "levels is ['hot']: type 'heat' has levels with numbers, so give each.",
        ),
        (["add-levels", "shop", "heat", "hot=2", "mild"], "level 'mild' has no number, and others do"),
        (["add-levels", "shop", "heat", "hot=2", "hot=3"], "level 'hot' is given twice: give it once."),
        (["add-levels", "shop", "heat", "hot=nan"], "levels is "),
    ],
)
def test_a_wrong_change_is_refused_in_one_sentence(arguments: list[str], sentence: str) -> None:
    Path("empty.csv").write_text("label,price\n")
    Path("empty.toml").write_text("")
    assert match(*arguments, code=2).startswith(sentence)
    assert json.loads(match("menu", "shop", "--json"))["changes"] == []


def test_the_help_teaches_every_change() -> None:
    shown = match("--help")
    for command in ("menu", "add-actions", "retire", "set-reward", "add-levels"):
        assert f"firstmover match {command} shop" in shown
