"""Connections of strangers give way, and what two readers of HTTP may read differently is refused."""

import socket
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from firstmover.service.connections import MOST_ANONYMOUS, Connection
from firstmover.service.security import HEADERS
from tests.service.processes import Running, error_of, kind_of, raw, request, status_of, wait_until, with_match
from tests.service.test_hostile import connections, headers_of

CROWD = 500


@pytest.fixture(scope="module")
def patient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A service with the match `roads` and the timeouts that it has."""
    running = with_match(tmp_path_factory.mktemp("patient"))
    yield running
    running.stop()
    assert "Traceback" not in running.said()


def connected(stack: ExitStack, port: int, source: str = "127.0.0.1") -> socket.socket:
    """A connection that takes hardly any data at once."""
    plain = stack.enter_context(socket.socket())
    plain.settimeout(30)
    plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    plain.bind((source, 0))
    plain.connect(("127.0.0.1", port))
    return plain


def is_open(plain: socket.socket) -> bool:
    """Whether the other side has closed a connection on which nothing was sent."""
    plain.setblocking(False)
    try:
        return plain.recv(1) != b""
    except BlockingIOError:
        return True
    except ConnectionError:
        return False


def kept_out(service: Running, sent: bytes) -> list[int]:
    """The statuses, other than 200, of the owner's calls on new connections while a crowd of strangers is connected."""
    statuses, held = [], connections(service)
    with ExitStack() as stack:
        for number in range(CROWD):
            plain = connected(stack, service.port)
            plain.sendall(sent)
            if number % 100 == 99:
                statuses.append(status_of(raw(service.port, request("GET", "/v1/matches", *headers_of(service)))))
        assert connections(service) - held <= MOST_ANONYMOUS + 2
    assert wait_until(lambda: connections(service) <= held)
    return [status for status in statuses if status != 200]


@pytest.mark.parametrize("sent", ["", "GET / HT", "a large file that is not read"])
def test_idle_connections_of_strangers_do_not_keep_the_owner_out(patient: Running, sent: str) -> None:
    large = request("GET", "/vendor/d3.min.js", f"Host: {patient.host}")
    assert kept_out(patient, large if "file" in sent else sent.encode()) == []


def no_room() -> None:
    """Connections of strangers stay."""
    Connection._make_room = lambda _: None  # type: ignore[method-assign]


def test_the_crowd_notices_a_missing_limit(tmp_path: Path) -> None:
    weak = with_match(tmp_path, no_room)
    try:
        with pytest.raises(AssertionError):
            assert kept_out(weak, b"") == []
    finally:
        weak.stop()


def peer(answer: httpx.Response) -> object:
    """The client's end of the connection that an answer came by."""
    return answer.extensions["network_stream"].get_extra_info("client_addr")


def test_who_has_a_token_stays_connected_in_a_crowd(patient: Running) -> None:
    listen = request("GET", "/v1/matches/roads/events", *headers_of(patient)).replace(b"Connection: close\r\n", b"")
    owner = httpx.Client(headers={"authorization": f"Bearer {patient.owner}"})
    with ExitStack() as stack, owner:
        stream = connected(stack, patient.port)
        stream.sendall(listen)
        assert status_of(stream.recv(65536)) == 200
        first = peer(owner.get(f"{patient.address}/v1/matches"))
        for _ in range(2 * MOST_ANONYMOUS):
            connected(stack, patient.port)
        assert peer(owner.get(f"{patient.address}/v1/matches")) == first, "the same connection"
        patient.call("POST", "/v1/matches/roads/ask")
        assert b"event: changed" in stream.recv(65536)


def test_the_address_that_has_most_connections_gives_way(patient: Running) -> None:
    with ExitStack() as stack:
        single = connected(stack, patient.port, "127.0.0.3")
        crowd = [connected(stack, patient.port, "127.0.0.2") for _ in range(MOST_ANONYMOUS + 10)]
        assert wait_until(lambda: not is_open(crowd[9])), "the oldest ones"
        assert is_open(single)
        assert [is_open(each) for each in crowd] == [False] * 11 + [True] * (MOST_ANONYMOUS - 1)


