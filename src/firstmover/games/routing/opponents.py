"""Road users who see the operator's plan and choose between their two shortest routes, Appendix E; a prior for them."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import expit
from sklearn.gaussian_process.kernels import ConstantKernel

from firstmover.core.arrays import Matrix, Vector, as_array
from firstmover.core.contracts import Game
from firstmover.core.errors import InvalidInput, look_up, unknown_name
from firstmover.games.opponent import Behaviour, Blended, Drift
from firstmover.games.routing.game import Reading
from firstmover.games.routing.network import Network, sioux_falls
from firstmover.games.routing.routes import TieRule, link_incidence, shortest_routes
from firstmover.kernels import additive, on_action, polynomial

KERNEL = ConstantKernel(11.4) * on_action(additive(4, scale=300.0)) + ConstantKernel(0.0635) * polynomial(
    3, bias=1.885, scale=800.0
)
"""Each road contributes the fourth power of its load; demands enter through a polynomial."""

TravelTime = Literal["bpr", "released"]

TRAVEL_TIMES: dict[str, Callable[[Matrix, Vector], Matrix]] = {
    "bpr": lambda load, free_flow: free_flow * (1 + 0.15 * load**4),
    "released": lambda load, free_flow: free_flow * (1 + 0.15 * load) ** 4,
}
"""t_e of the load x[e] / C_e: the Bureau of Public Roads' formula of the text, and that of the authors' program."""

QUICKER = 1e-9
"""Users leave their shortest route only for one that is quicker by more than this fraction of the time."""

_ROUNDS_AT_ONCE = 16  # 0.4 MB of loads for Sioux Falls, which fit into the processor's cache


@dataclass(frozen=True, eq=False)
class RoadUsers:
    """b(x, θ): the average congestion of the links when users respond to the plan x.

    Users of a pair take, of their two shortest routes, the one with the smaller Σ_e t_e(x), where
    t_e(x) = c_e (1 + 0.15 (x[e] / C_e)⁴); equal times keep them on the first. With z = x + u, u their occupancy,
    y = 1/|E| Σ_e c_e(z) and c_e(z) = 0.15 (z[e] / C_e)⁴. With a finite `rationality` λ they choose by logit: of the
    users of a pair, whose routes take T₁ and T₂, a share 1 / (1 + exp(λ (T₂ − T₁))) takes the second (Dial 1971).

    Parameters
    ----------
    network
        Roads and pairs; θ has one entry for each pair, the number of users who travel.
    ties
        The order of equally long routes.
    travel_time
        The users' t_e(x): `bpr`, as above, or `released`, c_e (1 + 0.15 x[e] / C_e)⁴.
    detour_limit
        Second routes must be shorter, in free-flow time, than this many times the first; the authors' program has 3.
    rationality
        λ, per unit of time: 0 splits users equally, infinity sends all to the quicker route.

    >>> from firstmover.games.routing.game import operator_plans
    >>> users, plans = sioux_falls_users(), operator_plans()
    >>> users(plans.occupancy[[0, 31, 35]], users.network.demand / 2).round(3)
    array([[0.705],
           [8.192],
           [1.618]])
    """

    network: Network
    ties: TieRule = "node order"
    travel_time: TravelTime = "bpr"
    detour_limit: float = float("inf")
    rationality: float = float("inf")

    def __post_init__(self) -> None:
        look_up("travel_time", self.travel_time, TRAVEL_TIMES)
        if not self.detour_limit > 1:
            raise InvalidInput(f"detour_limit is {self.detour_limit}: give a number above 1, or infinity.")
        if not self.rationality >= 0:
            raise InvalidInput(f"rationality is {self.rationality}: give 0 or more, or infinity.")
        self.network.refuse_zeros("capacity", "free_flow_time")
        shortest_routes(self.network, self.network.origins[0], self.network.destinations[0], 2, self.ties)  # checks it

    @cached_property
    def _routes(self) -> tuple[Matrix, Matrix]:
        """Incidence (p, E) of each pair's first and second route, equal if there is one; no links if there is none."""
        ends = zip(self.network.origins, self.network.destinations, strict=True)
        found = [shortest_routes(self.network, o, d, 2, self.ties) for o, d in ends]
        first = link_incidence(self.network, [routes[0] if routes else () for routes in found])
        return first, link_incidence(self.network, [routes[-1] if routes else () for routes in found])

    @cached_property
    def _detour(self) -> Matrix:
        """The second route minus the first (p, E); 0 where users have no second route within the limit."""
        (first, second), free_flow = self._routes, self.network.free_flow_time
        kept = second @ free_flow / self.detour_limit < first @ free_flow
        return np.where(kept[:, None], second - first, 0.0)

    @cached_property
    def _stay(self) -> csr_array:
        """The load of each link (E, p) by users on their first route, times θ."""
        return csr_array((self._routes[0] / self.network.capacity).T)

    def __call__(self, actions: Matrix, opponent_type: Vector, /) -> Matrix:
        """b of each plan (k, E) at one demand (p,): (k, 1)."""
        demand = np.asarray(opponent_type, dtype=float)
        if len(actions) == 1 and demand.shape == (self.network.n_pairs,) and demand.min() >= 0:
            rows = np.ascontiguousarray(actions, dtype=np.float64)
            loads = rows / self.network.capacity + _plan_matrix(self, rows.tobytes()) @ demand
        else:
            loads = self._loads(actions, demand[None])[:, :, 0]
        return 0.15 / self.network.n_links * np.sum(loads**2 * loads**2, axis=1, keepdims=True)

    def batch(self, actions: Matrix, opponent_types: Matrix) -> NDArray[np.float64]:
        """b of each plan (k, E) at each of T demands (T, p): (T, k, 1)."""
        opponent_types = np.asarray(opponent_types, dtype=float)
        parts = np.split(opponent_types, range(_ROUNDS_AT_ONCE, len(opponent_types), _ROUNDS_AT_ONCE))
        squares = (np.square(self._loads(actions, part)) for part in parts)
        means = [np.einsum("ket,ket->tk", s, s) * (0.15 / self.network.n_links) for s in squares]
        return np.concatenate(means)[:, :, None]

    def congestion(self, actions: Matrix, opponent_type: Vector) -> Matrix:
        """c_e(z) of each link under each plan (k, E) at one demand (p,): (k, E)."""
        return self.congestion_batch(actions, np.asarray(opponent_type, dtype=float)[None])[0]

    def congestion_batch(self, actions: Matrix, opponent_types: Matrix) -> NDArray[np.float64]:
        """c_e(z) of each link under each plan (k, E) at each of T demands (T, p): (T, k, E)."""
        return 0.15 * np.moveaxis(self._loads(actions, np.asarray(opponent_types, dtype=float)), 2, 0) ** 4

    def detours(self, actions: Matrix) -> Matrix:
        """The share of the users of each pair who leave their shortest route under each plan: (k, p)."""
        actions = as_array("actions", actions, ndim=2)
        if actions.shape[1] != self.network.n_links or (actions < 0).any():
            raise InvalidInput(
                f"actions has shape {actions.shape} and smallest value {actions.min(initial=0)}: "
                f"give plans of {self.network.n_links} links with 0 or more units on each."
            )
        times = TRAVEL_TIMES[self.travel_time](actions / self.network.capacity, self.network.free_flow_time)
        longer = times @ self._detour.T  # T₂ − T₁; 0 where there is no second route
        if np.isinf(self.rationality):
            return (longer < -QUICKER * (times @ self._routes[0].T)).astype(float)
        return expit(-self.rationality * longer) * self._detour.any(axis=1)

    def _loads(self, actions: Matrix, opponent_types: Matrix) -> NDArray[np.float64]:
        """z[e] / C_e of each plan, link and demand: (k, E, T)."""
        if opponent_types.ndim != 2 or opponent_types.shape[1] != self.network.n_pairs:
            raise InvalidInput(
                f"opponent_type has shape {opponent_types.shape[1:]}: give the demand of {self.network.n_pairs} pairs."
            )
        valid = (opponent_types >= 0) & (opponent_types < np.inf)
        if not valid.all():
            raise InvalidInput(
                f"opponent_type has the value {opponent_types[~valid][0]}: demands are finite, 0 or more."
            )
        rows = np.ascontiguousarray(actions, dtype=np.float64)
        moves = _moves(self, rows.tobytes(), rows.shape)
        loads = (moves @ opponent_types.T).reshape(*rows.shape, -1)
        loads += (rows / self.network.capacity)[:, :, None]
        loads += self._stay @ opponent_types.T
        return loads


