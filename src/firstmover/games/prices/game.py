"""Prices for charging stations along a road: post them, and drivers of several segments decide where to charge."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from pydantic import Field

from firstmover.core.arrays import Matrix, Vector, as_array, non_negative, positive
from firstmover.core.contracts import Game
from firstmover.core.documents import Specification
from firstmover.core.errors import InvalidInput
from firstmover.core.linear_bounds import LinearBounds, Plane
from firstmover.core.records import Box, _set
from firstmover.games.rewards import lattice

LEVELS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7)
"""Prices that each station of the built-in game can ask, in euros per kilowatt-hour."""

SEGMENTS = np.array([[0.15, 5.0, 0.8], [0.3, 8.0, 1.0], [0.7, 6.0, 0.6], [0.95, 3.0, 0.4]])
"""Residents, taxis, commuters, travellers: place on the road, price aversion, size (in hundreds)."""


@dataclass(frozen=True, eq=False)
class Stations:
    """The public properties of m stations: places on a road from 0 to 1, qualities, capacities and nests.

    A quality is the utility of charging to a driver at the same place, before the price. Capacities are hundreds of
    drivers per round. Stations of one nest are close substitutes.
    """

    places: Vector
    qualities: Vector
    capacities: Vector
    nests: tuple[int, ...]

    def __post_init__(self) -> None:
        names = ("places", "qualities", "capacities")
        fields = {name: as_array(name, getattr(self, name), ndim=1, length=len(self.nests)) for name in names}
        if not self.nests or sorted(set(self.nests)) != list(range(max(self.nests) + 1)):
            raise InvalidInput(f"nests is {self.nests}: number the groups 0, 1, 2, …, one number per station.")
        if fields["capacities"].min() < 0:
            raise InvalidInput(f"capacities has the value {fields['capacities'].min()}: give 0 or more.")
        _set(self, **fields)

    @cached_property
    def members(self) -> Matrix:
        """1 where a station (m columns) belongs to a nest (one row each)."""
        return (np.arange(max(self.nests) + 1)[:, None] == np.array(self.nests)).astype(float)


def road_stations() -> Stations:
    """The built-in three: two in town, which share a nest, and one on the ring road."""
    return Stations(np.array([0.2, 0.35, 0.8]), np.array([3.0, 2.7, 3.0]), np.array([0.3, 0.25, 0.3]), (0, 0, 1))


@dataclass(frozen=True, eq=False)
class Takings:
    """r(x, y) = Σ_j x_j min(y_j, c_j) − κ (y_j − c_j)⁺: revenue of the drivers served, less a penalty on the others.

    In each y_j it rises up to the capacity and falls beyond, so that the best demand of a box is the one nearest to
    the capacity, and the maximum is exact.
    """

    capacities: Vector
    overload_penalty: float

    def __post_init__(self) -> None:
        _set(self, capacities=as_array("capacities", self.capacities, ndim=1))
        non_negative("overload_penalty", self.overload_penalty)

    def __call__(self, actions: Matrix, responses: Matrix) -> Vector:
        """r of each row."""
        return np.sum(self._each(actions, responses), axis=1)

    def _each(self, actions: Matrix, responses: Matrix) -> Matrix:
        """The takings of each station (k, m)."""
        served = np.minimum(responses, self.capacities)
        return actions * served - self.overload_penalty * (responses - served)

    def best_in_box(self, actions: Matrix, box: Box) -> Vector:
        """Eq. (6): every demand as near to the capacity as the box allows."""
        return self(actions, np.clip(self.capacities, box.lower, box.upper))

    def worst_in_box(self, actions: Matrix, box: Box) -> Vector:
        """The worse end for each demand: r is concave in it."""
        return np.sum(np.minimum(self._each(actions, box.lower), self._each(actions, box.upper)), axis=1)

    def linear_bounds(self, actions: Matrix, box: Box | None) -> LinearBounds | None:
        """Chords of the takings of each station from below, and the parallel lines through their peaks from above.

        Concave takings lie above the chord between the ends of the box, and the distance is largest at the capacity.
        """
        if box is None:
            return None
        low, high = (self._each(actions, end) for end in (box.lower, box.upper))
        width = box.upper - box.lower
        slope = np.divide(high - low, width, out=np.zeros_like(low), where=width > 0)
        chord = low - slope * box.lower
        peak = np.clip(self.capacities, box.lower, box.upper)
        above = self._each(actions, peak) - slope * peak
        return LinearBounds(Plane(above.sum(axis=1), slope), Plane(chord.sum(axis=1), slope))


class PricesParameters(Specification):
    """The penalty for each unit of demand above a station's capacity."""

    overload_penalty: float = Field(default=0.5, ge=0, allow_inf_nan=False)


def prices_game(
    stations: Stations | None = None,
    actions: Matrix | None = None,
    segments: Matrix | None = None,
    overload_penalty: float = 0.5,
) -> Game:
    """Post one of 216 price vectors for three stations; drivers of four segments answer with their demand.

    A response is the demand at each station in hundreds of drivers, between 0 and the largest segment.

    >>> game = prices_game()
    >>> print(game.n_actions, game.n_outputs, np.round(game.reward_range, 3))
    216 3 [-0.325  0.595]
    """
    stations = road_stations() if stations is None else stations
    m = len(stations.nests)
    actions = lattice([np.array(LEVELS)] * m) if actions is None else as_array("actions", actions, ndim=2)
    segments = SEGMENTS if segments is None else as_array("segments", segments, ndim=2)
    if actions.shape[1] != m or len(actions) == 0 or actions.min() < 0:
        raise InvalidInput(
            f"actions has shape {actions.shape} and smallest value {actions.min(initial=0)}: give a price, 0 or more, "
            f"for each of {m} stations."
        )
    if segments.shape[1] != 3 or segments[:, 1:].min() < 0:
        raise InvalidInput(
            "segments has a row that is no (place, price aversion, size): give three, the last two >= 0."
        )
    largest = positive("the largest segment", float(segments[:, 2].max()))
    reward = Takings(stations.capacities, overload_penalty)
    # r is concave in the demand: its minimum is at no demand, or with all drivers of the largest segment at one station
    crowded = [float(reward(actions, np.tile(crowd, (len(actions), 1))).min()) for crowd in largest * np.eye(m)]
    most = float(actions.max()) * min(largest, float(stations.capacities.sum()))
    return Game(
        name="prices",
        actions=actions,
        reward=reward,
        response_domain=Box(np.zeros(m), np.full(m, largest)),
        reward_range=(min(0.0, *crowded), most),
        types=segments,
    )
