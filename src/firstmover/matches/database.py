"""Databases by URL: SQLite with durable settings, PostgreSQL through psycopg."""

import logging
import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EACCES, EISDIR, ELOOP
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from random import random
from stat import S_IROTH, S_ISDIR, S_ISREG, S_IWOTH
from time import monotonic, sleep
from typing import Any
from urllib.parse import quote
from weakref import ref

from sqlalchemy import URL, Connection, Engine, NullPool, create_engine, event, exc, make_url

from firstmover.core.errors import DamagedStore, FirstmoverError, InvalidInput, StoreUnavailable, installing, shown
from firstmover.matches import forks
from firstmover.matches.forks import LOCKING
from firstmover.matches.interrupts import deferred, interruptible

_LOG = logging.getLogger(__name__)

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

_TEMPORARY = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_INTERRUPT,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_NOMEM,
}
"""SQLite's codes of errors that do not mean damage."""

_TEMPORARY_STATES = ("25006", "42501")
"""PostgreSQL's, besides its operational errors: a read-only connection, a role without permission."""


class LockedClose(sqlite3.Connection):
    """A connection whose close releases its own locks, and no lock of another connection."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._cursors: list[ref[sqlite3.Cursor]] = []

    def cursor(self, *arguments: Any) -> Any:
        """Return a new cursor."""
        cursor = super().cursor(*arguments)
        self._cursors.append(ref(cursor))
        return cursor

    def close(self) -> None:
        """Close the file; the locks of an unfinished statement would last as long as its cursor is referenced."""
        for cursor in filter(None, (each() for each in self._cursors)):
            cursor.close()
        with LOCKING:
            super().close()
        forks.FILES.pop(self, None)


def without_password(url: str | Path) -> str:
    """Return the URL of a store without its password.

    >>> without_password("postgresql://ann:secret@host/database")
    'postgresql://ann:***@host/database'
    """
    return re.sub(r"(://[^/@:]*):.*@", r"\1:***@", str(url))


def engine_for(url: str | Path, *, create: bool = False, read_only: bool = False) -> Engine:
    """An engine for a path, sqlite:///path or postgresql://…; a missing SQLite file is created only if `create`."""
    path = sqlite_file(url)
    return _postgresql(make_url(str(url)), read_only) if path is None else _sqlite(path, create, read_only)


def sqlite_file(url: str | Path) -> Path | None:
    """The file of a SQLite store; None for the URL of a PostgreSQL database."""
    hint = "give a file, or a URL such as postgresql://host/database"
    if not isinstance(url, str | Path):
        raise InvalidInput(f"store is {shown(url)}: {hint}.")
    try:
        address = make_url(str(url)) if "://" in str(url) else URL.create("sqlite", database=str(url))
    except (exc.ArgumentError, ValueError):  # the latter for a port that is no number
        raise InvalidInput(f"store is {without_password(url)!r}: {hint}.") from None
    if address.get_backend_name() == "postgresql":
        return None
    if address.get_backend_name() != "sqlite":
        raise InvalidInput(
            f"store is {without_password(url)!r}: give a file for SQLite, or a URL that starts with postgresql://."
        )
    if not address.database or address.database == ":memory:":
        raise InvalidInput("store is in memory only, and a match must outlive the process: give a file.")
    return Path(address.database)


def _sqlite(path: Path, create: bool, read_only: bool) -> Engine:
    if create:
        make_file(path)
    elif not os.path.isfile(path):  # False also for a name that no file can have
        missing = "does not exist: create a match in it first, or correct the path"
        there = "is a folder: name a file in it" if os.path.isdir(path) else "is no file: name one, such as matches.db"
        raise InvalidInput(f"store {shown(str(path))} {there if os.path.exists(path) else missing}.")
    warn_of_readers(path)
    path = path.absolute()
    uri = f"file:{quote(str(path))}?mode={'ro' if read_only else 'rw'}"

    def connect() -> sqlite3.Connection:
        if str(path) in forks.inherited:
            raise StoreUnavailable(
                f"store {str(path)!r} was in use when this process was forked, and SQLite cannot use it here: open it "
                "in a process that was started otherwise, such as by the start method spawn."
            )
        with LOCKING:  # a fork waits for it
            connection = LockedClose(uri, uri=True, timeout=0.0, isolation_level=None, check_same_thread=False)
            forks.FILES[connection] = str(path)
        try:
            for setting in SAFE_SETTINGS[2:] if read_only or _is_foreign(connection) else SAFE_SETTINGS:
                execute_with_retry(connection, setting)
        except BaseException:
            connection.close()
            raise
        return connection

    engine = create_engine(URL.create("sqlite", database=str(path)), creator=connect, poolclass=NullPool)
    forks.ENGINES.add(engine)

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


