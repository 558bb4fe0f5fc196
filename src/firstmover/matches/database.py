"""Databases by URL: SQLite in the mode that loses nothing, PostgreSQL through psycopg."""

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

from sqlalchemy import URL, Connection, Engine, NullPool, create_engine, event, make_url
from sqlalchemy.exc import (
    ArgumentError,
    DatabaseError,
    DBAPIError,
    IntegrityError,
    InterfaceError,
    OperationalError,
    SQLAlchemyError,
)

from firstmover.core.errors import DamagedStore, FirstmoverError, InvalidInput, StoreUnavailable, installing, shown

SAFE_SETTINGS = (
    "PRAGMA journal_mode = DELETE",  # WAL can corrupt a file before SQLite 3.51.3, which many Pythons do not have
    "PRAGMA synchronous = EXTRA",
    "PRAGMA trusted_schema = OFF",
    "PRAGMA cell_size_check = ON",
)
"""One writer at a time, and a commit is on the disk, the folder's entry included, before it returns."""

BUSY_SECONDS = 120.0
"""How long one waits for others: of 64 that never pause, on a busy machine, one waited for more than 30 s."""

LONGEST_STEP = 0.01
"""Seconds between two looks of whoever waits, at most."""

WRITING = ("BEGIN IMMEDIATE",)
READING = ("BEGIN", "PRAGMA schema_version")
"""How a transaction takes the lock that it needs, at once: a reader's is taken by its first look at the file."""

_PASSING = ("locked", "busy", "full", "i/o error", "readonly", "read-only", "unable to open", "interrupted")
"""Words of SQLite's complaints that say nothing against the file itself."""

_PASSING_STATES = ("25006", "42501")
"""The same of PostgreSQL, beside its operational errors: a connection that may only read, a role that may not."""

LOCKING = Lock()
"""Held while a connection of this process takes its first lock of a file, and while one is closed.

To close a file takes all of a process's locks on it away. SQLite looks first whether any is held, but one that is taken
between that look and the close is lost, and then two processes write at once (decision 0068).
"""


class Careful(sqlite3.Connection):
    """A connection whose end takes no lock of another away."""

    def close(self) -> None:
        """Let go of the file."""
        with LOCKING:
            super().close()


def without_password(url: str | Path) -> str:
    """A store as it may be printed.

    >>> without_password("postgresql://ann:secret@host/database")
    'postgresql://ann:***@host/database'
    """
    return re.sub(r"(://[^/@:]*):.*@", r"\1:***@", str(url))


def engine_for(url: str | Path, *, create: bool = False, read_only: bool = False) -> Engine:
    """An engine for a path, sqlite:///path or postgresql://…; a missing SQLite file is made only if `create`."""
    address = _address(url)
    if address.get_backend_name() == "postgresql":
        return _postgresql(address, read_only)
    if address.get_backend_name() != "sqlite":
        raise InvalidInput(
            f"store is {without_password(url)!r}: give a file for SQLite, or a URL that starts with postgresql://."
        )
    if not address.database or address.database == ":memory:":
        raise InvalidInput("store is in memory only: a match must outlive the process, so give a file.")
    return _sqlite(Path(address.database), create, read_only)


def _address(url: str | Path) -> URL:
    if not isinstance(url, str | Path):
        raise InvalidInput(f"store is {shown(url)}: give a file, or a URL such as postgresql://host/database.")
    text = str(url)
    try:
        return make_url(text) if "://" in text else URL.create("sqlite", database=text)
    except (ArgumentError, ValueError):  # the latter of a port that is no number
        raise InvalidInput(
            f"store is {without_password(text)!r}: give a file, or a URL such as postgresql://host/database."
        ) from None


def _sqlite(path: Path, create: bool, read_only: bool) -> Engine:
    if create:
        make_file(path)
    elif not path.is_file():
        missing = "does not exist: create a match in it first, or mend the path"
        there = "is a folder: name a file in it" if path.is_dir() else "is no file: name one, such as matches.db"
        raise InvalidInput(f"store {str(path)!r} {there if path.exists() else missing}.")
    uri = f"file:{quote(str(path.absolute()))}?mode={'ro' if read_only else 'rw'}"

    def connect() -> sqlite3.Connection:
        connection = Careful(uri, uri=True, timeout=0.0, isolation_level=None, check_same_thread=False)
        try:
            for setting in SAFE_SETTINGS[2:] if read_only or _is_foreign(connection) else SAFE_SETTINGS:
                _patiently(connection, setting)
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
                _patiently(plain, step)
            except sqlite3.Error:
                connection.exec_driver_sql(step)  # says what is wrong
        plain.execute(f"PRAGMA busy_timeout = {int(1000 * BUSY_SECONDS)}").close()  # a commit waits for readers

    return engine


