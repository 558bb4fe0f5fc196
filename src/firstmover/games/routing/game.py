"""The routing game, Section 4.1: plans, and the reward of routed units minus weighted congestion."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement
from math import comb
from typing import Literal, get_args

import numpy as np

from firstmover.core.arrays import Matrix, Vector, positive
from firstmover.core.contracts import Game
from firstmover.core.errors import InvalidInput, look_up, unknown_name
from firstmover.core.records import Box
from firstmover.games.rewards import decreasing
from firstmover.games.routing.network import Indices, Network, sioux_falls
from firstmover.games.routing.routes import Route, TieRule, link_incidence, shortest_routes

UnitsCounted = Literal["routed", "shifted"]
"""The meaning of g(x): the units that a plan routes, or the list of the authors' program, shifted by one."""

Reading = Literal["paper", "released"]
"""The experiment as the paper's text describes it, or as the authors' released program runs it."""

REWARD_RANGES = {"paper": (-112.88, 297.62), "released": (-115.95, 297.62)}
"""Smallest and largest reward of Sioux Falls at full and at no demand, rounded outwards to 0.01."""

MOST_PLANS = 100_000


@dataclass(frozen=True)
class Plans:
    """The actions of the operator: units on each link (n, E), with the units that arrive (n,) and their `shares`.

    `groups` counts the groups on each of the `routes` (n, routes), shortest first. `arrivals` is +1 on links into the
    destination, −1 on links out of it (E,), so that x · arrivals = units.
    """

    occupancy: Matrix
    units: Vector
    groups: Indices
    shares: Vector
    routes: tuple[Route, ...]
    arrivals: Vector

    @property
    def labels(self) -> tuple[str, ...]:
        """Each plan in words.

        >>> operator_plans().labels[23]
        '75 % routed: 2 groups on route 1, 1 on route 3'
        """
        labels = []
        for share, counts in zip(self.shares, self.groups.tolist(), strict=True):
            first, *others = [(n, route) for route, n in enumerate(counts, start=1) if n] or [(0, 0)]
            words = [f"{first[0]} group{'s' if first[0] > 1 else ''} on route {first[1]}"]
            words += [f"{n} on route {route}" for n, route in others]
            labels.append(f"{100 * share:g} % routed: " + ", ".join(words) if first[0] else "nothing routed")
        return tuple(labels)

    def index(self, share: float, groups: Sequence[int]) -> int:
        """Return the plan that sends this fraction with the given number of groups on each route."""
        found = np.flatnonzero((self.shares == share) & np.all(self.groups == np.asarray(groups), axis=1))
        if len(found) == 0:
            raise InvalidInput(f"No plan sends {share:.0%} in groups {list(groups)}: `labels` lists the plans.")
        return int(found[0])


def operator_plans(
    network: Network | None = None,
    *,
    origin: int = 12,
    destination: int = 18,
    units: float = 300.0,
    shares: Sequence[float] = (0.0, 0.25, 0.5, 0.75, 1.0),
    groups: int = 3,
    n_routes: int = 3,
    ties: TieRule = "node order",
) -> Plans:
    """All plans that send a fraction of the units in equal groups, each on one of the shortest routes, Appendix E.

    Plans are sorted by this share, and within a share by the routes, shorter ones first. Sending nothing is one plan.

    >>> operator_plans().occupancy.shape
    (41, 76)
    """
    network = network if network is not None else sioux_falls()
    ends = network.row(origin), network.row(destination)
    positive("units", units)
    if ends[0] == ends[1]:
        raise InvalidInput("origin and destination are the same node: give two.")
    if not shares or not all(0 <= share <= 1 for share in shares) or len(set(shares)) < len(shares):
        raise InvalidInput(f"shares is {list(shares)}: give different numbers between 0 and 1.")
    if groups < 1 or n_routes < 1:
        raise InvalidInput(f"groups is {groups} and n_routes is {n_routes}: both must be 1 or more.")
    size = len(shares) * comb(groups + n_routes - 1, groups)
    if size > MOST_PLANS:
        raise InvalidInput(f"{groups} groups on {n_routes} routes make {size} plans: stay below {MOST_PLANS}.")
    routes = shortest_routes(network, *ends, n_routes, ties)
    if len(routes) < n_routes:
        raise InvalidInput(f"n_routes is {n_routes}: only {len(routes)} route(s) join {origin} and {destination}.")
    splits = [
        [split.count(r) for r in range(n_routes)] for split in combinations_with_replacement(range(n_routes), groups)
    ]
    menu = [(share, split) for share in shares for split in (splits if share > 0 else [[0] * n_routes])]
    sent = np.array([share for share, _ in menu])
    counts = np.array([split for _, split in menu], dtype=np.int64)
    return Plans(
        occupancy=(sent * units / groups)[:, None] * counts @ link_incidence(network, routes),
        units=sent * units,
        groups=counts,
        shares=sent,
        routes=tuple(routes),
        arrivals=(network.heads == ends[1]).astype(float) - (network.tails == ends[1]),
    )


@lru_cache
def sioux_falls_plans() -> Plans:
    """The 41 plans of the paper."""
    return operator_plans()


def routing_game(
    plans: Plans | None = None,
    trade_off: float = 10.0,
    units_counted: UnitsCounted = "routed",
    reward_range: tuple[float, float] | None = None,
) -> Game:
    """r(x, y) = g(x) − κ y: units that arrive, less κ = `trade_off` times the average congestion y of the links.

    With `units_counted="shifted"` a plan that sends all its groups by the shortest route counts as the next larger
    share, as in the authors' program: 75, 50 and 25 % of 300 units count as 300, 225 and 150.

    >>> game = routing_game()
    >>> game.reward(game.actions[[31]], np.array([[8.36]])).round(1)
    array([216.4])
    """
    plans = plans if plans is not None else sioux_falls_plans()
    positive("trade_off", trade_off)
    if units_counted not in get_args(UnitsCounted):
        raise unknown_name("units_counted", units_counted, get_args(UnitsCounted))
    all_shortest = np.flatnonzero((plans.groups[:, 1:].sum(axis=1) == 0) & (plans.units > 0))
    rising = all_shortest[np.argsort(plans.units[all_shortest])]
    rows, surplus = plans.occupancy[rising[:-1]], np.diff(plans.units[rising])

    def earned(x: Matrix, y: Matrix) -> Vector:
        units = x @ plans.arrivals
        if units_counted == "shifted":
            units = units + np.all(x[:, None, :] == rows, axis=2) @ surplus
        return units - trade_off * y[:, 0]

    reward = decreasing(earned, slopes=lambda x: np.full((len(x), 1), -trade_off))
    return Game("routing", plans.occupancy, reward, Box([0.0], [np.inf]), reward_range, congestion=True)


def sioux_falls_game(reading: Reading = "paper") -> Game:
    """The paper's game: 41 plans from node 12 to node 18, with the range of rewards that its users cause."""
    reward_range = look_up("reading", reading, REWARD_RANGES)
    if reading == "paper":
        return routing_game(reward_range=reward_range)
    return routing_game(operator_plans(ties="networkx"), units_counted="shifted", reward_range=reward_range)
