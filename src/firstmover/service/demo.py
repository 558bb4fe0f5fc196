"""A demonstration: three matches whose opponents are simulated, and answer on a click or by themselves."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from zlib import crc32

import numpy as np

from firstmover.core.errors import Conflict
from firstmover.core.records import Vector
from firstmover.games import GAMES, Demonstration
from firstmover.matches import Match
from firstmover.matches.setup import Setting
from firstmover.matches.value_schema import Types, Values
from firstmover.runs import ExperimentSpec, plan_of, run_sweep
from firstmover.service.picture_cache import Truth
from firstmover.simulation import true_rewards

FIRST_ROUNDS = 10
"""Rounds that are played before the page opens, so that no picture is empty."""

EXAMPLE = {"game": "shore", "rounds": 60, "seeds": 3, "learners": ["stackelucb", "hedge", "exp3"]}
"""An experiment whose runs are there to be compared."""


def demonstrations() -> dict[str, Demonstration]:
    """Return the demonstrations that the entries of the games offer, by the name of their match."""
    found = [entry.demonstration for entry in GAMES.values() if entry.demonstration is not None]
    return {demonstration.name: demonstration for demonstration in found}


class Demo:
    """The matches of a demonstration in one store, made there if they are not yet.

    What an opponent does in a round follows from the seed, the match and the number of the round alone, so that a
    demonstration goes on after a restart as it would have.
    """

    def __init__(self, url: str, seed: int = 0) -> None:
        self.url, self.seed, self.demonstrations = url, seed, demonstrations()
        self._truths: dict[str, Truth] = {}
        self._noise: dict[str, float] = {}
        for name in self.demonstrations:
            self._prepare(name)

    def _prepare(self, name: str) -> None:
        with suppress(Conflict):
            Match.create(self.url, name, self.demonstrations[name].config).close()
        with Match.open(self.url, name) as match:
            game = match.setting.game
            behaviour = self.demonstrations[name].behaviour(game)
            self._truths[name] = Truth(behaviour.respond, _remembered(true_rewards(game, behaviour.respond)))
            self._noise[name] = behaviour.noise_std
            while len(match.state().rounds) < FIRST_ROUNDS:
                self.answer(match)

    def __contains__(self, name: object) -> bool:
        return name in self.demonstrations

    def __iter__(self) -> Iterator[str]:
        return iter(self.demonstrations)

    def truth_of(self, name: str) -> Truth | None:
        """b and the rewards of a match of the demonstration."""
        return self._truths.get(name)

    def answer(self, match: Match) -> str:
        """Let the opponent answer the round that waits, after asking for one if none does; the round's id."""
        decision = match.ask()
        number = match.state().rounds[decision.round_id].number
        rng = np.random.default_rng([self.seed, crc32(match.name.encode()), number])
        values, theta = _drawn_type(match.setting, rng)
        true = self._truths[match.name].respond(match.setting.game.actions[[decision.action]], theta)[0]
        noisy = true + self._noise[match.name] * rng.standard_normal(len(true))
        domain = match.setting.responses.domain
        match.tell(decision.round_id, values, np.clip(noisy, domain.lower, domain.upper).tolist())
        return decision.round_id


def _remembered(rewards: Callable[[Vector], Vector]) -> Callable[[Vector], Vector]:
    """Every type is evaluated once: there are a few of them."""
    known: dict[bytes, Vector] = {}

    def earned(opponent_type: Vector) -> Vector:
        key = opponent_type.tobytes()
        if key not in known:
            known[key] = rewards(opponent_type)
        return known[key]

    return earned


def _drawn_type(setting: Setting, rng: np.random.Generator) -> tuple[Values, Vector]:
    """One of the known types, all equally likely, as it is told and as the learner sees it."""
    types = setting.types
    assert types.known is not None
    row = int(rng.integers(len(types.known)))
    combinations = types.combinations if isinstance(types, Types) else None
    return {"type": str(row + 1)} if combinations is None else combinations[row], types.known[row]


def write_example(folder: Path) -> None:
    """Runs of a small experiment in a folder of their own, unless they are there."""
    if not (folder / str(EXAMPLE["game"])).exists():
        run_sweep(plan_of(ExperimentSpec.read(EXAMPLE)), folder / str(EXAMPLE["game"]), workers=1)