CHUNKED, LENGTH = "Transfer-Encoding: chunked", "Content-Length: 5"
AMBIGUOUS = {
    "length and chunks": (LENGTH, CHUNKED),
    "chunks and length": (CHUNKED, LENGTH),
    "two equal lengths": (LENGTH, LENGTH),
    "two lengths": (LENGTH, "Content-Length: 6"),
    "a list of lengths": ("Content-Length: 5, 5",),
    "a length with a sign": ("Content-Length: +5",),
    "an unknown coding": ("Transfer-Encoding: xchunked",),
    "a coding after chunks": ("Transfer-Encoding: chunked, identity",),
    "chunks twice": (CHUNKED, CHUNKED),
    "a folded header": ("X-A: b", " c"),
    "a header folded by a tab": ("X-A: b", "\tc"),
    "a folded header without a value": ("X-A:", " c"),
    "a space before the colon": ("X-A : b",),
    "a bare line feed": ("X-A: b\nX-B: c",),
    "a bare carriage return": ("X-A: b\rX-B: c",),
    "a null byte": ("X-A: b\0c",),
}


@pytest.mark.parametrize("name", AMBIGUOUS)
def test_what_proxies_may_read_otherwise_is_refused(service: Running, name: str) -> None:
    answer = raw(
        service.port, request("PUT", "/v1/matches/x", *headers_of(service, *AMBIGUOUS[name]), body=b"0\r\n\r\n")
    )
    assert (status_of(answer), kind_of(error_of(answer))) == (400, "invalid")
    assert answer.count(b"HTTP/1.1 ") == 1, "nothing after it is read as a call"


def test_line_feeds_without_carriage_returns_are_refused(service: Running) -> None:
    call = request("GET", "/v1/matches", *headers_of(service))
    assert status_of(raw(service.port, call)) == 200
    places = [place for place in range(len(call)) if call[place : place + 2] == b"\r\n"]
    for place in places:
        assert status_of(raw(service.port, call[:place] + call[place + 1 :])) == 400, place
    assert status_of(raw(service.port, call.replace(b"\r\n", b"\n"))) == 400
    chunks = request("PUT", "/v1/matches/x", *headers_of(service, CHUNKED))
    for body in (b"2\n{}\r\n0\r\n\r\n", b"2\r\n{}\n0\r\n\r\n", b"2\r\n{}\r\n0\r\n\n", b"2;a\n{}\r\n0\r\n\r\n"):
        assert status_of(raw(service.port, chunks + body)) == 400, body


@pytest.mark.parametrize("target", ["http://evil.example/v1/matches", "*", "/v1/matches#a", "evil.example:80"])
def test_a_target_that_is_no_path_is_refused(service: Running, target: str) -> None:
    assert status_of(raw(service.port, request("GET", target, *headers_of(service)))) == 400


@pytest.mark.parametrize(
    ("version", "more", "status"),
    [
        ("1.1", (), 200),
        ("1.0", (), 200),
        ("1.0", (CHUNKED,), 400),
        ("1.0", ("transfer-ENCODING: chunked",), 400),
        ("0.9", (), 400),
        ("2.0", (), 400),
    ],
)
def test_chunks_are_of_version_1_1_and_other_versions_are_refused(
    service: Running, version: str, more: tuple[str, ...], status: int
) -> None:
    call = request("GET", "/v1/matches", *headers_of(service, *more)).replace(b" HTTP/1.1", f" HTTP/{version}".encode())
    assert status_of(raw(service.port, call + (b"0\r\n\r\n" if more else b""))) == status


def test_a_header_that_never_ends_is_refused_when_it_is_too_long(service: Running) -> None:
    pieces = [b"GET / HTTP/1.1\r\nX: ", *[b"x" * 8192] * 40]
    answer = raw(service.port, *pieces)
    assert answer == b"" or (status_of(answer), kind_of(error_of(answer))) == (431, "too-large")
    assert service.call("GET", "/").headers.get("x-frame-options") == HEADERS["x-frame-options"]
