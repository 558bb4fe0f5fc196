"""Map, learning and stored runs over HTTP, and the demonstration's simulated opponents."""

import asyncio
import time
import tomllib
from collections.abc import Coroutine, Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from threading import Thread
from typing import Any

import httpx
import numpy as np
import polars as pl
import pytest
from fastapi import FastAPI

from firstmover.errors import InvalidInput, StoreUnavailable
from firstmover.matches import Match
from firstmover.matches.template import template
from firstmover.plots.compare import compared_curves, stored_runs
from firstmover.plots.live import Trace
from firstmover.server.app import create_app
from firstmover.server.demo import FIRST_ROUNDS, Demo, write_example
from firstmover.server.routes.simulated import Timers
from firstmover.server.tokens import Tokens
from firstmover.server.traces import Traces
from firstmover.sweeps import ENGINES, Collected, SweepSpec, plan_of, run_sweep
from firstmover.sweeps.playing import play_tasks
from firstmover.sweeps.tasks import SweepTask
from tests.matches.played import new, play
from tests.plots.long_match import long_match

ADDRESS = "http://127.0.0.1:8642"


class Caller:
    """The app without a network, in a thread of its own, with an owner's and a reader's token."""

    def __init__(self, app: FastAPI, tokens: Tokens) -> None:
        self.traces: Traces = app.state.traces
        self.loop = asyncio.new_event_loop()
        self.thread = Thread(target=self.loop.run_forever, daemon=True)
        self.thread.start()
        self.life = app.router.lifespan_context(app)
        self.client = httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=ADDRESS)
        self.tokens = {role: tokens.new(role)[0] for role in ("owner", "reader")}
        self.wait(self.life.__aenter__())

    def wait(self, awaited: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(awaited, self.loop).result(60)

    def __call__(self, method: str, path: str, role: str = "owner", **more: Any) -> httpx.Response:
        headers = {"authorization": f"Bearer {self.tokens[role]}"}
        answer: httpx.Response = self.wait(self.client.request(method, f"/api{path}", headers=headers, **more))
        return answer

    def read(self, path: str, role: str = "owner") -> Any:
        answer = self("GET", path, role)
        assert answer.status_code == 200, answer.text
        return answer.json()

    def close(self) -> None:
        self.wait(self.client.aclose())
        self.wait(self.life.__aexit__(None, None, None))
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join()
        self.loop.close()


def test_what_is_known_shows_at_once_and_the_rest_when_all_rounds_are_gone_through(tmp_path: Path) -> None:
    for name, source in (("roads", "sioux-falls"), ("park", "patrol"), ("shop", "pricing")):
        Match.create(tmp_path / "matches.db", name, tomllib.loads(template(source))).close()
    with Match.open(tmp_path / "matches.db", "park") as park:
        park.tell(park.ask().round_id, "1", [1.0, 2.0])
        park.ask()
    tokens = Tokens(tmp_path / "tokens.json")
    app = create_app(tmp_path / "matches.db", tmp_path / "runs", tokens, ["127.0.0.1:8642"])
    app.router.lifespan_context = nullcontext  # nothing is prepared
    call = Caller(app, tokens)
    at_once = {name: call.read(f"/matches/{name}/views/map?brief=true") for name in ("roads", "park", "shop")}
    assert [at_once[name].pop("partial") for name in at_once] == [False, True, True]
    assert at_once["roads"] == call.read("/matches/roads/views/map")
    whole = call.read("/matches/park/views/map")
    assert len(whole["expected"]) == 1
    assert at_once["park"] | {"expected": whole["expected"]} == whole
    assert at_once["shop"] == {}
    assert call.read("/matches/park/views/map?brief=true") == whole
    assert call.read("/matches", "reader")["role"] == "reader"
    call.wait(app.state.matches.close())
    app.state.traces.close()
    call.close()


def test_after_a_start_matches_are_prepared_and_a_stop_does_not_wait_for_that(tmp_path: Path) -> None:
    with long_match(tmp_path, tomllib.loads(template("patrol")), 300, ["1"]):
        pass
    caller = next(calls := calling(tmp_path))
    deadline = time.monotonic() + 60
    while not caller.traces.follows("long") and time.monotonic() < deadline:
        time.sleep(0.02)
    assert caller.traces.follows("long")
    next(calls, None)
    traces = Traces(str(tmp_path / "matches.db"))
    traces.stop()
    with pytest.raises(StoreUnavailable, match="stopping"):
        traces.prepare("long", "nothing", lambda trace, _: trace)
    assert not traces.follows("long")


def calling(folder: Path, demo: Demo | None = None) -> Iterator[Caller]:
    tokens = Tokens(folder / "tokens.json")
    caller = Caller(create_app(folder / "matches.db", folder / "runs", tokens, ["127.0.0.1:8642"], demo), tokens)
    yield caller
    caller.close()


@pytest.fixture
def call(tmp_path: Path) -> Iterator[Caller]:
    """A service with the match roads, three rounds told and one that waits."""
    with new(tmp_path) as match:
        play(match, range(3))
        match.ask("waits")
    yield from calling(tmp_path)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Caller]]:
    folder = tmp_path_factory.mktemp("demo")
    with new(folder) as match:
        play(match, range(1))
    for caller in calling(folder, Demo(str(folder / "matches.db"))):
        yield folder, caller


