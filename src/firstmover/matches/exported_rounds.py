"""Exports of a match, read again: tables of rounds, and whole journals."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from firstmover.core.errors import DamagedStore, InvalidInput
from firstmover.core.files import canonical_json, text_hash
from firstmover.matches.csv_reader import Table
from firstmover.matches.events import KINDS, Event
from firstmover.matches.formula_cells import unescaped
from firstmover.matches.learner_state import Fits, rows_of
from firstmover.matches.rounds import MatchRound
from firstmover.matches.state import State
from firstmover.matches.table_reader import Reading, Rows, table_rows
from firstmover.matches.value_schema import one_number

if TYPE_CHECKING:
    from firstmover.matches.setup import Setting


def round_key(asked_at: str, round_id: str) -> str:
    """The id under which a round of any match is recorded when it is imported."""
    return f"{asked_at} {round_id}"


def exported_rounds(table: Table, setting: "Setting", columns: Mapping[str, str], reading: Reading) -> Rows:
    """Return the told rounds of a table of rounds, in the order in which they were told; each has an id."""
    if table.separator:  # of a CSV file
        table = replace(table, rows=[[unescaped(c) if isinstance(c, str) else c for c in row] for row in table.rows])
    status = table.column("status")
    kept = [i for i in range(len(status)) if status[i] == "told"]
    if "closed" in table.names:
        closed = table.column("closed")
        kept.sort(key=lambda i: one_number("column", "closed", closed[i]))
    rows = [table.rows[i] for i in kept]
    if "played_label" in table.names and columns["action"] == "label":
        played, advised = table.names.index("played_label"), table.names.index("label")
        rows = [[*row[:advised], row[played] or row[advised], *row[advised + 1 :]] for row in rows]
    told = replace(table, rows=rows, places=[table.places[i] for i in kept])
    ids = map(round_key, told.column("asked_at"), told.column("round_id"))
    found = table_rows(told, setting, columns, reading, Reading())
    return [(place, {**row, "id": each}) for (place, row), each in zip(found, ids, strict=True)]


def outside_rows(step: Event) -> list[dict[str, Any]]:
    """The rows of an import or of a record, which has an id in every match."""
    rows: list[dict[str, Any]] = step.payload["rows"]
    if step.kind == "imported":
        return rows
    return [row | {"when": step.clock, "id": round_key(step.clock, str(step.round_id))} for row in rows]


def exported_journal(lines: list[Mapping[str, Any]], setting: "Setting") -> tuple[Rows, Fits]:
    """Return rounds and imported rows of a journal in the order in which they were learnt, and its fits.

    Fits of a match of another configuration, or of one that changed, are left out. Only the events are read: neither
    the learner nor code that the configuration names is loaded.
    """
    rows: Rows = []
    fits: list[tuple[int, dict[str, Any]]] = []
    try:
        first, *events = [_event(line) for line in lines]
        settings = [first, *(event for event in events if event.kind == "changed")]
        last = settings[-1].payload
        labels, state = last["menu"]["labels"], State(setting, last["config"]["title"])
        for event in (event for event in events if event.kind != "changed"):
            state.apply(event)
        for step in state.steps:
            if isinstance(step, MatchRound):
                [(action, *observed)] = rows_of(step)
                key = {"when": step.asked_at, "id": round_key(step.asked_at, step.round_id)}
                values = dict(zip(("type", "response"), observed, strict=True))
                rows.append((f"event {step.closed}", {"action": labels[action], **values, **key}))
            elif step.kind == "refitted":
                fits.append((len(rows), step.payload))
            else:
                named = [r if "features" in r else {**r, "action": labels[r["action"]]} for r in outside_rows(step)]
                rows += [(f"event {step.sequence}", row) for row in named]
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, DamagedStore):
        raise no_journal() from None
    own = text_hash(canonical_json({name: last[name] for name in ("config", "menu")})) == setting.mark
    return rows, fits if own and len(settings) == 1 else []


def no_journal() -> InvalidInput:
    """The error for a file that is not what a match exported."""
    return InvalidInput("history is no whole journal: export it again, as .json.")


def _event(line: Mapping[str, Any]) -> Event:
    """The event that a line of an exported journal describes."""
    fields: dict[str, Any] = {name: line.get(name) for name in Event._fields}
    fields["text"] = canonical_json(line["payload"])
    if fields["kind"] not in KINDS:
        raise ValueError(fields["kind"])
    return Event(**fields)
