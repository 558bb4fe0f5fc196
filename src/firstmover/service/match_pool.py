"""Matches that the service holds open: one object each, one caller at a time, in a thread beside the event loop."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

import anyio.to_thread
from sqlalchemy import Engine

from firstmover.core.errors import Conflict, DamagedStore, InvalidInput, StoreUnavailable
from firstmover.matches import Match, MatchConfig
from firstmover.matches.database import engine_for, transaction
from firstmover.matches.schema import create_tables
from firstmover.service.errors import NotFound
from firstmover.service.listing import Listed, is_there, listed_matches

Answer = TypeVar("Answer")

MOST = 64
"""Matches that are held open at once; of more, the one that was used longest ago is closed."""

CHECKS = 2
"""Full checks and replays that run at once."""


class Opened:
    """One match; whoever waits for it is served in turn, and it is opened when it is first needed.

    `sequence` is the number of the last event that was seen; `changed` is set, and replaced, when it grows.
    """

    def __init__(self, url: str, name: str) -> None:
        self.url, self.name, self.sequence = url, name, 0
        self.changed = asyncio.Event()
        self._turn = asyncio.Lock()
        self._match: Match | None = None

    async def run(self, function: Callable[[Match], Answer]) -> Answer:
        """What a function makes of the match, in a thread; it ends even if its caller is gone."""
        async with self._turn:
            answer, sequence = await anyio.to_thread.run_sync(self._called, function)
        if sequence != self.sequence:
            self.sequence = sequence
            self.changed.set()
            self.changed = asyncio.Event()
        return answer

    def _called(self, function: Callable[[Match], Answer]) -> tuple[Answer, int]:
        try:
            match = self._match = self._match or self._open()
            return function(match), match.sequence
        except (DamagedStore, StoreUnavailable):
            self._let_go()  # the store may be put back: the next caller reads it afresh
            raise

    def _open(self) -> Match:
        try:
            return Match.open(self.url, self.name)
        except InvalidInput as error:  # not the caller's fault: the store was put away, or needs another firstmover
            raise StoreUnavailable(str(error)) from None

    def _let_go(self) -> None:
        if self._match is not None:
            self._match.close()
            self._match = None

    @property
    def is_open(self) -> bool:
        """Whether the match is held open."""
        return self._match is not None

    @property
    def is_idle(self) -> bool:
        """Whether it is open and nobody holds it or waits for it."""
        return self.is_open and not self._turn.locked()

    async def close(self) -> None:
        """Let go of the match, after whoever holds it."""
        async with self._turn:
            self._let_go()


class OpenMatches:
    """The matches of one store."""

    def __init__(self, url: str) -> None:
        self.url = url
        self._engine: Engine = engine_for(url, create=True)
        with transaction(self._engine, writing=True) as connection:
            create_tables(connection)
        self._opened: dict[str, Opened] = {}
        self._kinds: dict[str, str] = {}
        self._few = asyncio.Semaphore(CHECKS)

    async def listed(self) -> list[Listed]:
        """What the store holds."""
        return await anyio.to_thread.run_sync(listed_matches, self._engine, self._kinds)

    async def get(self, name: str) -> Opened:
        """A match that exists."""
        if name not in self._opened or not self._opened[name].is_open:
            if not await anyio.to_thread.run_sync(is_there, self._engine, name):
                raise NotFound(f"match {name!r} is not in this store: create it, or mend the name.")
            self._opened.setdefault(name, Opened(self.url, name))
        opened = self._opened.pop(name)
        self._opened[name] = opened  # the last is the one that was used last
        await self._make_room()
        return opened

    async def _make_room(self) -> None:
        idle = [opened for opened in self._opened.values() if opened.is_idle]
        for opened in idle[: max(0, len(idle) - MOST)]:
            await opened.close()

    async def create(self, name: str, config: MatchConfig) -> bool:
        """Begin a match; whether it is new."""

        def begin() -> bool:
            if is_there(self._engine, name):  # this also refuses when the store is gone, before another is made
                return False
            with suppress(Conflict):
                Match.create(self.url, name, config).close()
                return True
            return False

        return await anyio.to_thread.run_sync(begin)

    async def aside(self, function: Callable[[], Answer]) -> Answer:
        """What a long check comes to, in a thread beside those that play; few of them run at once."""
        async with self._few:
            return await anyio.to_thread.run_sync(function)

    async def close(self) -> None:
        """Let go of everything, after whoever is at work."""
        for opened in self._opened.values():
            await opened.close()
        self._engine.dispose()
