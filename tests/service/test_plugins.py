"""A plugin's game and learner through the service: listed, created, asked, told and drawn by name."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from firstmover.core import plugins
from firstmover.core.plugins import load_plugins
from tests.service.in_process import Caller, calling

PLUGIN = """
from dataclasses import replace

from firstmover.games import GAMES
from firstmover.games.map_record import Axis, Lines, MapRecord, MapTable, Panel
from firstmover.games.words import Words
from firstmover.learners import LEARNERS
from tests.plugins.sample.firstmover_ferry import FERRY, GREEDY


def fares(game):
    return tuple(f"fare {x:g}" for x in game.actions[:, 0])


def river(view):
    axis, table = Axis(0.0, 1.0), MapTable("Fares", ("fare",), ((view.title,),))
    line = Lines(view.game.actions[:2, 0], view.game.actions[:2].T)
    return MapRecord("The river", (Panel(view.title, axis, axis, (line,), table, "A river", (100.0, 100.0)),))


words = Words(labels=fares, types=lambda game: ("winter", "summer"))
GAMES.add("river-ferry", replace(FERRY, words=words, map=river))
LEARNERS.add("river-greedy", GREEDY)
"""

CONFIG = {"menu": {"game": "river-ferry"}, "learner": {"name": "river-greedy", "explore": 0.5}}


@pytest.fixture
def plugin(tmp_path: Path) -> Iterator[str]:
    """A plugin file that is loaded; its entries are removed afterwards."""
    path = tmp_path / "river.py"
    path.write_text(PLUGIN, "utf-8")
    (name,) = load_plugins([str(path)])
    yield name
    for table, entry in plugins._LOADED.pop(name).added:
        table.remove(entry)


@pytest.fixture
def call(tmp_path: Path) -> Iterator[Caller]:
    yield from calling(tmp_path)


def test_a_match_is_created_asked_told_and_drawn(plugin: str, call: Caller) -> None:
    created = call("PUT", "/matches/crossing", json={"config": CONFIG})
    assert created.status_code == 201, created.text
    about = created.json()
    assert (about["kind"], about["types"][0]["about"]) == ("river-ferry", ["winter", "summer"])
    assert about["config"]["plugins"] == [plugin]
    assert call("PUT", "/matches/crossing/rounds/monday").json()["label"].startswith("fare ")
    first = call.read("/matches/crossing/views/today")
    assert first["sheet"]["headline"].startswith("Fare ")
    assert [each["words"] for each in first["advice"]["expected"]] == ["type 1: winter", "type 2: summer"]
    outcome = {"opponent_type": {"type": 1}, "response": {"y1": 40.0}}
    assert call("PUT", "/matches/crossing/rounds/monday/outcome", json=outcome).status_code == 201
    drawn = call.read("/matches/crossing/views/map")
    assert (drawn["heading"], drawn["panels"][0]["layers"][0]["mark"]) == ("The river", "lines")
    assert call.read("/matches/crossing/views/learning")["rounds"] == 1
    assert call("POST", "/matches/crossing/verify").json()["rounds"] == 1
    assert call.read("/matches")["matches"][0]["kind"] == "river-ferry"


@pytest.mark.usefixtures("plugin")
def test_a_plugin_s_parameters_are_checked_in_its_own_words(call: Caller) -> None:
    wrong = CONFIG | {"learner": {"name": "river-greedy", "explor": 0.5}}
    answer = call("PUT", "/matches/wrong", json={"config": wrong})
    assert answer.status_code == 422
    assert "explor" in answer.json()["detail"]


def test_a_request_loads_no_plugin(call: Caller, tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text(PLUGIN, "utf-8")
    answer = call("PUT", "/matches/crossing", json={"config": CONFIG | {"plugins": [str(tmp_path / "other.py")]}})
    assert answer.status_code == 422
    assert "is not loaded: restart the program with --plugin" in answer.json()["detail"]
