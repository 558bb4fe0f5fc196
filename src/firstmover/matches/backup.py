"""Backups of a whole store, their restoration, and the mark that a restoration leaves in every journal."""

import os
import secrets
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from firstmover.core.errors import Conflict, FirstmoverError
from firstmover.core.files import sync_folder
from firstmover.matches import schema, stored_bases
from firstmover.matches.database import block, engine_for, make_file, one_moment, sqlite_file, transaction
from firstmover.matches.events import Draft
from firstmover.matches.journal import Journal
from firstmover.matches.names import checked_actor
from firstmover.matches.soundness import check_events, check_file

BATCH = 500
"""Rows that are copied at once between databases of two kinds."""

LINES = sa.select(schema.matches).order_by(schema.matches.c.name)


@dataclass(frozen=True)
class KeptMatch:
    """A match of a backup: its name, its number of events, and the hash of the last one."""

    name: str
    events: int
    head: str


def backup(store: str | Path, path: str | Path) -> list[KeptMatch]:
    """Write all matches of a store, as they are at one moment, to a new SQLite file; the store may be in use.

    The file is readable by its owner only, and gets its name when it is complete, checked and on disk.
    """
    with _new_file(Path(path), replace=False) as part:
        _copy_to_file(store, part)
        return _checked(part)


def restore(path: str | Path, store: str | Path, *, replace: bool = False, actor: str | None = None) -> list[KeptMatch]:
    """Write a backup to a store that holds no match, and record an event `restored` at the end of every match.

    With `replace` an existing store is replaced; what was recorded in it after the backup is lost.
    """
    actor, file, draft = checked_actor(actor), sqlite_file(store), _mark(Path(path).name)
    if file is None:
        return _restore_to_database(path, store, draft, actor, replace=replace)
    with _new_file(file, replace=replace) as part:
        _copy_to_file(path, part)
        _record(part, draft, actor)
        return _checked(part)


def accept_restore(store: str | Path, *, actor: str | None = None) -> list[KeptMatch]:
    """Record that a store was put back by other means than `restore`, and that its matches go on from what it holds."""
    return _record(store, _mark("the store as it was found"), checked_actor(actor))


def _mark(source: str) -> Draft:
    return Draft("restored", {"source": source})


def _record(store: str | Path, draft: Draft, actor: str) -> list[KeptMatch]:
    """Append an event to every match of a store."""
    with _engine(store) as engine, transaction(engine, writing=True) as connection:
        schema.is_current(connection, read_only=True)
        check_file(connection)
        return _append(connection, draft, actor)


def _append(connection: sa.Connection, draft: Draft, actor: str) -> list[KeptMatch]:
    for line in connection.execute(LINES.with_for_update()).all():
        check_events(connection, line.id)
        schema.append_event(connection, line, draft, actor)
    return _kept(connection.execute(LINES).all())


def _kept(lines: Iterable[sa.Row[Any]]) -> list[KeptMatch]:
    return [KeptMatch(line.name, line.length, line.head) for line in lines]


@contextmanager
def _engine(store: str | Path, *, read_only: bool = False) -> Iterator[sa.Engine]:
    engine = engine_for(store, read_only=read_only)
    try:
        yield engine
    finally:
        engine.dispose()


@contextmanager
def _new_file(path: Path, *, replace: bool) -> Iterator[Path]:
    """An empty file that becomes `path` when the block ends, while no other process writes to the one before it."""
    if os.path.isdir(path) or (os.path.lexists(path) and not replace):
        raise Conflict(f"{str(path)!r} exists already: nothing was changed; name a new file.")
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    make_file(part)
    try:
        yield part
        with ExitStack() as stack:
            with suppress(FirstmoverError):  # there is none, or it is damaged
                engine = stack.enter_context(_engine(path))
                stack.enter_context(block(engine, writing=True, replacing=True))
            path.with_name(f"{path.name}-journal").unlink(missing_ok=True)  # it would be rolled back into the new file
            part.replace(path)
        sync_folder(path.parent)
    finally:
        for left in (part, part.with_name(f"{part.name}-journal")):
            left.unlink(missing_ok=True)


def _copy_to_file(store: str | Path, part: Path) -> None:
    """Copy a store of either kind into an empty SQLite file."""
    with _engine(store, read_only=True) as engine, transaction(one_moment(engine)) as source:
        schema.is_current(source, read_only=True)
        check_file(source)
        if engine.dialect.name == "sqlite":
            plain: Any = source.connection.driver_connection
            schema.copy_file(plain, part)
            return
        with _engine(part) as target:
            schema.prepare(target)
            with transaction(target, writing=True) as connection:
                _copy_rows(source, connection)


def _copy_rows(source: sa.Connection, target: sa.Connection) -> None:
    for table in (schema.matches, schema.events):
        for rows in source.execution_options(yield_per=BATCH).execute(sa.select(table)).mappings().partitions():
            target.execute(sa.insert(table), [dict(row) for row in rows])


def _restore_to_database(
    path: str | Path, store: str | Path, draft: Draft, actor: str, *, replace: bool
) -> list[KeptMatch]:
    """Write a backup to a PostgreSQL database in one transaction."""
    with _engine(path, read_only=True) as source, _engine(store) as target:
        schema.prepare(target)
        with transaction(source) as found, transaction(target, writing=True) as connection:
            schema.is_current(found, read_only=True)
            check_file(found)
            schema.lock(connection)
            if connection.execute(LINES).first() is not None and not replace:
                raise Conflict("The store holds matches: nothing was changed; name an empty database.")
            stored_bases.remove(connection)
            for table in (schema.events, schema.matches):
                connection.execute(sa.delete(table))
            _copy_rows(found, connection)
            return _append(connection, draft, actor)


def _checked(part: Path) -> list[KeptMatch]:
    """The matches of a copy, after every chain of hashes was read."""
    with _engine(part, read_only=True) as engine:
        with transaction(engine) as connection:
            check_file(connection)
            lines = connection.execute(LINES).all()
            for line in lines:
                check_events(connection, line.id)
        for line in lines:
            for _ in Journal(engine, line.name, line.id).read():
                pass
    return _kept(lines)
