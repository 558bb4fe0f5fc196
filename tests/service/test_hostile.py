"""Invalid names, endless bodies and slow clients are rejected at constant memory."""

import http.client
import os
import socket
import time
from contextlib import suppress
from random import Random
from urllib.parse import quote_from_bytes

import pytest

from tests.service.processes import Running, error_of, kind_of, raw, request, status_of, wait_until
from tests.torture.sizes import sizes

MEGABYTE = 1 << 20
FLAT = 24 * MEGABYTE
"""By how much memory may move: buffers of the connections, and the allocator's own ways."""

SEEDS = [
    "..", ".", "../../etc/passwd", "..\\..\\windows", "/etc/passwd", "//host/share", "C:\\boot.ini", "CON", "nul.txt",
    "a/../b", "%2e%2e%2f", "..%252f", "%00", "a\x00b", "a\nb", "a\r\nSet-Cookie: x=1", "\x1b[31m", "\u202etxt.exe",
    "\ufeffbom", "\ue000", "a\ue000b", "'; DROP TABLE firstmover_events;--", '" OR 1=1', "{{7*7}}", "${jndi:ldap://x}",
    "<script>alert(1)</script>", "~root", "-rf", "$(id)", "`id`", "a" * 81, "a" * 5000, "ü" * 80, "🙂" * 80, " a", "a ",
    "\u00a0a", "a\u2003", "\u2028", "\ud7ff", "", "?", "#", "a?b=c", "a#b", "matches.db", "tokens.json", "None", "１",
]  # fmt: skip
BYTES = [b"\xff", b"\xc0\xaf", b"\xed\xa0\x80", b"\xf8\x88\x80\x80\x80", b"%", b"%zz", b"%u0041", b"a%2"]


def hostile(number: int) -> list[str]:
    """So many names as they stand in an address: the seeds, encoded, and what chance makes of them."""
    rng, found = Random(0), [quote_from_bytes(seed.encode(), safe="") for seed in SEEDS]
    found += [quote_from_bytes(seed, safe="") for seed in BYTES] + [seed.decode("latin-1") for seed in BYTES[4:]]
    while len(found) < number:
        name = "".join(rng.choice(rng.choice(SEEDS) or "x") for _ in range(rng.randint(1, 90)))
        content = bytearray(name.encode())
        if rng.random() < 0.2:
            content[rng.randrange(len(content))] = rng.randrange(256)
        found.append(quote_from_bytes(bytes(content), safe="" if rng.random() < 0.8 else "/.%"))
    return found[:number]


def names(service: Running) -> list[str]:
    with service.client() as client:
        return [listed["name"] for listed in client.matches()]


@pytest.mark.parametrize("asked", sizes("hostile names"))
def test_hostile_names_are_names_or_refused_and_never_paths(service: Running, asked: int) -> None:
    before = sorted(os.listdir(service.folder)), names(service)
    headers = {"Authorization": f"Bearer {service.owner}"}
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
    accepted = 0
    for number, name in enumerate(hostile(2000)):
        calls = [("GET", f"/v1/matches/{name}")]
        if number < asked:
            calls.append(("PUT", f"/v1/matches/roads/rounds/{name}"))
            calls.append(("GET", f"/{name}"))
        for method, path in calls:
            connection.putrequest(method, path, skip_accept_encoding=True)
            for key, value in headers.items():
                connection.putheader(key, value)
            connection.endheaders()
            answer = connection.getresponse()
            body = answer.read()
            assert answer.status in (200, 201, 400, 404, 405, 422), (path, answer.status, body)
            assert b"root:" not in body
            accepted += answer.status == 201
            if answer.status == 400:
                connection.close()
    connection.close()
    assert accepted > 10, "strange but printable names are names"
    assert (sorted(os.listdir(service.folder)), names(service)) == before


def headers_of(service: Running, *more: str) -> list[str]:
    return [f"Host: {service.host}", f"Authorization: Bearer {service.owner}", "Content-Type: application/json", *more]


def test_a_body_of_a_gigabyte_is_refused_before_it_is_read(service: Running) -> None:
    before = service.memory()
    announced = request("PUT", "/v1/matches/big", *headers_of(service, f"Content-Length: {1 << 30}"))
    answer = raw(service.port, announced, b"[" * 1000)
    assert (status_of(answer), kind_of(error_of(answer))) == (413, "too-large")
    stranger = request("PUT", "/v1/matches/big", f"Host: {service.host}", f"Content-Length: {1 << 30}")
    assert status_of(raw(service.port, stranger)) == 401
    assert service.memory() - before < FLAT


