"""Real services in processes of their own, on free ports of this machine."""

import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import httpx

from firstmover.service import body_limits, events
from firstmover.service.app import create_app
from firstmover.service.client import Client
from firstmover.service.connections import Connection as ClientConnection
from firstmover.service.socket import listener, names_for, serve
from firstmover.service.tokens import Tokens
from tests.matches.played import ROUTES
from tests.torture.children import context

context.set_forkserver_preload(["__main__", "tests.service.processes"])

Weakness = Callable[[], None]
"""Called in the child before it serves: what the tests must notice."""


def hurry() -> None:
    """Be impatient with slow clients, so that tests need not wait long."""
    ClientConnection.header_seconds = 0.6
    ClientConnection.writing_seconds = 0.6
    body_limits.BodyLimits.__init__.__defaults__ = (0.6,)
    events.Listeners.__init__.__defaults__ = (4,)


def served(sender: Connection, folder: str, store: str, port: int, weakness: Weakness | None) -> None:
    """The target of a child: serve a store."""
    sys.stderr = open(os.path.join(folder, "stderr.txt"), "a", buffering=1)  # noqa: SIM115 - it lasts as long as the child
    if weakness is not None:
        weakness()
    with listener("127.0.0.1", port) as bound:
        app = create_app(store, folder, Tokens(f"{folder}/tokens.json"), names_for(bound))

        def ready() -> None:
            assert bound.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN), "it must listen by now"
            sender.send(bound.getsockname()[1])

        serve(app, bound, ready)


class Running:
    """A service over a store, of SQLite in its folder unless it is named, with an owner's and a reader's token."""

    def __init__(self, folder: Path, port: int = 0, weakness: Weakness | None = None, store: str | None = None) -> None:
        self.folder, tokens = folder, Tokens(folder / "tokens.json")
        self.owner, self.reader = tokens.new("owner")[0], tokens.new("reader")[0]
        self._receiver, sender = context.Pipe(duplex=False)
        given = (sender, str(folder), store or str(folder / "matches.db"), port, weakness)
        self.process = context.Process(target=served, args=given)
        self.process.start()
        sender.close()
        self.port = int(self._receiver.recv())
        self.host = f"127.0.0.1:{self.port}"
        self.address = f"http://{self.host}"

    def client(self, token: str | None = None) -> Client:
        """A client with the owner's token, or another."""
        return Client(self.address, token or self.owner)

    def call(self, method: str, path: str, token: str | None = None, **more: Any) -> httpx.Response:
        """One call on a connection of its own."""
        headers = {"authorization": f"Bearer {token or self.owner}", **more.pop("headers", {})}
        return httpx.request(method, f"{self.address}{path}", headers=headers, timeout=60, verify=False, **more)

    def said(self) -> str:
        """What it wrote to its standard error."""
        return (self.folder / "stderr.txt").read_text()

    def memory(self) -> int:
        """Resident bytes of the process."""
        pages = int(Path(f"/proc/{self.process.pid}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")

    def stop(self, number: int = signal.SIGTERM) -> int | None:
        """End it by a signal; its exit code."""
        assert self.process.pid is not None
        if self.process.is_alive():
            os.kill(self.process.pid, number)
        self.process.join(20)
        code = self.process.exitcode
        self._receiver.close()
        self.process.close()
        return code


def with_match(folder: Path, weakness: Weakness | None = None) -> Running:
    """A service that holds the match `roads`."""
    running = Running(folder, weakness=weakness)
    with running.client() as client:
        client.create("roads", ROUTES)
    return running


def raw(port: int, *parts: bytes, seconds: float = 30.0) -> bytes:
    """Return the response to raw bytes; a broken connection ends it."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as plain:
        answer = bytearray()
        try:
            for part in parts:
                plain.sendall(part)
            while piece := plain.recv(65536):
                answer += piece
        except OSError:
            pass
        return bytes(answer)


def request(method: str, path: str, *headers: str, body: bytes = b"") -> bytes:
    """A request that closes its connection, word by word."""
    lines = [f"{method} {path} HTTP/1.1", "Connection: close", *headers]
    return "\r\n".join([*lines, "", ""]).encode() + body


def status_of(answer: bytes) -> int:
    """The status of an answer; 0 if there was none."""
    return int(answer[9:12]) if answer.startswith(b"HTTP/1.1 ") else 0


def error_of(answer: bytes) -> dict[str, Any]:
    """The refusal in an answer."""
    error: dict[str, Any] = json.loads(answer.partition(b"\r\n\r\n")[2])
    return error


def kind_of(problem: dict[str, Any]) -> str:
    """The kind of a problem, the end of its type."""
    return str(problem["type"]).removeprefix("urn:firstmover:problem:")


def wait_until(held: Callable[[], bool], seconds: float = 20.0) -> bool:
    """Return whether a condition becomes true in time."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if held():
            return True
        time.sleep(0.02)
    return False
