"""The map of a city with drivers in equilibrium: every link with the leader's action and without it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from firstmover.core.arrays import Vector
from firstmover.core.errors import InvalidInput
from firstmover.games.default_map import default_map
from firstmover.games.map_record import MapRecord
from firstmover.games.match_view import MatchView
from firstmover.games.routing.city_files import has_coordinates
from firstmover.games.routing.city_game import BUILT_IN, CityGame, CityParameters, drivers, network_of_city
from firstmover.games.routing.city_users import CityUsers
from firstmover.games.routing.controls import Controls, nothing
from firstmover.games.routing.network import Network
from firstmover.games.routing.road_panels import LinkState, RoadPanels, demand_in_words, undistorted

ENDS = (0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 4.0)
"""Ends of colour scales, of t / t₀ − 1 and of its change: the first one that few links exceed."""

FEW = 0.02
"""The share of links that may have the colour of the end of the scale."""


def city_map(view: MatchView) -> MapRecord | None:
    """The roads of the city that is played, at the last reported demand."""
    assert isinstance(view.game, CityGame)
    return _roads(view, view.game.users, view.action)


def stored_city_map(view: MatchView, document: Mapping[str, Any]) -> MapRecord | None:
    """The roads of the city that a configuration names, with the actions of the match that have its labels."""
    if view.posterior is None:
        return None
    city = document.get("city", BUILT_IN)
    try:
        users = drivers(network_of_city(city), CityParameters.read(document))
        label = None if view.action is None else view.menu.labels[view.action]
        if label is not None and label not in users.controls.labels:
            raise InvalidInput(f"{label!r} is not an action that it has.")
        return _roads(view, users, None if label is None else users.controls.labels.index(label))
    except InvalidInput as error:  # the match goes on without its city
        record = default_map(view)
        return record and replace(record, note=f"The roads of {city!r} cannot be drawn: {error} {record.note}".strip())


def _roads(view: MatchView, users: CityUsers, shown: int | None) -> MapRecord | None:
    """The roads with an action by number, without any, and the difference; drivers are in equilibrium."""
    if view.posterior is None or not has_coordinates(users.network.positions):
        return default_map(view)
    network, menu = users.network, users.controls
    types = view.observed[-1].opponent_type if view.observed else np.array([0.5])
    demand = users.demands(types[None])
    bare = replace(users, controls=nothing(network)).traffic(np.zeros(1, dtype=np.int64), demand)
    states = [LinkState(1 + bare.congestion()[0], bare.flows[0], np.zeros(network.n_links))]
    if shown is not None:
        planned = users.traffic(np.array([shown]), demand)
        states.append(LinkState(1 + planned.congestion()[0], planned.flows[0], set_by(menu, shown)))
    most = _end_of_scale([state.ratio - 1 for state in states])
    change = _end_of_scale([np.abs(states[-1].ratio - states[0].ratio)])
    drawn = RoadPanels(undistorted(network), 1 + most, change, _ends(network, menu), _column(menu))
    words = demand_in_words(view, float(demand.sum() / network.demand.sum()))
    note = f"{words} Flows on roads are modelled, not predicted: drivers are in equilibrium, as in simulations."
    return MapRecord("The roads", drawn.of_match(view, states, none=_none(menu)), note)


def set_by(menu: Controls, action: int) -> Vector:
    """What an action sets on links (E,): units of a fleet, a toll, 1 for a closed link, a factor of the capacity."""
    green = np.where(menu.capacity[action] != 1, menu.capacity[action], 0.0)
    closed = (menu.toll[action] > 0) & (menu.prices[action] == 0)
    return np.asarray(menu.fleet[action] + menu.prices[action] + closed + green)


def _column(menu: Controls) -> str:
    """What actions set, as the title of a column."""
    if menu.fleet.any():
        return "of the fleet"
    if menu.prices.any():
        return "toll"
    return "closed" if menu.toll.any() else "times the capacity"


def _none(menu: Controls) -> int | None:
    """The action that sets nothing, if there is one."""
    found = [i for i in range(len(menu.labels)) if not set_by(menu, i).any()]
    return found[0] if found else None


def _ends(network: Network, menu: Controls) -> tuple[int, int] | None:
    """The rows of the nodes between which a fleet drives."""
    used = np.flatnonzero(menu.fleet.any(axis=0))
    if len(used) == 0:
        return None
    begins = set(network.tails[used].tolist()) - set(network.heads[used].tolist())
    ends = set(network.heads[used].tolist()) - set(network.tails[used].tolist())
    return begins.pop(), ends.pop()


def _end_of_scale(sizes: list[Vector]) -> float:
    usual = max(float(np.quantile(each, 1 - FEW)) for each in sizes)
    return next((end for end in ENDS if usual <= end), ENDS[-1])
