"""Simulated opponents of a demonstration: they answer when asked to, or by themselves every so many seconds."""

import asyncio
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from pydantic import Field

from firstmover.core.documents import Specification
from firstmover.core.errors import FirstmoverError
from firstmover.matches import Match
from firstmover.service.context import Live, Owner
from firstmover.service.demo import Demo
from firstmover.service.errors import NotFound
from firstmover.service.match_pool import Opened
from firstmover.service.responses import RoundOut
from firstmover.service.routes.answers import WRITING, refusals, round_now

router = APIRouter(tags=["demonstration"])

MOST_ROUNDS = 1000
"""Rounds after which an opponent no longer answers by itself: a page may be left open."""


class Pace(Specification):
    """How often an opponent answers by itself; null: only when asked to."""

    seconds: Annotated[float, Field(ge=0.2, le=3600, strict=True)] | None = Field(examples=[2.0])


class Timers:
    """Opponents that answer by themselves, a task each."""

    def __init__(self) -> None:
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self.paces: dict[str, float] = {}

    def set(self, live: Opened, demo: Demo, seconds: float | None) -> None:
        """Begin at a new pace, or stop."""
        task = self._tasks.pop(live.name, None)
        self.paces.pop(live.name, None)
        if task is not None:
            task.cancel()
        if seconds is not None:
            self.paces[live.name] = seconds
            self._tasks[live.name] = asyncio.get_running_loop().create_task(self._answer(live, demo, seconds))

    async def _answer(self, live: Opened, demo: Demo, seconds: float) -> None:
        while await self._again(live, demo):
            await asyncio.sleep(seconds)
        self.paces.pop(live.name, None)

    async def _again(self, live: Opened, demo: Demo) -> bool:
        def play(match: Match) -> bool:
            if len(match.state().rounds) >= MOST_ROUNDS:
                return False
            demo.answer(match)
            return True

        try:
            return await live.run(play)
        except FirstmoverError:
            return True  # the store may be back by the next time

    def stop(self) -> None:
        """End all of them."""
        for task in self._tasks.values():
            task.cancel()
        self._tasks.clear()
        self.paces.clear()


async def _demo(live: Live, request: Request) -> Demo:
    demo = request.app.state.demo
    if not isinstance(demo, Demo) or live.name not in demo:
        raise NotFound(f"match {live.name!r} is no demonstration: real opponents answer by themselves.")
    return demo


async def _timers(request: Request) -> Timers:
    timers: Timers = request.app.state.timers
    return timers


Shown = Annotated[Demo, Depends(_demo)]
Clocks = Annotated[Timers, Depends(_timers)]


@router.post("/matches/{match}/answer", responses=refusals(*WRITING))
async def let_answer(live: Live, demo: Shown, _: Owner) -> RoundOut:
    """Let the simulated opponent answer the round that waits; if none does, one is asked for first."""

    def play(match: Match) -> RoundOut:
        return round_now(match, demo.answer(match))

    return await live.run(play)


@router.get("/matches/{match}/timer", responses=refusals())
async def show_pace(live: Live, _: Shown, timers: Clocks) -> Pace:
    """How often the opponent answers by itself."""
    return Pace(seconds=timers.paces.get(live.name))


@router.put("/matches/{match}/timer", responses=refusals(*WRITING))
async def set_pace(live: Live, demo: Shown, body: Pace, _: Owner, timers: Clocks) -> Pace:
    """Let the opponent answer by itself every so many seconds, or only when asked to."""
    timers.set(live, demo, body.seconds)
    return body
