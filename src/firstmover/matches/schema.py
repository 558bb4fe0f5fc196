"""The tables of a store, their version, and the migration of older stores with a copy kept."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    func,
    insert,
    inspect,
    select,
    text,
    update,
)

from firstmover.core.errors import DamagedStore, InvalidInput
from firstmover.core.files import sync_folder
from firstmover.matches.database import make_file, transaction

VERSION = 1
"""Raised when the tables change; a store of a higher version is rejected unchanged."""

ADVISORY_LOCK = 0x6669727374
"""Held on PostgreSQL while tables are created or migrated, so that two processes do not do it at once."""

metadata = MetaData()

versions = Table("firstmover_schema", metadata, Column("version", Integer, nullable=False))

matches = Table(
    "firstmover_matches",
    metadata,
    Column("name", String(80), primary_key=True),
    Column("length", Integer, nullable=False),
    Column("head", String(64), nullable=False),
    Column("snapshot", Text),
)
"""One row per match: its number of events, the hash of the last one, and a snapshot that speeds up opening."""

events = Table(
    "firstmover_events",
    metadata,
    Column("match", ForeignKey(matches.c.name), primary_key=True),
    Column("sequence", Integer, primary_key=True, autoincrement=False),
    Column("kind", String(16), nullable=False),
    Column("round_id", String(80)),
    Column("claim", String(200)),
    Column("clock", String(40), nullable=False),
    Column("payload", Text, nullable=False),
    Column("previous", String(64), nullable=False),
    Column("hash", String(64), nullable=False),
    UniqueConstraint("match", "claim", name="one_holder_of_a_claim"),
)
"""Append-only: no statement of firstmover changes or deletes a row."""

MIGRATIONS: dict[int, Callable[[Connection], None]] = {}
"""From a version to the next; each runs inside the transaction that also raises the version."""


def has_tables(connection: Connection) -> bool:
    """Whether firstmover wrote to this store before."""
    return inspect(connection).has_table(versions.name)


def _lock(connection: Connection) -> None:
    """Make other processes wait; on SQLite a writer is alone in any case."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(ADVISORY_LOCK)))


def create_tables(connection: Connection) -> None:
    """Create the tables of a new store; those of an existing one stay unchanged.

    A SQLite file of another program is rejected. A PostgreSQL database may be shared.
    """
    _lock(connection)
    if has_tables(connection):
        return
    found = inspect(connection).get_table_names() if connection.dialect.name == "sqlite" else []
    if found and not set(found) & set(metadata.tables):
        raise InvalidInput(
            f"The store is a database of another program (its tables: {', '.join(found[:3])}): nothing was written; "
            "give a file of its own, such as matches.db."
        )
    metadata.create_all(connection)
    connection.execute(insert(versions).values(version=VERSION))


def stored_version(connection: Connection) -> int:
    """Return the version of a store, or raise an error if it is newer than this firstmover."""
    rows = connection.execute(select(versions.c.version)).scalars().all()
    if len(rows) != 1 or not isinstance(rows[0], int) or rows[0] < 1:
        raise DamagedStore("The store has no valid version number: it is damaged; restore it from a copy.")
    if rows[0] > VERSION:
        raise InvalidInput(
            f"The store has version {rows[0]}, newer than this firstmover's {VERSION}: update firstmover; nothing was "
            "written."
        )
    return rows[0]


def migrate(engine: Engine) -> None:
    """Bring an older store up to date in one transaction, after a copy of it was made."""
    with transaction(engine, writing=True) as connection:
        _lock(connection)
        found = stored_version(connection)
        if found < VERSION:  # else another process was first, and its copy must stay
            _keep_copy(connection, found)
        for step in range(found, VERSION):
            MIGRATIONS[step](connection)
            connection.execute(update(versions).values(version=step + 1))


def _keep_copy(connection: Connection, version: int) -> None:
    """Copy the store inside the transaction that is going to change it.

    On SQLite the copy is the file `name.v1` for a store `name` of version 1; it is renamed into place when complete. On
    PostgreSQL each table gets a copy whose name ends in `_v1`.
    """
    if connection.dialect.name != "sqlite":
        connection.execute(text(f"LOCK TABLE {matches.name}, {events.name} IN EXCLUSIVE MODE"))
        for table in (matches, events):
            connection.execute(text(f"CREATE TABLE IF NOT EXISTS {table.name}_v{version} AS TABLE {table.name}"))
        return
    path = Path(connection.exec_driver_sql("PRAGMA database_list").all()[0][2])
    part = path.with_name(f"{path.name}.v{version}.part")
    for left in (part, part.with_name(f"{part.name}-journal")):  # of a process that was killed
        left.unlink(missing_ok=True)
    make_file(part)  # readable by its owner only, as the store is
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(part)) as target:
        target.execute("PRAGMA synchronous = EXTRA")
        source.backup(target)
    part.replace(path.with_name(f"{path.name}.v{version}"))
    sync_folder(path.parent)
