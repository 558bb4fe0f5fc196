"""firstmover serve as a process of its own, on a free port of this computer, stopped and started at will."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import quote
from urllib.request import Request, urlopen

TOKENS = "known.json"
"""Not the usual name, which a demonstration would take for one to be forgotten."""

PROGRAM = (sys.executable, "-c", "from firstmover.cli import main; main()")


@dataclass
class Service:
    """A service over one folder; `url` and `token` stay the same over restarts."""

    folder: Path
    arguments: tuple[str, ...] = ()
    port: int = 0
    token: str = ""
    process: "subprocess.Popen[str] | None" = field(default=None, repr=False)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start it, on the port of before if there was one, and wait until it says where it is."""
        command = [*PROGRAM, "serve", "--store", "matches.db", "--tokens", TOKENS, "--port", str(self.port)]
        said = (self.folder / "said.txt").open("a")
        self.process = subprocess.Popen(
            [*command, *self.arguments], cwd=self.folder, stdout=subprocess.PIPE, stderr=said, text=True, env=os.environ
        )
        said.close()
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert "#token=" in line, (self.folder / "said.txt").read_text()
        address, _, token = line.strip().removeprefix("Open ").partition("/#token=")
        self.port, self.token = int(address.rpartition(":")[2]), self.token or token
        self._wait()

    def _wait(self) -> None:
        for _ in range(200):
            try:
                urlopen(self.url, timeout=5).close()
                return
            except OSError:
                time.sleep(0.05)
        raise AssertionError((self.folder / "said.txt").read_text())

    def kill(self) -> None:
        """Stop it without warning."""
        assert self.process is not None
        assert self.process.stdout is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(30)
        self.process.stdout.close()

    def call(self, method: str, path: str, body: object = None) -> "dict[str, object]":
        """One call as a program makes it."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        data = None if body is None else json.dumps(body).encode()
        request = Request(f"{self.url}/v1{quote(path, safe='/?&=%')}", data, headers, method=method)
        try:
            with urlopen(request, timeout=60) as answer:
                return dict(json.load(answer))
        except HTTPError as error:
            raise AssertionError(error.read().decode()) from None

    def reader(self) -> str:
        """A token that only reads."""
        command = [*PROGRAM, "token", "new", "--role", "reader", "--tokens", TOKENS]
        made = subprocess.run(command, cwd=self.folder, check=True, capture_output=True, text=True)
        return made.stdout.strip()


@contextmanager
def serving(folder: Path, *arguments: str) -> Iterator[Service]:
    """A service for as long as the block lasts."""
    service = Service(folder, arguments)
    service.start()
    try:
        yield service
    finally:
        if service.process is not None and service.process.poll() is None:
            service.kill()
