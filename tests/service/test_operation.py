"""Health, metrics, request ids, the access log, and errors that a repeated call would meet again."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from firstmover.core.errors import Conflict, DamagedStore, StoreUnavailable
from firstmover.core.logs import shown_logs
from firstmover.matches import Match
from firstmover.service import operation_routes
from firstmover.service.match_pool import MatchPool
from tests.matches.played import ROUTES
from tests.service.in_process import ADDRESS, Caller, calling
from tests.service.processes import kind_of, wait_until

NAME = 'two "roads"\\'
PATH = "/matches/two%20%22roads%22%5C"


@pytest.fixture
def caller(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Caller]:
    """A service with one match: a round told, and two that wait."""
    monkeypatch.setattr(operation_routes, "FRESH_SECONDS", 0.0)
    with Match.create(tmp_path / "matches.db", NAME, ROUTES) as match:
        match.ask("monday")
        match.tell("monday", "low", 1.0)
        match.ask("tuesday")
        match.ask("wednesday")
    yield from calling(tmp_path)


def anonymous(caller: Caller, path: str, **more: Any) -> httpx.Response:
    """A call without a token."""
    answer: httpx.Response = caller.wait(caller.client.get(f"{ADDRESS}{path}", **more))
    return answer


def measured(caller: Caller) -> dict[str, float]:
    """The metrics, as a reader gets them."""
    headers = {"authorization": f"Bearer {caller.tokens['reader']}"}
    answer = anonymous(caller, "/metrics", headers=headers)
    assert (answer.status_code, answer.headers["content-type"]) == (200, operation_routes.TEXT_FORMAT)
    lines = [line for line in answer.text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, value in (line.rsplit(" ", 1) for line in lines)}


def test_anybody_may_ask_whether_it_is_alive_and_learns_nothing_else(caller: Caller, tmp_path: Path) -> None:
    for path in ("/healthz", "/readyz"):
        answer = anonymous(caller, path)
        assert (answer.status_code, answer.json()) == (200, {"status": "ok"})
    (tmp_path / "matches.db").rename(tmp_path / "gone.db")
    answer = anonymous(caller, "/readyz")
    assert (answer.status_code, answer.json()) == (503, {"status": "unavailable"})
    assert anonymous(caller, "/healthz").status_code == 200
    assert measured(caller)["firstmover_store_readable"] == 0
    (tmp_path / "gone.db").rename(tmp_path / "matches.db")
    assert anonymous(caller, "/readyz").status_code == 200
    assert measured(caller)["firstmover_store_readable"] == 1


def test_the_store_is_read_once_however_many_ask(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[MatchPool] = []

    async def look(pool: MatchPool) -> None:
        looked.append(pool)

    monkeypatch.setattr(operation_routes, "FRESH_SECONDS", 60.0)
    monkeypatch.setattr(MatchPool, "check", look)
    assert [anonymous(caller, "/readyz").status_code for _ in range(5)] == [200] * 5
    assert len(looked) == 1


def test_a_match_that_is_refused_makes_it_unready_until_it_is_accepted(caller: Caller, tmp_path: Path) -> None:
    shutil.copy(tmp_path / "matches.db", tmp_path / "older.db")
    newer = caller("PUT", f"{PATH}/rounds/thursday")
    assert newer.status_code == 201
    shutil.copy(tmp_path / "matches.db", tmp_path / "newer.db")
    shutil.copy(tmp_path / "older.db", tmp_path / "matches.db")
    assert caller("PUT", f"{PATH}/rounds/thursday").status_code == 500
    assert [anonymous(caller, "/readyz").status_code for _ in range(2)] == [503, 503]
    shutil.copy(tmp_path / "newer.db", tmp_path / "matches.db")
    assert anonymous(caller, "/readyz").status_code == 200
    assert caller("PUT", f"{PATH}/rounds/thursday").json() == newer.json()


def test_metrics_need_a_token(caller: Caller) -> None:
    assert anonymous(caller, "/metrics").status_code == 401


def test_metrics_count_rounds_delays_coverage_and_alarms(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> None:
    caller.read(f"{PATH}/views/learning")  # it is followed from here on
    label = r'match="two \"roads\"\\"'
    found = measured(caller)
    assert [found[f'firstmover_rounds{{{label},status="{each}"}}'] for each in ("told", "pending", "void")] == [1, 2, 0]
    status = caller.read(f"{PATH}/status")
    named = {
        "delay_rounds": status["total_delay"],
        "responses_inside": status["inside"],
        "responses_counted": status["counted"],
        "coverage_nominal": pytest.approx(status["nominal"]),
        "match_readable": 1,
    }
    assert {name: found[f"firstmover_{name}{{{label}}}"] for name in named} == named
    assert not [name for name in found if "alarm" in name]
    sign = type("Sign", (), {"name": "drift"})()
    monkeypatch.setattr(operation_routes, "match_alarms", lambda *_: (sign,))
    caller("POST", f"{PATH}/ask")
    caller("PUT", f"{PATH}/rounds/thursday")
    assert measured(caller)[f'firstmover_alarm{{{label},alarm="drift"}}'] == 1


def test_metrics_count_requests_by_route_and_status(caller: Caller) -> None:
    for _ in range(3):
        caller.read(f"{PATH}/rounds")
    caller("GET", "/matches/none/rounds")
    anonymous(caller, "/v1/matches")
    found = measured(caller)
    assert found['firstmover_requests_total{route="list_rounds",status="200"}'] == 3
    assert found['firstmover_requests_total{route="list_rounds",status="404"}'] == 1
    assert found['firstmover_requests_total{route="none",status="401"}'] == 1
    buckets = [
        found[name] for name in found if re.match(r'firstmover_request_seconds_bucket{route="list_rounds"', name)
    ]
    assert buckets == sorted(buckets)
    assert buckets[-1] == found['firstmover_request_seconds_count{route="list_rounds"}'] == 4
    assert found['firstmover_request_seconds_sum{route="list_rounds"}'] > 0


@pytest.mark.parametrize("given", ["abc-1.2_X", "a" * 64])
def test_a_request_keeps_the_id_that_it_has(caller: Caller, given: str) -> None:
    answer = anonymous(caller, "/v1/matches", headers={"x-request-id": given})
    assert answer.headers["x-request-id"] == answer.json()["request_id"] == given


@pytest.mark.parametrize("given", ["", "a b", "a" * 65, "é", "<script>", "a\tb", "a,b"])
def test_an_id_that_is_malformed_is_replaced(caller: Caller, given: str) -> None:
    answers = [anonymous(caller, "/v1/matches", headers={"x-request-id": given.encode()}) for _ in range(2)]
    named = [answer.headers["x-request-id"] for answer in answers]
    assert [answer.json()["request_id"] for answer in answers] == named
    assert len({*named, given}) == 3
    assert all(re.fullmatch("[0-9a-f]{32}", each) for each in named)


def test_every_answer_has_an_id(caller: Caller) -> None:
    paths = ("/", "/healthz", "/v1/matches", "/none")
    assert len({anonymous(caller, path).headers["x-request-id"] for path in paths}) == len(paths)


def test_the_access_log_has_no_secrets(caller: Caller, capsys: pytest.CaptureFixture[str]) -> None:
    with shown_logs("debug", "json"):
        asked = caller("PUT", f"{PATH}/rounds/thursday?strategy=true").json()
        caller("GET", f"/matches/{caller.tokens['owner']}?password=hunter2")
        caller("PUT", f"{PATH}/rounds/thursday/void", json={"reason": "confidential"})
    text = capsys.readouterr().err
    lines = [json.loads(line) for line in text.splitlines()]
    requests = [line for line in lines if line["message"] == "request"]
    assert [(line["method"], line["status"]) for line in requests] == [("PUT", 201), ("GET", 422), ("PUT", 201)]
    assert requests[0]["path"] == f"/v1{PATH}/rounds/thursday"
    assert requests[0]["actor"] == "owner"
    assert requests[0]["request_id"] != requests[1]["request_id"]
    recorded = [line for line in lines if line["logger"] == "firstmover.matches.match"]
    assert [line["event"] for line in recorded] == ["asked", "voided"]
    assert [line["request_id"] for line in recorded] == [requests[0]["request_id"], requests[2]["request_id"]]
    for secret in (caller.tokens["owner"], "hunter2", "password", "strategy", "confidential", f'"{asked["label"]}"'):
        assert secret not in text
    assert "probability" not in text


@pytest.mark.parametrize(
    ("error", "status", "kind"),
    [
        (DamagedStore("The journal is damaged: restore it from a copy."), 500, "damaged"),
        (StoreUnavailable("The store is locked: repeat the call."), 503, "busy"),
        (Conflict("Another process recorded an event first: nothing was recorded; repeat the call."), 409, "conflict"),
        (RuntimeError("Overtaken\nTraceback"), 500, "internal"),
        (AssertionError(), 500, "internal"),
    ],
)
def test_permanent_errors_do_not_ask_for_repetition(
    caller: Caller, error: Exception, status: int, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_: Match) -> None:
        raise error

    monkeypatch.setattr(Match, "status", fails)
    caller.client._transport.raise_app_exceptions = False  # type: ignore[attr-defined]
    answer = caller("GET", f"{PATH}/status")
    body = answer.json()
    assert (answer.status_code, kind_of(body)) == (status, kind)
    assert answer.headers["x-request-id"] == body["request_id"]
    assert "Traceback" not in body["detail"]
    assert ("repeat" in body["detail"]) == (status < 500 or status == 503)
    assert wait_until(lambda: caller("GET", f"{PATH}/rounds").status_code == 200), "the next call is served"