def test_owners_see_the_round_that_waits_and_readers_the_last_that_was_told(call: Caller) -> None:
    owner, reader = (call.read("/matches/roads/views/map", role) for role in ("owner", "reader"))
    assert owner["kind"] == reader["kind"] == "table"
    assert owner["title"].startswith("Round waits · ")
    assert reader["title"].startswith("Round r2 · ")
    assert {key: value for key, value in owner.items() if key not in ("title", "shown")} == {
        key: value for key, value in reader.items() if key not in ("title", "shown")
    }
    assert call.read("/matches/roads/views/learning") == call.read("/matches/roads/views/learning", "reader")


def test_what_was_told_is_in_the_next_picture_and_a_correction_too(call: Caller) -> None:
    before = call.read("/matches/roads/views/learning")
    values = {"opponent_type": {"demand": "high"}, "response": {"congestion": 1.5}}
    assert call("PUT", "/matches/roads/rounds/waits/outcome", json=values).status_code == 201
    after = call.read("/matches/roads/views/learning")
    assert (before["rounds"], after["rounds"]) == (3, 4)
    assert after["reward"][:3] == before["reward"]
    assert call("POST", "/matches/roads/rounds/r0/corrections", json={"reason": "wrong day"}).status_code in (200, 201)
    corrected = call.read("/matches/roads/views/learning")
    assert corrected["rounds"] == 3
    assert corrected["reward"] == after["reward"][1:]
    assert corrected["regret"] is None


def test_views_of_what_is_not_there_are_refused(call: Caller) -> None:
    for path in ("/matches/rivers/views/map", "/matches/rivers/views/learning", "/matches/roads/answer"):
        assert call("GET", path).status_code in (404, 405)
    assert call("POST", "/matches/roads/answer").status_code in (404, 405)
    assert call("PUT", "/matches/roads/timer", json={"seconds": 1}).status_code in (404, 405)


def test_a_record_is_made_once_for_each_change_and_few_matches_are_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firstmover.server.traces.MOST", 2)
    store = str(tmp_path / "matches.db")
    matches = [new(tmp_path), *(Match.create(store, name, new_config(tmp_path)) for name in ("b", "c"))]
    traces, made = Traces(store), []

    def build(trace: Trace, _: object) -> dict[str, int]:
        made.append(trace.state.name)
        return {"sequence": trace.state.sequence}

    for _ in range(3):
        assert traces.record("roads", "key", build) == b'{"sequence":1}'
    assert made == ["roads"]
    matches[0].ask("a")
    assert traces.record("roads", "key", build) == b'{"sequence":2}'
    assert made == ["roads", "roads"]
    for name in ("b", "c"):
        traces.record(name, "key", build)
    assert list(traces._followed) == ["b", "c"]
    with pytest.raises(InvalidInput, match="not in this store"):
        traces.record("nobody", "key", build)
    traces.close()
    for match in matches:
        match.close()


