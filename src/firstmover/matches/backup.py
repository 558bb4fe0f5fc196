"""The store as it was before a migration, kept beside it."""

import sqlite3
from contextlib import closing
from pathlib import Path

from sqlalchemy import Connection, text

from firstmover.core.files import sync_folder
from firstmover.matches import schema
from firstmover.matches.database import make_file


def keep_copy(connection: Connection, version: int) -> None:
    """Copy all that a store of this version holds, inside the transaction that is going to change it.

    On SQLite the copy is `name.v1` for a store `name` of version 1; it appears when it is whole. On PostgreSQL each
    table gets a twin with `_v1` at its end.
    """
    if connection.dialect.name == "sqlite":
        _copy_file(connection, version)
        return
    connection.execute(text(f"LOCK TABLE {schema.matches.name}, {schema.events.name} IN EXCLUSIVE MODE"))
    for table in (schema.matches, schema.events):
        connection.execute(text(f"CREATE TABLE IF NOT EXISTS {table.name}_v{version} AS TABLE {table.name}"))


def _copy_file(connection: Connection, version: int) -> None:
    path = Path(connection.exec_driver_sql("PRAGMA database_list").all()[0][2])
    copy, part = path.with_name(f"{path.name}.v{version}"), path.with_name(f"{path.name}.v{version}.part")
    for left in (part, part.with_name(f"{part.name}-journal")):  # by a process that was stopped
        left.unlink(missing_ok=True)
    make_file(part)  # readable by its owner only, as the store is
    with closing(sqlite3.connect(path)) as source, closing(sqlite3.connect(part)) as target:
        target.execute("PRAGMA synchronous = EXTRA")
        source.backup(target)
    part.replace(copy)
    sync_folder(path.parent)
