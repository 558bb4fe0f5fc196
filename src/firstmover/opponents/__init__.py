"""θ and b: who answers; the tables name the ways in which types arrive and how each game's opponents respond."""

import reprlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from firstmover.contracts import Game, ResponseFunction, TypeSource
from firstmover.errors import InvalidInput, look_up, unknown_name
from firstmover.games import harbour, tables_named
from firstmover.games.park import published_park
from firstmover.games.prices import road_stations
from firstmover.opponents.arrivals import Adversary, Committed, Cyclic, RandomTypes, Sampled, Scripted, single
from firstmover.opponents.best_response import BestResponse
from firstmover.opponents.bounded import Choosing, Population, epsilon_best, logit, satisficing
from firstmover.opponents.customers import Customers
from firstmover.opponents.drifting import Blended, MovingCamp
from firstmover.opponents.follower import BestInBox, follower
from firstmover.opponents.opponent import Opponent, responses_of, true_rewards
from firstmover.opponents.poachers import Poachers, answering_commitments
from firstmover.opponents.road_users import random_demands, sioux_falls_users
from firstmover.opponents.tabulated import Tabulated
from firstmover.opponents.toy import flock, raiders
from firstmover.records import Matrix, Vector

__all__ = [
    "BEHAVIOURS",
    "OPPONENTS",
    "Adversary",
    "Behaviour",
    "BestInBox",
    "BestResponse",
    "Blended",
    "Choosing",
    "Committed",
    "Customers",
    "Cyclic",
    "MovingCamp",
    "Opponent",
    "OpponentEntry",
    "Poachers",
    "Population",
    "RandomTypes",
    "Sampled",
    "Scripted",
    "Tabulated",
    "arrivals_named",
    "epsilon_best",
    "follower",
    "logit",
    "opponent_for",
    "responses_of",
    "satisficing",
    "single",
    "true_rewards",
]


@dataclass(frozen=True)
class Behaviour:
    """How a game's opponents respond, with what noise, where new types come from, and if they see commitments."""

    respond: ResponseFunction
    noise_std: float
    sampler: Callable[[np.random.Generator], Vector] | None = None
    sees_commitment: bool = False


@cache
def _road_users() -> Behaviour:
    users = sioux_falls_users()
    return Behaviour(users, noise_std=5.0, sampler=random_demands(users.network))


@cache
def _patrol_watchers() -> Behaviour:
    park = published_park(density_scale=1.0)
    watchers = answering_commitments(Poachers(park, coverage_sign=1, density_factor=10.0))
    return Behaviour(watchers, 0.1, lambda rng: rng.dirichlet(np.ones(park.n_cells)), sees_commitment=True)


BEHAVIOURS: dict[str, Callable[[Game], Behaviour]] = {
    "shore": lambda _: Behaviour(raiders, noise_std=0.1),
    "flock": lambda _: Behaviour(flock, noise_std=0.05),
    "routing": lambda _: _road_users(),
    "wildlife": lambda _: Behaviour(Poachers(published_park(), coverage_sign=1), noise_std=0.1),
    "prices": lambda _: Behaviour(Customers(road_stations()), noise_std=0.02),
    "patrols": lambda _: _patrol_watchers(),
    "harbour": lambda _: Behaviour(follower(harbour()), noise_std=0.05),
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


def _committed(game: Game, behaviour: Behaviour) -> TypeSource:
    if not behaviour.sees_commitment:
        raise InvalidInput(f"opponents of game {game.name!r} do not see commitments: use opponent 'random'.")
    return Committed()


OPPONENTS: dict[str, OpponentEntry] = {
    "random": OpponentEntry("types drawn independently, equally often", _random),
    "cyclic": OpponentEntry("types in turn, again and again", lambda game, _: Cyclic(_known(game))),
    "single": OpponentEntry("the first type in every round", lambda game, _: single(_known(game)[0])),
    "adversary": OpponentEntry(
        "sees p_t and picks the type worst for the learner",
        lambda game, b: Adversary(_known(game), true_rewards(game, b.respond)),
        adaptive=True,
    ),
    "commitment": OpponentEntry("sees the mixture that the learner commits to, p_t", _committed, adaptive=True),
}
"""Ways in which types arrive; `script:FILE` reads them from a CSV file, one type a row."""


def arrivals_named(name: str) -> OpponentEntry:
    """The line of the table, or the refusal that names all there is to choose from.

    >>> arrivals_named("foo")
    Traceback (most recent call last):
    ...
    firstmover.errors.InvalidInput: Unknown opponent 'foo': Known: adversary, commitment, cyclic, ...
    """
    if name not in OPPONENTS:
        raise unknown_name("opponent", name, [*OPPONENTS, "script:FILE"])
    return OPPONENTS[name]


def opponent_for(game_name: str, game: Game, name: str) -> Opponent:
    """The opponent of a built-in game, or of payoff tables, whose types arrive in the named way."""
    tables = tables_named(game_name)
    if tables is None:
        behaviour = look_up("game", game_name, BEHAVIOURS)(game)
    else:
        behaviour = Behaviour(tables.best_response, noise_std=0.0)
    kind, _, path = name.partition(":")
    if kind == "script":
        if not path:
            raise InvalidInput(f"opponent {name!r} names no file: write script:FILE, a CSV with one type a row.")
        types: TypeSource = _scripted(path, game, behaviour)
    else:
        types = arrivals_named(name).arrive(game, behaviour)
    return Opponent(types, behaviour.respond, behaviour.noise_std)


def _scripted(path: str, game: Game, behaviour: Behaviour) -> Scripted:
    """The types of a file, each of which this game's opponents can be."""
    script = Scripted.from_file(Path(path))
    if game.types is None:
        _check_answers(path, script.types, game, behaviour)
    else:
        _check_known(path, script.types, game.name, game.types)
    return script


def _check_known(path: str, types: Matrix, game_name: str, known: Matrix) -> None:
    if types.shape[1] != known.shape[1]:
        raise InvalidInput(
            f"types file {path!r} has {types.shape[1]} column(s): types of game {game_name!r} have {known.shape[1]}."
        )
    strange = ~(types[:, None] == known).all(axis=2).any(axis=1)
    if strange.any():
        row = int(np.argmax(strange))
        raise InvalidInput(
            f"types file {path!r} has in row {row + 1} the type {reprlib.repr(types[row].tolist())}, which game "
            f"{game_name!r} does not have: give one of {reprlib.repr(known.tolist())}."
        )


def _check_answers(path: str, types: Matrix, game: Game, behaviour: Behaviour) -> None:
    for row, opponent_type in enumerate(types, start=1):
        try:
            responses_of(game, behaviour.respond, opponent_type, [0])
        except InvalidInput as error:
            raise InvalidInput(f"types file {path!r}, row {row}: {error}") from None
