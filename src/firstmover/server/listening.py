"""Where the service listens: on this machine only, unless told otherwise in so many words."""

import ipaddress
import socket
from collections.abc import Iterable

import uvicorn
from fastapi import FastAPI

from firstmover.errors import InvalidInput

LOOPBACK = ("127.0.0.1", "localhost", "::1")
GRACE_SECONDS = 10
"""How long calls that have begun may take when the service is stopped."""


def checked_host(host: str, beyond: bool) -> str:
    """An address to listen on; one that others can reach needs a word, and one that means all of them is refused."""
    given = "127.0.0.1" if host == "localhost" else host
    try:
        address = ipaddress.ip_address(given)
    except ValueError:
        raise InvalidInput(f"host is {host!r}: give the address of one interface, such as 127.0.0.1.") from None
    if address.is_unspecified:
        raise InvalidInput(f"host is {host!r}, every interface of this machine: give the address of one.")
    if not address.is_loopback and not beyond:
        raise InvalidInput(
            f"host is {host!r}, which other machines can reach: stay with 127.0.0.1, or say --beyond-this-machine."
        )
    return given


def listener(host: str, port: int) -> socket.socket:
    """A socket that is bound; port 0 takes a free one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM)
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind((host, port))
    except (OSError, OverflowError) as error:
        bound.close()
        said = getattr(error, "strerror", None) or str(error)
        raise InvalidInput(f"port is {port}: it cannot be used on {host} ({said}); give another.") from None
    return bound


def names_for(bound: socket.socket, more: Iterable[str] = ()) -> tuple[str, ...]:
    """The values of Host that a socket's service answers to."""
    host, port = bound.getsockname()[:2]
    own = LOOPBACK if ipaddress.ip_address(host).is_loopback else (host,)
    return (*(f"[{name}]:{port}" if ":" in name else f"{name}:{port}" for name in own), *more)


def address_of(bound: socket.socket) -> str:
    """The address as a browser takes it."""
    host, port = bound.getsockname()[:2]
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(app: FastAPI, bound: socket.socket) -> None:
    """Answer until stopped; calls that have begun are finished first."""
    config = uvicorn.Config(
        app,
        http="h11",
        ws="none",
        loop="asyncio",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=GRACE_SECONDS,
    )
    uvicorn.Server(config).run(sockets=[bound])
