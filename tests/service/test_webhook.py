"""The webhook against real servers on this machine: ones that answer, fail, redirect, hang or are down."""

import hashlib
import hmac
import json
import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from firstmover.core.errors import InvalidInput
from firstmover.core.logs import LOGGERS
from firstmover.core.records import Alarm
from firstmover.matches import Match
from firstmover.service import webhook as module
from firstmover.service.app import create_app
from firstmover.service.tokens import Tokens
from firstmover.service.webhook import Webhook, checked_address, read_secret
from tests.cli.running import refused
from tests.matches.played import ROUTES
from tests.service.in_process import Caller

SECRET = b"0123456789abcdef"


class Receiver:
    """A server that answers with the statuses given, the last one for ever; None hangs until it is released."""

    def __init__(self, *statuses: int | None) -> None:
        self.statuses, self.posts, self.released = list(statuses), [], Event()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                receiver.posts.append((self.path, dict(self.headers), body))
                status = receiver.statuses.pop(0) if len(receiver.statuses) > 1 else receiver.statuses[0]
                if status is None:
                    receiver.released.wait(20)
                    return
                self.send_response(status)
                if 300 <= status < 400:
                    self.send_header("Location", "/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = Thread(target=self.server.serve_forever, args=(0.01,), daemon=True)
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/hook?key=in-the-query"

    @property
    def said(self) -> list[dict[str, Any]]:
        return [json.loads(body) for _, _, body in self.posts]

    def wait(self, count: int) -> None:
        eventually(lambda: len(self.posts) >= count)

    def close(self) -> None:
        self.released.set()
        self.server.shutdown()
        self.server.server_close()


def eventually(holds: Any) -> None:
    for _ in range(1500):
        if holds():
            return
        time.sleep(0.01)
    raise AssertionError("it did not happen within 15 s")


@pytest.fixture
def receivers() -> Iterator[Any]:
    made: list[Receiver] = []

    def make(*statuses: int | None) -> Receiver:
        made.append(Receiver(*statuses))
        return made[-1]

    yield make
    for receiver in made:
        receiver.close()


@contextmanager
def service(folder: Path, url: str, pauses: tuple[float, ...] = (0.01, 0.01), seconds: float = 5.0) -> Iterator[Caller]:
    """The service with a webhook and a match of twelve told rounds."""
    with Match.create(folder / "matches.db", "roads", ROUTES, actor="ann") as match:
        for number in range(1, 13):
            match.tell(match.ask(str(number)).round_id, "low", 2.0)
    tokens = Tokens(folder / "tokens.json")
    hook = Webhook(url, SECRET, pauses, seconds)
    caller = Caller(create_app(folder / "matches.db", folder / "runs", tokens, ["127.0.0.1:8642"], None, hook), tokens)
    try:
        yield caller
    finally:
        caller.close()


def counts(caller: Caller) -> dict[str, int]:
    answer = caller.wait(
        caller.client.get("/metrics", headers={"authorization": f"Bearer {caller.tokens['reader']}"})
    ).text
    lines = [line for line in answer.splitlines() if line.startswith("firstmover_webhook_posts_total{")]
    return {line.split('"')[1]: int(line.split()[-1]) for line in lines}


def test_events_are_posted_signed_without_actions_or_secrets(tmp_path: Path, receivers: Any) -> None:
    receiver = receivers(204)
    with service(tmp_path, receiver.url) as caller:
        label = caller("PUT", "/matches/roads/rounds/13").json()["label"]
        body = {"opponent_type": {"demand": "low"}, "response": {"congestion": 2.0}}
        caller("PUT", "/matches/roads/rounds/13/outcome", json=body)
        caller("POST", "/matches/roads/rounds/13/corrections", json={"reason": "misread"})
        receiver.wait(3)
        eventually(lambda: counts(caller) == {"delivered": 3, "failed": 0, "dropped": 0, "retried": 0})
        assert [(each["event"], each["match"], each["round"]) for each in receiver.said] == [
            ("asked", "roads", "13"),
            ("told", "roads", "13"),
            ("corrected", "roads", "13"),
        ]
        assert set(receiver.said[0]) == {"event", "match", "round", "time", "sequence"}
        for path, headers, content in receiver.posts:
            assert path == "/hook?key=in-the-query"
            expected = hmac.new(SECRET, content, hashlib.sha256).hexdigest()
            assert headers["X-Firstmover-Signature"] == f"sha256={expected}"
            assert headers["content-type"] == "application/json"
            for hidden in (label, SECRET.decode(), caller.tokens["owner"], "congestion", "misread"):
                assert hidden.encode() not in content


def test_an_alarm_is_posted_once_with_the_round_that_raised_it(
    tmp_path: Path, receivers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    alarms = Alarm("outlier", "20 was observed.", "Check it.", "13"), Alarm("units", "Half of it.", "Check them.", "2")
    monkeypatch.setattr(module, "match_alarms", lambda _state: alarms)
    receiver = receivers(200)
    with service(tmp_path, receiver.url) as caller:
        caller("PUT", "/matches/roads/rounds/13")
        body = {"opponent_type": {"demand": "low"}, "response": {"congestion": 20.0}}
        caller("PUT", "/matches/roads/rounds/13/outcome", json=body)
        caller("PUT", "/matches/roads/rounds/14")
        receiver.wait(4)
        asked, told, alarm, _ = receiver.said
        assert (asked["event"], told["event"]) == ("asked", "told")
        assert alarm == told | {"event": "alarm", "alarm": "outlier"}


def test_a_due_round_is_posted_once(tmp_path: Path, receivers: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LOOK_SECONDS", 0.05)
    receiver = receivers(200)
    with service(tmp_path, receiver.url) as caller:
        with monkeypatch.context() as past:
            past.setattr("firstmover.matches.journal.utc_clock", lambda: "2026-03-02T12:00:00.000+00:00")
            body = {"schedule": {"times": ["07:00"], "zone": "Europe/Zurich"}}
            assert caller("PUT", "/matches/roads/schedule", json=body).json() == {"new": True}
            caller("PUT", "/matches/roads/rounds/13")
            receiver.wait(2)
        due = caller.read("/matches/roads/schedule", "reader")["due"]["at"]
        time.sleep(0.3)
        assert [each["event"] for each in receiver.said] == ["asked", "due"]
        assert receiver.said[1]["time"] == due
        assert caller("PUT", "/matches/roads/schedule", "operator", json=body).status_code == 403


def test_events_of_other_processes_are_posted_when_the_match_is_next_read(tmp_path: Path, receivers: Any) -> None:
    receiver = receivers(200)
    with service(tmp_path, receiver.url) as caller:
        caller.read("/matches/roads")
        with Match.open(tmp_path / "matches.db", "roads") as other:
            other.void(other.ask("by hand").round_id, "rain")
        caller.read("/matches/roads/rounds")
        receiver.wait(2)
        caller.read("/matches/roads/rounds")
        assert [each["event"] for each in receiver.said] == ["asked", "voided"]


def test_a_server_that_fails_is_tried_again_in_order_and_the_failure_logged_once(
    tmp_path: Path, receivers: Any, caplog: pytest.LogCaptureFixture
) -> None:
    receiver = receivers(500, 503, 200)
    with caplog.at_level(logging.INFO), service(tmp_path, receiver.url) as caller:
        caller("PUT", "/matches/roads/rounds/13")
        caller("PUT", "/matches/roads/rounds/14")
        receiver.wait(4)
        eventually(lambda: counts(caller) == {"delivered": 2, "failed": 0, "dropped": 0, "retried": 2})
    assert [each["round"] for each in receiver.said] == ["13", "13", "13", "14"]
    logged = [record.getMessage() for record in caplog.records if record.name == module.__name__]
    assert logged == [
        "webhook: posts to 127.0.0.1 fail (status 500); /metrics counts them",
        "webhook: posts are delivered again",
    ]
    shown = "".join(str(vars(record)) for record in caplog.records if record.name.startswith(LOGGERS))
    assert not any(secret in shown for secret in (SECRET.decode(), "in-the-query"))


@pytest.mark.parametrize("status", [302, 307, 410])
def test_a_redirect_is_not_followed_and_a_refusal_not_repeated(tmp_path: Path, receivers: Any, status: int) -> None:
    receiver = receivers(status, 200)
    with service(tmp_path, receiver.url) as caller:
        caller("PUT", "/matches/roads/rounds/13")
        caller("PUT", "/matches/roads/rounds/14")
        eventually(lambda: counts(caller) == {"delivered": 1, "failed": 1, "dropped": 0, "retried": 0})
    assert [path.partition("?")[0] for path, _, _ in receiver.posts] == ["/hook", "/hook"]


def test_a_server_that_is_down_costs_no_call_anything(tmp_path: Path, receivers: Any) -> None:
    receiver = receivers(200)
    receiver.close()
    with service(tmp_path, receiver.url) as caller:
        assert caller("PUT", "/matches/roads/rounds/13").status_code == 201
        eventually(lambda: counts(caller) == {"delivered": 0, "failed": 1, "dropped": 0, "retried": 2})


def test_no_ask_or_tell_waits_for_a_server_that_hangs_and_the_queue_is_bounded(
    tmp_path: Path, receivers: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_WAITING", 3)
    receiver = receivers(None)
    with service(tmp_path, receiver.url, seconds=60.0) as caller:
        begun = time.monotonic()
        for number in range(20, 26):
            assert caller("PUT", f"/matches/roads/rounds/{number}").status_code == 201
        assert time.monotonic() - begun < 30, "the first post alone hangs for 60 s"
        receiver.wait(1)
        assert counts(caller)["dropped"] >= 2
        assert len(receiver.posts) == 1
    assert time.monotonic() - begun < 50, "the service stops without waiting for it"


def test_an_attempt_that_takes_too_long_is_ended(tmp_path: Path, receivers: Any) -> None:
    receiver = receivers(None)
    with service(tmp_path, receiver.url, pauses=(0.01,), seconds=0.2) as caller:
        caller("PUT", "/matches/roads/rounds/13")
        eventually(lambda: counts(caller) == {"delivered": 0, "failed": 1, "dropped": 0, "retried": 1})


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("http://example.org/hook", "an http address of another machine"),
        ("ftp://127.0.0.1/", "no address to post to"),
        ("127.0.0.1:9000", "no address to post to"),
        ("http://me:key@127.0.0.1/", "no address to post to"),
        ("http://127.0.0.1:99999/", "no address to post to"),
        ("http://[::1/", "no address to post to"),
    ],
)
def test_a_wrong_address_is_refused_without_repeating_it(url: str, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence) as error:
        checked_address(url)
    assert "key" not in str(error.value)


def test_https_anywhere_and_http_on_this_machine_are_allowed() -> None:
    for url in ("https://example.org/hook", "http://localhost:1/", "http://[::1]:9/", "http://127.0.0.1/"):
        assert checked_address(url) == url


def test_the_secret_is_read_from_a_private_file(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    with pytest.raises(InvalidInput, match="cannot be read: No such file"):
        read_secret(path)
    path.write_text("0123456789abcdef\n")
    path.chmod(0o644)
    with pytest.raises(InvalidInput, match=r"can be read by other users: make it private \(chmod 600\)"):
        read_secret(path)
    path.chmod(0o600)
    assert read_secret(path) == SECRET
    path.write_text("short")
    with pytest.raises(InvalidInput, match="has fewer than 16 characters"):
        read_secret(path)


def test_address_and_secret_belong_together_on_the_command_line() -> None:
    sentence = refused("serve", "--webhook", "http://127.0.0.1:9/")
    assert sentence == "--webhook and --webhook-secret belong together: give both, or neither."
