"""What a store holds, without opening any match: names, and how far each is."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from sqlalchemy import Engine, func, literal, select

from firstmover.matches.engines import transaction
from firstmover.matches.schema import events, matches

Kind = Literal["routing", "park", "prices", "table"]
KINDS: dict[str, Kind] = {"routing": "routing", "wildlife": "park", "prices": "prices"}
"""Built-in games that have a picture of their own; every other menu is a table."""


@dataclass(frozen=True)
class Listed:
    """One match: its rounds by what became of them."""

    name: str
    asked: int
    told: int
    pending: list[str]
    void: int


def kind_of(game: str | None) -> Kind:
    """What a match is drawn as."""
    return KINDS.get(game or "", "table")


def is_there(engine: Engine, name: str) -> bool:
    """Whether a store holds a match of this name."""
    with transaction(engine) as connection:
        return connection.execute(select(matches.c.name).where(matches.c.name == name)).first() is not None


def listed_matches(engine: Engine) -> list[Listed]:
    """All matches of a store, by name."""
    with transaction(engine) as connection:
        names = [str(name) for name in connection.execute(select(matches.c.name).order_by(matches.c.name)).scalars()]
        counted = connection.execute(
            select(events.c.match, func.count()).where(events.c.kind == "asked").group_by(events.c.match)
        ).all()
        closed = events.alias()
        waiting = connection.execute(
            select(events.c.match, events.c.round_id)
            .where(
                events.c.kind == "asked",
                ~select(closed.c.match)
                .where(
                    closed.c.match == events.c.match,
                    closed.c.claim == literal("closed:") + events.c.round_id,
                )
                .exists(),
            )
            .order_by(events.c.match, events.c.sequence)
        ).all()
        settled = connection.execute(
            select(events.c.match, events.c.round_id, events.c.kind, events.c.payload)
            .where(events.c.kind.in_(["voided", "corrected"]))
            .order_by(events.c.match, events.c.sequence)
        ).all()
    return _joined(names, dict(map(tuple, counted)), waiting, settled)


def _joined(names: list[str], asked: dict[Any, int], waiting: Iterable[Any], settled: Iterable[Any]) -> list[Listed]:
    pending: dict[str, list[str]] = {name: [] for name in names}
    for match, round_id in waiting:
        pending[match].append(round_id)
    void: dict[str, set[str]] = {name: set() for name in names}
    for match, round_id, kind, payload in settled:
        is_void = kind == "voided" or json.loads(payload)["response"] is None
        (void[match].add if is_void else void[match].discard)(round_id)
    return [
        Listed(
            name,
            asked.get(name, 0),
            asked.get(name, 0) - len(pending[name]) - len(void[name]),
            pending[name],
            len(void[name]),
        )
        for name in names
    ]
