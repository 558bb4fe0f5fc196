"""The journal of one match: events are appended and read, never changed."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from threading import local
from typing import Any, Self

from sqlalchemy import Connection, Engine, Row, bindparam, insert, select, update
from sqlalchemy.exc import IntegrityError

from firstmover.core.errors import Conflict, DamagedStore, InvalidInput
from firstmover.matches import schema
from firstmover.matches.backup import keep_copy
from firstmover.matches.database import block, engine_for, readable, transaction
from firstmover.matches.events import GENESIS, Draft, Event

BATCH = 500
"""Events that are read in one transaction, so that writers need not wait long."""

_MATCHES, _EVENTS = schema.matches, schema.events
NAMES = select(_MATCHES.c.name)
LINE = select(_MATCHES).where(_MATCHES.c.name == bindparam("match"))
LOCK = select(_MATCHES.c.name).where(_MATCHES.c.name == bindparam("match")).with_for_update()
BETWEEN = (
    select(_EVENTS)
    .where(_EVENTS.c.match == bindparam("match"), _EVENTS.c.sequence > bindparam("after"))
    .where(_EVENTS.c.sequence <= bindparam("last"))
    .order_by(_EVENTS.c.sequence)
)
ADVANCE = (
    update(_MATCHES)
    .where(_MATCHES.c.name == bindparam("match"), _MATCHES.c.length == bindparam("after"))
    .where(_MATCHES.c.head == bindparam("mark"))
    .values(length=bindparam("new_length"), head=bindparam("new_head"))
)
INSERT = insert(_EVENTS)
ADVANCE_WITH_SNAPSHOT = ADVANCE.values(snapshot=bindparam("new_snapshot"))
"""Statements that are used all the time, made once: making one takes longer than running it."""


class Overtaken(Exception):  # noqa: N818 - a signal, caught where it is raised
    """Another process recorded something first: nothing was written."""


def utc_clock() -> str:
    """The time of day, for people; nothing depends on it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


