"""Databases by URL: SQLite with durable settings, PostgreSQL through psycopg."""

import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from errno import EACCES, EISDIR
from importlib.util import find_spec
from pathlib import Path
from random import random
from stat import S_ISDIR, S_ISREG
from threading import Lock
from time import monotonic, sleep
from typing import Any
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, NullPool, create_engine, event, exc, make_url

from firstmover.core.errors import DamagedStore, FirstmoverError, InvalidInput, StoreUnavailable, installing, shown

SAFE_SETTINGS = (
    "PRAGMA journal_mode = DELETE",  # WAL can corrupt a file before SQLite 3.51.3, which many Pythons do not have
    "PRAGMA synchronous = EXTRA",
    "PRAGMA trusted_schema = OFF",
    "PRAGMA cell_size_check = ON",
)
"""One writer at a time, and a commit is on disk, including the folder's entry, before it returns."""

BUSY_SECONDS = 120.0
"""Timeout for a lock: of 64 clients that never pause, on a busy machine, one waited for more than 30 s."""

LONGEST_BACKOFF = 0.01
"""Most seconds between two attempts to take a lock."""

WRITING = ("BEGIN IMMEDIATE",)
READING = ("BEGIN", "PRAGMA schema_version")
"""Statements that take the lock of a transaction at once; a reader's is taken by its first access to the file."""

_TEMPORARY = ("locked", "busy", "full", "i/o error", "readonly", "read-only", "unable to open", "interrupted")
"""Words in SQLite's messages about temporary errors, which do not mean damage."""

_TEMPORARY_STATES = ("25006", "42501")
"""PostgreSQL's, besides its operational errors: a read-only connection, a role without permission."""

LOCKING = Lock()
"""Held while a connection of this process takes its first lock on a file, and while one is closed.

Closing a file releases all locks of the process on it (POSIX). SQLite checks first whether any is held, but one that is
taken between check and close is lost, and then two processes write at once (decision 0068).
"""


class LockedClose(sqlite3.Connection):
    """A connection whose close releases no lock of another connection."""

    def close(self) -> None:
        """Close the file."""
        with LOCKING:
            super().close()


def without_password(url: str | Path) -> str:
    """Return the URL of a store without its password.

    >>> without_password("postgresql://ann:secret@host/database")
    'postgresql://ann:***@host/database'
    """
    return re.sub(r"(://[^/@:]*):.*@", r"\1:***@", str(url))


def engine_for(url: str | Path, *, create: bool = False, read_only: bool = False) -> Engine:
    """An engine for a path, sqlite:///path or postgresql://…; a missing SQLite file is created only if `create`."""
    hint = "give a file, or a URL such as postgresql://host/database"
    if not isinstance(url, str | Path):
        raise InvalidInput(f"store is {shown(url)}: {hint}.")
    try:
        address = make_url(str(url)) if "://" in str(url) else URL.create("sqlite", database=str(url))
    except (exc.ArgumentError, ValueError):  # the latter for a port that is no number
        raise InvalidInput(f"store is {without_password(url)!r}: {hint}.") from None
    if address.get_backend_name() == "postgresql":
        return _postgresql(address, read_only)
    if address.get_backend_name() != "sqlite":
        raise InvalidInput(
            f"store is {without_password(url)!r}: give a file for SQLite, or a URL that starts with postgresql://."
        )
    if not address.database or address.database == ":memory:":
        raise InvalidInput("store is in memory only, and a match must outlive the process: give a file.")
    return _sqlite(Path(address.database), create, read_only)


def _sqlite(path: Path, create: bool, read_only: bool) -> Engine:
    if create:
        make_file(path)
    elif not path.is_file():
        missing = "does not exist: create a match in it first, or correct the path"
        there = "is a folder: name a file in it" if path.is_dir() else "is no file: name one, such as matches.db"
        raise InvalidInput(f"store {str(path)!r} {there if path.exists() else missing}.")
    uri = f"file:{quote(str(path.absolute()))}?mode={'ro' if read_only else 'rw'}"

    def connect() -> sqlite3.Connection:
        connection = LockedClose(uri, uri=True, timeout=0.0, isolation_level=None, check_same_thread=False)
        try:
            for setting in SAFE_SETTINGS[2:] if read_only or _is_foreign(connection) else SAFE_SETTINGS:
                execute_with_retry(connection, setting)
        except BaseException:
            connection.close()
            raise
        return connection

    engine = create_engine("sqlite://", creator=connect, poolclass=NullPool)

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        plain: Any = connection.connection.driver_connection
        writing = connection.get_execution_options().get("writing", False)
        for step in WRITING if writing else READING:
            try:
                execute_with_retry(plain, step)
            except sqlite3.Error:
                connection.exec_driver_sql(step)  # raises SQLAlchemy's error
        plain.execute(f"PRAGMA busy_timeout = {int(1000 * BUSY_SECONDS)}").close()  # a commit waits for readers

    return engine


