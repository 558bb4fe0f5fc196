"""Where the service listens: on this machine only, unless told otherwise in so many words."""

import asyncio
import ipaddress
import re
import socket
from collections.abc import Iterable
from contextlib import suppress

import h11
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from firstmover.core.errors import InvalidInput
from firstmover.service.security import MOST_HEADER_BYTES

LOOPBACK = ("127.0.0.1", "localhost", "::1")
GRACE_SECONDS = 10
"""How long calls that have begun may take when the service is stopped."""

HEADER_SECONDS = 10.0
"""How long a client may take from its first byte, or from connecting, to the end of its headers."""

WRITING_SECONDS = 30.0
"""How long a client may leave an answer waiting."""

MOST_CALLS, MOST_CONNECTIONS = 400, 512
"""Connections from which on calls are refused, and from which on nobody is let in."""


def checked_host(host: str, beyond: bool) -> str:
    """An address to listen on; one that others can reach needs a word, and one that means all of them is refused."""
    given = "127.0.0.1" if host == "localhost" else host
    try:
        address = ipaddress.ip_address(given)
    except ValueError:
        raise InvalidInput(f"host is {host!r}: give the address of one interface, such as 127.0.0.1.") from None
    if address.is_unspecified or getattr(address, "ipv4_mapped", None) is not None:
        raise InvalidInput(
            f"host is {host!r}, which can mean every interface of this machine: give the plain address of one."
        )
    if not address.is_loopback and not beyond:
        raise InvalidInput(
            f"host is {host!r}, which other machines can reach: stay with 127.0.0.1, or say --beyond-this-machine."
        )
    return given


def listener(host: str, port: int) -> socket.socket:
    """A socket that is bound; port 0 takes a free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # named, so that asyncio sends at once
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
    except (OSError, OverflowError) as error:
        bound.close()
        said = getattr(error, "strerror", None) or str(error)
        raise InvalidInput(f"port is {port}: it cannot be used on {host} ({said}); give another.") from None
    return bound


def names_for(bound: socket.socket, more: Iterable[str] = ()) -> tuple[str, ...]:
    """The values of Host that a socket's service answers to; browsers leave out a port of 80 or 443."""
    host, port = bound.getsockname()[:2]
    own = (host, *LOOPBACK) if ipaddress.ip_address(host).is_loopback else (host,)
    names = [*(f"[{name}]:{port}" if ":" in name else f"{name}:{port}" for name in own), *map(_checked_name, more)]
    return tuple(dict.fromkeys([*names, *(re.sub(r":(80|443)$", "", name) for name in names)]))


def _checked_name(name: str) -> str:
    if not re.fullmatch(r"([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?", name):
        raise InvalidInput(f"name is {name!r}: give HOST or HOST:PORT as browsers send it, such as play.example.")
    return name


def address_of(bound: socket.socket) -> str:
    """The address as a browser takes it."""
    host, port = bound.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class Patience(H11Protocol):
    """A connection of which each step has a limit: headers that dribble in and answers that are not fetched end it."""

    header_seconds = HEADER_SECONDS
    writing_seconds = WRITING_SECONDS
    _headers: asyncio.TimerHandle | None = None
    _writing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for headers; where there are too many connections already, leave at once."""
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
        self._await_headers()

    def data_received(self, data: bytes) -> None:
        """Take what came, and wait on if the headers are not complete."""
        super().data_received(data)
        self._await_headers()

    def _await_headers(self) -> None:
        if self.conn.their_state is not h11.IDLE:
            _stopped(self._headers)
            self._headers = None
        elif self._headers is None:
            self._headers = self.loop.call_later(self.header_seconds, self.transport.abort)

    def pause_writing(self) -> None:
        """The client does not read: it has some seconds to begin."""
        super().pause_writing()
        self._writing = self.loop.call_later(self.writing_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """It reads again."""
        super().resume_writing()
        _stopped(self._writing)

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing to wait for any more."""
        super().connection_lost(exc)
        _stopped(self._headers)
        _stopped(self._writing)


def _stopped(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()


class Service(uvicorn.Server):
    """Ends the streams of those who listen before it waits for calls to end."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop: no new calls, those that have begun are finished."""
        self.config.app.state.listeners.stop()  # type: ignore[union-attr]  # it is the FastAPI given below
        await super().shutdown(sockets)


def serve(app: FastAPI, bound: socket.socket) -> None:
    """Answer until stopped; calls that have begun are finished first."""
    config = uvicorn.Config(
        app,
        http=Patience,
        ws="none",
        loop="asyncio",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=MOST_CALLS,
        h11_max_incomplete_event_size=MOST_HEADER_BYTES,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    with suppress(KeyboardInterrupt):
        Service(config).run(sockets=[bound])