def new_config(folder: Path) -> Any:
    with Match.open(folder / "matches.db", "roads") as match:
        return match.setting.config


def test_stored_runs_are_listed_drawn_and_summed_up(tmp_path: Path) -> None:
    write_example(tmp_path / "runs")
    (tmp_path / "runs" / "broken").mkdir()
    (tmp_path / "runs" / "broken" / "manifest.json").write_text("{}")
    (tmp_path / "runs" / "notes.txt").write_text("not a run")
    for call in calling(tmp_path):
        (run,) = call.read("/runs")["runs"]
        assert (run["name"], run["game"], run["seeds"], run["rounds"]) == ("shore", "shore", 3, 60)
        curves = compared_curves(tmp_path / "runs" / "shore", "rewards")
        sent = call.read("/runs/shore/curves?plot=rewards")
        assert sent["learners"] == list(curves.learners) == ["stackelucb", "hedge", "exp3"]
        np.testing.assert_allclose(sent["mean"], curves.mean, rtol=1e-4)
        rows = call.read("/runs/shore/table")["rows"]
        assert [row["learner"] for row in rows] == sent["learners"]
        assert rows[0]["reward"] == pytest.approx(60 * curves.mean[0, -1], rel=1e-4)
        text = call("GET", "/runs/shore/table?format=csv")
        assert text.headers["content-type"].startswith("text/csv")
        assert text.text.splitlines()[0].startswith("learner,seeds,regret")
        for name in ("..", "%2e%2e", "..%2Ftokens.json", "broken", "notes.txt", "%00"):
            assert call("GET", f"/runs/{name}/table").status_code in (404, 405, 422)
        assert call("GET", "/runs/shore/curves?plot=pie").status_code == 422
    assert stored_runs(tmp_path / "nowhere") == []


def swept(folder: Path, keep: str = "curves") -> pl.DataFrame:
    """A sweep of two arenas, of which one task has failed, and its tidy table."""
    learners = [{"name": "stackelucb", "confidence_width": [0.5, 2.0]}, "hedge"]
    document = {"title": "bold", "games": ["shore"], "learners": learners, "horizons": [5, 8], "seeds": 3, "keep": keep}

    def play(tasks: Sequence[SweepTask]) -> list[pl.DataFrame]:
        if '"rounds":8,"seed":0' in tasks[0].document and "hedge" in tasks[0].document:
            raise ZeroDivisionError
        return play_tasks(tasks)

    run_sweep(
        plan_of(SweepSpec.read(document)), folder, ENGINES["here"].start(None, None), document=document, play=play
    )
    return Collected.of(folder).runs


