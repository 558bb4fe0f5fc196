"""The socket and the HTTP server: loopback by default, and running calls are completed before it stops."""

import ipaddress
import re
import socket
from collections.abc import Callable, Iterable
from contextlib import suppress

import uvicorn
from fastapi import FastAPI

from firstmover.core.errors import InvalidInput
from firstmover.service.connections import Connection

LOOPBACK = ("127.0.0.1", "localhost", "::1")
GRACE_SECONDS = 10  # time that running calls have when the service stops
MOST_CALLS = 400  # connections, or running calls, from which on calls are answered with 503


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


class Server(uvicorn.Server):
    """Says when it listens, and ends event streams before it waits for running calls."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self.ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start: after this, connections are accepted."""
        await super().startup(sockets)
        if self.started:
            self.ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop: take no new calls, complete those that run."""
        self.config.app.state.listeners.stop()  # type: ignore[union-attr]  # it is the FastAPI given below
        await super().shutdown(sockets)


def serve(app: FastAPI, bound: socket.socket, ready: Callable[[], None] = lambda: None) -> None:
    """Serve until stopped, and call `ready` when connections are accepted; running calls are completed."""
    config = uvicorn.Config(
        app,
        http=Connection,
        ws="none",
        loop="asyncio",
        log_config=None,  # the loggers of uvicorn are configured with all others
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=MOST_CALLS,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    with suppress(KeyboardInterrupt):
        Server(config, ready).run(sockets=[bound])
