"""The demonstration's simulated opponents over HTTP."""

import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firstmover.figures.live import Trace
from firstmover.games import GAMES
from firstmover.games.map_record import short
from firstmover.matches import Journal, Match
from firstmover.service.demo import FIRST_ROUNDS, Demo
from tests.matches.played import new, play
from tests.service.in_process import Caller, calling


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Caller]]:
    folder = tmp_path_factory.mktemp("demo")
    with new(folder) as match:
        play(match, range(1))
    for caller in calling(folder, Demo(str(folder / "matches.db"))):
        yield folder, caller


def test_three_matches_begin_with_a_few_rounds_and_know_their_regret(demo: tuple[Path, Caller]) -> None:
    _, call = demo
    listed = {each["name"]: each for each in call.read("/matches")["matches"]}
    assert set(listed) == {"sioux-falls", "park", "prices", "roads"}
    kinds = {"sioux-falls": "routing", "park": "wildlife", "prices": "prices"}
    for name, kind in kinds.items():
        assert listed[name]["told"] == FIRST_ROUNDS
        assert call.read(f"/matches/{name}")["demo"] is True
        assert call.read(f"/matches/{name}")["kind"] == kind
        learnt = call.read(f"/matches/{name}/views/learning")
        assert len(learnt["regret"]) == FIRST_ROUNDS
    assert call.read("/matches/roads")["demo"] is False
    assert call.read("/matches/roads/views/learning")["regret"] is None
    tables = [panel["table"] for panel in call.read("/matches/prices/views/map")["panels"]]
    assert all(table["columns"][-1] == "true" for table in tables)
    assert all(cell is not None for table in tables for row in table["rows"] for cell in row)


def regrets(
    folder: Path, games: tuple[str, ...], seed: int, monkeypatch: pytest.MonkeyPatch
) -> dict[str, tuple[float, float]]:
    """Regret per round after 10 rounds and after 60 of some demonstrations, with fixed draws of actions."""
    folder.mkdir(exist_ok=True)
    rng = np.random.default_rng(seed)
    monkeypatch.setattr("firstmover.service.demo.GAMES", {name: GAMES[name] for name in games})
    monkeypatch.setattr("firstmover.matches.commands.system_uniform", lambda: float(rng.random()))
    monkeypatch.setattr("firstmover.service.demo.FIRST_ROUNDS", 60)
    demo, found = Demo(str(folder / "matches.db")), {}
    for name, truth in demo.truths.items():
        with closing(Journal.open(demo.url, name, read_only=True)) as journal:
            regret = Trace(journal, truth.rewards).series.regret
            found[name] = regret[9] / 10, regret[59] / 60
    return found


