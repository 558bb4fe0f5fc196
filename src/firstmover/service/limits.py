"""Bodies: no larger than allowed, no slower than allowed, and JSON in which every number is one."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any, NoReturn

from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from firstmover.core.documents import parse_error_text
from firstmover.service.errors import refusal

MOST_BYTES = 1 << 20
MOST_BYTES_OF_HISTORY = 8 << 20
BODY_SECONDS = 20.0
"""How long a client may take to send all of a body."""

CLOSE = {"connection": "close"}
"""Sent with the refusal of a body that was not read to its end."""


class _Refused(Exception):  # noqa: N818 - a signal, caught where it is raised
    def __init__(self, response: Response) -> None:
        super().__init__()
        self.response = response


class Bodies:
    """Reads a body as far as it may go and checks it, before any route sees it."""

    def __init__(self, app: ASGIApp, seconds: float = BODY_SECONDS) -> None:
        self.app, self.seconds = app, seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or pass on with the whole body."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            body = await self._read(scope, receive)
            if body:
                _check(body)
        except _Refused as refused:
            await refused.response(scope, receive, send)
            return
        if body is not None:
            await self.app(scope, _replayed(body, receive), send)

    async def _read(self, scope: Scope, receive: Receive) -> bytes | None:
        """The body; None if the client left before its end."""
        limit = MOST_BYTES_OF_HISTORY if scope["path"].endswith("/history") else MOST_BYTES
        length = dict(scope["headers"]).get(b"content-length", b"0")
        if not length.isdigit() or int(length) > limit:
            raise _too_large(limit)
        body = bytearray()
        try:
            async with asyncio.timeout(self.seconds):
                while True:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return None
                    body += message.get("body", b"")
                    if len(body) > limit:
                        raise _too_large(limit)
                    if not message.get("more_body", False):
                        return bytes(body)
        except TimeoutError:
            sentence = f"The body did not arrive within {self.seconds:g} s: send it again, at once."
            raise _Refused(refusal(408, sentence, headers=CLOSE)) from None


def _too_large(limit: int) -> _Refused:
    sentence = f"The body is larger than {limit >> 20} MiB: send less at once."
    return _Refused(refusal(413, sentence, headers=CLOSE))


def _replayed(body: bytes, receive: Receive) -> Receive:
    """A receive that gives the body first, and afterwards whatever else comes."""
    given = False

    async def receiving() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return receiving


def _check(body: bytes) -> None:
    """Nothing, when a body is JSON as the standard has it: no NaN, no name twice, no half of a character."""
    try:
        text = body.decode()
        json.loads(text, parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=_once)
        if "\\u" in text:
            json.dumps(json.loads(text), ensure_ascii=False).encode()
    except _Refused:
        raise
    except UnicodeError:
        raise _Refused(refusal(422, "The body holds what is no Unicode text: send JSON in UTF-8.")) from None
    except RecursionError:
        raise _Refused(refusal(422, "The body is nested too deep: send what the call takes.")) from None
    except json.JSONDecodeError as error:
        raise _Refused(refusal(422, f"The body is not JSON: {parse_error_text(error)}.")) from None
    except ValueError:
        raise _Refused(refusal(422, "The body holds a number of too many digits: send fewer.")) from None


def _no_constant(name: str) -> NoReturn:
    raise _Refused(refusal(422, f"The body holds {name}: give finite numbers only."))


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise _Refused(refusal(422, f"The body holds {text[:20]}: give finite numbers only."))
    return number


def _once(pairs: list[tuple[str, Any]]) -> Mapping[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _Refused(refusal(422, "The body gives a name twice in one object: give it once."))
    return found
