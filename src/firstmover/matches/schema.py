"""The tables of a store, their version, and the migration of older stores with a copy kept."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from itertools import chain, count
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from firstmover.core.errors import DamagedStore, InvalidInput, StoreUnavailable
from firstmover.core.files import sync_folder
from firstmover.matches.database import LockedClose, make_file, transaction
from firstmover.matches.events import Draft, Event, utc_clock
from firstmover.matches.names import normal_form

VERSION = 2
"""Raised when the tables change; a store of a higher version is rejected unchanged."""

ADVISORY_LOCK = 0x6669727374
"""Held on PostgreSQL while tables are created or migrated, so that two processes do not do it at once."""

metadata = sa.MetaData()

versions = sa.Table("firstmover_schema", metadata, sa.Column("version", sa.Integer, nullable=False))

matches = sa.Table(
    "firstmover_matches",
    metadata,
    sa.Column("id", sa.String(80), primary_key=True),
    sa.Column("length", sa.Integer, nullable=False),
    sa.Column("head", sa.String(64), nullable=False),
    sa.Column("snapshot", sa.Text),
    sa.Column("name", sa.String(250)),
    sa.Index("one_match_of_a_name", "name", unique=True),
)
"""One row per match: its number of events, the hash of the last one, a snapshot that speeds up opening, and its name.