def test_regret_is_halved_between_round_10_and_round_60(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It fell to 0.35 at most in all of 16 draws."""
    found = regrets(tmp_path, ("routing", "wildlife"), 1, monkeypatch)
    assert len(found) == 2
    assert all(late <= early / 2 for early, late in found.values()), found


@pytest.mark.slow
def test_the_regret_of_prices_is_halved_on_average(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over 16 draws of actions: a single one may begin well by chance, and gain less."""
    found = [regrets(tmp_path / str(seed), ("prices",), seed, monkeypatch)["prices"] for seed in range(16)]
    early, late = np.mean(found, axis=0)
    assert late <= early / 2


def test_a_demonstration_is_not_changed(demo: tuple[Path, Caller]) -> None:
    _, call = demo
    bodies = {"actions": {"rows": [{"label": "x"}]}, "retired": {"action": 0, "retired": True}}
    bodies |= {"reward": {"reward": {"responses": {}}}, "levels": {"type": "type", "levels": ["5"]}}
    for what, body in bodies.items():
        method = "POST" if what in ("actions", "levels") else "PUT"
        answer = call(method, f"/matches/prices/{what}", json=body)
        assert answer.status_code == 422, answer.text
        assert answer.json()["detail"] == (
            "match 'prices' is a demonstration, whose simulated opponent knows the first menu only: create a match of "
            "your own to change it."
        )
    assert call.read("/matches/prices/changes") == {"changes": [], "total": 0}
    assert call("PUT", "/matches/roads/retired", json={"action": "none", "retired": True}).status_code == 201
    assert call("PUT", "/matches/roads/retired", json={"action": "none", "retired": False}).status_code == 201


def test_an_opponent_answers_on_a_click_for_owners_only(demo: tuple[Path, Caller]) -> None:
    _, call = demo
    waiting = call("POST", "/matches/prices/ask").json()
    assert call("POST", "/matches/prices/answer", "reader").status_code == 403
    answered = call("POST", "/matches/prices/answer").json()
    assert (answered["round_id"], answered["action"]) == (waiting["round_id"], waiting["action"])
    assert answered["status"] == "told"
    again = call("POST", "/matches/prices/answer").json()
    assert int(again["round_id"]) == int(waiting["round_id"]) + 1
    refused = call("POST", "/matches/roads/answer")
    assert refused.status_code == 404
    assert "no demonstration" in refused.json()["detail"]


def test_an_opponent_answers_by_itself_until_it_is_stopped(demo: tuple[Path, Caller]) -> None:
    _, call = demo
    assert call("PUT", "/matches/prices/timer", json={"seconds": 0.01}).status_code == 422
    assert call("PUT", "/matches/prices/timer", json={"seconds": True}).status_code == 422
    assert call("PUT", "/matches/prices/timer", "reader", json={"seconds": 1.0}).status_code == 403
    before = call.read("/matches/prices/rounds?limit=1")["total"]
    assert call("PUT", "/matches/prices/timer", json={"seconds": 0.2}).json() == {"seconds": 0.2}
    assert call.read("/matches/prices/timer") == {"seconds": 0.2}
    for _ in range(200):
        if call.read("/matches/prices/rounds?limit=1")["total"] >= before + 2:
            break
        time.sleep(0.05)
    else:
        pytest.fail("nothing was answered")
    assert call("PUT", "/matches/prices/timer", json={"seconds": None}).json() == {"seconds": None}
    assert call.read("/matches/prices/timer") == {"seconds": None}


def test_an_opponent_left_alone_stops_in_the_end(demo: tuple[Path, Caller], monkeypatch: pytest.MonkeyPatch) -> None:
    _, call = demo
    before = call.read("/matches/park/rounds?limit=1")["total"]
    monkeypatch.setattr("firstmover.service.demo.MOST_ROUNDS", before + 1)
    call("PUT", "/matches/park/timer", json={"seconds": 0.2})
    for _ in range(200):
        if call.read("/matches/park/timer")["seconds"] is None:
            break
        time.sleep(0.05)
    assert call.read("/matches/park/rounds?limit=1")["total"] == before + 1


def test_a_demonstration_goes_on_where_it_was_and_draws_the_same_answers(
    demo: tuple[Path, Caller], tmp_path: Path
) -> None:
    folder, _ = demo
    again = Demo(str(folder / "matches.db"))
    assert set(again.demonstrations) == {"sioux-falls", "park", "prices"}
    with Match.open(folder / "matches.db", "sioux-falls") as match:
        assert len(match.history()) == FIRST_ROUNDS
        types = [view.opponent_type for view in match.history()]
    other = Demo.__new__(Demo)
    other.url, other.seed, other.demonstrations = str(tmp_path / "matches.db"), 0, again.demonstrations
    other.truths, other._noise = {}, {}
    other._prepare("sioux-falls")
    with Match.open(tmp_path / "matches.db", "sioux-falls") as match:
        assert [view.opponent_type for view in match.history()] == types
    assert list(other.truths) == ["sioux-falls"]


def test_today_and_the_map_show_the_same_figures_for_the_same_round(
    demo: tuple[Path, Caller], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, call = demo
    monkeypatch.setattr("firstmover.matches.commands.system_uniform", lambda: 0.5)
    figures: dict[str, Any] = {}
    for name in ("sioux-falls", "park", "prices"):
        round_id = call("POST", f"/matches/{name}/ask").json()["round_id"]
        card, drawn = (call.read(f"/matches/{name}/views/{view}") for view in ("today", "map"))
        assert card["round"]["round_id"] == round_id
        assert f"Round {round_id} · " in (drawn["title"] or drawn["panels"][0]["title"])
        figures[name] = card["advice"]["expected"], drawn["panels"], card["round"]
    words = {
        name: [
            [f"{short(each['mean'])} ({short(each['lower'])} to {short(each['upper'])})" for each in entry["responses"]]
            for entry in figures[name][0]
        ]
        for name in ("sioux-falls", "park")
    }
    subtitle = figures["sioux-falls"][1][0]["subtitle"]
    assert any(f"Predicted congestion: {said}" in subtitle for (said,) in words["sioux-falls"])
    ((east, north),) = words["park"]
    assert figures["park"][1][0]["subtitle"] == f"Predicted strike: east {east}, north {north}"
    expected, panels, shown = figures["prices"]
    for entry, panel in zip(expected, panels, strict=True):
        (row,) = [row for row in panel["table"]["rows"] if row[0] == pytest.approx(shown["features"]["price 1"])]
        band = [entry["responses"][0][end] for end in ("mean", "lower", "upper")]
        assert row[1:4] == pytest.approx(band, rel=1e-4)