class Journal:
    """Append-only events of one match in one store.

    A writer says which event it has seen last; if that is no longer the last, or if another event holds the same claim,
    nothing is written and it is `Overtaken`. So every event was decided in view of all events before it.
    """

    def __init__(self, engine: Engine, name: str) -> None:
        self.engine, self.name, self._held = engine, name, local()

    @classmethod
    def create(cls, url: str | Path, name: str, draft: Draft) -> Self:
        """A new journal with its first event."""
        journal = cls(engine_for(url, create=True), name)
        with journal.closed_on_error():
            with transaction(journal.engine, writing=True) as connection:
                schema.create_tables(connection)
                version = schema.stored_version(connection)
            journal._bring_on(version)
            journal._begin(Event.following(GENESIS, 1, utc_clock(), draft))
        return journal

    def _begin(self, event: Event) -> None:
        try:
            with transaction(self.engine, writing=True) as connection:
                row = {"name": self.name, "length": 1, "head": event.hash}
                connection.execute(insert(schema.matches).values(row))
                connection.execute(insert(schema.events).values(_row(self.name, event)))
        except IntegrityError:
            raise Conflict(f"match {self.name!r} exists already: open it, or choose another name.") from None

    @classmethod
    def open(cls, url: str | Path, name: str, *, read_only: bool = False) -> Self:
        """The journal of a match that exists."""
        journal = cls(engine_for(url, read_only=read_only), name)
        with journal.closed_on_error():
            with transaction(journal.engine) as connection:
                version = journal._version(connection)
            if version < schema.VERSION and read_only:
                raise InvalidInput(
                    f"The store has the older version {version}: open it for writing once to bring it on."
                )
            journal._bring_on(version)
        return journal

    def _version(self, connection: Connection) -> int:
        """The version of a store that holds the match."""
        if not schema.has_tables(connection):
            raise DamagedStore("The store holds no tables of firstmover: it is another file, or was cut to nothing.")
        version = schema.stored_version(connection)
        known = connection.execute(NAMES).scalars().all()
        if self.name not in known:
            listed = ", ".join(repr(other) for other in sorted(map(str, known))) or "none"
            raise InvalidInput(f"match {self.name!r} is not in this store: it holds {listed}.")
        return version

    def _bring_on(self, version: int) -> None:
        if version < schema.VERSION:
            schema.migrate(self.engine, keep_copy)

    @contextmanager
    def alone(self) -> Iterator[None]:
        """While the block lasts others wait to write; what this thread appends in it is committed at its end."""
        with block(self.engine, writing=True) as connection:
            if connection.dialect.name != "sqlite":  # there a writer is alone anyway
                connection.execute(LOCK, {"match": self.name})
            self._held.connection = connection
            try:
                yield
            finally:
                del self._held.connection

    @contextmanager
    def _transaction(self, *, writing: bool = False) -> Iterator[Connection]:
        """The transaction of this thread's block, else a new one."""
        held: Connection | None = getattr(self._held, "connection", None)
        if held is None:
            with transaction(self.engine, writing=writing) as connection:
                yield connection
        else:
            with readable():
                yield held

    @contextmanager
    def closed_on_error(self) -> Iterator[None]:
        """Lets go of the database when what is begun with it fails."""
        try:
            yield
        except BaseException:
            self.close()
            raise

    def _line(self, connection: Connection) -> Row[Any] | None:
        """The match's own line, its length and last hash; None if there is none."""
        found = connection.execute(LINE, {"match": self.name}).all()
        for line in found:
            if len(found) > 1 or not isinstance(line.length, int) or not isinstance(line.snapshot, str | None):
                raise DamagedStore(f"The line of match {self.name!r} is not what was recorded: take a copy.")
        return found[0] if found else None

    def read(self, after: int = 0, mark: str = GENESIS) -> Iterator[Event]:
        """Events after the one with this number and hash, each checked against the one before it."""
        length = after + 1
        while after < length:
            length, rows = self._batch(after, mark)
            for row in rows:
                event = Event._make(row[1:]).check(mark, after + 1)
                after, mark = event.sequence, event.hash
                yield event

    def _batch(self, after: int, mark: str) -> tuple[int, Sequence[Row[Any]]]:
        """How many events there are, and the next of them; the last one is the one that the match's line names."""
        with self._transaction() as connection:
            line = self._line(connection)
            if line is None or line.length < after or (line.length == after and line.head != mark):
                raise DamagedStore(f"Event {after} of the journal is gone: the store is damaged or was put back.")
            last = min(line.length, after + BATCH)
            wanted = {"match": self.name, "after": after, "last": last}
            rows = connection.execute(BETWEEN, wanted).all() if last > after else []
        if len(rows) != last - after or (rows and last == line.length and rows[-1].hash != line.head):
            raise DamagedStore(
                f"Event {after + len(rows) + 1} of the journal is missing: the store is damaged; take it from a copy."
            )
        return line.length, rows

    def append(self, draft: Draft, after: int, mark: str, snapshot: Callable[[int, str], str] | None = None) -> Event:
        """Record a draft right after the event with this number and hash; on the disk when this, or `alone`, ends.

        With it goes the snapshot, if there is one, made for the number and the hash of the new event.
        """
        event = Event.following(mark, after + 1, utc_clock(), draft)
        change = {"match": self.name, "after": after, "mark": mark}
        change |= {"new_length": event.sequence, "new_head": event.hash}
        if snapshot is not None:
            change["new_snapshot"] = snapshot(event.sequence, event.hash)
        try:
            with self._transaction(writing=True) as connection:
                advance = ADVANCE if snapshot is None else ADVANCE_WITH_SNAPSHOT
                if connection.execute(advance, change).rowcount != 1:
                    raise Overtaken
                connection.execute(INSERT, _row(self.name, event))
        except IntegrityError:
            raise Overtaken from None
        return event

    def event(self, sequence: int) -> Event:
        """One event, its own hash checked."""
        table = schema.events
        with self._transaction() as connection:
            row = connection.execute(
                select(table).where(table.c.match == self.name, table.c.sequence == sequence)
            ).one_or_none()
        if row is None:
            raise DamagedStore(f"Event {sequence} of the journal is missing: the store is damaged.")
        event = Event._make(row[1:])
        return event.check(event.previous, sequence)

    def snapshot(self) -> str | None:
        """What the last writer left to speed up opening; to be checked by whoever uses it."""
        with self._transaction() as connection:
            line = self._line(connection)
        return None if line is None else line.snapshot

    def check_file(self) -> None:
        """SQLite's own check of the whole file."""
        if self.engine.dialect.name == "sqlite":
            with self._transaction() as connection:
                said = connection.exec_driver_sql("PRAGMA integrity_check").scalars().all()
            if said != ["ok"]:
                raise DamagedStore(f"SQLite finds the store damaged ({said[0]}): take it from a copy.")

    def close(self) -> None:
        """Let go of the database."""
        self.engine.dispose()


def _row(name: str, event: Event) -> dict[str, Any]:
    return {
        "match": name,
        "sequence": event.sequence,
        "kind": event.kind,
        "round_id": event.round_id,
        "claim": event.claim,
        "clock": event.clock,
        "payload": event.text,
        "previous": event.previous,
        "hash": event.hash,
    }