def _is_foreign(connection: sqlite3.Connection) -> bool:
    """Whether another program keeps this file in WAL mode: it will be refused, and that mode is written in it."""
    if _patiently(connection, "PRAGMA journal_mode") != [("wal",)]:
        return False
    tables = {name for (name,) in _patiently(connection, "SELECT name FROM sqlite_master WHERE type = 'table'")}
    return bool(tables) and not any(name.startswith("firstmover_") for name in tables)


def _patiently(connection: sqlite3.Connection, statement: str) -> list[Any]:
    """Wait for a lock in short steps of chance: SQLite's own grow to 0.1 s, and who comes late overtakes."""
    until = monotonic() + BUSY_SECONDS
    while True:
        try:
            with LOCKING:
                return connection.execute(statement).fetchall()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or monotonic() > until:
                raise
        sleep(LONGEST_STEP * random())


def make_file(path: Path) -> None:
    """An empty file that only its owner can read, since it holds actions before opponents have answered them.

    A file that is there is looked at and not opened: closing it would let go of the locks that this process has on it.
    """
    try:
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except FileExistsError:
            _check_file(path)
    except OSError as error:
        raise InvalidInput(f"store {str(path)!r} cannot be made: {error.strerror}; choose another place.") from None
    except ValueError:
        raise InvalidInput(f"store {str(path)!r} cannot be made: no file has such a name; choose another.") from None


def _check_file(path: Path) -> None:
    """Whether a file can become a store, or is one; an empty one is made its owner's."""
    found = path.stat()
    if S_ISDIR(found.st_mode):
        raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
    if not os.access(path, os.R_OK | os.W_OK):
        raise PermissionError(EACCES, os.strerror(EACCES))
    if S_ISREG(found.st_mode) and not found.st_size:
        path.chmod(0o600)


def _postgresql(address: URL, read_only: bool) -> Engine:
    if find_spec("psycopg") is None:
        raise InvalidInput(f"store is a PostgreSQL URL, and psycopg is not installed: {installing('postgres')}.")
    settings = "-c synchronous_commit=on" + (" -c default_transaction_read_only=on" if read_only else "")
    return create_engine(
        address.set(drivername="postgresql+psycopg"), connect_args={"options": settings}, pool_pre_ping=True
    )


@contextmanager
def transaction(engine: Engine, *, writing: bool = False) -> Iterator[Connection]:
    """One transaction of statements alone; what the database complains of is said in one sentence."""
    with readable(), block(engine, writing=writing) as connection:
        yield connection


@contextmanager
def block(engine: Engine, *, writing: bool = False) -> Iterator[Connection]:
    """One transaction with more than statements in it: errors that are not the database's pass as they are."""
    try:
        with engine.connect().execution_options(writing=writing) as connection, connection.begin():
            yield connection
    except IntegrityError:
        raise
    except DBAPIError as error:
        raise complaint(engine, error) from error


@contextmanager
def readable() -> Iterator[None]:
    """Statements whose rows may hold what firstmover never writes: that is damage."""
    try:
        yield
    except DBAPIError:
        raise
    except (SQLAlchemyError, UnicodeDecodeError, OverflowError) as error:
        raise DamagedStore(f"The store cannot be read ({error}): it is damaged; take it from a copy.") from error


def _state(error: DBAPIError) -> str | None:
    """PostgreSQL's code of an error."""
    return getattr(error.orig, "sqlstate", None)


def complaint(engine: Engine, error: DBAPIError) -> FirstmoverError:
    """A database's error as ours: out of reach for now, or damaged."""
    said = str(error.orig).splitlines()[0] if str(error.orig) else type(error.orig).__name__
    if engine.dialect.name == "sqlite" and isinstance(error, DatabaseError):
        passing = any(word in said.lower() for word in _PASSING)
        if not (passing and isinstance(error, OperationalError)):
            if "not a database" in said:  # what SQLite says of any other file, and of a store whose beginning is spoilt
                return DamagedStore(
                    f"The store cannot be read ({said}): it is no store of firstmover, or damaged; mend the path, or "
                    "take it from a copy."
                )
            return DamagedStore(f"The store cannot be read ({said}): it is damaged; take it from a copy.")
    elif not isinstance(error, OperationalError | InterfaceError) and _state(error) not in _PASSING_STATES:
        return DamagedStore(f"The store is not as firstmover left it ({said}): take it from a copy.")
    return StoreUnavailable(
        f"The store cannot be used now ({said}): repeat the call when it can, nothing is recorded twice."
    )
