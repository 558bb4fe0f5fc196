"""The journal of one match: events are appended and read, never changed."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import local
from typing import Any, Self
from uuid import uuid4

from sqlalchemy import Connection, Engine, Row, bindparam, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from firstmover.core.errors import Conflict, DamagedStore, MissingMatch, Overtaken
from firstmover.matches import forks, schema, soundness, stored_bases
from firstmover.matches.database import block, engine_for, readable, transaction
from firstmover.matches.events import GENESIS, Draft, Event, utc_clock
from firstmover.matches.interrupts import interruptible
from firstmover.matches.match_list import check_distinct
from firstmover.matches.names import normal_form

BATCH = 500
"""Events that are read in one transaction, so that writers do not wait long."""

_MATCHES, _EVENTS = schema.matches, schema.events
NAMES = select(_MATCHES.c.name, _MATCHES.c.id)
LINE = select(_MATCHES).where(_MATCHES.c.id == bindparam("match"))
LOCK = select(_MATCHES.c.id).where(_MATCHES.c.id == bindparam("match")).with_for_update()
BETWEEN = (
    select(_EVENTS)
    .where(_EVENTS.c.match == bindparam("match"), _EVENTS.c.sequence > bindparam("after"))
    .where(_EVENTS.c.sequence <= bindparam("last"))
    .order_by(_EVENTS.c.sequence)
)
AT = select(_EVENTS).where(
    _EVENTS.c.match == bindparam("match"), _EVENTS.c.sequence.in_(bindparam("numbers", expanding=True))
)
ADVANCE = (
    update(_MATCHES)
    .where(_MATCHES.c.id == bindparam("match"), _MATCHES.c.length == bindparam("after"))
    .where(_MATCHES.c.head == bindparam("mark"))
    .values(length=bindparam("new_length"), head=bindparam("new_head"))
)
INSERT = insert(_EVENTS)
RENAME = update(_MATCHES).where(_MATCHES.c.id == bindparam("match")).values(name=bindparam("new_name"))
DELETE = (
    delete(_EVENTS).where(_EVENTS.c.match == bindparam("match")),
    delete(_MATCHES).where(_MATCHES.c.id == bindparam("match")),
)
ADVANCE_WITH_SNAPSHOT = ADVANCE.values(snapshot=bindparam("new_snapshot"))
"""Statements are built once: building one takes longer than running it."""


def older_copy(name: str, sequence: int) -> DamagedStore:
    """The error for a store without an event that was read or acknowledged before."""
    return DamagedStore(
        f"Event {sequence} of the journal of match {name!r} is missing: an older copy of the store was put in place, "
        "or it is damaged; put the newer one back, or run firstmover match accept-restore to go on from the older one."
    )


class Journal:
    """Append-only events of one match in one store.

    A writer names the last event that it has read. If that is no longer the last one, or another event holds the same
    claim, nothing is written and Overtaken is raised. So every event was decided with all events before it known.

    Parameters
    ----------
    engine
        The SQLAlchemy engine of the store; `create` and `open` provide it.
    name
        Of the match in its store.
    match_id
        Its id in the store.

    Examples
    --------
    >>> import tempfile
    >>> from firstmover import Match
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     bay = Match.create(f"{folder}/a.db", "bay", {"menu": {"game": "shore"}})
    ...     decision = bay.ask("monday")
    ...     kinds = [event.kind for event in bay.journal.read()]
    >>> kinds
    ['created', 'asked']
    """

    def __init__(self, engine: Engine, name: str, match_id: str = "") -> None:
        self.engine, self.name, self.match_id, self._held = engine, name, match_id, local()
        forks.OBJECTS.add(self)

    def _after_fork(self) -> None:
        """Forget the transaction of the parent process."""
        self._held = local()

    @classmethod
    def create(
        cls,
        url: str | Path,
        name: str,
        draft: Draft,
        snapshot: Callable[[int, str], str] | None = None,
        actor: str | None = None,
    ) -> Self:
        """Create a journal with its first event, and a snapshot made from its number and hash."""
        journal = cls(engine_for(url, create=True), name, uuid4().hex)
        with journal.closed_on_error():
            schema.prepare(journal.engine)
            event = Event.following(GENESIS, 1, utc_clock(), draft, actor)
            line = {"id": journal.match_id, "name": name, "length": 1, "head": event.hash}
            line |= {} if snapshot is None else {"snapshot": snapshot(event.sequence, event.hash)}
            try:
                with transaction(journal.engine, writing=True) as connection:
                    soundness.check_file(connection)
                    check_distinct(connection, name, journal.match_id)
                    connection.execute(insert(_MATCHES), line)
                    connection.execute(INSERT, schema.event_row(journal.match_id, event))
            except IntegrityError:
                raise Conflict(f"match {name!r} exists already: open it, or choose another name.") from None
        return journal

    @classmethod
    def open(cls, url: str | Path, name: str, *, read_only: bool = False) -> Self:
        """Open the journal of an existing match; an older store is migrated, unless it is opened read-only."""
        journal = cls(engine_for(url, read_only=read_only), normal_form(str(name)))
        with journal.closed_on_error():
            known = journal._ids(read_only)
            if known is None:
                schema.migrate(journal.engine)
                known = journal._ids(read_only) or {}
            if journal.name not in known:
                listed = ", ".join(repr(other) for other in sorted(map(str, known))) or "none"
                raise MissingMatch(f"match {journal.name!r} is not in this store: it holds {listed}.")
            journal.match_id = known[journal.name]
            with transaction(journal.engine) as connection:
                soundness.check_events(connection, journal.match_id)
        return journal

    def _ids(self, read_only: bool) -> dict[str, str] | None:
        """The ids of all matches by name; None if the store must be migrated first."""
        with transaction(self.engine) as connection:
            if not schema.is_current(connection, read_only=read_only):
                return None
            soundness.check_file(connection)
            return {line.name: line.id for line in connection.execute(NAMES)}

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Make other writers wait during the block; events that this thread appends in it are committed at its end."""
        with block(self.engine, writing=True) as connection:
            if connection.dialect.name != "sqlite":  # where a writer is alone in any case
                interruptible(lambda: connection.execute(LOCK, {"match": self.match_id}))
            self._held.connection = connection
            try:
                yield
            finally:
                del self._held.connection

    @contextmanager
    def _transaction(self, *, writing: bool = False) -> Iterator[Connection]:
        """The transaction of this thread's `alone` block, else a new one."""
        held: Connection | None = getattr(self._held, "connection", None)
        if held is None:
            with transaction(self.engine, writing=writing) as connection:
                yield connection
        else:
            with readable():
                yield held

    @contextmanager
    def closed_on_error(self) -> Iterator[None]:
        """Close the database if the block raises."""
        try:
            yield
        except BaseException:
            self.close()
            raise

    def _line(self, connection: Connection) -> Row[Any] | None:
        """The row of the match with its length and last hash; None if there is none."""
        found = connection.execute(LINE, {"match": self.match_id}).all()
        for line in found:
            if len(found) > 1 or not isinstance(line.length, int) or not isinstance(line.snapshot, str | None):
                raise DamagedStore(f"The row of match {self.name!r} was changed: restore the store from a copy.")
        return found[0] if found else None

    def read(self, after: int = 0, mark: str = GENESIS) -> Iterator[Event]:
        """Yield the events after the one with this number and hash, each checked against the one before it.

        Parameters
        ----------
        after
            Number of the event; 0: from the first on.
        mark
            Its hash.
        """
        length = after + 1
        while after < length:
            length, rows = self._batch(after, mark)
            for row in rows:
                event = Event._make(row[1:]).check(mark, after + 1)
                after, mark = event.sequence, event.hash
                yield event

    def _batch(self, after: int, mark: str) -> tuple[int, Sequence[Row[Any]]]:
        """The number of events, and the next of them; the last one must be the one that the row of the match names."""
        with self._transaction() as connection:
            line = self._line(connection)
            if line is None:
                raise MissingMatch(
                    f"match {self.name!r} is no longer in this store: it was deleted, or the store was replaced."
                )
            if line.length < after or (line.length == after and line.head != mark):
                raise older_copy(self.name, after)
            last = min(line.length, after + BATCH)
            wanted = {"match": self.match_id, "after": after, "last": last}
            rows = connection.execute(BETWEEN, wanted).all() if last > after else []
        if len(rows) != last - after or (rows and last == line.length and rows[-1].hash != line.head):
            raise DamagedStore(
                f"Event {after + len(rows) + 1} of the journal is missing: the store is damaged; restore a copy."
            )
        return line.length, rows

    def append(
        self,
        draft: Draft,
        after: int,
        mark: str,
        snapshot: Callable[[int, str], str] | None = None,
        actor: str | None = None,
    ) -> Event:
        """Record a draft after the event with this number and hash; it is durable when this, or `alone`, returns.

        `snapshot` makes the snapshot to store with it, from the number and the hash of the new event.
        """
        event = Event.following(mark, after + 1, utc_clock(), draft, actor)
        change = {"match": self.match_id, "after": after, "mark": mark}
        change |= {"new_length": event.sequence, "new_head": event.hash}
        if snapshot is not None:
            change["new_snapshot"] = snapshot(event.sequence, event.hash)
        overtaken = Overtaken("Another process recorded an event first: nothing was recorded; repeat the call.")
        try:
            with self._transaction(writing=True) as connection:
                advance = ADVANCE if snapshot is None else ADVANCE_WITH_SNAPSHOT
                if interruptible(lambda: connection.execute(advance, change)).rowcount != 1:  # it may wait for a lock
                    raise overtaken
                connection.execute(INSERT, schema.event_row(self.match_id, event))
                if draft.kind == "renamed":
                    check_distinct(connection, draft.payload["name"], self.match_id)
                    connection.execute(RENAME, {"match": self.match_id, "new_name": draft.payload["name"]})
        except IntegrityError:
            if draft.kind == "renamed":
                name = draft.payload["name"]
                raise Conflict(f"match {name!r} exists already: nothing was changed; choose another name.") from None
            with transaction(self.engine) as connection:  # an event beyond the head is no other writer's, but damage
                soundness.check_events(connection, self.match_id)
            raise overtaken from None
        return event

    def delete(self) -> None:
        """Delete the match with all its events."""
        with self._transaction(writing=True) as connection:
            stored_bases.remove(connection, self.match_id)
            for statement in DELETE:
                connection.execute(statement, {"match": self.match_id})

    def event(self, sequence: int) -> Event:
        """Return one event, with its own hash checked."""
        return self.events([sequence])[sequence]

    def events(self, sequences: Iterable[int]) -> dict[int, Event]:
        """Return events by their numbers, each with its own hash checked."""
        numbers = list(sequences)
        with self._transaction() as connection:
            rows = [
                row
                for first in range(0, len(numbers), BATCH)
                for row in connection.execute(AT, {"match": self.match_id, "numbers": numbers[first : first + BATCH]})
            ]
        found = {event.sequence: event for event in (Event._make(row[1:]) for row in rows)}
        for number in numbers:
            if number not in found:
                raise DamagedStore(f"Event {number} of the journal is missing: the store is damaged.")
            found[number].check(found[number].previous, number)
        return found

    def snapshot(self) -> str | None:
        """The snapshot of the last writer, which the caller must check."""
        with self._transaction() as connection:
            line = self._line(connection)
        return None if line is None else line.snapshot

    def stored_base(self) -> bytes | None:
        """The stored decomposition of observations, which the caller must check."""
        return stored_bases.load(self.engine, self.match_id)

    def store_base(self, content: bytes) -> None:
        """Replace the stored decomposition, in a transaction of its own, if the store can be written."""
        stored_bases.save(self.engine, self.match_id, content)

    def stored_name(self) -> str | None:
        """The name by which the store finds the match; the events must lead to the same one."""
        with self._transaction() as connection:
            line = self._line(connection)
        return None if line is None else line.name

    def check(self) -> None:
        """Raise DamagedStore for a damaged file, or events that the row of the match does not count."""
        with self._transaction() as connection:
            soundness.check_file(connection)
            soundness.check_events(connection, self.match_id)

    def close(self) -> None:
        """Close the database."""
        self.engine.dispose()
