"""Customers who see the prices and choose a station or none by a nested logit; a prior for them."""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import logsumexp

from firstmover.core.arrays import Matrix, Vector, as_array, non_negative
from firstmover.core.contracts import Game
from firstmover.core.errors import InvalidInput
from firstmover.games.opponent import Behaviour
from firstmover.games.prices.game import Stations, road_stations
from firstmover.kernels import demand

KERNEL = demand(length_scale=4.13, place_scale=0.671, variance=0.202)


@dataclass(frozen=True, eq=False)
class Customers:
    """b(x, θ)_j = N P(j): the expected demand of a segment θ = (w, α, N) at station j, given all prices x.

    V_j = q_j − τ |s_j − w| − α x_j,   I_g = μ log Σ_{k in g} exp(V_k / μ),
    P(j) = exp(V_j / μ) / exp(I_g / μ) · exp(I_g) / (1 + Σ_h exp(I_h)),   g the nest of j (McFadden 1978);
    staying away has utility 0.

    Parameters
    ----------
    stations
        Their places s, qualities q and nests.
    travel_cost
        τ, the disutility of a distance of 1.
    dissimilarity
        μ in (0, 1]: 1 is the plain logit; near 0, drivers take the best station of a nest.
    """

    stations: Stations
    travel_cost: float = 2.0
    dissimilarity: float = 0.7

    def __post_init__(self) -> None:
        non_negative("travel_cost", self.travel_cost)
        if not 0 < self.dissimilarity <= 1:
            raise InvalidInput(f"dissimilarity is {self.dissimilarity}: give a number above 0, and at most 1.")

    def __call__(self, actions: Matrix, opponent_type: Vector, /) -> Matrix:
        """Demand (k, m) at each vector of prices (k, m)."""
        place, aversion, size = as_array("opponent_type", opponent_type, ndim=1, length=3)
        at, actions = self.stations, as_array("actions", actions, ndim=2)
        if actions.shape[1] != len(at.nests):
            raise InvalidInput(f"actions has {actions.shape[1]} column(s): give a price for each of {len(at.nests)}.")
        utility = at.qualities - self.travel_cost * np.abs(at.places - place) - aversion * actions
        scaled = utility / self.dissimilarity
        of_nest = logsumexp(scaled[:, None, :], b=at.members, axis=2)  # I_g / μ
        inclusive = self.dissimilarity * of_nest
        nest = inclusive - np.logaddexp(0.0, logsumexp(inclusive, axis=1, keepdims=True))
        return size * np.exp(scaled + (nest - of_nest)[:, list(at.nests)])


def station_behaviour(_: Game) -> Behaviour:
    """Customers of the built-in stations."""
    return Behaviour(Customers(road_stations()), noise_std=0.02)


def steady_behaviour(game: Game) -> Behaviour:
    """The same customers on days that hardly differ: what is learnt shows within 60 rounds."""
    return replace(station_behaviour(game), noise_std=0.005)
