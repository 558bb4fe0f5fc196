"""Request bodies: limits on size and time, and JSON in which every number is finite."""

import asyncio
import json
from math import isfinite
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from firstmover.core.documents import parse_error_text
from firstmover.service.errors import error_response

MOST_BYTES = 1 << 20
MOST_HISTORY_BYTES = 8 << 20
LARGE = ("/history", "/proposals", "/rehearsals")
"""Ends of the addresses that take tables."""

BODY_SECONDS = 20.0  # time in which a client must send its whole body


class _Rejected(Exception):  # noqa: N818 - a signal, caught where it is raised
    """A body that is answered with an error; one that was not read to its end closes the connection."""

    def __init__(self, status: int, sentence: str, *, close: bool = False) -> None:
        super().__init__(sentence)
        self.response = error_response(status, sentence, headers={"connection": "close"} if close else None)


class BodyLimits:
    """Reads and checks a body before any route sees it."""

    def __init__(self, app: ASGIApp, seconds: float = BODY_SECONDS) -> None:
        self.app, self.seconds = app, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with an error, or pass the call on with its whole body."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            body = await self._read(scope, receive)
            if body:
                _check(body)
        except _Rejected as rejected:
            await rejected.response(scope, receive, send)
            return
        if body is not None:
            await self.app(scope, _replayed(body, receive), send)

    async def _read(self, scope: Scope, receive: Receive) -> bytes | None:
        """Return the body; None if the client disconnected before its end."""
        limit = MOST_HISTORY_BYTES if scope["path"].endswith(LARGE) else MOST_BYTES
        too_large = _Rejected(413, f"The body is larger than {limit >> 20} MiB: send less per call.", close=True)
        length = dict(scope["headers"]).get(b"content-length", b"0")
        if not length.isdigit() or int(length) > limit:
            raise too_large
        body = bytearray()
        try:
            async with asyncio.timeout(self.seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return None
                    body += message.get("body", b"")
                    if len(body) > limit:
                        raise too_large
                    if not message.get("more_body", False):
                        return bytes(body)
        except TimeoutError:
            sentence = f"The body did not arrive within {self.seconds:g} s: send it again, faster."
            raise _Rejected(408, sentence, close=True) from None


def _replayed(body: bytes, receive: Receive) -> Receive:
    """Return a receive that gives the body first, and then further messages."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_next() -> Message:
        return messages.pop() if messages else await receive()

    return receive_next


def _check(body: bytes) -> None:
    """Reject a body that is not standard JSON: NaN, a name twice in one object, a lone surrogate."""
    try:
        text = body.decode()
        json.loads(text, parse_constant=_finite, parse_float=_finite, object_pairs_hook=_unique_names)
        if "\\u" in text:
            json.dumps(json.loads(text), ensure_ascii=False).encode()
    except UnicodeError:
        raise _Rejected(422, "The body is not Unicode text: send JSON in UTF-8.") from None
    except RecursionError:
        raise _Rejected(422, "The body is nested too deeply: send what the call takes.") from None
    except json.JSONDecodeError as error:
        raise _Rejected(422, f"The body is not JSON: {parse_error_text(error)}.") from None
    except ValueError:
        raise _Rejected(422, "The body has a number with too many digits: send fewer.") from None


def _finite(text: str) -> float:
    number = float(text)
    if not isfinite(number):
        raise _Rejected(422, f"The body has the number {text[:20]}: give finite numbers only.")
    return number


def _unique_names(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _Rejected(422, "The body gives a name twice in one object: give it once.")
    return found
