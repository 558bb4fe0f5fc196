"""θ and b: who answers; the tables name the ways in which types arrive and how each game's opponents respond."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from math import inf

import numpy as np

from firstmover.contracts import Game, TypeSource
from firstmover.errors import InvalidInput, look_up, unknown_name
from firstmover.games import BimatrixGame, harbour, tables_named
from firstmover.games.park import published_park
from firstmover.games.prices import road_stations
from firstmover.opponents.arrivals import Adversary, Committed, Cyclic, RandomTypes, Sampled, Scripted, single
from firstmover.opponents.best_response import BestResponse
from firstmover.opponents.bounded import Choosing, Population, epsilon_best, logit, satisficing
from firstmover.opponents.customers import Customers
from firstmover.opponents.drifting import Blended, MovingCamp
from firstmover.opponents.follower import BestInBox, follower
from firstmover.opponents.opponent import Behaviour, Drift, Opponent, responses_of, true_rewards
from firstmover.opponents.poachers import Poachers, answering_commitments
from firstmover.opponents.road_users import RoadUsers, certain_reward_range, random_demands, sioux_falls_users
from firstmover.opponents.scripts import checked_script
from firstmover.opponents.tabulated import Tabulated
from firstmover.opponents.toy import flock, raiders
from firstmover.records import Matrix

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


@cache
def _road_users() -> Behaviour:
    users = sioux_falls_users()
    full = users.network.demand
    drift = Drift(full / 2, lambda rounds: Blended(users, full / 2, full, rounds))
    return Behaviour(users, 5.0, random_demands(users.network), logit=_logit_users, drift=drift)


def _logit_users(game: Game, rationality: float) -> Behaviour:
    users = RoadUsers(sioux_falls_users().network, rationality=rationality)
    low = certain_reward_range(game, users)[0]
    if game.reward_range is not None and low < game.reward_range[0]:
        raise InvalidInput(
            f"rationality is {rationality:g}: the jams of such users cost more than the reward_range of game "
            f"{game.name!r} has, {low:.1f}; give 0.3 or more."
        )
    return replace(_road_users(), respond=users)


@cache
def _poachers() -> Behaviour:
    poachers = Poachers(published_park(), coverage_sign=1)
    corners = ((0.0, 0.0), (float(poachers.park.cells[0]), float(poachers.park.cells[1])))
    drift = Drift(poachers.park.largest_in_cells, lambda rounds: MovingCamp(poachers, corners, rounds))
    return Behaviour(poachers, noise_std=0.1, drift=drift)


@cache
def _patrol_watchers() -> Behaviour:
    park = published_park(density_scale=1.0)
    watchers = answering_commitments(Poachers(park, coverage_sign=1, density_factor=10.0))
    return Behaviour(watchers, 0.1, lambda rng: rng.dirichlet(np.ones(park.n_cells)), sees_commitment=True)


BEHAVIOURS: dict[str, Callable[[Game], Behaviour]] = {
    "shore": lambda _: Behaviour(raiders, noise_std=0.1),
    "flock": lambda _: Behaviour(flock, noise_std=0.05),
    "routing": lambda _: _road_users(),
    "wildlife": lambda _: _poachers(),
    "prices": lambda _: Behaviour(Customers(road_stations()), noise_std=0.02),
    "patrols": lambda _: _patrol_watchers(),
    "harbour": lambda _: Behaviour(follower(harbour()), noise_std=0.05),
}
"""The responses of each built-in game, by its name in the GAMES table."""


@dataclass(frozen=True)
class OpponentEntry:
    """A line of the table: in which order types arrive, and whether that depends on what the learner does.

    With a `number`, `NAME:NUMBER` gives another: how `changed` changes the way in which opponents respond.
    """

    summary: str
    arrive: Callable[[Game, Behaviour], TypeSource]
    adaptive: bool = False
    number: float | None = None
    changed: Callable[[Game, Behaviour, float], Behaviour] = lambda _game, behaviour, _number: behaviour
    drifts: bool = False


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


def _drift(game: Game, behaviour: Behaviour) -> Drift:
    if behaviour.drift is not None:
        return behaviour.drift
    if game.types is None or behaviour.sees_commitment or len(game.types) < 2:
        raise InvalidInput(f"opponents of game {game.name!r} have no other type to turn into: use opponent 'random'.")
    first, last = game.types[0], game.types[-1]
    return Drift(first, lambda rounds: Blended(behaviour.respond, first, last, rounds))


def _drifting(game: Game, behaviour: Behaviour, rounds: float) -> Behaviour:
    return replace(behaviour, respond=_drift(game, behaviour).over(rounds))


def _by_logit(game: Game, behaviour: Behaviour, rationality: float) -> Behaviour:
    if behaviour.logit is None:
        raise InvalidInput(f"opponents of game {game.name!r} have no logit choice: use opponent 'random'.")
    return behaviour.logit(game, rationality)


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
    "logit": OpponentEntry(
        "types as by random, who choose by logit, on roads and in payoff tables; or logit:RATIONALITY",
        _random,
        number=1.0,
        changed=_by_logit,
    ),
    "drifting": OpponentEntry(
        "one type, whose responses turn into others in 200 rounds, or drifting:ROUNDS",
        lambda game, b: single(_drift(game, b).opponent_type),
        number=200.0,
        changed=_drifting,
        drifts=True,
    ),
}
"""Ways in which types arrive; `script:FILE` reads them from a CSV file, one type a row."""


def arrivals_named(name: str) -> OpponentEntry:
    """The line of the table, or the refusal that names all there is to choose from.

    >>> arrivals_named("foo")
    Traceback (most recent call last):
    ...
    firstmover.errors.InvalidInput: Unknown opponent 'foo': Known: adversary, commitment, cyclic, ...
    """
    kind, colon, number = name.partition(":")
    if kind not in OPPONENTS or (colon and OPPONENTS[kind].number is None):
        raise unknown_name("opponent", name, [*OPPONENTS, "script:FILE"])
    entry = OPPONENTS[kind]
    return replace(entry, number=_number(name, number)) if colon else entry


def _number(name: str, text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 < number < inf:
        raise InvalidInput(f"opponent {name!r} has the number {text!r}: give one above 0, such as 100.")
    return number


def opponent_for(game_name: str, game: Game, name: str, tables: BimatrixGame | None = None) -> Opponent:
    """The opponent of a built-in game, or of payoff tables, read before or now, whose types arrive in the named way."""
    tables = tables or tables_named(game_name)
    behaviour = look_up("game", game_name, BEHAVIOURS)(game) if tables is None else _followers(tables)
    kind, _, path = name.partition(":")
    if kind == "script":
        if not path:
            raise InvalidInput(f"opponent {name!r} names no file: write script:FILE, a CSV with one type a row.")
        return Opponent(checked_script(path, game, behaviour.respond), behaviour.respond, behaviour.noise_std)
    entry = arrivals_named(name)
    types = entry.arrive(game, behaviour)
    if entry.number is not None:
        behaviour = entry.changed(game, behaviour, entry.number)
    return Opponent(types, behaviour.respond, behaviour.noise_std, behaviour.sampled, entry.drifts)


def _followers(tables: BimatrixGame) -> Behaviour:
    """Followers of payoff tables, who best respond, or choose by logit and show one action."""

    def by_logit(_: Game, rationality: float) -> Behaviour:
        return Behaviour(Choosing(tables.utilities, logit(rationality)), noise_std=0.0, sampled=True)

    return Behaviour(tables.best_response, noise_std=0.0, logit=by_logit)
