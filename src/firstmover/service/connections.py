"""One connection of a client: a strict parser, timeouts, and a limit on connections without a valid token."""

import asyncio
import logging
from collections import Counter
from uuid import uuid4

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from firstmover.service.errors import REQUEST_ID, error_response
from firstmover.service.security import MOST_HEADER_BYTES

_LOG = logging.getLogger(__name__)

HEADER_SECONDS = 5.0  # time from connecting, or from the first byte of a call, to the end of the headers
WRITING_SECONDS = 30.0  # time in which a client must begin to read a response

MOST_ANONYMOUS, MOST_CONNECTIONS = 128, 512
"""Connections without a valid token, of which the oldest gives way, and connections in all."""


class Connection(HttpToolsProtocol):
    """A connection that gives way, or ends, before it can keep others from being served.

    llhttp, the parser of httptools, refuses what a proxy in front may read in another way: a body with two lengths,
    folded headers, and lines that end without a carriage return.
    """

    header_seconds = HEADER_SECONDS
    writing_seconds = WRITING_SECONDS
    _awaiting: asyncio.TimerHandle | None = None
    _writing: asyncio.TimerHandle | None = None
    _head_bytes = 0
    _authorized = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for headers; with too many connections, close one."""
        super().connection_made(transport)
        self.since = self.loop.time()
        self._await_headers()
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
        else:
            self._make_room()

    def _make_room(self) -> None:
        """With too many anonymous connections, close the oldest one of the address that has most of them."""
        anonymous = [each for each in self.connections if isinstance(each, Connection) and each.is_anonymous]
        if len(anonymous) > MOST_ANONYMOUS:
            [(crowded, _)] = Counter(each.address for each in anonymous).most_common(1)
            oldest = min((each for each in anonymous if each.address == crowded), key=lambda each: each.since)
            oldest.transport.abort()

    @property
    def is_anonymous(self) -> bool:
        """True if the connection is open, and neither its last call nor the one before had a valid token.

        The token of a call that has just begun is not checked yet.
        """
        return not (self._authorized or self._has_token() or self.transport.is_closing())

    def _has_token(self) -> bool:
        return self.cycle is not None and "role" in self.cycle.scope["state"]

    @property
    def address(self) -> str:
        """The address of the client, without its port."""
        return self.client[0] if self.client else ""

    def data_received(self, data: bytes) -> None:
        """Read data; headers that do not end are refused."""
        began = self._awaiting is not None
        super().data_received(data)
        if began and self._awaiting is not None:
            self._head_bytes += len(data)
            if self._head_bytes > MOST_HEADER_BYTES:
                self._refuse(431, "The headers of this call are too long: send fewer.")

    def on_message_begin(self) -> None:
        """Start the header timeout, unless it runs since the connection was made."""
        super().on_message_begin()
        self._await_headers()

    def on_headers_complete(self) -> None:
        """Stop the header timeout; refuse the address of another server, other versions, and chunks in HTTP/1.0.

        Only a proxy takes the first; older proxies take chunks for the next call.
        """
        _cancel(self._awaiting)
        self._awaiting, self._head_bytes, self._authorized = None, 0, self._has_token()
        if not self.url.startswith(b"/") or b"#" in self.url:
            raise ValueError("The target is no path.")  # answered by send_400_response
        version = self.parser.get_http_version()
        if version != "1.1" and (version != "1.0" or any(name == b"transfer-encoding" for name, _ in self.headers)):
            raise ValueError("The version has no such message.")
        super().on_headers_complete()

    def _await_headers(self) -> None:
        if self._awaiting is None:
            self._awaiting = self.loop.call_later(self.header_seconds, self.transport.abort)

    def send_400_response(self, msg: str) -> None:  # noqa: ARG002 - the same sentence for all
        """Refuse a call that is not as the standard of HTTP/1.1 has it."""
        self._refuse(400, "This is no valid HTTP request: send it as RFC 9112 has it.")

    def _refuse(self, status: int, sentence: str) -> None:
        """Answer with an error, and close the connection: where the next call begins is unknown."""
        named = uuid4().hex
        _LOG.info("refused", extra={"request_id": named, "status": status, "client": self.address})
        error = error_response(status, sentence, headers={"connection": "close", REQUEST_ID: named}, request_id=named)
        lines = [f"HTTP/1.1 {status} Refused".encode(), *(name + b": " + value for name, value in error.raw_headers)]
        self.transport.write(b"\r\n".join([*lines, b"", bytes(error.body)]))
        self.transport.close()

    def pause_writing(self) -> None:
        """Start the write timeout: the client does not read."""
        super().pause_writing()
        self._writing = self.loop.call_later(self.writing_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Stop the write timeout."""
        super().resume_writing()
        _cancel(self._writing)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop all timeouts."""
        super().connection_lost(exc)
        _cancel(self._awaiting)
        _cancel(self._writing)


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()
