"""Map and learning over HTTP."""

import time
import tomllib
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from firstmover.core.errors import InvalidInput, StoreUnavailable
from firstmover.figures.live import Trace
from firstmover.matches import Match
from firstmover.matches.template import template
from firstmover.service.app import create_app
from firstmover.service.picture_cache import PictureCache
from firstmover.service.tokens import Tokens
from tests.figures.long_match import long_match
from tests.matches.played import ASSUMED, new, play
from tests.service.in_process import Caller, calling


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
    assert at_once["roads"] | {"partial": False} == call.read("/matches/roads/views/map")
    whole = call.read("/matches/park/views/map")
    layers = {
        name: [panel["layers"] for panel in record["panels"]]
        for name, record in (("brief", at_once["park"]), ("whole", whole))
    }
    assert all(
        few == many[: len(few)] and len(few) < len(many)
        for few, many in zip(layers["brief"], layers["whole"], strict=True)
    )
    assert at_once["shop"]["panels"] == []
    assert call.read("/matches/park/views/map?brief=true") == whole
    assert call.read("/matches", "reader")["role"] == "reader"
    call.wait(app.state.matches.close())
    app.state.pictures.close()
    call.close()


def test_after_a_start_matches_are_prepared_and_a_stop_does_not_wait_for_that(tmp_path: Path) -> None:
    with long_match(tmp_path, tomllib.loads(template("patrol")) | ASSUMED, 300, ["1"]):
        pass
    caller = next(calls := calling(tmp_path))
    deadline = time.monotonic() + 60
    while not caller.pictures.follows("long") and time.monotonic() < deadline:
        time.sleep(0.02)
    assert caller.pictures.follows("long")
    next(calls, None)
    pictures = PictureCache(str(tmp_path / "matches.db"))
    pictures.stop()
    with pytest.raises(StoreUnavailable, match="stopping"):
        pictures.record("long", "nothing", lambda trace, _: trace)
    assert not pictures.follows("long")


@pytest.fixture
def call(tmp_path: Path) -> Iterator[Caller]:
    """A service with the match roads, three rounds told and one pending."""
    with new(tmp_path) as match:
        play(match, range(3))
        match.ask("waits")
    yield from calling(tmp_path)


def test_owners_see_the_pending_round_and_readers_the_last_told_one(call: Caller) -> None:
    owner, reader = (call.read("/matches/roads/views/map", role) for role in ("owner", "reader"))
    assert owner["panels"][-1]["title"].startswith("Round waits · ")
    assert reader["panels"][-1]["title"].startswith("Round r2 · ")
    rows = [sorted(each["panels"][-1]["table"]["rows"]) for each in (owner, reader)]
    assert [row[:1] + row[2:] for row in rows[0]] == [row[:1] + row[2:] for row in rows[1]]
    assert rows[0] != rows[1], "p_t of the pending round, and that of the one told last"
    assert "Round waits" not in str(reader)
    assert call.read("/matches/roads/views/learning") == call.read("/matches/roads/views/learning", "reader")


def test_a_map_shows_what_is_chosen_and_refuses_what_it_does_not_have(call: Caller) -> None:
    first, chosen = (call.read(f"/matches/roads/views/map{query}") for query in ("", "?feature=south"))
    assert [each["choices"][0]["chosen"] for each in (first, chosen)] == ["north", "south"]
    assert [each["panels"][0]["x"]["label"] for each in (first, chosen)] == ["north", "south"]
    answer = call("GET", "/matches/roads/views/map?feature=west")
    assert answer.status_code == 422
    assert answer.json()["detail"] == "Unknown feature 'west': Known: north, south."
    assert call.pictures.follows("roads"), "the rounds are not read again after a wrong choice"
    answer = call("GET", "/matches/roads/views/map?response=congestion")
    assert "the map of this match has no such choice; leave it out" in answer.json()["detail"]


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
    monkeypatch.setattr("firstmover.service.picture_cache.MOST_FOLLOWED", 2)
    store = str(tmp_path / "matches.db")
    matches = [new(tmp_path), *(Match.create(store, name, new_config(tmp_path)) for name in ("b", "c"))]
    pictures, made = PictureCache(store), []

    def build(trace: Trace, _: object) -> dict[str, int]:
        made.append(trace.state.name)
        return {"sequence": trace.state.sequence}

    for _ in range(3):
        assert pictures.record("roads", "key", build) == b'{"sequence":1}'
    assert made == ["roads"]
    matches[0].ask("a")
    assert pictures.record("roads", "key", build) == b'{"sequence":2}'
    assert made == ["roads", "roads"]
    monkeypatch.setattr("firstmover.service.picture_cache.MOST_RECORDS", 2)
    for key in ("first", "second", "third"):
        pictures.record("roads", key, lambda _trace, _truth: {})
    assert list(pictures._entries["roads"].records) == ["second", "third"]
    for name in ("b", "c"):
        pictures.record(name, "key", build)
    assert list(pictures._entries) == ["b", "c"]
    with pytest.raises(InvalidInput, match="not in this store"):
        pictures.record("nobody", "key", build)
    pictures.close()
    for match in matches:
        match.close()


def new_config(folder: Path) -> Any:
    with Match.open(folder / "matches.db", "roads") as match:
        return match.setting.config
