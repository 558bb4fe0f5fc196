"""Limits on bodies, called without a server."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from firstmover.service.body_limits import MOST_BYTES, BodyLimits
from firstmover.service.security import Guard
from firstmover.service.tokens import Tokens

Call = tuple[Any, Any, Any]


def called(make: Any, scope: dict[str, Any], messages: list[Message]) -> tuple[list[Call], list[Message], Call]:
    """The calls that an application behind a limit receives, what is sent, and the call itself."""
    passed: list[Call] = []
    sent: list[Message] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        passed.append((scope, receive, send))

    async def receive() -> Message:
        if not messages:
            await asyncio.sleep(60)
        return messages.pop(0)

    async def send(message: Message) -> None:
        sent.append(message)

    with ThreadPoolExecutor(1) as thread:  # a browser may run a loop in this one
        thread.submit(asyncio.run, make(app)(scope, receive, send)).result()
    return passed, sent, (scope, receive, send)


def answer(messages: list[Message], headers: tuple[tuple[bytes, bytes], ...] = ()) -> tuple[int, bytes | None]:
    """The status of a rejected body, and its header "connection"."""
    scope = {"type": "http", "path": "/v1/matches", "method": "POST", "headers": list(headers)}
    passed, (start, _), _ = called(lambda app: BodyLimits(app, seconds=0.05), scope, messages)
    assert passed == []
    return start["status"], dict(start["headers"]).get(b"connection")


def test_a_connection_is_closed_if_its_body_was_not_read_to_the_end() -> None:
    part = {"type": "http.request", "body": bytes(MOST_BYTES), "more_body": True}
    assert answer([], ((b"content-length", b"%d" % (MOST_BYTES + 1)),)) == (413, b"close")
    assert answer([part, part]) == (413, b"close")
    assert answer([part]) == (408, b"close")
    assert answer([{"type": "http.request", "body": b"{"}]) == (422, None)


def guarded(app: ASGIApp) -> Guard:
    return Guard(app, ["localhost"], Tokens(Path("none.json")))


@pytest.mark.parametrize("limit", [BodyLimits, guarded])
def test_start_and_end_of_the_service_are_passed_on(limit: Any) -> None:
    passed, sent, call = called(limit, {"type": "lifespan"}, [])
    assert passed == [call]
    assert sent == []
