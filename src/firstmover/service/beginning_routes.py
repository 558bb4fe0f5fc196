"""Routes from a spreadsheet to a match: a proposal from a table, and its rehearsal."""

from typing import Annotated, Any

from anyio.to_thread import run_sync
from fastapi import APIRouter, Depends, Request
from fastapi import Path as InPath

from firstmover.matches.column_kinds import value_text
from firstmover.matches.csv_reader import read_csv
from firstmover.matches.proposal import propose_table
from firstmover.matches.row_selection import SeveralSeries
from firstmover.service.dependencies import Owner
from firstmover.service.models import (
    WITH_BODY,
    ColumnRole,
    New,
    NewRehearsal,
    Proposed,
    RehearsalState,
    Series,
    SpreadSheet,
)
from firstmover.service.rehearsals import Rehearsals

router = APIRouter(tags=["beginning"])

MOST_EXAMPLES = 4
"""Values of a column that are shown."""


@router.post("/proposals", responses=WITH_BODY)
async def propose(_: Owner, body: SpreadSheet) -> Proposed:
    """Propose a match from a table of the past: roles of columns with reasons, menu, reward; nothing is recorded.

    If the table holds several series, such as stores, `series` names the column by which one is chosen with `where`.
    """
    return await run_sync(_proposed, body)


def _proposed(body: SpreadSheet) -> Proposed:
    table = read_csv(body.csv, f"file {body.source!r}")
    more: Any = {"roles": body.roles, "reward": body.reward, "decimal": body.decimal, "where": body.where}
    try:
        found, history = propose_table(table, **more)
    except SeveralSeries as several:
        series = Series(column=several.column, values=list(several.values))
        return Proposed(sentence=str(several), series=series)
    columns = [
        ColumnRole(
            name=guess.column.name,
            role=guess.role,
            reason=guess.reason,
            unit=guess.column.unit,
            kind=guess.column.kind,
            examples=[value_text(value) for value in guess.column.distinct[:MOST_EXAMPLES]],
            different=len(guess.column.distinct),
        )
        for guess in found.guesses
    ]
    numbers = all(column.kind == "number" for column in found.named("response"))
    return Proposed(
        sentence=f"{len(found.menu.played)} rounds are recognised.",
        columns=columns,
        lines=found.lines(),
        reward=found.reward.text,
        config=found.config(),
        toml=found.toml(),
        csv=body.csv if history is None else history.decode(),
        rehearsable=numbers,
    )


async def _rehearsals(request: Request) -> Rehearsals:
    found: Rehearsals = request.app.state.rehearsals
    return found


Running = Annotated[Rehearsals, Depends(_rehearsals)]
Key = Annotated[str, InPath(pattern=r"^[0-9a-f]{16}$", examples=["0123456789abcdef"])]


@router.post("/rehearsals", status_code=202, responses=WITH_BODY)
async def begin_rehearsal(_: Owner, rehearsals: Running, body: NewRehearsal) -> RehearsalState:
    """Begin to rehearse a configuration against opponents that are fitted to a table; nothing is recorded."""
    begun = rehearsals.begin(body.config, body.csv, body.source, seasons=body.seasons, rounds=body.rounds)
    return RehearsalState(**vars(begun))


@router.get("/rehearsals/{rehearsal}")
async def show_rehearsal(_: Owner, rehearsals: Running, rehearsal: Key) -> RehearsalState:
    """How many seasons were played, and in the end what was found."""
    return RehearsalState(**vars(rehearsals.get(rehearsal)))


@router.delete("/rehearsals/{rehearsal}", responses=WITH_BODY)
async def cancel_rehearsal(_: Owner, rehearsals: Running, rehearsal: Key) -> New:
    """Stop a rehearsal after its present season."""
    return New(new=rehearsals.cancel(rehearsal))
