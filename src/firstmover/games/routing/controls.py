"""What a leader of traffic can do: route a fleet, ask tolls, close links, share the green time of a signal."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import prod

import numpy as np

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.errors import InvalidInput
from firstmover.games.routing.game import Plans
from firstmover.games.routing.network import Indices, Network, link_names

MOST_ACTIONS = 10_000

CLOSED = 1e4
"""The toll of a closed link, in free-flow times of all links together: nobody pays it who has another route."""

Ends = tuple[int, int]
"""A link by the labels of its nodes."""


@dataclass(frozen=True, eq=False)
class Controls:
    """The menu of a leader: features of each action (n, d), and what it sets on every link (n, E).

    `fleet` are flows that users cannot change, `toll` is in units of time, and `capacity` a factor. `prices` (n, E) is
    what a user pays, in money.
    """

    labels: tuple[str, ...]
    feature_names: tuple[str, ...]
    features: Matrix
    fleet: Matrix
    toll: Matrix
    capacity: Matrix
    prices: Matrix
    units: Vector

    def rows(self, actions: Matrix) -> Indices:
        """The numbers of actions, given as rows of features."""
        known = {row.tobytes(): i for i, row in enumerate(self.features)}
        try:
            return np.array([known[row.tobytes()] for row in np.ascontiguousarray(actions, dtype=np.float64)])
        except KeyError:
            raise InvalidInput("actions holds a row that is not on the menu of this city.") from None


def _menu(
    network: Network, labels: Sequence[str], names: Sequence[str], features: Matrix, **set_by: Matrix
) -> Controls:
    shape = (len(labels), network.n_links)
    rest = {"fleet": np.zeros(shape), "toll": np.zeros(shape), "capacity": np.ones(shape), "prices": np.zeros(shape)}
    units = set_by.pop("units", np.zeros(len(labels)))
    return Controls(tuple(labels), tuple(names), features, **(rest | set_by), units=units)


def nothing(network: Network) -> Controls:
    """One action, which sets nothing."""
    return _menu(network, ["nothing"], [], np.zeros((1, 0)))


def links_between(network: Network, ends: Sequence[Ends]) -> Indices:
    """The links with these ends, by the labels of nodes."""
    labels = zip(network.nodes[network.tails].tolist(), network.nodes[network.heads].tolist(), strict=True)
    places = {pair: i for i, pair in enumerate(labels)}
    found = []
    for tail, head in ends:
        if (tail, head) not in places:
            raise InvalidInput(f"links has {tail} to {head}: the network has no such link.")
        found.append(places[tail, head])
    if len(set(found)) < len(found):
        raise InvalidInput("links names a link twice: give each once.")
    if not found:
        raise InvalidInput("links is empty: give at least one link as [from, to].")
    return np.array(found)


def fleet(network: Network, plans: Plans) -> Controls:
    """Plans that send units along routes."""
    return _menu(network, plans.labels, link_names(network), plans.occupancy, fleet=plans.occupancy, units=plans.units)


def tolls(network: Network, links: Sequence[Ends], levels: Sequence[float], value_of_time: float = 1.0) -> Controls:
    """Every combination of some tolls on some links; users value a unit of time at `value_of_time` units of money."""
    chosen = links_between(network, links)
    if len(set(levels)) < len(levels) or not levels or min(levels) < 0:
        raise InvalidInput(f"levels is {list(levels)}: give different tolls, 0 or more.")
    if not value_of_time > 0:
        raise InvalidInput(f"value_of_time is {value_of_time}: give the money that a unit of time is worth, above 0.")
    if prod([len(levels)] * len(chosen)) > MOST_ACTIONS:
        raise InvalidInput(
            f"{len(levels)} levels on {len(chosen)} links make more than {MOST_ACTIONS} actions: leave some out."
        )
    features = np.array(list(product(levels, repeat=len(chosen))), dtype=float)
    prices = np.zeros((len(features), network.n_links))
    prices[:, chosen] = features
    names = [link_names(network)[link] for link in chosen]
    labels = [
        ", ".join(f"{name} {price:g}" for name, price in zip(names, row, strict=True) if price) for row in features
    ]
    labels = [label or "no toll" for label in labels]
    return _menu(network, labels, names, features, toll=prices / value_of_time, prices=prices)


def closures(network: Network, links: Sequence[Ends]) -> Controls:
    """Close none of some links, or one of them."""
    chosen = links_between(network, links)
    features = np.vstack([np.zeros(len(chosen)), np.eye(len(chosen))])
    toll = np.zeros((len(features), network.n_links))
    toll[:, chosen] = CLOSED * network.free_flow_time.sum() * features
    names = [link_names(network)[link] for link in chosen]
    return _menu(network, ["nothing closed", *(f"{name} closed" for name in names)], names, features, toll=toll)


def signals(network: Network, first: Sequence[Ends], second: Sequence[Ends], shares: Sequence[float]) -> Controls:
    """Green shares of the links of a first phase; those of the second have the rest, where the network has halves."""
    both = [links_between(network, ends) for ends in (first, second)]
    if np.isin(both[0], both[1]).any():
        raise InvalidInput("first and second name the same link: give each phase its own.")
    if not shares or len(set(shares)) < len(shares) or not all(0 < share < 1 for share in shares):
        raise InvalidInput(f"shares is {list(shares)}: give different green shares between 0 and 1.")
    green = np.array(shares, dtype=float)[:, None]
    capacity = np.ones((len(shares), network.n_links))
    capacity[:, both[0]], capacity[:, both[1]] = 2 * green, 2 * (1 - green)
    labels = [f"{100 * share:g} % green" for share in shares]
    return _menu(network, labels, ["green"], green, capacity=capacity)
