"""Server-sent events: every listener of a match hears at once that it changed, whichever process changed it."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress

from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from firstmover.core.errors import FirstmoverError
from firstmover.service.errors import Busy
from firstmover.service.match_pool import PooledMatch

HEARTBEAT_SECONDS = 15.0
POLL_SECONDS = 1.0  # time between two looks at the store, for events of other processes, and at the token
MOST_LISTENERS = 64  # streams that are open at once; a page needs one

TokenNow = Callable[[], Awaitable[object | None]]
"""Returns the token of the caller; None after it was revoked or has expired."""


class Listeners:
    """All open streams."""

    def __init__(self, most: int = MOST_LISTENERS) -> None:
        self.most, self.stopping = most, False
        self.heard: list[PooledMatch] = []

    def stop(self) -> None:
        """End all streams."""
        self.stopping = True
        for live in self.heard:
            live.changed.set()

    def stream(self, live: PooledMatch, token_now: TokenNow) -> StreamingResponse:
        """Return a new stream, or raise an error if there are too many."""
        if len(self.heard) >= self.most:
            raise Busy(f"{self.most} event streams are open: close a page, or retry later.")
        return _Stream(self, live, token_now)

    async def events(self, live: PooledMatch, token_now: TokenNow) -> AsyncIterator[str]:
        """`changed` with the number of the last event, at once and after each change; comments as heartbeat."""
        try:
            sent, spoken = -1, 0.0
            clock = asyncio.get_running_loop().time
            while not self.stopping and await token_now() is not None:
                changed = live.changed
                sequence = await live.run(lambda match: match.state().sequence)
                if sequence != sent:
                    sent, spoken = sequence, clock()
                    yield f"event: changed\ndata: {json.dumps({'sequence': sequence})}\n\n"
                elif clock() - spoken >= HEARTBEAT_SECONDS:
                    spoken = clock()
                    yield ": heartbeat\n\n"
                with suppress(TimeoutError):
                    await asyncio.wait_for(changed.wait(), POLL_SECONDS)
        except FirstmoverError as error:
            yield f"event: trouble\ndata: {json.dumps({'message': str(error)})}\n\n"


class _Stream(StreamingResponse):
    """A stream that counts from its creation until its connection is closed."""

    def __init__(self, listeners: Listeners, live: PooledMatch, token_now: TokenNow) -> None:
        super().__init__(listeners.events(live, token_now), media_type="text/event-stream")
        self._heard, self._live = listeners.heard, live
        self._heard.append(live)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the stream."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._heard.remove(self._live)
