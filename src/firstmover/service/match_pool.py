"""Matches that the service holds open: one object each, one call at a time, in a thread beside the event loop."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple, TypeVar

from anyio.to_thread import run_sync
from sqlalchemy import Engine

from firstmover.core.errors import Conflict, DamagedStore, InvalidInput, MissingMatch, StoreUnavailable
from firstmover.matches import Match, MatchConfig
from firstmover.matches.database import engine_for
from firstmover.matches.events import Event
from firstmover.matches.journal import Journal, older_copy
from firstmover.matches.match_list import ListedMatch, match_exists, read_matches
from firstmover.matches.names import checked_actor
from firstmover.matches.schema import prepare
from firstmover.service.errors import NotFound

Answer = TypeVar("Answer")

Report = Callable[[str, Sequence[Event]], None]
"""Called with the name of a match and its new events, in the event loop."""

MOST_OPEN = 64  # matches that are held open at once; of more, the one used longest ago is closed
MOST_CHECKS = 2  # full checks and replays that run at once


class Acknowledged(NamedTuple):
    """What a caller was told of a match: the last event, and the restorations on record."""

    sequence: int
    head: str
    restores: tuple[str, ...]


class PooledMatch:
    """A match that is opened by its first call; calls are queued.

    `sequence` is the number of the last event seen; `changed` is set, and replaced, when it grows. `refused` is true
    from a call that found the store damaged to one that does not. `report` hears of new events. `acknowledged` holds
    by the id of a match what callers know of it: a store that lacks it is an older copy, and is refused until it is put
    right, or until an operator records that it was restored.
    """

    def __init__(
        self, url: str, name: str, acknowledged: dict[str, Acknowledged], report: Report | None = None
    ) -> None:
        self.url, self.name, self.sequence = url, name, 0
        self._report, self._reported = report, 0
        self.refused = False
        self._acknowledged = acknowledged
        self.changed = asyncio.Event()
        self._turn = asyncio.Lock()
        self._match: Match | None = None

    async def run(self, function: Callable[[Match], Answer], actor: str | None = None) -> Answer:
        """Call a function with the match in a thread; it completes even if the caller disconnects.

        What it records is recorded under the name of the `actor`, by default that of the service's user.
        """
        async with self._turn:
            answer, sequence, fresh = await run_sync(self._call, function, actor)
            if self._report is not None and fresh:
                self._report(self.name, fresh)
        if sequence != self.sequence:
            self.sequence = sequence
            self.changed.set()
            self.changed = asyncio.Event()
        return answer

    def _call(self, function: Callable[[Match], Answer], actor: str | None) -> tuple[Answer, int, list[Event]]:
        try:
            match = self._match = self._match or self._open()
            self._reported = self._reported or match.sequence
            match.actor = checked_actor(actor)
            answer = function(match)
            self._acknowledged[match.journal.match_id] = Acknowledged(match.sequence, match.head, match.restores)
            self.refused = False
            fresh = self._fresh(match)
            if match.closed or match.name != self.name:  # deleted or renamed
                self._close()
            return answer, match.sequence, fresh
        except MissingMatch as error:
            self._close()
            self.refused = False
            raise NotFound(str(error)) from None
        except (DamagedStore, StoreUnavailable) as error:
            self._close()  # the store may be repaired: the next call reads it again
            self.refused = isinstance(error, DamagedStore)
            raise

    def _fresh(self, match: Match) -> list[Event]:
        """The events to report: those since the last call, by any process."""
        first, self._reported = self._reported + 1, match.sequence
        if self._report is None or match.closed or first > match.sequence:
            return []
        return list(match.journal.events(range(first, match.sequence + 1)).values())

    def _open(self) -> Match:
        try:
            match = Match.open(self.url, self.name)
            with match.journal.closed_on_error():
                self._check_not_older(match.journal, match.sequence, match.restores)
            return match
        except MissingMatch:
            raise
        except InvalidInput as error:  # not the caller's fault: the store is missing, or of another version
            raise StoreUnavailable(str(error)) from None

    def open_journal(self) -> Journal:
        """Open the journal read-only, beside running calls; an older copy is refused as by `run`."""
        journal = Journal.open(self.url, self.name, read_only=True)
        with journal.closed_on_error():
            restores, sequence = [], 0
            for event in journal.read():
                restores += [event.hash] if event.kind == "restored" else []
                sequence = event.sequence
            self._check_not_older(journal, sequence, restores)
        return journal

    def _check_not_older(self, journal: Journal, sequence: int, restores: Sequence[str]) -> None:
        """Raise DamagedStore if an event is missing that a caller knows of, and no restoration was recorded since."""
        known = self._acknowledged.get(journal.match_id)
        if known is None or set(restores) - set(known.restores):
            return
        if sequence < known.sequence or journal.event(known.sequence).hash != known.head:
            raise older_copy(self.name, known.sequence)

    def _close(self) -> None:
        if self._match is not None:
            self._match.close()
            self._match = None

    @property
    def is_open(self) -> bool:
        """True while the match is held open."""
        return self._match is not None

    @property
    def is_idle(self) -> bool:
        """True while the match is held open and no call uses or awaits it."""
        return self.is_open and not self._turn.locked()

    async def close(self) -> None:
        """Close the match after the running call."""
        async with self._turn:
            self._close()


class MatchPool:
    """The matches of one store."""

    def __init__(self, url: str, report: Report | None = None) -> None:
        self.url, self._report = url, report
        self._engine: Engine = engine_for(url, create=True)
        prepare(self._engine)
        self._matches: dict[str, PooledMatch] = {}  # the one used last stands last
        self._acknowledged: dict[str, Acknowledged] = {}
        self._kinds: dict[str, str] = {}
        self._checks = asyncio.Semaphore(MOST_CHECKS)

    async def listed(self, *, archived: bool = False) -> list[ListedMatch]:
        """Return the matches of the store, archived ones only if wanted."""
        found = await run_sync(read_matches, self._engine, self._kinds)
        return [match for match in found if archived or not match.archived]

    async def get(self, name: str) -> PooledMatch:
        """Return a match that exists."""
        if name not in self._matches or not self._matches[name].is_open:
            if not await run_sync(match_exists, self._engine, name):
                raise NotFound(f"match {name!r} is not in this store: create it, or correct the name.")
            self._matches.setdefault(name, PooledMatch(self.url, name, self._acknowledged, self._report))
        match = self._matches[name] = self._matches.pop(name)
        idle = [other for other in self._matches.values() if other.is_idle]
        for other in idle[: max(0, len(idle) - MOST_OPEN)]:
            await other.close()
        return match

    async def create(self, name: str, config: MatchConfig, actor: str) -> bool:
        """Create a match; return whether it is new."""

        def create() -> bool:
            if match_exists(self._engine, name):  # raises if the store is gone, before another one is made
                return False
            with suppress(Conflict):
                Match.create(self.url, name, config, actor=actor).close()
                return True
            return False

        return await run_sync(create)

    async def check(self) -> None:
        """Raise an error if the store cannot be read, or if a match that was refused still is."""
        await run_sync(match_exists, self._engine, "")
        for match in [each for each in self._matches.values() if each.refused]:
            with suppress(NotFound):
                await match.run(lambda match: match.sequence)

    async def run_check(self, function: Callable[[], Answer]) -> Answer:
        """Call a slow function in a thread; at most MOST_CHECKS run at once."""
        async with self._checks:
            return await run_sync(function)

    async def close(self) -> None:
        """Close all matches after their running calls."""
        for match in self._matches.values():
            await match.close()
        self._engine.dispose()