Events refer to the id, which never changes: a random one or, in stores of version 1, the name at that time.
"""

events = sa.Table(
    "firstmover_events",
    metadata,
    sa.Column("match", sa.ForeignKey(matches.c.id), primary_key=True),
    sa.Column("sequence", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("kind", sa.String(16), nullable=False),
    sa.Column("round_id", sa.String(80)),
    sa.Column("claim", sa.String(200)),
    sa.Column("clock", sa.String(40), nullable=False),
    sa.Column("payload", sa.Text, nullable=False),
    sa.Column("previous", sa.String(64), nullable=False),
    sa.Column("hash", sa.String(64), nullable=False),
    sa.Column("actor", sa.String(80)),
    sa.UniqueConstraint("match", "claim", name="one_holder_of_a_claim"),
)
"""Append-only: no statement of firstmover changes a row, and rows are deleted only with their whole match."""


def _to_version_2(connection: sa.Connection) -> None:
    """Give events an actor, and matches a name beside the id that their events refer to."""
    for statement in (
        f"ALTER TABLE {events.name} ADD COLUMN actor VARCHAR(80)",
        f"ALTER TABLE {matches.name} RENAME COLUMN name TO id",
        f"ALTER TABLE {matches.name} ADD COLUMN name VARCHAR(250)",
        f"UPDATE {matches.name} SET name = id",
        f"CREATE UNIQUE INDEX one_match_of_a_name ON {matches.name} (name)",
    ):
        connection.execute(sa.text(statement))
    lines = connection.execute(sa.select(matches).order_by(matches.c.id)).all()
    taken = {line.id for line in lines}
    for line in lines:
        wanted = normal_form(line.id)
        if wanted != line.id:
            name = next(name for name in chain([wanted], (f"{wanted} ({n})" for n in count(2))) if name not in taken)
            taken.add(name)
            append_event(connection, line, Draft("renamed", {"name": name}), "firstmover", name=name)


def append_event(connection: sa.Connection, line: sa.Row[Any], draft: Draft, actor: str, **changes: Any) -> None:
    """Append an event after the last one that the row of a match names, and change columns of the row with it."""
    event = Event.following(line.head, line.length + 1, utc_clock(), draft, actor)
    connection.execute(sa.insert(events), event_row(line.id, event))
    changed = {**changes, "length": event.sequence, "head": event.hash}
    connection.execute(sa.update(matches).where(matches.c.id == line.id).values(changed))


def event_row(match_id: str, event: Event) -> dict[str, Any]:
    """The columns of an event."""
    fields = event._asdict()
    return {"match": match_id, "payload": fields.pop("text"), **fields}


MIGRATIONS: dict[int, Callable[[sa.Connection], None]] = {1: _to_version_2}
"""From a version to the next; each runs inside the transaction that also raises the version."""


def has_tables(connection: sa.Connection) -> bool:
    """Whether firstmover wrote to this store before."""
    return sa.inspect(connection).has_table(versions.name)


def lock(connection: sa.Connection) -> None:
    """Make other processes wait; on SQLite a writer is alone in any case."""
    if connection.dialect.name == "postgresql":
        connection.execute(sa.select(sa.func.pg_advisory_xact_lock(ADVISORY_LOCK)))


def create_tables(connection: sa.Connection) -> None:
    """Create the tables of a new store; those of an existing one stay unchanged.

    A SQLite file of another program is rejected. A PostgreSQL database may be shared.
    """
    lock(connection)
    if has_tables(connection):
        return
    found = sa.inspect(connection).get_table_names() if connection.dialect.name == "sqlite" else []
    if found and not set(found) & set(metadata.tables):
        raise InvalidInput(
            f"The store is a database of another program (its tables: {', '.join(found[:3])}): nothing was written; "
            "give a file of its own, such as matches.db."
        )
    metadata.create_all(connection)
    connection.execute(sa.insert(versions).values(version=VERSION))


def stored_version(connection: sa.Connection) -> int:
    """Return the version of a store, or raise an error if it is newer than this firstmover."""
    rows = connection.execute(sa.select(versions.c.version)).scalars().all()
    if len(rows) != 1 or not isinstance(rows[0], int) or rows[0] < 1:
        raise DamagedStore("The store has no valid version number: it is damaged; restore it from a copy.")
    if rows[0] > VERSION:
        raise InvalidInput(
            f"The store has version {rows[0]}, newer than this firstmover's {VERSION}: update firstmover; nothing was "
            "written."
        )
    return rows[0]


def is_current(connection: sa.Connection, *, read_only: bool) -> bool:
    """Return whether a store has this version; raise an error if it is none, or older and must not be written."""
    if not has_tables(connection):
        raise DamagedStore("The store has no tables of firstmover: it is another file, or was truncated.")
    version = stored_version(connection)
    if version < VERSION and read_only:
        raise InvalidInput(
            f"The store has the older version {version}: open it for writing once to migrate it, such as with "
            "firstmover match verify; a copy is kept."
        )
    return version == VERSION


def prepare(engine: sa.Engine) -> None:
    """Create the tables of a new store; migrate those of an older one."""
    with transaction(engine, writing=True) as connection:
        create_tables(connection)
    migrate(engine)


def migrate(engine: sa.Engine) -> None:
    """Bring an older store up to date in one transaction, after a copy of it was made."""
    with transaction(engine, writing=True) as connection:
        lock(connection)
        found = stored_version(connection)
        if found < VERSION:  # else another process was first, and its copy must stay
            _keep_copy(connection, found)
        for step in range(found, VERSION):
            MIGRATIONS[step](connection)
            connection.execute(sa.update(versions).values(version=step + 1))


def _keep_copy(connection: sa.Connection, version: int) -> None:
    """Copy the store inside the transaction that is going to change it.

    On SQLite the copy is the file `name.v1` for a store `name` of version 1; it is renamed into place when complete. On
    PostgreSQL each table gets a copy whose name ends in `_v1`.
    """
    if connection.dialect.name != "sqlite":
        connection.execute(sa.text(f"LOCK TABLE {matches.name}, {events.name} IN EXCLUSIVE MODE"))
        for table in (matches, events):
            connection.execute(sa.text(f"CREATE TABLE IF NOT EXISTS {table.name}_v{version} AS TABLE {table.name}"))
        return
    path = Path(connection.exec_driver_sql("PRAGMA database_list").all()[0][2])
    part = path.with_name(f"{path.name}.v{version}.part")
    for left in (part, part.with_name(f"{part.name}-journal")):  # of a process that was killed
        left.unlink(missing_ok=True)
    make_file(part)  # readable by its owner only, as the store is
    with closing(LockedClose(path)) as source:
        copy_file(source, part)
    part.replace(path.with_name(f"{path.name}.v{version}"))
    sync_folder(path.parent)


def copy_file(source: sqlite3.Connection, part: Path) -> None:
    """Copy a SQLite store into an empty file by SQLite's online backup: as it was at one moment, and on disk."""
    try:
        with closing(sqlite3.connect(part)) as target:
            target.execute("PRAGMA synchronous = EXTRA")
            source.backup(target)
    except sqlite3.Error as error:
        raise StoreUnavailable(f"The copy cannot be written ({error}): free space, or choose another place.") from None
