"""What a store holds, without opening any match: names, and how far each is."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Engine, func, literal, select

from firstmover.matches.database import transaction
from firstmover.matches.menu import kind_of
from firstmover.matches.schema import events, matches


@dataclass(frozen=True)
class Listed:
    """One match: its kind, and its rounds by status."""

    name: str
    kind: str
    asked: int
    told: int
    pending: list[str]
    void: int


def is_there(engine: Engine, name: str) -> bool:
    """Whether a store holds a match of this name."""
    with transaction(engine) as connection:
        return connection.execute(select(matches.c.name).where(matches.c.name == name)).first() is not None


def _at_one_moment(engine: Engine) -> Engine:
    """Whose transactions see one state of the store from end to end, as those of SQLite always do."""
    return engine if engine.dialect.name == "sqlite" else engine.execution_options(isolation_level="REPEATABLE READ")


def listed_matches(engine: Engine, kinds: dict[str, str]) -> list[Listed]:
    """All matches of a store, by name; kinds never change and are cached in `kinds`."""
    with transaction(_at_one_moment(engine)) as connection:
        names = [str(name) for name in connection.execute(select(matches.c.name).order_by(matches.c.name)).scalars()]
        kinds |= {name: _kind(connection, name) for name in names if name not in kinds}
        counts = connection.execute(
            select(events.c.match, func.count()).where(events.c.kind == "asked").group_by(events.c.match)
        )
        asked = {str(match): int(count) for match, count in counts}
        pending, void = _waiting(connection, names), _void(connection, names)
    return [
        Listed(
            name,
            kinds[name],
            asked.get(name, 0),
            asked.get(name, 0) - len(pending[name]) - len(void[name]),
            pending[name],
            len(void[name]),
        )
        for name in names
    ]


def _kind(connection: Connection, name: str) -> str:
    first = select(events.c.payload).where(events.c.match == name, events.c.sequence == 1)
    begun: dict[str, Any] = json.loads(connection.execute(first).scalar_one())
    return kind_of(begun["config"]["menu"]["game"])


def _waiting(connection: Connection, names: Iterable[str]) -> dict[str, list[str]]:
    """Rounds that were asked and not closed."""
    closing = events.alias()
    claim = literal("closed:") + events.c.round_id
    closed = select(closing.c.match).where(closing.c.match == events.c.match, closing.c.claim == claim).exists()
    rows = connection.execute(
        select(events.c.match, events.c.round_id)
        .where(events.c.kind == "asked", ~closed)
        .order_by(events.c.match, events.c.sequence)
    )
    pending: dict[str, list[str]] = {name: [] for name in names}
    for match, round_id in rows:
        pending[match].append(round_id)
    return pending


def _void(connection: Connection, names: Iterable[str]) -> dict[str, set[str]]:
    """Rounds that were declared void and not corrected since, or corrected to be void."""
    rows = connection.execute(
        select(events.c.match, events.c.round_id, events.c.kind, events.c.payload)
        .where(events.c.kind.in_(["voided", "corrected"]))
        .order_by(events.c.match, events.c.sequence)
    )
    void: dict[str, set[str]] = {name: set() for name in names}
    for match, round_id, kind, payload in rows:
        is_void = kind == "voided" or json.loads(payload)["response"] is None
        (void[match].add if is_void else void[match].discard)(round_id)
    return void