def _is_foreign(connection: sqlite3.Connection) -> bool:
    """Whether the file is another program's in WAL mode: it is going to be rejected, and must not be changed."""
    if execute_with_retry(connection, "PRAGMA journal_mode") != [("wal",)]:
        return False
    tables = {name for (name,) in execute_with_retry(connection, "SELECT name FROM sqlite_master WHERE type = 'table'")}
    return bool(tables) and not any(name.startswith("firstmover_") for name in tables)


def execute_with_retry(connection: sqlite3.Connection, statement: str) -> list[Any]:
    """Retry with random backoff while the file is locked: SQLite's own backoff grows to 0.1 s and is not fair."""
    until = monotonic() + BUSY_SECONDS
    while True:
        try:
            with LOCKING:
                return connection.execute(statement).fetchall()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or monotonic() > until:
                raise
        sleep(LONGEST_BACKOFF * random())


def make_file(path: Path) -> None:
    """Create an empty file that only its owner can read, since it is going to hold actions before they are revealed.

    An existing file is checked without opening it: closing it would release the locks of this process on it.
    """
    try:
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except FileExistsError:
            found = path.stat()
            if S_ISDIR(found.st_mode):
                raise IsADirectoryError(EISDIR, os.strerror(EISDIR)) from None
            if not os.access(path, os.R_OK | os.W_OK):
                raise PermissionError(EACCES, os.strerror(EACCES)) from None
            if S_ISREG(found.st_mode) and not found.st_size:
                path.chmod(0o600)
    except OSError as error:
        raise InvalidInput(f"store {str(path)!r} cannot be created: {error.strerror}; choose another place.") from None
    except ValueError:
        raise InvalidInput(f"store {str(path)!r} cannot be created: the name is not valid; choose another.") from None


def _postgresql(address: URL, read_only: bool) -> Engine:
    if find_spec("psycopg") is None:
        raise InvalidInput(f"store is a PostgreSQL URL, and psycopg is not installed: {installing('postgres')}.")
    settings = "-c synchronous_commit=on" + (" -c default_transaction_read_only=on" if read_only else "")
    return create_engine(
        address.set(drivername="postgresql+psycopg"), connect_args={"options": settings}, pool_pre_ping=True
    )


@contextmanager
def transaction(engine: Engine, *, writing: bool = False) -> Iterator[Connection]:
    """One transaction of statements; errors of the database become those of firstmover."""
    with readable(), block(engine, writing=writing) as connection:
        yield connection


@contextmanager
def block(engine: Engine, *, writing: bool = False) -> Iterator[Connection]:
    """One transaction with other code in it, whose errors pass unchanged."""
    try:
        with engine.connect().execution_options(writing=writing) as connection, connection.begin():
            yield connection
    except exc.IntegrityError:
        raise
    except exc.DBAPIError as error:
        raise store_error(engine, error) from error


@contextmanager
def readable() -> Iterator[None]:
    """Raise DamagedStore for rows that firstmover cannot have written."""
    try:
        yield
    except exc.DBAPIError:
        raise
    except (exc.SQLAlchemyError, UnicodeDecodeError, OverflowError) as error:
        raise DamagedStore(f"The store cannot be read ({error}): it is damaged; restore it from a copy.") from error


def store_error(engine: Engine, error: exc.DBAPIError) -> FirstmoverError:
    """The error of firstmover for one of a database: unavailable or damaged."""
    said = str(error.orig).splitlines()[0] if str(error.orig) else type(error.orig).__name__
    if engine.dialect.name == "sqlite" and isinstance(error, exc.DatabaseError):
        temporary = any(word in said.lower() for word in _TEMPORARY)
        if not (temporary and isinstance(error, exc.OperationalError)):
            other = "not a database" in said  # SQLite's message for any other file, or a store with a damaged header
            cause = "it is no store of firstmover, or damaged; correct the path, or" if other else "it is damaged;"
            return DamagedStore(f"The store cannot be read ({said}): {cause} restore it from a copy.")
    elif (
        not isinstance(error, exc.OperationalError | exc.InterfaceError)
        and getattr(error.orig, "sqlstate", None) not in _TEMPORARY_STATES
    ):
        return DamagedStore(f"The store was changed by another program ({said}): restore it from a copy.")
    return StoreUnavailable(f"The store is unavailable ({said}): repeat the call later; nothing is recorded twice.")
