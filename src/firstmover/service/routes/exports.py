"""What was recorded, to take away; and what a full check or a replay makes of it."""

import json
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from itertools import islice
from typing import Annotated, Any, Literal

import anyio.to_thread
from fastapi import APIRouter, Query, Response
from fastapi.responses import StreamingResponse

from firstmover.core.errors import InvalidInput
from firstmover.matches import Journal, Match, State, state_hash
from firstmover.matches.files import event_line, rounds_table
from firstmover.matches.verification import verified
from firstmover.service.context import Caller, Live, Matches, Owner, Whole
from firstmover.service.errors import Forbidden
from firstmover.service.responses import Replayed, Verified
from firstmover.service.routes.answers import WRITING, refusals, round_out

router = APIRouter(tags=["records"])

CONTENT: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/csv": {}, "application/json": {}}, "description": "the file"},
}


@router.get("/matches/{match}/export", response_class=Response, responses={**CONTENT, **refusals()})
async def export(
    live: Live,
    caller: Caller,
    form: Annotated[Literal["rounds", "journal"], Query()] = "rounds",
    format: Annotated[Literal["csv", "json"], Query()] = "csv",
) -> Response:
    """The rounds as CSV or JSON; or, for owners, as JSON, the whole journal with its hashes."""
    headers = {"content-disposition": f'attachment; filename="{form}.{format}"'}
    if form == "rounds":
        hidden = caller != "owner"
        content = await live.run(partial(_rounds, as_csv=format == "csv", hide_pending=hidden))
        return Response(content, media_type="text/csv" if format == "csv" else "application/json", headers=headers)
    if format == "csv":
        raise InvalidInput("format is 'csv': the journal is given as JSON, with form=journal&format=json.")
    if caller != "owner":
        raise Forbidden("This token only reads, and the journal holds what is not yet revealed: export the rounds.")
    journal = await anyio.to_thread.run_sync(partial(Journal.open, live.url, live.name, read_only=True))
    return StreamingResponse(_lines(journal), media_type="application/json", headers=headers)


def _rounds(match: Match, *, as_csv: bool, hide_pending: bool) -> bytes:
    rounds = match.state().history(hide_pending=hide_pending)
    if as_csv:
        return rounds_table(rounds, match.setting).write_csv().encode()
    return json.dumps([round_out(view).model_dump(mode="json") for view in rounds]).encode()


def _lines(journal: Journal) -> Iterator[str]:
    """All events as one JSON list, read and sent some at a time."""
    try:
        before = "[\n"
        for event in journal.read():
            yield before + json.dumps(event_line(event))
            before = ",\n"
        yield "\n]\n"
    finally:
        journal.close()


@router.post("/matches/{match}/verify", responses=refusals(*WRITING))
async def verify(live: Live, matches: Matches, _: Owner) -> Verified:
    """Check the file, the chain of hashes, and every decision by a full replay; others play on meanwhile."""

    def check() -> Verified:
        journal = Journal.open(live.url, live.name, read_only=True)
        try:
            return Verified(**asdict(verified(journal)))
        finally:
            journal.close()

    return await matches.aside(check)


@router.get("/matches/{match}/replay", responses=refusals())
async def replay(
    live: Live, matches: Matches, _: Owner, events: Annotated[Whole | None, Query(ge=1, le=2**31)] = None
) -> Replayed:
    """The state that all events, or the first ones, amount to; computed from the events alone."""

    def compute() -> Replayed:
        journal = Journal.open(live.url, live.name, read_only=True)
        try:
            state = State.folded(islice(journal.read(), events))
        finally:
            journal.close()
        return Replayed(
            events=state.sequence,
            asked=len(state.rounds),
            told=state.told,
            state_hash=state_hash(state),
            strategy=state.strategy.tolist(),
        )

    return await matches.aside(compute)
