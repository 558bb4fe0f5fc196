"""Access control: Host, Origin, method and token."""

import http.client
from itertools import product
from pathlib import Path
from random import Random
from types import SimpleNamespace

import httpx
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.service.security import HEADERS, Guard
from firstmover.service.tokens import Tokens
from tests.service.processes import Running, error_of, kind_of, raw, request, status_of, with_match
from tests.torture.sizes import sizes

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY")
PATHS = {"/v1/matches": ("GET",), "/v1/matches/roads/ask": ("POST",), "/v1/none": (), "/": ("GET", "HEAD")}
"""Addresses, and the methods that each takes."""


def hosts(port: int) -> dict[str, bool]:
    """Values of Host, and whether each is right."""
    right = (f"127.0.0.1:{port}", f"localhost:{port}", f"[::1]:{port}", f"LocalHost:{port}")
    wrong = (
        "",
        "127.0.0.1",
        "localhost",
        f"evil.example:{port}",
        f"127.0.0.1.evil.example:{port}",
        f"127.0.0.1:{port}.evil.example",
        f"localhost.:{port}",
        f"user@127.0.0.1:{port}",
        f"127.0.0.1:{port + 1}",
        f"0.0.0.0:{port}",
        f"127.1:{port}",
        f"2130706433:{port}",
        f"127.0.0.1:0{port}",
        f"127.0.0.1:{port}, evil.example",
    )
    return dict.fromkeys(right, True) | dict.fromkeys(wrong, False)


def origins(port: int) -> dict[str | None, bool]:
    """Values of Origin, and whether each is right."""
    right = (None, f"http://127.0.0.1:{port}", f"http://localhost:{port}")
    wrong = (
        "null",
        "http://evil.example",
        f"http://evil.example:{port}",
        "http://127.0.0.1",
        f"http://127.0.0.1:{port}.evil.example",
        f"file://127.0.0.1:{port}",
        f"http://127.0.0.1:{port}/",
        "",
    )
    return dict.fromkeys(right, True) | dict.fromkeys(wrong, False)


def expected(path: str, method: str, host: bool, origin: bool, role: str | None) -> set[int]:
    """The statuses that a call may have."""
    if not (host and origin):
        return {403}
    if path.startswith("/v1"):
        if role is None:
            return {401}
        if role == "reader" and method not in ("GET", "HEAD"):
            return {403}
    if path == "/v1/none":
        return {404}
    return {200, 201} if method in PATHS[path] else {405}


def matrix(service: Running, number: int | None) -> list[str]:
    """All combinations, or those of one right Host and no Origin and so many others; what was answered wrongly."""
    tokens = {None: None, "nonsense": None, service.reader: "reader", service.owner: "owner"}
    parts = hosts(service.port).items(), origins(service.port).items(), METHODS, tokens.items(), PATHS
    combinations = list(product(*parts))
    if number is not None:
        plain = (f"127.0.0.1:{service.port}", True), (None, True)
        combinations = [each for each in combinations if each[:2] == plain] + Random(0).sample(combinations, number)
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=30)
    wrong = []
    for (host, host_ok), (origin, origin_ok), method, (token, role), path in combinations:
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        connection.putheader("Host", host)
        if origin is not None:
            connection.putheader("Origin", origin)
        if token is not None:
            connection.putheader("Authorization", f"Bearer {token}")
        connection.putheader("Content-Length", "0")
        connection.endheaders()
        answer = connection.getresponse()
        answer.read()
        if answer.status not in expected(path, method, host_ok, origin_ok, role):
            wrong.append(f"{answer.status}: {method} {path}, Host {host!r}, Origin {origin!r}, {role} token")
    connection.close()
    return wrong


@pytest.mark.parametrize("number", sizes("refusals"))
def test_every_wrong_host_origin_method_and_token_is_refused(service: Running, number: int | None) -> None:
    assert matrix(service, number) == []


def any_host() -> None:
    """Answers to every name, as a service does that DNS rebinding can reach."""

    class Everything(frozenset[str]):
        def __contains__(self, _: object) -> bool:
            return True

    plain = Guard.__init__

    def weak(self: Guard, *args: object, **kwargs: object) -> None:
        plain(self, *args, **kwargs)  # type: ignore[arg-type]
        self.hosts = Everything()

    Guard.__init__ = weak  # type: ignore[method-assign]


def any_origin() -> None:
    """Lets any page call."""
    any_host()
    weak = Guard.__init__

    def weaker(self: Guard, *args: object, **kwargs: object) -> None:
        weak(self, *args, **kwargs)  # type: ignore[arg-type]
        self.origins, self.hosts = self.hosts, frozenset(kwargs["hosts"])  # type: ignore[arg-type,call-overload]

    Guard.__init__ = weaker  # type: ignore[method-assign]


def readers_write() -> None:
    """Takes a reader for an owner."""
    Tokens.find = lambda *_: SimpleNamespace(role="owner", name="anybody")  # type: ignore[assignment, method-assign]


@pytest.mark.parametrize("weakness", [any_host, any_origin, readers_write])
def test_the_matrix_notices_a_missing_check(weakness: object, tmp_path: Path) -> None:
    weak = with_match(tmp_path, weakness)  # type: ignore[arg-type]
    try:
        assert len(matrix(weak, 60)) > 5
    finally:
        weak.stop()