@lru_cache(maxsize=64)
def _moves(users: RoadUsers, plans: bytes, shape: tuple[int, ...]) -> csr_array:
    """The change of z[e] / C_e of every plan by users who leave their shortest route: (k · E, p), times θ."""
    share = users.detours(np.frombuffer(plans).reshape(shape))
    plan, pair = np.nonzero(share)
    mover, link = np.nonzero(users._detour[pair])
    change = share[plan[mover], pair[mover]] * users._detour[pair[mover], link] / users.network.capacity[link]
    places = (plan[mover] * users.network.n_links + link, pair[mover])
    return csr_array((change, places), shape=(shape[0] * users.network.n_links, users.network.n_pairs))


@lru_cache(maxsize=64)
def _plan_matrix(users: RoadUsers, plan: bytes) -> Matrix:
    """The contribution of the users of each pair to z[e] / C_e of one plan: (E, p), times θ."""
    return _moves(users, plan, (1, users.network.n_links)).toarray() + users._stay.toarray()


def sioux_falls_behaviour(_: Game) -> Behaviour:
    """The users of Sioux Falls, with a new random demand in every round; in a drift it grows from half to all."""
    users = sioux_falls_users()
    full = users.network.demand
    drift = Drift(full / 2, lambda rounds: Blended(users, full / 2, full, rounds))
    return Behaviour(users, 5.0, random_demands(users.network), logit=_logit_behaviour, drift=drift)


