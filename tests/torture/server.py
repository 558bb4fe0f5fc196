"""A PostgreSQL server from the system's package, on a temporary folder and a free port of this computer alone."""

import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import psycopg

from tests.installing import install, missing

USER = "postgres"


@dataclass
class Server:
    """A server that runs."""

    port: int
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def url(self, database: str) -> str:
        return f"postgresql://{USER}@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        """The URL of an empty database."""
        name = f"matches{next(self.numbers)}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        return self.url(name)


def programs() -> Path:
    """Where the server's programs are; the package is installed if it is missing and we may."""
    if not _found():
        install("postgresql")
    if not _found():
        missing("PostgreSQL is missing: run apt-get install postgresql as root.")
    return _found()[-1]


def _found() -> list[Path]:
    return sorted(path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb"))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _unprivileged(folder: Path) -> list[str]:
    """What stands before a command: the server refuses to be run by root."""
    if os.geteuid() != 0:
        return []
    shutil.chown(folder, USER, USER)
    return ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]


@contextmanager
def serving() -> Iterator[Server]:
    """A server for as long as the block lasts."""
    bin_folder = programs()
    with tempfile.TemporaryDirectory(prefix="firstmover-", ignore_cleanup_errors=True) as name:
        folder, port = Path(name), _free_port()
        before = _unprivileged(folder)
        data, said = folder / "data", folder / "said.txt"
        made = [
            *before,
            bin_folder / "initdb",
            "-D",
            data,
            "-U",
            USER,
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--no-instructions",
        ]
        subprocess.run(made, check=True, capture_output=True, cwd="/")
        started = [*before, bin_folder / "postgres", "-D", data, "-h", "127.0.0.1", "-p", str(port), "-k", folder]
        with said.open("w") as log, subprocess.Popen(started, stdout=log, stderr=log, cwd="/") as process:
            try:
                _wait(process, Server(port), said)
                yield Server(port)
            finally:
                process.send_signal(signal.SIGINT)  # it ends its sessions, and then itself
                process.wait(60)


def _wait(process: "subprocess.Popen[bytes]", server: Server, said: Path) -> None:
    for _ in range(600):
        try:
            psycopg.connect(server.url("postgres")).close()
            return
        except psycopg.OperationalError:
            assert process.poll() is None, said.read_text()
            time.sleep(0.1)
    raise AssertionError(f"PostgreSQL did not start: {said.read_text()}")