def test_two_hosts_two_origins_and_two_tokens_are_refused(service: Running) -> None:
    host, token = f"Host: {service.host}", f"Authorization: Bearer {service.owner}"
    right = f"Origin: {service.address}"
    assert status_of(raw(service.port, request("GET", "/v1/matches", host, right, token))) == 200
    assert status_of(raw(service.port, request("GET", "/v1/matches", host, host, token))) in (400, 403)
    assert status_of(raw(service.port, request("GET", "/v1/matches", token))) in (400, 403)
    assert status_of(raw(service.port, request("GET", "/v1/matches", host, right, right, token))) == 403
    assert status_of(raw(service.port, request("GET", "/v1/matches", host, token, token))) == 401


@pytest.mark.parametrize(
    ("site", "status"),
    [("same-origin", 200), ("none", 200), ("same-site", 403), ("cross-site", 403), ("", 403), ("Same-Origin", 403)],
)
def test_pages_of_other_sites_and_of_other_ports_are_refused(service: Running, site: str, status: int) -> None:
    assert service.call("GET", "/v1/matches", headers={"sec-fetch-site": site}).status_code == status


def test_two_sites_are_as_the_worse_of_them(service: Running) -> None:
    for sites in (("same-origin", "cross-site"), ("same-site", "same-origin")):
        headers = [f"Sec-Fetch-Site: {site}" for site in sites]
        call = request(
            "GET", "/v1/matches", f"Host: {service.host}", f"Authorization: Bearer {service.owner}", *headers
        )
        assert status_of(raw(service.port, call)) == 403


@pytest.mark.parametrize("path", ["/v1", "/v1/", "/v1//", "/v1/matches", "/v1/none", "/metrics"])
def test_no_address_of_the_api_is_open(service: Running, path: str) -> None:
    answer = raw(service.port, request("GET", path, f"Host: {service.host}"))
    assert (status_of(answer), kind_of(error_of(answer))) == (401, "unauthorized")


def test_the_character_that_stands_for_a_slash_is_in_no_name(service: Running) -> None:
    for path in ("/v1/matches/roads/rounds/a\ue000b", "/v1/matches/\ue000"):
        assert service.call("PUT", path).status_code == 404
    assert service.call("PUT", "/v1/matches/roads/rounds/a%2Fb").json()["round_id"] == "a/b"


@pytest.mark.parametrize(
    "kind",
    ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=utf-16", "application/jsonp", ""],
)
def test_bodies_that_are_not_declared_json_are_rejected(service: Running, kind: str) -> None:
    answer = service.call("PUT", "/v1/matches/other", content=b"{}", headers={"content-type": kind})
    assert (answer.status_code, kind_of(answer.json())) == (415, "unsupported")


def test_there_is_no_cors(service: Running) -> None:
    asked = {"origin": service.address, "access-control-request-method": "PUT"}
    answers = [service.call(method, "/v1/matches", headers=asked) for method in ("OPTIONS", "GET")]
    assert not [name for answer in answers for name in answer.headers if name.startswith("access-control")]


def test_every_answer_keeps_browsers_safe(service: Running) -> None:
    for path, token in (("/", None), ("/style.css", None), ("/v1/matches", None), ("/v1/matches", "wrong")):
        answer = service.call("GET", path, token)
        assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS | {
            "cache-control": "no-store" if path.startswith("/v1") else "no-cache"
        }
    assert "server" not in service.call("GET", "/").headers
    assert "unsafe-eval" not in HEADERS["content-security-policy"]


def test_the_page_is_open_and_the_description_is_not(service: Running) -> None:
    assert httpx.get(f"{service.address}/").status_code == 200
    assert httpx.get(f"{service.address}/v1/openapi.json").status_code == 401
    assert service.call("GET", "/v1/openapi.json").json()["info"]["title"] == "firstmover"
    for path in ("/docs", "/redoc", "/openapi.json", "/../app.py", "/%2e%2e/app.py", "/..%2fapp.py", "//etc/passwd"):
        answer = raw(service.port, request("GET", path, f"Host: {service.host}"))
        assert (status_of(answer), kind_of(error_of(answer))) == (404, "not-found"), path


def test_a_reader_sees_no_pending_action(service: Running) -> None:
    with service.client() as client:
        match = client.open("roads")
        secret = match.ask("hidden")
        with service.client(service.reader) as reader:
            watched = reader.open("roads")
            seen = watched.round("hidden")
            assert (seen.status, seen.action, seen.label, seen.probability) == ("pending", None, None, None)
            assert watched.history()[-1] == seen
            assert f"hidden,pending,,,,,,,{seen.delay}" in watched.export().decode()
            assert watched.describe()["role"] == "reader"
            for refused in (lambda: watched.export("journal", "json"), watched.replay, watched.verify, watched.ask):
                with pytest.raises(InvalidInput, match="only reads"):
                    refused()
            match.tell("hidden", {"demand": "low"}, {"congestion": 1.0})
            assert watched.round("hidden").action == secret.action
