"""Long matches, made quickly: the events are those that asks and tells would record, committed all at once."""

from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from sqlalchemy import insert, update

from firstmover.matches import Match, commands, schema
from firstmover.matches.database import transaction
from firstmover.matches.events import Event, utc_clock
from tests.matches.played import ROUTES, answer


def grown(path: Path | str, rounds: int, name: str = "roads", told: bool = True) -> None:
    """A match of this many rounds, told or pending, with a snapshot that fits."""
    with Match.create(path, name, ROUTES) as match:
        state, rows = match.state(), list[dict[str, Any]]()
        recorded = partial(_recorded, match.journal.match_id, state)
        for number in range(1, rounds + 1):
            asked, _ = commands.asking(state, str(number))
            rows.append(recorded(asked, None))
            if told:
                action = state.rounds[str(number)].action
                values = dict(zip(("type", "response"), _values(match, action, number), strict=True))
                rows.append(recorded(*commands.telling(state, str(number), values)))
        snapshot = state.learning.snapshot(*state.learnt) if told and rounds else None
        with transaction(match.journal.engine, writing=True) as connection:
            line = {"length": state.sequence, "head": state.mark, "snapshot": snapshot}
            connection.execute(update(schema.matches).where(schema.matches.c.name == name).values(line))
            if rows:
                connection.execute(insert(schema.events), rows)


def _values(match: Match, action: int, number: int) -> tuple[dict[str, Any], dict[str, Any]]:
    decision = SimpleNamespace(features=match.setting.menu.described(action))
    demand, congestion = answer(decision, number)  # type: ignore[arg-type]
    return {"demand": demand}, {"congestion": congestion}


def _recorded(match_id: str, state: Any, draft: Any, learning: Any) -> dict[str, Any]:
    event = Event.following(state.mark, state.sequence + 1, utc_clock(), draft, "ann")
    state.apply(event, learning)
    return schema.event_row(match_id, event)
