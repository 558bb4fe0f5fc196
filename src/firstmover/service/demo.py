"""A demonstration: matches with simulated opponents, which answer on request or by themselves every few seconds."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any
from zlib import crc32

import numpy as np
from fastapi import APIRouter, Depends, Request
from pydantic import Field

from firstmover.core.arrays import Vector
from firstmover.core.documents import Specification
from firstmover.core.errors import Conflict, FirstmoverError
from firstmover.games import GAMES
from firstmover.matches import Match
from firstmover.matches.setup import Setting
from firstmover.matches.value_schema import Types, Values
from firstmover.runs import ExperimentSpec, plan_of, run_sweep
from firstmover.service.dependencies import Live, Owner
from firstmover.service.errors import NotFound
from firstmover.service.match_pool import PooledMatch
from firstmover.service.models import WITH_BODY, Round
from firstmover.service.picture_cache import Truth
from firstmover.service.round_routes import round_of
from firstmover.simulation import true_rewards

FIRST_ROUNDS = 10  # rounds that are played before the page opens, so that no figure is empty
MOST_ROUNDS = 1000  # rounds after which an opponent no longer answers by itself: a page may be left open

EXAMPLE = {"game": "shore", "rounds": 60, "seeds": 3, "learners": ["stackelucb", "hedge", "exp3"]}
"""An experiment whose runs can be compared."""

router = APIRouter(tags=["demonstration"])


class Pace(Specification):
    """The seconds between two answers of an opponent; null: it answers only on request."""

    seconds: Annotated[float, Field(ge=0.2, le=3600)] | None = Field(examples=[2.0])


class Demo:
    """The demonstration matches of all games in one store, created there if they are missing.

    The answer to a round depends only on the seed, the match and the number of the round, so that a demonstration
    continues after a restart as it would have without one.
    """

    router = router

    def __init__(self, url: str, seed: int = 0) -> None:
        self.url, self.seed = url, seed
        found = [entry.demonstration for entry in GAMES.values() if entry.demonstration is not None]
        self.demonstrations = {demonstration.name: demonstration for demonstration in found}
        self.paces: dict[str, float] = {}
        self._timers: dict[str, asyncio.Task[None]] = {}
        self.truths: dict[str, Truth] = {}
        self._noise: dict[str, float | Vector] = {}
        for name in self.demonstrations:
            self._prepare(name)

    def _prepare(self, name: str) -> None:
        with suppress(Conflict):
            Match.create(self.url, name, self.demonstrations[name].config).close()
        with Match.open(self.url, name) as match:
            game = match.setting.game
            behaviour = self.demonstrations[name].behaviour(game)
            self.truths[name] = Truth(behaviour.respond, _cached(true_rewards(game, behaviour.respond)))
            self._noise[name] = behaviour.noise_std
            while len(match.state().rounds) < FIRST_ROUNDS:
                self.answer(match)

    def answer(self, match: Match) -> str:
        """Let the opponent answer the pending round, or a new one if none is pending; return the round's id."""
        decision = match.ask()
        number = match.state().rounds[decision.round_id].number
        rng = np.random.default_rng([self.seed, crc32(match.name.encode()), number])
        values, theta = _draw_type(match.setting, rng)
        true = self.truths[match.name].respond(match.setting.game.actions[[decision.action]], theta)[0]
        noisy = true + self._noise[match.name] * rng.standard_normal(len(true))
        domain = match.setting.responses.domain
        match.tell(decision.round_id, values, np.clip(noisy, domain.lower, domain.upper).tolist())
        return decision.round_id

    def set_pace(self, live: PooledMatch, seconds: float | None) -> None:
        """Let the opponent of a match answer by itself at a pace, or stop it."""
        timer = self._timers.pop(live.name, None)
        self.paces.pop(live.name, None)
        if timer is not None:
            timer.cancel()
        if seconds is not None:
            self.paces[live.name] = seconds
            self._timers[live.name] = asyncio.get_running_loop().create_task(self._run_timer(live, seconds))

    async def _run_timer(self, live: PooledMatch, seconds: float) -> None:
        def play(match: Match) -> bool:
            if len(match.state().rounds) >= MOST_ROUNDS:
                return False
            self.answer(match)
            return True

        more = True
        while more:
            with suppress(FirstmoverError):  # the store may be back by the next time
                more = await live.run(play)
            await asyncio.sleep(seconds if more else 0)
        self.paces.pop(live.name, None)

    def stop(self) -> None:
        """Stop all timers."""
        for timer in self._timers.values():
            timer.cancel()
        self._timers.clear()
        self.paces.clear()


def _cached(rewards: Callable[[Vector], Vector]) -> Callable[[Vector], Vector]:
    """Evaluate every type once: there are few."""
    known: dict[bytes, Vector] = {}

    def cached(opponent_type: Vector) -> Vector:
        key = opponent_type.tobytes()
        if key not in known:
            known[key] = rewards(opponent_type)
        return known[key]

    return cached


def _draw_type(setting: Setting, rng: np.random.Generator) -> tuple[Values, Vector]:
    """Draw one of the known types uniformly, as it is recorded and as the learner sees it."""
    types = setting.types
    assert types.known is not None
    row = int(rng.integers(len(types.known)))
    combinations = types.combinations if isinstance(types, Types) else None
    return {"type": str(row + 1)} if combinations is None else combinations[row], types.known[row]


async def _demo(live: Live, request: Request) -> Demo:
    demo: Demo = request.app.state.demo
    if live.name not in demo.demonstrations:
        raise NotFound(f"match {live.name!r} is no demonstration: its opponent is real.")
    return demo


Shown = Annotated[Demo, Depends(_demo)]


@router.post("/matches/{match}/answer", response_model=Round, responses=WITH_BODY)
async def let_answer(live: Live, demo: Shown, _: Owner) -> dict[str, Any]:
    """Let the simulated opponent answer the pending round; if there is none, one is asked first."""
    return await live.run(lambda match: round_of(match, demo.answer(match)))


@router.get("/matches/{match}/timer")
async def show_pace(live: Live, demo: Shown) -> Pace:
    """The pace at which the opponent answers by itself."""
    return Pace(seconds=demo.paces.get(live.name))


@router.put("/matches/{match}/timer", responses=WITH_BODY)
async def set_pace(live: Live, demo: Shown, body: Pace, _: Owner) -> Pace:
    """Let the opponent answer by itself at a pace, or only on request."""
    demo.set_pace(live, body.seconds)
    return body


def write_example(folder: Path) -> None:
    """Store the runs of a small experiment in a folder, unless they are there."""
    if not (folder / str(EXAMPLE["game"])).exists():
        run_sweep(plan_of(ExperimentSpec.read(EXAMPLE)), folder / str(EXAMPLE["game"]), workers=1)
