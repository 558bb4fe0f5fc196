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
FAST, IMMEDIATE = signal.SIGINT, signal.SIGQUIT
"""PostgreSQL's two quick ways to end: its sessions are told, or are cut off as by a crash."""


@dataclass
class Server:
    """A server that can be stopped and started again; `command` runs it, and `said` is the file for its messages."""

    command: list[str | Path]
    port: int
    said: Path
    process: "subprocess.Popen[bytes] | None" = None
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def url(self, database: str) -> str:
        return f"postgresql://{USER}@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        """The URL of an empty database."""
        name = f"matches{next(self.numbers)}"
        self.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def execute(self, statement: str) -> None:
        """Run one statement as the administrator."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement)

    def cut_connections(self) -> None:
        """End every other session, as an administrator or a broken network does."""
        self.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")

    def start(self) -> None:
        """Start, and wait until it answers."""
        with self.said.open("a") as log:
            self.process = subprocess.Popen(self.command, stdout=log, stderr=log, cwd="/")
        for _ in range(600):
            try:
                psycopg.connect(self.url("postgres")).close()
                return
            except psycopg.OperationalError:
                assert self.process.poll() is None, self.said.read_text()
                time.sleep(0.1)
        raise AssertionError(f"PostgreSQL did not start: {self.said.read_text()}")

    def stop(self, how: signal.Signals = FAST) -> None:
        """Stop, and wait until it has ended."""
        assert self.process is not None
        self.process.send_signal(how)
        self.process.wait(60)


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
        data = folder / "data"
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
        command = [*before, bin_folder / "postgres", "-D", data, "-h", "127.0.0.1", "-p", str(port), "-k", folder]
        server = Server(command, port, folder / "said.txt")
        server.start()
        try:
            yield server
        finally:
            server.stop()
