"""Live updates: whoever listens to a match hears at once that it changed, whoever changed it."""

import asyncio
import json
from collections.abc import AsyncIterator

from firstmover.errors import FirstmoverError
from firstmover.matches import Match
from firstmover.server.errors import Busy
from firstmover.server.opened import Opened

HEARTBEAT_SECONDS = 15.0
LOOK_SECONDS = 1.0
"""How often the store is looked at for what other processes recorded."""

MOST_LISTENERS = 64
"""Connections that listen at once; a page needs one."""


class Listeners:
    """All connections that listen."""

    def __init__(self, most: int = MOST_LISTENERS) -> None:
        self.most, self.count, self.stopping = most, 0, False

    def check_room(self) -> None:
        """Nothing, when one more may listen."""
        if self.count >= self.most:
            raise Busy(f"{self.count} connections listen already: close a page, or look again by and by.")

    async def stream(self, live: Opened) -> AsyncIterator[str]:
        """`changed` with the number of the last event, at once and after each change; a comment now and then."""
        self.check_room()
        self.count += 1
        try:
            told, spoken = -1, 0.0
            clock = asyncio.get_running_loop().time
            while not self.stopping:
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
        finally:
            self.count -= 1


async def _wait(changed: asyncio.Event, seconds: float) -> None:
    try:
        await asyncio.wait_for(changed.wait(), seconds)
    except TimeoutError:
        return


def _last_event(match: Match) -> int:
    return match.state().sequence
