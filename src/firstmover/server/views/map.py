"""Where it happens: the roads, the park, the demand curves, or the menu as a table."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from firstmover.matches import Match
from firstmover.plots.live import MapRecord, Trace, map_at_once, map_of
from firstmover.server.context import Caller, Flag, Live
from firstmover.server.routes.answers import refusals
from firstmover.server.tokens import Role
from firstmover.server.traces import Build, Truth, written
from firstmover.server.views.records import JSON, Followers, answer

router = APIRouter(tags=["views"])

BRIEF = "What is known at once, even before all is learnt anew; partial says whether more is to come."


@router.get("/matches/{match}/views/map", response_class=Response, responses={**JSON, **refusals()})
async def show_map(
    live: Live, caller: Caller, traces: Followers, brief: Annotated[Flag, Query(description=BRIEF)] = False
) -> Response:
    """The map with the round that waits, or for readers with the one that was told last."""
    if brief and not traces.follows(live.name):
        return Response(await live.run(lambda match: _at_once(match, caller)), media_type="application/json")
    return await answer(traces, live.name, *map_builder(caller))


def map_builder(caller: Role) -> tuple[str, Build]:
    """The key and the maker of a map's record, with what somebody may see."""

    def build(trace: Trace, truth: Truth | None) -> MapRecord:
        return map_of(trace, reveal=caller == "owner", respond=None if truth is None else truth.respond)

    return f"map, {caller}", build


def _at_once(match: Match, caller: Role) -> bytes:
    record, whole = map_at_once(match.state(), reveal=caller == "owner")
    return written(record, partial=not whole)
