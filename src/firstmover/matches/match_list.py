"""The matches of a store by SQL alone: names, and the number of their rounds."""

import json
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, Engine, func, literal, select

from firstmover.core.errors import Conflict
from firstmover.matches.database import engine_for, one_moment, transaction
from firstmover.matches.menu import kind_of
from firstmover.matches.names import look_alike
from firstmover.matches.schema import events, is_current, matches


@dataclass(frozen=True)
class ListedMatch:
    """A match with its kind and its rounds by status; `waiting_since` is the time of the oldest pending ask."""

    name: str
    kind: str
    asked: int
    told: int
    pending: list[str]
    void: int
    archived: bool
    waiting_since: str | None = None


def match_exists(engine: Engine, name: str) -> bool:
    """Return whether a store holds a match of this name."""
    with transaction(engine) as connection:
        return connection.execute(select(matches.c.name).where(matches.c.name == name)).first() is not None


def check_distinct(connection: Connection, name: str, match_id: str) -> None:
    """Raise Conflict if the name of another match looks like this one; that of an equal name is left to the store."""
    others = connection.scalars(select(matches.c.name).where(matches.c.name != name, matches.c.id != match_id))
    other = next((other for other in others if look_alike(str(other), name)), None)
    if other is not None:
        raise Conflict(f"match {name!r} looks like match {other!r} of this store: choose another name.")


def list_matches(store: str | Path, *, archived: bool = False) -> list[ListedMatch]:
    """Return the matches of a store by name, archived ones only if wanted; read-only."""
    engine = engine_for(store, read_only=True)
    try:
        with transaction(engine) as connection:
            is_current(connection, read_only=True)
        return [match for match in read_matches(engine, {}) if archived or not match.archived]
    finally:
        engine.dispose()


def read_matches(engine: Engine, kinds: dict[str, str]) -> list[ListedMatch]:
    """Return all matches of a store by name; kinds never change and are cached in `kinds`, by id."""
    with transaction(one_moment(engine)) as connection:
        lines = connection.execute(select(matches.c.id, matches.c.name).order_by(matches.c.name))
        names = {str(line.id): str(line.name) for line in lines}
        kinds |= {match: _kind(connection, match) for match in names if match not in kinds}
        counts = select(events.c.match, func.count()).where(events.c.kind == "asked").group_by(events.c.match)
        asked = defaultdict(int, {str(match): int(count) for match, count in connection.execute(counts)})
        waiting, void, archived = _pending(connection), _void(connection), _archived(connection)
        pending = {match: list(waiting[match]) for match in names}
    told = {match: asked[match] - len(pending[match]) - len(void[match]) for match in names}
    return [
        ListedMatch(
            name,
            kinds[match],
            asked[match],
            told[match],
            pending[match],
            len(void[match]),
            archived.get(match, False),
            next(iter(waiting[match].values()), None),
        )
        for match, name in names.items()
    ]


def _kind(connection: Connection, match: str) -> str:
    first = select(events.c.payload).where(events.c.match == match, events.c.sequence == 1)
    return kind_of(json.loads(connection.execute(first).scalar_one())["config"]["menu"]["game"])


def _pending(connection: Connection) -> dict[str, dict[str, str]]:
    """Rounds of each match that were asked and not closed, with the times of their asks."""
    closing = events.alias()
    claim = literal("closed:") + events.c.round_id
    closed = select(closing.c.match).where(closing.c.match == events.c.match, closing.c.claim == claim).exists()
    open_rounds = select(events.c.match, events.c.round_id, events.c.clock).where(events.c.kind == "asked", ~closed)
    pending: dict[str, dict[str, str]] = defaultdict(dict)
    for match, round_id, clock in connection.execute(open_rounds.order_by(events.c.match, events.c.sequence)):
        pending[match][round_id] = clock
    return pending


def _void(connection: Connection) -> dict[str, set[str]]:
    """Rounds of each match that were declared void and not corrected since, or corrected to be void."""
    rows = connection.execute(
        select(events.c.match, events.c.round_id, events.c.kind, events.c.payload)
        .where(events.c.kind.in_(["voided", "corrected"]))
        .order_by(events.c.match, events.c.sequence)
    )
    void: dict[str, set[str]] = defaultdict(set)
    for match, round_id, kind, payload in rows:
        is_void = kind == "voided" or json.loads(payload)["response"] is None
        (void[match].add if is_void else void[match].discard)(round_id)
    return void


def _archived(connection: Connection) -> dict[str, bool]:
    """Whether each match is archived, of those that ever were."""
    found = select(events.c.match, events.c.payload).where(events.c.kind == "archived")
    rows = connection.execute(found.order_by(events.c.match, events.c.sequence))
    return {match: json.loads(payload)["archived"] for match, payload in rows}