@cache
def warn_of_readers(path: Path) -> None:
    """Warn, once per process, of a store that every user of the computer can read or write."""
    if os.name == "posix" and path.stat().st_mode & (S_IROTH | S_IWOTH):
        _LOG.warning("store %r is open to all users, and holds actions before they are played: chmod 600 it", str(path))


def make_file(path: Path) -> None:
    """Create an empty file that only its owner can read, since it is going to hold actions before they are revealed.

    A link is followed only to a file with content: it could make a store of somebody else's empty file. An existing
    file is checked without opening it: closing it would release the locks of this process on it.
    """
    try:
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        except FileExistsError:
            if path.is_symlink() and not (path.is_file() and path.stat().st_size):
                raise OSError(ELOOP, "it is a link to no store") from None
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
    engine = create_engine(
        address.set(drivername="postgresql+psycopg"), connect_args={"options": settings}, pool_pre_ping=True
    )
    forks.ENGINES.add(engine)
    return engine


def one_moment(engine: Engine) -> Engine:
    """The engine with transactions that see the store as it was at one moment, as those of SQLite always do."""
    sees_one = engine.dialect.name == "sqlite"
    return engine if sees_one else engine.execution_options(isolation_level="REPEATABLE READ")


@contextmanager
def transaction(engine: Engine, *, writing: bool = False) -> Iterator[Connection]:
    """One transaction of statements; errors of the database become those of firstmover."""
    with readable(), block(engine, writing=writing) as connection:
        yield connection


@contextmanager
def block(engine: Engine, *, writing: bool = False, replacing: bool = False) -> Iterator[Connection]:
    """One transaction with other code in it, whose errors pass unchanged; Ctrl-C leaves no lock and nothing written.

    A block that is `replacing` the file of the store holds its lock meanwhile, and commits nothing to it.
    """
    place = place_of(engine) if writing else None
    try:
        with deferred():
            connection = interruptible(engine.connect).execution_options(writing=writing)
            try:
                with interruptible(connection.begin):
                    yield connection
            except BaseException as error:
                if not isinstance(error, Exception):  # it may have stopped SQLAlchemy before it knew of the transaction
                    connection.invalidate()
                raise
            finally:
                connection.close()
    except exc.IntegrityError:
        raise
    except exc.DBAPIError as error:
        raise store_error(engine, error) from error
    if writing and not replacing:
        check_place(engine, place)


def place_of(engine: Engine) -> tuple[int, int] | None:
    """Device and inode of the file that has the name of a SQLite store now; None if there is none."""
    if engine.dialect.name == "sqlite":
        with suppress(OSError):
            found = os.stat(str(engine.url.database))
            return found.st_dev, found.st_ino
    return None


def check_place(engine: Engine, before: tuple[int, int] | None) -> None:
    """Raise StoreUnavailable if the file was moved or replaced: SQLite looks before its first write, not at the commit.

    The commit then went to a file that has another name, or none (decision 0128).
    """
    if place_of(engine) != before:
        raise StoreUnavailable(
            f"The store {str(engine.url.database)!r} was moved or replaced while it was written: put it back and "
            "repeat the call; nothing is recorded twice."
        )


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
        if getattr(error.orig, "sqlite_errorcode", 0) & 0xFF not in _TEMPORARY:
            other = "not a database" in said  # SQLite's message for any other file, or a store with a damaged header
            cause = "it is no store of firstmover, or damaged; correct the path, or" if other else "it is damaged;"
            return DamagedStore(f"The store cannot be read ({said}): {cause} restore it from a copy.")
    elif (
        not isinstance(error, exc.OperationalError | exc.InterfaceError)
        and getattr(error.orig, "sqlstate", None) not in _TEMPORARY_STATES
    ):
        return DamagedStore(f"The store was changed by another program ({said}): restore it from a copy.")
    return StoreUnavailable(f"The store is unavailable ({said}): repeat the call later; nothing is recorded twice.")
