"""The tables of a store, their version, and how older ones are brought up to date."""

from collections.abc import Callable

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
    update,
)

from firstmover.core.errors import DamagedStore, InvalidInput
from firstmover.matches.database import transaction

VERSION = 1
"""Raised when the tables change; a store of a higher version is refused unwritten."""

ADVISORY_LOCK = 0x6669727374
"""Held on PostgreSQL while tables are made or changed: two may look at once, and both find them old."""

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
"""One line a match: how many events it has, the hash of the last, and what speeds up opening."""

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
"""Append-only: no statement of firstmover changes or deletes a line."""

MIGRATIONS: dict[int, Callable[[Connection], None]] = {}
"""From a version to the next; each runs inside the transaction that also raises the version."""


def has_tables(connection: Connection) -> bool:
    """Whether firstmover wrote to this store before."""
    return inspect(connection).has_table(versions.name)


def _lock(connection: Connection) -> None:
    """Make others wait; a writer on SQLite is alone anyway."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(ADVISORY_LOCK)))


def create_tables(connection: Connection) -> None:
    """The tables of a new store; those of an old one are left as they are."""
    _lock(connection)
    if not has_tables(connection):
        _check_foreign(connection)
        metadata.create_all(connection)
        connection.execute(insert(versions).values(version=VERSION))


def _check_foreign(connection: Connection) -> None:
    """A SQLite file of another program is left as it is; databases of PostgreSQL are shared by many."""
    there = inspect(connection).get_table_names() if connection.dialect.name == "sqlite" else []
    if there and not set(there) & set(metadata.tables):
        raise InvalidInput(
            f"The store is a database of another program (its tables: {', '.join(there[:3])}): nothing was written; "
            "give a file of its own, such as matches.db."
        )


def stored_version(connection: Connection) -> int:
    """The version of the tables of a store; one newer than this firstmover is refused."""
    rows = connection.execute(select(versions.c.version)).scalars().all()
    if len(rows) != 1 or not isinstance(rows[0], int) or rows[0] < 1:
        raise DamagedStore("The store does not say which version it has: it is damaged; take it from a copy.")
    if rows[0] > VERSION:
        raise InvalidInput(
            f"The store has version {rows[0]}, newer than this firstmover's {VERSION}: update firstmover; nothing was "
            "written."
        )
    return rows[0]


def migrate(engine: Engine, keep_copy: Callable[[Connection, int], object]) -> None:
    """Bring an older store up to date, all or nothing, after a copy of it was kept."""
    with transaction(engine, writing=True) as connection:
        _lock(connection)
        found = stored_version(connection)
        if found < VERSION:  # else another process was quicker, and the copy is not ours to replace
            keep_copy(connection, found)
        for step in range(found, VERSION):
            MIGRATIONS[step](connection)
            connection.execute(update(versions).values(version=step + 1))
