"""Reference answers of a city: equilibrium, system optimum, and how much of the gap between them a leader closes."""

from dataclasses import dataclass, replace

import numpy as np

from firstmover.core.arrays import Vector
from firstmover.games.routing.city_game import CityGame
from firstmover.games.routing.equilibrium import equilibria
from firstmover.games.routing.link_times import LinkTimes
from firstmover.games.routing.network import Network


@dataclass(frozen=True)
class Leading:
    """Total times of all vehicles at one demand: in equilibrium, in the system optimum, and with the best action.

    Tolls are not counted as time. Where the leader routes a fleet, its vehicles choose freely in the equilibrium, and
    the best action is among those that send all of them.
    """

    equilibrium: float
    optimum: float
    best_action: str
    best: float

    @property
    def price_of_anarchy(self) -> float:
        """The equilibrium's time over the optimum's (Koutsoupias and Papadimitriou 1999)."""
        return self.equilibrium / self.optimum

    @property
    def closed(self) -> float:
        """The share of the gap that the best action closes, below 0 if it makes things worse; NaN if there is none."""
        gap = self.equilibrium - self.optimum
        return (self.equilibrium - self.best) / gap if gap > 1e-9 * self.optimum else float("nan")


def value_of_leading(game: CityGame, level: float = 1.0) -> Leading:
    """Return the reference answers at a fraction of the largest demand."""
    users, menu = game.users, game.users.controls
    demand = level * users.network.demand
    network, everyone = _with_fleet(users.network, demand, menu.fleet[int(np.argmax(menu.units))])
    times = LinkTimes.of(network)
    totals = []
    for each in (times, times.marginal()):
        flows = equilibria(network, everyone[None], each, gap=users.gap).flows.T
        totals.append(float(np.sum(flows * times(flows)[0])))
    rows = np.flatnonzero(menu.units == menu.units.max())
    traffic = users.traffic(rows, np.tile(demand, (len(rows), 1)))
    spent = np.sum(traffic.flows * traffic.times, axis=1)
    best = int(np.argmin(spent))
    return Leading(totals[0], totals[1], menu.labels[rows[best]], float(spent[best]))


def _with_fleet(network: Network, demand: Vector, fleet: Vector) -> tuple[Network, Vector]:
    """The network and its demand with the vehicles of a fleet, which are where its flows begin and end, as users."""
    leaving = np.bincount(network.tails, fleet, len(network.nodes)) - np.bincount(
        network.heads, fleet, len(network.nodes)
    )
    if not leaving.any():
        return network, demand
    start, end = int(np.argmax(leaving)), int(np.argmin(leaving))
    found = np.flatnonzero((network.origins == start) & (network.destinations == end))
    if len(found):
        return network, demand + leaving[start] * (np.arange(len(demand)) == found[0])
    origins, destinations = np.append(network.origins, start), np.append(network.destinations, end)
    more = np.append(demand, leaving[start])
    return replace(network, origins=origins, destinations=destinations, demand=more.copy()), more
