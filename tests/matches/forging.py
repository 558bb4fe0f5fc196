"""Journals that were changed and hashed again, so that the chain is sound and only the content is wrong."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

from firstmover.core.files import canonical_json, text_hash
from firstmover.matches.events import GENESIS, Draft, Event

Change = Callable[[dict[str, Any]], dict[str, Any] | None]
"""From the payload of an event to another one, or to None where the event is to be left out."""


def forge(path: Path, kind: str, change: Change, *, round_id: str | None = None) -> str:
    """Change the events of a kind in the only match of a store, hash all again, and return the last hash."""
    with closing(sqlite3.connect(path)) as store:
        rows = store.execute("SELECT * FROM firstmover_events ORDER BY sequence").fetchall()
        match, events = rows[0][0], [Event(*row[1:]) for row in rows]
        forged: list[Event] = []
        for event in events:
            payload: dict[str, Any] | None = event.payload
            if event.kind == kind and round_id in (None, event.round_id):
                payload = change(event.payload)
            if payload is not None:
                draft = Draft(event.kind, payload, event.round_id, event.claim)
                before = forged[-1].hash if forged else GENESIS
                forged.append(Event.following(before, len(forged) + 1, event.clock, draft, event.actor))
        store.execute("DELETE FROM firstmover_events")
        columns = ", ".join("?" * len(rows[0]))
        store.executemany(f"INSERT INTO firstmover_events VALUES ({columns})", [(match, *event) for event in forged])
        store.execute("UPDATE firstmover_matches SET length = ?, head = ?", (len(forged), forged[-1].hash))
        store.commit()
    return forged[-1].hash


def as_stored(content: dict[str, Any]) -> str:
    """A snapshot with this content and a check that fits it."""
    return canonical_json({"content": content, "check": text_hash(canonical_json(content))})
