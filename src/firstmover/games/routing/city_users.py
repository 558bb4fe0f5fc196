"""Road users in equilibrium, given what the leader does: the responses of a city."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.errors import InvalidInput
from firstmover.games.routing.controls import Controls
from firstmover.games.routing.equilibrium import GAP, equilibria
from firstmover.games.routing.link_times import LinkTimes
from firstmover.games.routing.logit_equilibrium import logit_equilibria
from firstmover.games.routing.network import Indices, Network
from firstmover.games.routing.route_set import RouteSet

AT_ONCE = 500
"""Equilibria that are solved together."""

Measured = Literal["congestion", "time", "emissions"]
"""What the whole network is measured by."""


@dataclass(frozen=True, eq=False)
class Traffic:
    """The state of the links in B instances (B, E): flows of users, of all vehicles, and times without tolls.

    `trips` (B,) are the users who travel.
    """

    users: Matrix
    flows: Matrix
    times: Matrix
    trips: Vector
    network: Network

    def congestion(self) -> Matrix:
        """t_e / c_e − 1 of each link; 0 where c_e = 0."""
        free = self.network.free_flow_time
        return np.where(free > 0, self.times / np.where(free > 0, free, 1.0) - 1, 0.0)

    def mean_congestion(self) -> Vector:
        """The mean of the congestion over all links, as in the paper."""
        return np.asarray(self.congestion().mean(axis=1))

    def mean_time(self) -> Vector:
        """The time of a trip of a user, on average."""
        return np.asarray(np.sum(self.users * self.times, axis=1) / np.maximum(self.trips, 1e-12))

    def mean_emissions(self, length_in_km: float) -> Vector:
        """Grams of carbon monoxide of a user's trip, on average: 0.2038 t exp(0.7962 l / t) on a link of l km.

        The formula of TRANSYT-7F (Wallace et al. 1998), with t in minutes, as Yin and Lawphongpanich (2006) use it.
        """
        minutes = np.where(self.times > 0, self.times, 1.0)
        grams = np.where(
            self.times > 0, 0.2038 * minutes * np.exp(0.7962 * length_in_km * self.network.length / minutes), 0.0
        )
        return np.asarray(np.sum(self.users * grams, axis=1) / np.maximum(self.trips, 1e-12))


@dataclass(frozen=True, eq=False)
class CityUsers:
    """b(x, θ): what is observed when users are in equilibrium, given the leader's action.

    θ is the demand of each pair (p,), or one number: this fraction of the largest demand. First comes the measure of
    the whole network, if there is one; then the congestion of links with detectors, or of districts of them; then the
    flows of users on links that have a toll.

    Parameters
    ----------
    network, controls
        The roads, and the menu of the leader.
    measured
        The measure of the whole network; None if only detectors are observed.
    detectors
        The district of each link (E,), from 0; −1 where nothing is observed.
    tolled
        Links whose flows are observed.
    gap
        The relative gap of the equilibria.
    rationality
        λ, per unit of time: with a finite one, users choose among routes by logit. The routes are those of the user
        equilibria of each action at a half and at all of the largest demand.
    length_in_km
        Kilometres of a unit of length, for emissions.
    """

    network: Network
    controls: Controls
    measured: Measured | None = "congestion"
    detectors: Indices | None = None
    tolled: Indices = field(default_factory=lambda: np.empty(0, dtype=np.int64))
    gap: float = GAP
    rationality: float = float("inf")
    length_in_km: float = 1.0

    def __post_init__(self) -> None:
        if not self.rationality > 0:
            raise InvalidInput(f"rationality is {self.rationality}: give a number above 0, or infinity.")

    @cached_property
    def _routes(self) -> RouteSet:
        rows = np.tile(np.arange(len(self.controls.labels)), 2)
        share = np.repeat([0.5, 1.0], len(self.controls.labels))
        demands = share[:, None] * self.network.demand
        return equilibria(self.network, demands, self._times(rows), self.controls.fleet[rows]).routes

    def _times(self, rows: Indices) -> LinkTimes:
        capacity = self.network.capacity[:, None] * self.controls.capacity[rows].T
        return LinkTimes.of(self.network, self.controls.toll[rows].T, capacity)

    @property
    def n_outputs(self) -> int:
        """The number of observations."""
        districts = 0 if self.detectors is None else int(self.detectors.max()) + 1
        return (self.measured is not None) + districts + len(self.tolled)

    def __call__(self, actions: Matrix, opponent_type: Vector, /) -> Matrix:
        """b of some actions (k, d) at one demand: (k, m); that of all is kept for a few demands."""
        rows = self.controls.rows(actions)
        return _whole_menu(self, np.ascontiguousarray(opponent_type, dtype=np.float64).tobytes())[rows]

    def batch(self, actions: Matrix, opponent_types: Matrix) -> NDArray[np.float64]:
        """b of some actions (k, d) at T demands: (T, k, m)."""
        rows, demands = self.controls.rows(actions), self.demands(opponent_types)
        row, time = np.tile(rows, len(demands)), np.repeat(np.arange(len(demands)), len(rows))
        parts = range(0, len(row), AT_ONCE)
        found = [self._observed(self.traffic(row[i : i + AT_ONCE], demands[time[i : i + AT_ONCE]])) for i in parts]
        return np.concatenate(found).reshape(len(demands), len(rows), self.n_outputs)

    def demands(self, opponent_types: Matrix) -> Matrix:
        """The demand of every pair (T, p) of types, which are demands or fractions of the largest one."""
        types = np.asarray(opponent_types, dtype=float)
        if types.shape[1] not in (1, self.network.n_pairs) or not (np.isfinite(types) & (types >= 0)).all():
            raise InvalidInput(
                f"opponent_type has {types.shape[1]} number(s) from {types.min():g} to {types.max():g}: give the "
                f"demand of each of {self.network.n_pairs} pairs, or a fraction of the largest demand, 0 or more."
            )
        return types * self.network.demand if types.shape[1] == 1 else types

    def traffic(self, rows: Indices, demands: Matrix) -> Traffic:
        """The equilibria of actions by number (B,) at demands (B, p)."""
        times, fleet = self._times(rows), self.controls.fleet[rows]
        if np.isinf(self.rationality):
            users = equilibria(self.network, demands, times, fleet, self.gap).flows
        else:
            users = logit_equilibria(self._routes, demands, times, fleet, self.rationality)
        flows = fleet + users
        spent = times(flows.T)[0].T - self.controls.toll[rows]
        return Traffic(users, flows, spent, demands.sum(axis=1), self.network)

    def _observed(self, traffic: Traffic) -> Matrix:
        measures: dict[str, Callable[[], Vector]] = {
            "congestion": traffic.mean_congestion,
            "time": traffic.mean_time,
            "emissions": lambda: traffic.mean_emissions(self.length_in_km),
        }
        parts = [] if self.measured is None else [measures[self.measured]()[:, None]]
        if self.detectors is not None:
            districts = self.detectors[None] == np.arange(self.detectors.max() + 1)[:, None]
            parts.append(traffic.congestion() @ (districts / districts.sum(axis=1, keepdims=True)).T)
        return np.hstack([*parts, traffic.users[:, self.tolled]])


@lru_cache(maxsize=64)
def _whole_menu(users: CityUsers, opponent_type: bytes) -> Matrix:
    """b of every action (n, m)."""
    return np.asarray(users.batch(users.controls.features, np.frombuffer(opponent_type)[None])[0])
