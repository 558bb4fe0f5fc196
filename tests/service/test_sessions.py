"""Sessions of the web app by cookie, tokens over HTTP, and what each role may do."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.datastructures import Headers

from firstmover.matches import Match
from firstmover.service.sessions import PAGE_HEADER, cookie_name
from tests.matches.played import ROUTES, play
from tests.service.in_process import Caller, calling
from tests.service.processes import kind_of

PAGE = {PAGE_HEADER: "1"}


@pytest.fixture
def call(tmp_path: Path) -> Iterator[Caller]:
    with Match.create(tmp_path / "matches.db", "roads", ROUTES) as match:
        play(match, range(3))
        match.ask("next")
    yield from calling(tmp_path)


def cookie_of(call: Caller, role: str) -> str:
    """The Cookie header of a session."""
    answer = call("POST", "/session", role, headers=PAGE)
    assert answer.json()["role"] == role
    attributes = answer.headers["set-cookie"].lower()
    for attribute in ("httponly", "samesite=strict", "path=/v1", "max-age="):
        assert attribute in attributes
    assert "secure" not in attributes
    return answer.headers["set-cookie"].partition(";")[0]


def test_a_session_takes_the_place_of_the_token(call: Caller) -> None:
    for role in ("owner", "operator", "reader"):
        headers = {**PAGE, "cookie": cookie_of(call, role), "authorization": None}
        answer = call("GET", "/session", role, headers=headers)
        assert answer.json() == {"role": role, "name": role}


@pytest.mark.parametrize("page", [{}, {PAGE_HEADER: "0"}, {PAGE_HEADER: ""}])
def test_a_cookie_alone_is_refused_since_forms_of_other_sites_send_it_too(call: Caller, page: dict[str, str]) -> None:
    cookie = cookie_of(call, "owner")
    answer = call("GET", "/matches", headers={**page, "cookie": cookie, "authorization": None})
    assert (answer.status_code, kind_of(answer.json())) == (401, "unauthorized")


def test_the_session_of_a_page_behind_a_proxy_is_secure_and_ends_on_request(call: Caller) -> None:
    secure = call("POST", "/session", headers={**PAGE, "origin": "https://127.0.0.1:8642"})
    assert "; secure" in secure.headers["set-cookie"].lower()
    ended = call("DELETE", "/session", "reader", headers=PAGE)
    assert "max-age=0" in ended.headers["set-cookie"].lower()


@pytest.mark.parametrize(
    ("host", "name"),
    [("127.0.0.1:8642", "firstmover-8642"), ("play.example", "firstmover"), ("[::1]:9", "firstmover-9")],
)
def test_services_on_other_ports_of_a_host_have_cookies_of_their_own(host: str, name: str) -> None:
    assert cookie_name(Headers({"host": host})) == name


def test_a_broken_cookie_is_no_session(call: Caller) -> None:
    for cookie in ("firstmover-8642=", 'firstmover-8642="', "=;=;", "firstmover-8642=fm_x; firstmover-8642=fm_y"):
        answer = call("GET", "/session", headers={**PAGE, "cookie": cookie, "authorization": None})
        assert answer.status_code == 401, cookie


def test_tokens_are_made_listed_and_revoked_by_owners(call: Caller) -> None:
    made = call("POST", "/tokens", json={"role": "operator", "label": "night shift", "days": 2.0})
    assert made.status_code == 201
    secret, token = made.json()["token"], made.json()["id"]
    rows = call.read("/tokens")
    assert rows["total"] == len(rows["tokens"]) == 4
    assert "hash" not in rows["tokens"][-1]
    assert secret not in str(rows)
    assert call("GET", "/session", headers={"authorization": f"Bearer {secret}"}).json()["name"] == "night shift"
    assert call("DELETE", f"/tokens/{token}").json() == {"new": True}
    assert call("GET", "/session", headers={"authorization": f"Bearer {secret}"}).status_code == 401
    assert call("DELETE", f"/tokens/{token}").status_code == 404
    assert call.read("/tokens?offset=1&limit=1")["tokens"] == [rows["tokens"][1]]


OWNERS = [
    ("PUT", "/matches/new", {"config": ROUTES}),
    ("PUT", "/matches/roads/name", {"name": "streets"}),
    ("PUT", "/matches/roads/archived", {"archived": True}),
    ("POST", "/matches/roads/actions", {"rows": [{"label": "x", "north": 1.0, "south": 1.0, "units": 2.0}]}),
    ("PUT", "/matches/roads/retired", {"action": "north", "retired": True}),
    ("PUT", "/matches/roads/reward", {"reward": {"value": "units", "responses": {"congestion": -3.0}}}),
    ("POST", "/matches/roads/levels", {"type": "demand", "levels": {"holiday": 2.0}}),
    ("POST", "/tokens", {"role": "owner"}),
]
OPERATORS = [
    ("POST", "/matches/roads/ask", None),
    ("POST", "/matches/roads/rounds/next/check", {"opponent_type": {"demand": "low"}, "response": {"congestion": 1.0}}),
    (
        "PUT",
        "/matches/roads/rounds/next/outcome",
        {"opponent_type": {"demand": "low"}, "response": {"congestion": 1.0}},
    ),
    ("POST", "/matches/roads/verify", None),
    ("GET", "/matches/roads/export?form=journal&format=json", None),
]


@pytest.mark.parametrize(("method", "path", "body"), OWNERS)
def test_only_owners_change_what_is_played_and_who_plays(call: Caller, method: str, path: str, body: object) -> None:
    for role in ("reader", "operator"):
        refused = call(method, path, role, json=body)
        assert (refused.status_code, kind_of(refused.json())) == (403, "forbidden"), role
    assert call(method, path, "owner", json=body).status_code in (200, 201)


@pytest.mark.parametrize(("method", "path", "body"), OPERATORS)
def test_operators_play_rounds_and_readers_do_not(call: Caller, method: str, path: str, body: object) -> None:
    more = {} if body is None else {"json": body}
    assert call(method, path, "reader", **more).status_code == 403
    assert call(method, path, "operator", **more).status_code in (200, 201)


def test_an_operator_sees_the_pending_action_and_a_reader_does_not(call: Caller) -> None:
    seen = {role: call.read("/matches/roads/views/today", role)["round"] for role in ("owner", "operator", "reader")}
    assert seen["owner"] == seen["operator"]
    assert seen["owner"]["round_id"] == "next"
    assert seen["reader"] is None
