"""The socket and the HTTP server: loopback by default, with timeouts and limits for every connection."""

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
"""Time that running calls have when the service stops."""

HEADER_SECONDS = 10.0
"""Time from connecting, or from the first byte of a call, to the end of the headers."""

WRITING_SECONDS = 30.0
"""Time in which a client must begin to read a response."""

MOST_CALLS, MOST_CONNECTIONS = 400, 512
"""Connections above which calls are answered with 503, and above which connections are closed at once."""


def checked_host(host: str, beyond: bool) -> str:
    """Return the address to listen on; wildcards are rejected, and other machines need an explicit `beyond`."""
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
            f"host is {host!r}, which other machines can reach: use 127.0.0.1, or add --beyond-this-machine."
        )
    return given


def listener(host: str, port: int) -> socket.socket:
    """Return a bound socket; port 0 takes a free port."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # named, so that asyncio sets TCP_NODELAY
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
    except (OSError, OverflowError) as error:
        bound.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise InvalidInput(f"port is {port}: it cannot be used on {host} ({reason}); give another.") from None
    return bound


def names_for(bound: socket.socket, more: Iterable[str] = ()) -> tuple[str, ...]:
    """Return the valid Host headers of a socket; browsers omit port 80 or 443."""
    host, port = bound.getsockname()[:2]
    own = (host, *LOOPBACK) if ipaddress.ip_address(host).is_loopback else (host,)
    names = [*(f"[{name}]:{port}" if ":" in name else f"{name}:{port}" for name in own), *map(_checked_name, more)]
    return tuple(dict.fromkeys([*names, *(re.sub(r":(80|443)$", "", name) for name in names)]))


def _checked_name(name: str) -> str:
    if not re.fullmatch(r"([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]{1,5})?", name):
        raise InvalidInput(f"name is {name!r}: give HOST or HOST:PORT as browsers send it, such as play.example.")
    return name


def address_of(bound: socket.socket) -> str:
    """Return the URL of a socket."""
    host, port = bound.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


class TimeoutProtocol(H11Protocol):
    """A connection with header and write timeouts, so that slow clients hold nothing for long."""

    header_seconds = HEADER_SECONDS
    writing_seconds = WRITING_SECONDS
    _headers: asyncio.TimerHandle | None = None
    _writing: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for headers; with too many connections, close this one."""
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
        self._await_headers()

    def data_received(self, data: bytes) -> None:
        """Read data; the header timeout runs until the headers are complete."""
        super().data_received(data)
        self._await_headers()

    def _await_headers(self) -> None:
        if self.conn.their_state is not h11.IDLE:
            _cancel(self._headers)
            self._headers = None
        elif self._headers is None:
            self._headers = self.loop.call_later(self.header_seconds, self.transport.abort)

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
        _cancel(self._headers)
        _cancel(self._writing)


def _cancel(timer: asyncio.TimerHandle | None) -> None:
    if timer is not None:
        timer.cancel()


class Server(uvicorn.Server):
    """Ends event streams before it waits for running calls."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop: take no new calls, complete those that run."""
        self.config.app.state.listeners.stop()  # type: ignore[union-attr]  # it is the FastAPI given below
        await super().shutdown(sockets)


def serve(app: FastAPI, bound: socket.socket) -> None:
    """Serve until stopped; running calls are completed."""
    config = uvicorn.Config(
        app,
        http=TimeoutProtocol,
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
        Server(config).run(sockets=[bound])
