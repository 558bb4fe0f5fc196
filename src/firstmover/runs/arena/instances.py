"""The instances of the arena: 30 of eight families, three of Sioux Falls, and those of cities that the user added."""

from functools import lru_cache
from typing import NamedTuple

from firstmover.core.contracts import Game
from firstmover.core.errors import unknown_name
from firstmover.games.routing.cities import cities
from firstmover.games.routing.city_game import BUILT_IN
from firstmover.runs.arena.cities import REPORT as CITY_REPORT
from firstmover.runs.arena.cities import city_instance, fleet_game
from firstmover.runs.arena.families import FAMILIES, REPORT, Instance

INSTANCES = {
    "park": 3,
    "near park": 1,
    "prices": 4,
    "roads": 6,
    "bimatrix": 3,
    "security": 3,
    "response": 6,
    "kiosk": 4,
}
"""The number of instances of each family: 30 in all. Six instances of roads have all changes that are drawn."""

CITY_INSTANCES = 3
"""The number of instances of each city."""

CITY = "city "
"""The family of a city is this and its name."""


class Place(NamedTuple):
    """An instance by its family and seed."""

    family: str
    instance: int


class Described(NamedTuple):
    """The words of an instance, and its game as far as it decides which learners can play."""

    words: str
    game: Game


@lru_cache(maxsize=8)
def instance_of(family: str, seed: int) -> Instance:
    """Return an instance, built once per process."""
    if family.startswith(CITY):
        return city_instance(family.removeprefix(CITY), seed)
    return FAMILIES[family](seed)


def described(place: Place) -> Described:
    """Return the words and the game of an instance; the equilibria of a city, which take long, are not computed."""
    if place.family.startswith(CITY):
        planned = fleet_game(place.family.removeprefix(CITY), place.instance)
        return Described(planned.words, planned.game)
    instance = instance_of(*place)
    return Described(instance.words, instance.game)


def places(families: tuple[str, ...] = (), added: tuple[str, ...] = (), most: int | None = None) -> list[Place]:
    """Return instances of the report: all families and the built-in city, or some families, and of the cities named.

    `most` bounds the number of instances of each family.
    """
    for family in families:
        if family not in FAMILIES:
            raise unknown_name("family", family, FAMILIES)
    known = [BUILT_IN, *cities()] if added else []
    for city in added:
        if city not in known:
            raise unknown_name("city", city, known)
    named = dict.fromkeys(added if families else (BUILT_IN, *added))
    counts = {family: (REPORT.start, INSTANCES[family]) for family in families or FAMILIES}
    counts |= {f"{CITY}{city}": (CITY_REPORT, CITY_INSTANCES) for city in named}
    return [
        Place(family, first + i) for family, (first, count) in counts.items() for i in range(min(count, most or count))
    ]
