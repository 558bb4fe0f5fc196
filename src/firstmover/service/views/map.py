"""The map of a match over HTTP."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from firstmover.figures.live.maps import map_of
from firstmover.figures.live.trace import Known, Trace
from firstmover.games.map_record import MapRecord
from firstmover.matches import Match
from firstmover.service.context import Caller, Flag, Live
from firstmover.service.picture_cache import Build, Truth, written
from firstmover.service.routes.answers import refusals
from firstmover.service.tokens import Role
from firstmover.service.views.records import JSON, Followers, answer

router = APIRouter(tags=["views"])

BRIEF = "Answer immediately, without what needs the posterior; partial says whether the full map shows more."


@router.get("/matches/{match}/views/map", response_class=Response, responses={**JSON, **refusals()})
async def show_map(
    live: Live, caller: Caller, traces: Followers, brief: Annotated[Flag, Query(description=BRIEF)] = False
) -> Response:
    """The map with the pending round, or, for readers, with the last reported one."""
    if brief and not traces.follows(live.name):
        return Response(await live.run(lambda match: _without_posterior(match, caller)), media_type="application/json")
    return await answer(traces, live.name, *map_builder(caller))


def map_builder(caller: Role) -> tuple[str, Build]:
    """Return the cache key and the builder of the record that a caller may see."""

    def build(trace: Trace, truth: Truth | None) -> MapRecord | None:
        return map_of(trace, reveal=caller == "owner", respond=None if truth is None else truth.respond)

    return f"map, {caller}", build


def _without_posterior(match: Match, caller: Role) -> bytes:
    record = map_of(Known(match.state()), reveal=caller == "owner")
    return written({"partial": True} if record is None else record)
