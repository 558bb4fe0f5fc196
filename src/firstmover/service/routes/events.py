"""Server-sent events: a page that is left open stays up to date."""

from typing import Any

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse

from firstmover.service.context import Live
from firstmover.service.events import Listeners
from firstmover.service.routes.answers import refusals

router = APIRouter(tags=["events"])

CONTENT: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/event-stream": {}}, "description": "changed, with the number of the last event"}
}


@router.get("/matches/{match}/events", response_class=StreamingResponse, responses={**CONTENT, **refusals()})
async def events(live: Live, request: Request) -> StreamingResponse:
    """`event: changed` at once and after each change, whoever made it; a comment every 15 s; it ends with the token."""
    listeners: Listeners = request.app.state.listeners
    return listeners.answer(live, request.scope["state"]["role_now"])
