"""Games of a city: a leader who routes a fleet, asks tolls, closes links or sets a signal; drivers in equilibrium."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
from pydantic import Field
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Game
from firstmover.core.documents import Specification, one_of
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box
from firstmover.games.opponent import Behaviour
from firstmover.games.rewards import Monotone
from firstmover.games.routing import controls
from firstmover.games.routing.cities import city
from firstmover.games.routing.city_users import CityUsers
from firstmover.games.routing.controls import Controls, links_between
from firstmover.games.routing.equilibrium import GAP
from firstmover.games.routing.game import operator_plans
from firstmover.games.routing.network import Indices, Network, sioux_falls
from firstmover.games.routing.opponents import random_demands
from firstmover.games.words import Words
from firstmover.kernels import polynomial

BUILT_IN = "sioux-falls"
"""The city that comes with this package."""

TOLLED = 3
"""Links that have a toll unless the leader is given: those that lose most time."""

NOISE = 0.02
"""The standard deviation of the noise of simulations, relative to the response at half of the largest demand."""

SHORTEST = 1e-9
"""The least length of a link, relative to the longest, where routes of a fleet are compared."""

Link = Annotated[tuple[int, int], Field(strict=False), one_of("the two nodes of a link, as in [10, 16]")]
Links = Annotated[tuple[Link, ...], Field(strict=False, min_length=1)]
Numbers = Annotated[tuple[float, ...], Field(strict=False, min_length=1)]


class Fleet(Specification):
    """Send units from one node to another, in equal groups on the shortest routes."""

    kind: Literal["fleet"]
    origin: int
    destination: int
    units: float = Field(gt=0, allow_inf_nan=False)
    shares: Numbers = (0.0, 0.25, 0.5, 0.75, 1.0)
    groups: int = Field(default=3, ge=1)
    routes: int = Field(default=3, ge=1)

    def controls(self, network: Network) -> Controls:
        """The plans; connectors of length 0 are a little longer, so that every route has a length."""
        plans = operator_plans(
            replace(network, length=np.maximum(network.length, SHORTEST * network.length.max())),
            origin=self.origin,
            destination=self.destination,
            units=self.units,
            shares=self.shares,
            groups=self.groups,
            n_routes=self.routes,
        )
        return controls.fleet(network, plans)


class Tolls(Specification):
    """Ask one of some tolls on each of some links; users value a unit of time at `value_of_time` units of money."""

    kind: Literal["tolls"]
    links: Links
    levels: Numbers
    value_of_time: float = Field(default=1.0, gt=0, allow_inf_nan=False)

    def controls(self, network: Network) -> Controls:
        """All combinations of tolls."""
        return controls.tolls(network, self.links, self.levels, self.value_of_time)


class Closures(Specification):
    """Close one of some links for works, or none."""

    kind: Literal["closures"]
    links: Links

    def controls(self, network: Network) -> Controls:
        """Nothing closed, and each link."""
        return controls.closures(network, self.links)


class Signals(Specification):
    """Share the green time of a signal between the links of two phases."""

    kind: Literal["signals"]
    first: Links
    second: Links
    shares: Numbers

    def controls(self, network: Network) -> Controls:
        """The green shares of the first phase."""
        return controls.signals(network, self.first, self.second, self.shares)


Leader = Fleet | Tolls | Closures | Signals

Goal = Literal["congestion", "time", "emissions", "revenue"]
"""What counts against the leader, or, with `revenue`, what users pay, less the time of a trip."""


class CityParameters(Specification):
    """A city by name, its leader and goal, and what is observed.

    r = units + revenue − trade_off · measure: units that arrive (of a fleet), what users pay (with the goal `revenue`),
    and the mean congestion of links, the mean time of a trip, or its emissions. With `detectors`, groups of links, the
    congestion of each group is observed instead of the measure, and their mean counts. A type is one of some `levels`
    of demand, as fractions of the largest, or, with `pairs`, the demand of each pair. The range of rewards is that of
    all actions at all levels, or, with `pairs`, at no and at the largest demand.
    """

    city: str = BUILT_IN
    leader: Leader | None = Field(default=None, discriminator="kind")
    goal: Goal | None = None
    trade_off: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    detectors: Annotated[tuple[Links, ...], Field(strict=False, min_length=1)] | None = None
    demand: Literal["levels", "pairs"] = "levels"
    levels: Numbers = (0.25, 0.5, 0.75, 1.0)
    rationality: float | None = Field(default=None, gt=0, allow_inf_nan=False)
    gap: float = Field(default=GAP, gt=0, lt=1)
    length_in_km: float = Field(default=1.0, gt=0, allow_inf_nan=False)


@dataclass(frozen=True, repr=False, kw_only=True)
class CityGame(Game):
    """A game with the drivers who answer in simulations, and the worth of a unit of each response (n, m)."""

    users: CityUsers
    worth: Matrix


def city_game(**given: Any) -> CityGame:
    """The game of Sioux Falls, or of a city that was added by `firstmover city add`."""
    parameters = CityParameters.read(given)
    return game_of(network_of_city(parameters.city), parameters)


def network_of_city(name: str) -> Network:
    """The network of a city by its name, with the pairs that have demand."""
    return (sioux_falls() if name == BUILT_IN else city(name)).pairs_with_demand()


def drivers(network: Network, parameters: CityParameters) -> CityUsers:
    """The drivers of a network, with the menu of its leader."""
    leader = parameters.leader or busiest_tolls(network)
    menu, goal = leader.controls(network), _goal(parameters, leader)
    if goal == "revenue" and leader.kind != "tolls":
        raise InvalidInput("goal is 'revenue': only a leader who asks tolls earns; give congestion, time or emissions.")
    if parameters.detectors is not None and goal in ("time", "emissions"):
        raise InvalidInput(f"goal is {goal!r}, which detectors do not see: leave them out, or give congestion.")
    return CityUsers(
        network,
        menu,
        None if parameters.detectors else "time" if goal == "revenue" else goal,
        None if parameters.detectors is None else _districts(network, parameters.detectors),
        np.flatnonzero(menu.prices.any(axis=0)) if goal == "revenue" else np.empty(0, dtype=np.int64),
        parameters.gap,
        parameters.rationality or float("inf"),
        parameters.length_in_km,
    )


def _goal(parameters: CityParameters, leader: Leader) -> Goal:
    return parameters.goal or ("congestion" if leader.kind == "fleet" else "time")


def game_of(network: Network, parameters: CityParameters) -> CityGame:
    """The game of a network."""
    users = drivers(network, parameters)
    menu, has_fleet = users.controls, bool(users.controls.fleet.any())
    trade_off = parameters.trade_off or (10.0 if has_fleet else 1.0)
    against = users.n_outputs - len(users.tolled)
    slopes = np.hstack(
        [np.full((len(menu.labels), against), -trade_off / max(against, 1)), menu.prices[:, users.tolled]]
    )
    reward = linear_reward(menu, slopes)
    levels = parameters.levels if parameters.demand == "levels" else (0.0, 1.0)
    return CityGame(
        "city",
        menu.features,
        reward,
        Box(np.zeros(users.n_outputs), np.full(users.n_outputs, np.inf)),
        reward_range=_range([reward(menu.features, users(menu.features, np.array([level]))) for level in levels]),
        congestion=has_fleet,
        types=np.array(parameters.levels)[:, None] if parameters.demand == "levels" else None,
        users=users,
        worth=slopes,
    )


def linear_reward(menu: Controls, slopes: Matrix) -> Monotone:
    """r(x, y) = units(x) + slopes(x) · y of the actions of a menu."""

    def earned(x: Matrix, y: Matrix) -> Vector:
        rows = menu.rows(x)
        return np.asarray(menu.units[rows] + np.sum(slopes[rows] * y, axis=1))

    signs = tuple(1 if column.max() > 0 else -1 for column in slopes.T)
    return Monotone(earned, signs, lambda x: slopes[menu.rows(x)])


def _range(rewards: list[Vector]) -> tuple[float, float]:
    """The smallest and the largest of some rewards; a little apart if they are equal."""
    low, high = float(np.min(rewards)), float(np.max(rewards))
    return (low, high) if low < high else (low - 0.5, high + 0.5)


def _districts(network: Network, groups: Sequence[Links]) -> Indices:
    """The group of each link (E,), −1 where there is none."""
    district = np.full(network.n_links, -1)
    for number, ends in enumerate(groups):
        links = links_between(network, ends)
        if (district[links] >= 0).any():
            raise InvalidInput(f"detectors has a link of group {number + 1} in another group: give each link once.")
        district[links] = number
    return district


class TimeLost(NamedTuple):
    """Of each link (E,): the time that all users lose by congestion, and what one user costs the others."""

    total: Vector
    external: Vector


def time_lost(network: Network) -> TimeLost:
    """Return the time lost on each link in equilibrium at half of the demand."""
    users = CityUsers(network, controls.nothing(network))
    traffic = users.traffic(np.zeros(1, dtype=np.int64), 0.5 * network.demand[None])
    delay = traffic.times[0] - network.free_flow_time
    return TimeLost(traffic.flows[0] * delay, network.power * delay)


def busiest_tolls(network: Network) -> Tolls:
    """Tolls on the links that lose most time: none, half and all of what a user costs others."""
    lost = time_lost(network)
    busiest = np.argsort(-lost.total, kind="stable")[:TOLLED]
    external = float(np.mean(lost.external[busiest]))
    if external <= 0:
        raise InvalidInput(
            "leader is missing: no link of this city is congested, so that no toll is proposed; give one."
        )
    level = float(f"{external:.2g}")
    return Tolls(
        kind="tolls", links=tuple(_ends(network, int(link)) for link in sorted(busiest)), levels=(0.0, level / 2, level)
    )


def _ends(network: Network, link: int) -> tuple[int, int]:
    return int(network.nodes[network.tails[link]]), int(network.nodes[network.heads[link]])


def city_behaviour(game: Game) -> Behaviour:
    """The drivers of a city; where types are demands of pairs, each round draws them from 0 to the largest."""
    assert isinstance(game, CityGame)
    users, network = game.users, game.users.network
    usual = np.abs(users(game.actions[:1], np.array([0.5]))[0])
    return Behaviour(users, NOISE * usual, random_demands(network) if game.types is None else None)


def _labels(game: Game) -> tuple[str, ...]:
    assert isinstance(game, CityGame)
    return game.users.controls.labels


def _features(game: Game) -> tuple[str, ...]:
    assert isinstance(game, CityGame)
    return game.users.controls.feature_names


WORDS = Words(_labels, _features)

KERNEL = ConstantKernel(400.0) * polynomial(1) + ConstantKernel(4.0) * RBF(2.0)
"""For tolls of a few minutes on Sioux Falls, where a trip takes about 20 minutes."""
