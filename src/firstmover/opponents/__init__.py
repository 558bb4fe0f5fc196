"""θ and b: who answers; the tables name the ways in which types arrive and how each game's opponents respond."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from firstmover.contracts import Game, ResponseFunction, TypeSource
from firstmover.errors import InvalidInput, look_up
from firstmover.games.park import published_park
from firstmover.opponents.arrivals import Adversary, Cyclic, RandomTypes, Sampled, Scripted, single
from firstmover.opponents.best_response import BestResponse
from firstmover.opponents.opponent import Opponent, responses_of, true_rewards
from firstmover.opponents.poachers import Poachers
from firstmover.opponents.road_users import random_demands, sioux_falls_users
from firstmover.opponents.tabulated import Tabulated
from firstmover.opponents.toy import flock, raiders
from firstmover.records import Matrix, Vector

__all__ = [
    "BEHAVIOURS",
    "OPPONENTS",
    "Adversary",
    "Behaviour",
    "BestResponse",
    "Cyclic",
    "Opponent",
    "OpponentEntry",
    "Poachers",
    "RandomTypes",
    "Sampled",
    "Scripted",
    "Tabulated",
    "opponent_for",
    "responses_of",
    "single",
    "true_rewards",
]


@dataclass(frozen=True)
class Behaviour:
    """How a game's opponents respond, with what noise, and where new types come from when they are not finite."""

    respond: ResponseFunction
    noise_std: float
    sampler: Callable[[np.random.Generator], Vector] | None = None


@cache
def _road_users() -> Behaviour:
    users = sioux_falls_users()
    return Behaviour(users, noise_std=5.0, sampler=random_demands(users.network))


BEHAVIOURS: dict[str, Callable[[Game], Behaviour]] = {
    "shore": lambda _: Behaviour(raiders, noise_std=0.1),
    "flock": lambda _: Behaviour(flock, noise_std=0.05),
    "routing": lambda _: _road_users(),
    "wildlife": lambda _: Behaviour(Poachers(published_park(), coverage_sign=1), noise_std=0.1),
}
"""The responses of each built-in game, by its name in the GAMES table."""


@dataclass(frozen=True)
class OpponentEntry:
    """A line of the table: in which order types arrive, and whether that depends on what the learner does."""

    summary: str
    arrive: Callable[[Game, Behaviour], TypeSource]
    adaptive: bool = False


def _random(game: Game, behaviour: Behaviour) -> TypeSource:
    return Sampled(behaviour.sampler) if behaviour.sampler is not None else RandomTypes(_known(game))


def _known(game: Game) -> Matrix:
    if game.types is None:
        raise InvalidInput(f"game {game.name!r} has no finite set of types: use opponent 'random'.")
    return game.types


OPPONENTS: dict[str, OpponentEntry] = {
    "random": OpponentEntry("types drawn independently, equally often", _random),
    "cyclic": OpponentEntry("types in turn, again and again", lambda game, _: Cyclic(_known(game))),
    "single": OpponentEntry("the first type in every round", lambda game, _: single(_known(game)[0])),
    "adversary": OpponentEntry(
        "sees p_t and picks the type worst for the learner",
        lambda game, b: Adversary(_known(game), true_rewards(game, b.respond)),
        adaptive=True,
    ),
}
"""Ways in which types arrive; `script:FILE` reads them from a CSV file, one type a row."""


def opponent_for(game_name: str, game: Game, name: str) -> Opponent:
    """The opponent of a built-in game whose types arrive in the named way."""
    behaviour = look_up("game", game_name, BEHAVIOURS)(game)
    kind, _, path = name.partition(":")
    if kind == "script":
        if not path:
            raise InvalidInput(f"opponent {name!r} names no file: write script:FILE, a CSV with one type a row.")
        types: TypeSource = Scripted.from_file(Path(path))
    else:
        types = look_up("opponent", name, OPPONENTS).arrive(game, behaviour)
    return Opponent(types, behaviour.respond, behaviour.noise_std)
