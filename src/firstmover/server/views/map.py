"""Where it happens: the roads, the park, the demand curves, or the menu as a table."""

from fastapi import APIRouter, Response

from firstmover.plots.live import MapRecord, Trace, map_of
from firstmover.server.context import Caller, Live
from firstmover.server.routes.answers import refusals
from firstmover.server.traces import Truth
from firstmover.server.views.records import JSON, Followers, answer

router = APIRouter(tags=["views"])


@router.get("/matches/{match}/views/map", response_class=Response, responses={**JSON, **refusals()})
async def show_map(live: Live, caller: Caller, traces: Followers) -> Response:
    """The map with the round that waits, or for readers with the one that was told last."""
    reveal = caller == "owner"

    def build(trace: Trace, truth: Truth | None) -> MapRecord:
        return map_of(trace, reveal=reveal, respond=None if truth is None else truth.respond)

    return await answer(traces, live.name, f"map, {caller}", build)
