"""Live updates: whoever listens to a match hears at once that it changed, whoever changed it."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from firstmover.core.errors import FirstmoverError
from firstmover.matches import Match
from firstmover.service.errors import Busy
from firstmover.service.match_pool import Opened

HEARTBEAT_SECONDS = 15.0
LOOK_SECONDS = 1.0
"""How often the store is looked at for what other processes recorded, and the tokens for who may still listen."""

MOST_LISTENERS = 64
"""Connections that listen at once; a page needs one."""

RoleNow = Callable[[], Awaitable[object | None]]
"""What a caller may be now; None once its token is revoked or has expired."""


class Listeners:
    """All connections that listen."""

    def __init__(self, most: int = MOST_LISTENERS) -> None:
        self.most, self.stopping = most, False
        self._heard: list[Opened] = []

    def stop(self) -> None:
        """Let all streams end, so that the service can."""
        self.stopping = True
        for live in self._heard:
            live.changed.set()

    def answer(self, live: Opened, role_now: RoleNow) -> StreamingResponse:
        """The stream of one more who listens."""
        if len(self._heard) >= self.most:
            raise Busy(f"{self.most} connections listen already: close a page, or look again by and by.")
        return _Counted(self._stream(live, role_now), self._heard, live)

    async def _stream(self, live: Opened, role_now: RoleNow) -> AsyncIterator[str]:
        """`changed` with the number of the last event, at once and after each change; a comment now and then."""
        try:
            told, spoken = -1, 0.0
            clock = asyncio.get_running_loop().time
            while not self.stopping and await role_now() is not None:
                changed = live.changed
                sequence = await live.run(_last_event)
                if sequence != told:
                    told, spoken = sequence, clock()
                    yield f"event: changed\ndata: {json.dumps({'sequence': sequence})}\n\n"
                elif clock() - spoken >= HEARTBEAT_SECONDS:
                    spoken = clock()
                    yield ": still here\n\n"
                await _wait(changed, LOOK_SECONDS)
        except FirstmoverError as error:
            yield f"event: trouble\ndata: {json.dumps({'message': str(error)})}\n\n"


class _Counted(StreamingResponse):
    """A stream that counts from the moment it is made until its connection is gone."""

    def __init__(self, content: AsyncIterator[str], heard: list[Opened], live: Opened) -> None:
        super().__init__(content, media_type="text/event-stream")
        self._heard, self._live = heard, live
        heard.append(live)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._heard.remove(self._live)


async def _wait(changed: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(changed.wait(), seconds)
    except TimeoutError:
        return


def _last_event(match: Match) -> int:
    return match.state().sequence
