"""Instances of cities: a fleet between a random pair of nodes, and drivers in equilibrium, by city and seed.

The pair is drawn by its demand; the fleet takes its three shortest routes and has one and a half times the smallest
capacity on them. The trade-off is such that the worst plan costs half of the fleet. Each round brings one of fifty
random demands.
"""

from dataclasses import dataclass, replace

import numpy as np
from sklearn.gaussian_process.kernels import ConstantKernel

from firstmover.core.errors import InvalidInput
from firstmover.games.opponent import Opponent, Tabulated
from firstmover.games.routing.city_game import CityGame, CityParameters, Fleet, game_of, network_of_city
from firstmover.games.routing.network import Network
from firstmover.runs.arena.families import Instance
from firstmover.simulation import RandomTypes

DEVELOPMENT, REPORT = 0, 1_000
"""The seed of the first instance to develop on, and of the first one of the report."""

DEMANDS = 50
"""Random demands of an instance."""

MANY = 5_000
"""Pairs from which on an instance has fewer plans and demands: an equilibrium takes a second."""

NOISE = 0.02
"""The deviation of the noise, relative to the congestion without a fleet and a tenth of what the fleet can add."""


@dataclass(frozen=True, eq=False)
class FleetGame:
    """The game of an instance before the equilibria of its demands are computed, and the deviation of its noise.

    `rng` draws the demands.
    """

    game: CityGame
    words: str
    noise_std: float
    rng: np.random.Generator


def fleet_game(city: str, seed: int) -> FleetGame:
    """Return the game of a city and a seed; its range of rewards is that of no and of the largest demand."""
    network = network_of_city(city)
    rng = np.random.default_rng([seed, 21])
    leader = _leader(network, rng)
    units = 1.5 * _smallest_capacity(network, leader)
    leader = leader.model_copy(update={"units": units})
    parameters = CityParameters(city=city, leader=leader, demand="pairs", trade_off=1.0)
    game = game_of(network, parameters)
    usual = game.users(game.actions, np.array([0.5]))[:, 0]
    added = float(usual.max() - usual[0])
    game = game_of(network, parameters.model_copy(update={"trade_off": 0.5 * units / added}))
    words = f"{city}: {leader.origin} to {leader.destination}"
    return FleetGame(game, words, NOISE * float(usual[0] + 0.1 * added), rng)


def city_instance(city: str, seed: int) -> Instance:
    """Return an instance by the name of the city and a seed."""
    planned = fleet_game(city, seed)
    game, noise = planned.game, planned.noise_std
    network = game.users.network
    count = DEMANDS if _is_small(network) else DEMANDS // 2
    demands = network.demand * planned.rng.random((count, network.n_pairs))
    responses = game.users.batch(game.actions, demands)
    rewards = np.array([game.reward(game.actions, each) for each in responses])
    opponent = Opponent(RandomTypes(demands), Tabulated(game.actions, demands, responses), noise)
    game = replace(game, reward_range=(float(rewards.min()), float(rewards.max())))
    return Instance("roads", seed, planned.words, game, opponent, ConstantKernel(1.0), noise**2)


def _is_small(network: Network) -> bool:
    return network.n_pairs < MANY


def _leader(network: Network, rng: np.random.Generator) -> Fleet:
    """A fleet between the first drawn pair that three routes join."""
    for pair in rng.choice(network.n_pairs, 100, p=network.demand / network.demand.sum()):
        ends = network.nodes[[network.origins[pair], network.destinations[pair]]].tolist()
        fleet = Fleet(kind="fleet", origin=ends[0], destination=ends[1], units=1.0)
        if not _is_small(network):
            fleet = fleet.model_copy(update={"groups": 2, "shares": (0.0, 0.5, 1.0)})
        try:
            fleet.controls(network)
        except InvalidInput:
            continue
        return fleet
    raise InvalidInput("No pair of this city has three routes: give another city.")


def _smallest_capacity(network: Network, leader: Fleet) -> float:
    """Of the links of the fleet's routes whose times rise with the flow."""
    used = leader.controls(network).fleet.any(axis=0) & (network.b > 0) & (network.power > 0)
    return float(network.capacity[used].min())