def test_the_arenas_of_a_sweep_are_runs_to_compare(tmp_path: Path) -> None:
    runs = swept(tmp_path / "runs" / "bold").filter(horizon=8)
    (tmp_path / "runs" / "half").mkdir()
    (tmp_path / "runs" / "half" / "sweep.json").write_text("{}")
    for call in calling(tmp_path):
        first, second = call.read("/runs")["runs"]
        assert (first["name"], first["rounds"], second["name"], second["rounds"]) == ("bold:1", 5, "bold:2", 8)
        assert second["title"] == "bold: shore, opponent random, 8 rounds"
        assert second["about"]["stackelucb β 2.0"]["learner"] == "stackelucb"
        assert second["about"]["stackelucb β 2.0"]["β"] == "2.0"
        assert "β" not in second["about"]["hedge"]
        rows = call.read("/runs/bold:2/table")["rows"]
        assert [(row["learner"], row["seeds"]) for row in rows] == [
            (name, 3 - (name == "hedge")) for name in second["about"]
        ]
        for plot, measure, per_round in (("regret", "time_averaged_regret", 1), ("rewards", "reward", 8)):
            curves = call.read(f"/runs/bold:2/curves?plot={plot}")
            assert curves["learners"] == list(second["about"])
            assert curves["t"] == list(range(1, 9))
            ends = runs.filter(state="done").group_by("variant", maintain_order=True).agg(pl.col(measure).mean())
            np.testing.assert_allclose(np.array(curves["mean"])[:, -1], ends[measure] / per_round, rtol=1e-4)
        assert call.read("/runs/bold:2/curves?plot=entropy")["mean"][0][0] > 0
        assert call("GET", "/runs/bold:2/table?format=csv").text.startswith("learner,seeds,regret")
        for name in ("bold", "bold:0", "bold:3", "bold:x", "half:1", "..:1"):
            assert call("GET", f"/runs/{name}/table").status_code in (404, 422)


def test_a_sweep_that_keeps_summaries_has_numbers_and_no_curves(tmp_path: Path) -> None:
    swept(tmp_path / "runs" / "brief", "summary")
    for call in calling(tmp_path):
        curves = call.read("/runs/brief:1/curves")
        assert (curves["learners"], curves["t"], curves["mean"]) == ([], [], [])
        assert len(call.read("/runs/brief:1/table")["rows"]) == 3


def test_three_matches_begin_with_a_few_rounds_and_know_their_regret(demo: tuple[Path, Caller]) -> None:
    _, call = demo
    listed = {each["name"]: each for each in call.read("/matches")["matches"]}
    assert set(listed) == {"sioux-falls", "park", "prices", "roads"}
    kinds = {"sioux-falls": "routing", "park": "park", "prices": "prices"}
    for name, kind in kinds.items():
        assert listed[name]["told"] == FIRST_ROUNDS
        assert call.read(f"/matches/{name}")["demo"] is True
        assert call.read(f"/matches/{name}/views/map")["kind"] == kind
        learnt = call.read(f"/matches/{name}/views/learning")
        assert len(learnt["regret"]) == FIRST_ROUNDS
    assert call.read("/matches/roads")["demo"] is False
    assert call.read("/matches/roads/views/learning")["regret"] is None
    curves = call.read("/matches/prices/views/map")["panels"][0]["curves"]
    assert all(value is not None for curve in curves for value in curve["true"])


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
    assert "no demonstration" in refused.json()["error"]["message"]


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
    monkeypatch.setattr("firstmover.server.routes.simulated.MOST_ROUNDS", before + 1)
    call("PUT", "/matches/park/timer", json={"seconds": 0.2})
    for _ in range(200):
        if call.read("/matches/park/timer")["seconds"] is None:
            break
        time.sleep(0.05)
    assert call.read("/matches/park/rounds?limit=1")["total"] == before + 1
    Timers().stop()


def test_a_demonstration_goes_on_where_it_was_and_draws_the_same_answers(
    demo: tuple[Path, Caller], tmp_path: Path
) -> None:
    folder, _ = demo
    again = Demo(str(folder / "matches.db"))
    assert list(again) == ["sioux-falls", "park", "prices"]
    with Match.open(folder / "matches.db", "sioux-falls") as match:
        assert len(match.history()) == FIRST_ROUNDS
        types = [view.opponent_type for view in match.history()]
    other = Demo.__new__(Demo)
    other.url, other.seed, other.scenes = str(tmp_path / "matches.db"), 0, {"sioux-falls": again.scenes["sioux-falls"]}
    other._truths = {}
    other._prepare("sioux-falls")
    with Match.open(tmp_path / "matches.db", "sioux-falls") as match:
        assert [view.opponent_type for view in match.history()] == types
    assert other.truth_of("park") is None