@pytest.mark.parametrize(("path", "limit"), [("/v1/matches/big", 1), ("/v1/matches/roads/history", 8)])
def test_a_body_in_pieces_without_end_is_cut_off(service: Running, path: str, limit: int) -> None:
    before, sent = service.memory(), 0
    piece = b"10000\r\n" + b" " * 65536 + b"\r\n"
    method = "POST" if path.endswith("history") else "PUT"
    with socket.create_connection(("127.0.0.1", service.port), timeout=30) as plain:
        plain.sendall(request(method, path, *headers_of(service, "Transfer-Encoding: chunked")))
        try:
            while sent < 1 << 30:
                plain.sendall(piece)
                sent += 65536
        except OSError:
            pass
    assert limit * MEGABYTE - 65536 <= sent < (limit + 8) * MEGABYTE, "what the sockets hold comes on top"
    assert service.memory() - before < FLAT


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"[" * 100_000, "nested too deep"),
        (b'{"config": {"horizon": 1' + b"0" * 5000 + b"}}", "too many digits"),
        (b'{"config": {"regularization": NaN}}', "finite numbers only"),
        (b'{"config": {"regularization": 1e999}}', "finite numbers only"),
        (b'{"config": {}, "config": {}}', "gives a name twice"),
        (b'{"config": {"title": "\\ud800"}}', "not Unicode text"),
        (b"\xff\xfe", "not Unicode text"),
        (b"{'config': 1}", "not JSON: something is missing or wrong in line 1, column 2."),
        (b'{"config": {}, "more": 1}', "more is not a field"),
        (b"[]", "body is []: "),
        (b'{"config": 3}', "config is 3: "),
        (
            b'{"config": {"menu": {"game": "shore"}, "horizon": 1' + b"0" * 400 + b"}}",
            "less than or equal to 1000000000000000",
        ),
        (b'"' + b"x" * (MEGABYTE - 2) + b'"', "body"),
    ],
)
def test_a_body_that_is_not_what_it_should_be_is_one_sentence(service: Running, body: bytes, sentence: str) -> None:
    answer = service.call("PUT", "/v1/matches/x", content=body, headers={"content-type": "application/json"})
    error = answer.json()
    assert (answer.status_code, kind_of(error)) == (422, "invalid")
    assert sentence in error["detail"]
    assert "\n" not in error["detail"]
    assert len(error["detail"]) < 400


def test_a_type_that_is_of_no_kind_is_one_sentence_with_its_value(service: Running) -> None:
    body = {"opponent_type": {"demand": True}, "response": {"congestion": 1.0}}
    answer = service.call("PUT", "/v1/matches/roads/rounds/x/outcome", json=body)
    assert answer.json()["detail"] == (
        "opponent_type.demand is True: it should be a finite number, a short text or a list of numbers."
    )
    query = service.call("GET", "/v1/matches/roads/rounds?limit=1e3").json()["detail"]
    assert query == "limit is '1e3': it is no whole number."


@pytest.mark.parametrize("more", [("Content-Length: 1000000000",), ("Transfer-Encoding: chunked",)])
def test_a_stranger_whose_body_never_ends_is_left_with_the_refusal(service: Running, more: tuple[str, ...]) -> None:
    call = request("PUT", "/v1/matches/x", f"Host: {service.host}", "Content-Type: application/json", *more)
    with socket.create_connection(("127.0.0.1", service.port), timeout=10) as plain:
        plain.sendall(call.replace(b"Connection: close\r\n", b""))
        assert status_of(plain.recv(65536)) == 401
        while plain.recv(65536):
            pass  # the rest of the refusal; the end comes before the time-out, or this fails


def connections(service: Running) -> int:
    """Sockets that the service holds."""
    fds, count = f"/proc/{service.process.pid}/fd", 0
    for name in os.listdir(fds):
        with suppress(FileNotFoundError):  # closed since
            count += os.readlink(f"{fds}/{name}").startswith("socket:")
    return count


def dribble(sockets: list[socket.socket], piece: bytes) -> None:
    """Send one more byte on every open connection."""
    for plain in sockets:
        with suppress(OSError):
            plain.sendall(piece)


def test_slow_clients_are_left_and_others_are_served_meanwhile(service: Running) -> None:
    before, held = service.memory(), connections(service)
    body = request("PUT", "/v1/matches/x", *headers_of(service, "Content-Length: 1000"))
    large = request("GET", "/vendor/d3.min.js", f"Host: {service.host}")
    opened = []
    for number in range(120):
        plain = socket.socket()
        plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        plain.connect(("127.0.0.1", service.port))
        plain.sendall((b"", b"GET / HT", body, large)[number % 4])
        opened.append(plain)
    assert wait_until(lambda: connections(service) > held + 20)
    start = time.monotonic()
    assert service.call("GET", "/v1/matches").status_code == 200
    assert time.monotonic() - start < 5
    for _ in range(10):
        dribble(opened[1::4], b"T")
        dribble(opened[2::4], b" ")
        time.sleep(0.1)
    assert wait_until(lambda: connections(service) <= held), "all of them are let go"
    late = opened[2].recv(65536)
    assert (status_of(late), kind_of(error_of(late))) == (408, "too-slow")
    for plain in opened:
        plain.close()
    assert service.memory() - before < FLAT


def test_only_so_many_may_listen(service: Running) -> None:
    listen = request("GET", "/v1/matches/roads/events", *headers_of(service)).replace(b"Connection: close\r\n", b"")
    held = connections(service)
    opened = [socket.create_connection(("127.0.0.1", service.port), timeout=30) for _ in range(4)]
    for plain in opened:
        plain.sendall(listen)
        assert status_of(plain.recv(65536)) == 200
    refused = raw(service.port, listen.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
    assert (status_of(refused), kind_of(error_of(refused))) == (503, "busy")
    for plain in opened:
        plain.close()
    assert wait_until(lambda: connections(service) <= held), "those that left are let go"
    again = service.client().open("roads").changes()
    assert next(again) >= 1


def test_headers_without_end_are_refused(service: Running) -> None:
    endless = request("GET", "/", f"Host: {service.host}", *[f"X-{i}: {'x' * 100}" for i in range(1000)])
    assert status_of(raw(service.port, endless)) == 431
    assert service.call("GET", "/").status_code == 200
