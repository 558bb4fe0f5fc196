"""Arenas of the rationality study: a park, a finite game and roads, whose opponents choose at random."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.choices import ChoiceReward
from firstmover.core.contracts import Game, ResponseFunction
from firstmover.core.records import Box
from firstmover.games.choice_rules import ChoiceRule, Choosing, logit
from firstmover.games.routing.game import Plans, operator_plans
from firstmover.games.routing.opponents import TRAVEL_TIMES, sioux_falls_users
from firstmover.games.routing.routes import link_incidence, shortest_routes
from firstmover.games.stackelberg.bimatrix import BimatrixGame
from firstmover.games.wildlife.game import wildlife_game
from firstmover.games.wildlife.opponents import Poachers
from firstmover.games.wildlife.park import published_park
from studies.choice_rules import Population, best, epsilon_best, satisficing

PARK = published_park(density_scale=1.0)
POACHERS = Poachers(PARK, coverage_sign=1, density_factor=10.0)
"""The poachers of the released program; against best responses, the best of 525 patrols earns 0.050."""

TYPE = np.zeros(1)

UNITS = 300.0
"""The largest number of units that the operator of the roads sends."""

GRID_RADIUS = 0.2
"""The radius of the finite game's grid: 286 mixed strategies of four actions."""


@dataclass(frozen=True, eq=False)
class Arena:
    """A game whose response is a choice, and its opponents from best responses to nearly random choices.

    `reward_variance` and `reward_noise` are for GP-UCB: the variances of rewards over actions and over choices.
    """

    game: Game
    behaviours: dict[str, ResponseFunction]
    reward_variance: float
    reward_noise: float


def _behaviours(utility: Callable[[Matrix, Vector], Matrix]) -> dict[str, ResponseFunction]:
    rules: dict[str, ChoiceRule] = {
        "best response": best,
        "logit 100": logit(100.0),
        "logit 30": logit(30.0),
        "logit 10": logit(10.0),
        "epsilon 0.2": epsilon_best(0.2),
        "satisficing 0.05": satisficing(0.05),
    }
    kinds = {name: Choosing(utility, rule) for name, rule in rules.items()}
    mixed = [kinds[name] for name in ("best response", "logit 10", "epsilon 0.2", "satisficing 0.05")]
    return {**kinds, "population": Population(mixed, np.full(4, 0.25))}


def _suqr(actions: Matrix, _: Vector) -> Matrix:
    """SUQR with the weights of Nguyen et al. (2013): −9.85 x + 0.37 R + 0.15 P, R from 1 to 10 and P = −1."""
    _, cells, value = POACHERS.best_places
    gain = 1 + 9 * (value - value.min()) / (value.max() - value.min())
    return -9.85 * actions[:, cells] + 0.37 * gain - 0.15


def _choice_game(name: str, actions: Matrix, reward: ChoiceReward) -> Game:
    places, earned = len(reward.locations), reward.coefficients(actions)
    extremes = float(earned.min()), float(earned.max())
    return Game(name, actions, reward, Box(np.zeros(places), np.ones(places)), extremes, TYPE[None])


@lru_cache(maxsize=1)
def park_arena() -> Arena:
    """Return the park with 525 patrols; the response has the probabilities of the 25 cells, at the best place of each.

    Utilities differ by about 1 between cells. With a kernel of the scale of the rewards GP-UCB would not explore.
    """
    park = wildlife_game(PARK)
    game = _choice_game("park of choices", park.actions, ChoiceReward(park.reward, POACHERS.best_places[0]))
    behaviours = _behaviours(lambda actions, _: POACHERS.subjective(actions))
    return Arena(game, {**behaviours, "SUQR": Choosing(_suqr, logit(1.0))}, 0.05, 0.0025)


@lru_cache(maxsize=1)
def bimatrix_arena() -> Arena:
    """Return a game with payoffs uniform on [0, 1] for four leader and six follower actions.

    The best commitment mixes three of the four actions; the variance of leader payoffs is 1/12.
    """
    leader, follower = np.random.default_rng(4).random((2, 4, 6))
    menu = BimatrixGame(leader, follower[None]).stackelberg().on_grid(GRID_RADIUS)
    game = _choice_game("bimatrix of choices", menu.actions, ChoiceReward(menu.reward, np.eye(6)))
    return Arena(game, _behaviours(lambda actions, _: actions @ follower), 1 / 12, 1 / 12)


@dataclass(frozen=True, eq=False)
class RouteReward:
    """r(x, i) = g(x) − κ y: units that arrive, less the average congestion when the users of one pair take route i.

    `plans` has the units of each plan x on the links; a response is the number of the route, 0 or 1.
    """

    plans: Plans
    capacity: Vector
    loads: Matrix

    def __call__(self, actions: Matrix, responses: Matrix) -> Vector:
        """Return r of each row."""
        loads = UNITS * actions / self.capacity + self.loads[responses[:, 0].astype(int)]
        return UNITS * actions @ self.plans.arrivals - 10.0 * np.mean(0.15 * loads**4, axis=1)

    def best_in_box(self, actions: Matrix, _: Box) -> Vector:
        """Return the reward of the better route."""
        return np.maximum(*(self(actions, np.full((len(actions), 1), route)) for route in (0.0, 1.0)))

    def worst_in_box(self, actions: Matrix, _: Box) -> Vector:
        """Return the reward of the worse route."""
        return np.minimum(*(self(actions, np.full((len(actions), 1), route)) for route in (0.0, 1.0)))


@lru_cache(maxsize=1)
def roads_arena() -> Arena:
    """Return Sioux Falls, where the users from node 10 to node 16 choose between their two routes.

    No other pair is affected more by the plans. Actions are the shares of 300 units on each link; all other pairs have
    half of their demand and the routes of empty roads. Utilities are minus the travel times; those of the two routes
    differ by 0.1 in the median. GP-UCB has a prior of the scale of the units sent: with a smaller one it would not
    explore.
    """
    users, plans = sioux_falls_users(), operator_plans()
    network = users.network
    ends = network.row(10), network.row(16)
    pair = (network.origins == ends[0]) & (network.destinations == ends[1])
    others = np.where(pair, 0.0, network.demand / 2)
    empty = np.zeros((1, network.n_links))
    base = (users.congestion(empty, others)[0] / 0.15) ** 0.25
    routes = link_incidence(network, shortest_routes(network, *ends, 2))
    times = TRAVEL_TIMES["bpr"](plans.occupancy / network.capacity, network.free_flow_time) @ routes.T
    unit = 10 * float(np.median(np.abs(times[:, 1] - times[:, 0])))

    def utility(actions: Matrix, _: Vector) -> Matrix:
        slow = TRAVEL_TIMES["bpr"](UNITS * actions / network.capacity, network.free_flow_time)
        return -(slow @ routes.T) / unit

    reward = RouteReward(plans, network.capacity, base + network.demand[pair] * routes / network.capacity)
    game = _choice_game("roads of choices", plans.occupancy / UNITS, ChoiceReward(reward, np.array([[0.0], [1.0]])))
    return Arena(game, _behaviours(utility), 300.0**2, 10.0**2)


ARENAS: dict[str, Callable[[], Arena]] = {"park": park_arena, "bimatrix": bimatrix_arena, "roads": roads_arena}
