"""How a view answers: with a record of a match that is followed, made in a thread."""

from typing import Annotated, Any

import anyio.to_thread
from fastapi import Depends, Request, Response

from firstmover.service.picture_cache import Build, Traces


def _traces(request: Request) -> Traces:
    traces: Traces = request.app.state.traces
    return traces


Followers = Annotated[Traces, Depends(_traces)]

JSON: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/json": {"schema": {"type": "object"}}}, "description": "the record of the view"}
}


async def answer(traces: Traces, name: str, key: str, build: Build) -> Response:
    """The record of a view, made in a thread."""
    content = await anyio.to_thread.run_sync(traces.record, name, key, build)
    return Response(content, media_type="application/json")