def _logit_behaviour(game: Game, rationality: float) -> Behaviour:
    users = RoadUsers(sioux_falls_users().network, rationality=rationality)
    low = certain_reward_range(game, users)[0]
    if game.reward_range is not None and low < game.reward_range[0]:
        raise InvalidInput(
            f"rationality is {rationality:g}: the congestion of such users reaches rewards of {low:.1f}, below the "
            f"reward_range of game {game.name!r}; give 0.3 or more."
        )
    return replace(sioux_falls_behaviour(game), respond=users)


def share_behaviour(_: Game) -> Behaviour:
    """The users of Sioux Falls, with types that are fractions of the largest demand."""
    users = sioux_falls_users()
    return Behaviour(lambda actions, share: users(actions, demand_of(share, users)), noise_std=1.0)


def demand_of(opponent_type: Vector, users: RoadUsers) -> Vector:
    """The demand of every pair (p,): the type itself, or, if it is one number, this fraction of the largest demand."""
    return opponent_type[0] * users.network.demand if len(opponent_type) == 1 else opponent_type


@lru_cache
def sioux_falls_users(reading: Reading = "paper") -> RoadUsers:
    """The users of the paper's game; demands and capacities are those of the data times 0.01."""
    network = sioux_falls().scaled(0.01)
    if reading == "paper":
        return RoadUsers(network)
    if reading == "released":
        return RoadUsers(network.pairs_with_demand(), ties="networkx", travel_time="released", detour_limit=3.0)
    raise unknown_name("reading", reading, get_args(Reading))


def random_demands(network: Network) -> Callable[[np.random.Generator], Vector]:
    """Return a sampler of θ: the demand of each pair times an independent uniform number in [0, 1)."""
    return lambda rng: network.demand * rng.random(network.n_pairs)


def sampled_reward_range(game: Game, users: RoadUsers, pairs: int = 10_000, seed: int = 0) -> tuple[float, float]:
    """The smallest and the largest reward of random pairs of a plan and a demand, as the paper scales rewards.

    About three rounds in a thousand have a plan outside it, so rewards must be clipped to it.
    """
    if pairs < 2:
        raise InvalidInput(f"pairs is {pairs}: draw at least 2.")
    rng = np.random.default_rng(seed)
    plans = rng.integers(game.n_actions, size=pairs)
    demands = users.network.demand * rng.random((pairs, users.network.n_pairs))
    responses = users.batch(game.actions, demands)[np.arange(pairs), plans]
    rewards = game.reward(game.actions[plans], responses)
    return float(rewards.min()), float(rewards.max())


def certain_reward_range(game: Game, users: RoadUsers) -> tuple[float, float]:
    """The smallest and the largest reward that demands between 0 and the network's can cause.

    Routes depend on the plan alone and congestion grows with every demand, so the two ends are full and no demand.
    """
    full = game.reward(game.actions, users(game.actions, users.network.demand))
    empty = game.reward(game.actions, users(game.actions, np.zeros(users.network.n_pairs)))
    return float(full.min()), float(empty.max())
