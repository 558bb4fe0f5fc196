"""`python -m studies.cities`: `auto` with drivers in equilibrium on Sioux Falls and on every city that was added.

An instance sends a fleet between a random pair of a city, drawn by its demand, over its three shortest routes; the
fleet has one and a half times the smallest capacity on them, and the trade-off is such that the worst plan costs half
of it. Each round brings one of fifty random demands. Instances from 1,000 on are kept for the report.
"""

from collections.abc import Sequence
from dataclasses import replace
from time import process_time
from typing import Annotated

import numpy as np
import polars as pl
import typer
from joblib import Parallel, delayed
from sklearn.gaussian_process.kernels import ConstantKernel

from firstmover.beliefs import ConstantWidth
from firstmover.core.contracts import Learner
from firstmover.core.errors import InvalidInput
from firstmover.core.numerics import one_thread
from firstmover.core.records import Run
from firstmover.games.opponent import Opponent, Tabulated
from firstmover.games.routing.cities import cities
from firstmover.games.routing.city_game import BUILT_IN, CityParameters, Fleet, game_of, network_of_city
from firstmover.games.routing.network import Network
from firstmover.learners import LEARNERS, Setup
from firstmover.simulation import RandomTypes, true_rewards
from firstmover.simulation.hindsight import regret
from firstmover.simulation.intervals import mean_interval
from firstmover.simulation.loop import play_run
from studies.contestants import AUTO, EXP3, HEDGE, PAPER, automatic, fitted_to
from studies.families import Instance

DEVELOPMENT, REPORT = 0, 1_000
"""The number of the first instance."""

ROUNDS, DEMANDS = 100, 50
"""Rounds of a run, and random demands of an instance, of which each round brings one."""

MANY = 5_000
"""Pairs from which on an instance has fewer plans and demands: an equilibrium takes a second."""

NOISE = 0.02
"""The deviation of the noise, relative to the congestion without a fleet and a tenth of what the fleet can add."""


def city_instance(city: str, seed: int) -> Instance:
    """Return an instance by the name of the city and a seed."""
    network = network_of_city(city)
    rng = np.random.default_rng([seed, 21])
    small = network.n_pairs < MANY
    leader = _leader(network, rng, small)
    units = 1.5 * _smallest_capacity(network, leader)
    leader = leader.model_copy(update={"units": units})
    parameters = CityParameters(city=city, leader=leader, demand="pairs", trade_off=1.0)
    game = game_of(network, parameters)
    usual = game.users(game.actions, np.array([0.5]))[:, 0]
    added = float(usual.max() - usual[0])
    game = game_of(network, parameters.model_copy(update={"trade_off": 0.5 * units / added}))
    demands = network.demand * rng.random((DEMANDS if small else DEMANDS // 2, network.n_pairs))
    responses = game.users.batch(game.actions, demands)
    respond = Tabulated(game.actions, demands, responses)
    rewards = np.array([game.reward(game.actions, each) for each in responses])
    noise = NOISE * float(usual[0] + 0.1 * added)
    opponent = Opponent(RandomTypes(demands), respond, noise)
    words = f"{city}: {leader.origin} to {leader.destination}"
    game = replace(game, reward_range=(float(rewards.min()), float(rewards.max())))
    return Instance("roads", seed, words, game, opponent, ConstantKernel(1.0), noise**2)


def _leader(network: Network, rng: np.random.Generator, small: bool) -> Fleet:
    """A fleet between the first drawn pair that three routes join."""
    for pair in rng.choice(network.n_pairs, 100, p=network.demand / network.demand.sum()):
        ends = network.nodes[[network.origins[pair], network.destinations[pair]]].tolist()
        fleet = Fleet(kind="fleet", origin=ends[0], destination=ends[1], units=1.0)
        if not small:
            fleet = fleet.model_copy(update={"groups": 2, "shares": (0.0, 0.5, 1.0)})
        try:
            fleet.controls(network)
        except InvalidInput:
            continue
        return fleet
    raise InvalidInput("No pair of this city has three routes.")


def _smallest_capacity(network: Network, leader: Fleet) -> float:
    """Of the links of the fleet's routes whose times rise with the flow."""
    used = leader.controls(network).fleet.any(axis=0) & (network.b > 0) & (network.power > 0)
    return float(network.capacity[used].min())


def learner_of(label: str, instance: Instance) -> Learner:
    """Return a learner by its label; that of the paper assumes a kernel fitted to rounds played beforehand."""
    if label == AUTO:
        return automatic(instance)
    kernel = fitted_to(instance) if label == PAPER else instance.kernel
    rewards = true_rewards(instance.game, instance.opponent.respond)
    names = {PAPER: "stackelucb", HEDGE: "hedge", EXP3: "exp3"}
    width = ConstantWidth(0.5)
    setup = Setup(instance.game, kernel, instance.noise_variance, width, "fixed-rate", ROUNDS, true_rewards=rewards)
    return LEARNERS[names[label]].build(setup)


def played(city: str, seed: int, runs: Sequence[int]) -> pl.DataFrame:
    """Return the regret per round of every learner in every run of an instance; runs are paired."""
    rows = []
    with one_thread():
        instance = city_instance(city, seed)
        for label in (AUTO, HEDGE, PAPER, EXP3):
            learner = learner_of(label, instance)
            for run in runs:
                start = process_time()
                found = play_run(instance.game, instance.opponent, learner, ROUNDS, run)
                spent = process_time() - start
                lost = _regret(instance, found)
                rows.append((city, instance.words, seed, label, run, lost, spent))
    return pl.DataFrame(rows, ["city", "instance", "seed", "learner", "run", "regret", "seconds"], orient="row")


def _regret(instance: Instance, run: Run) -> float:
    """Regret per round, in shares of the range of rewards."""
    assert instance.game.reward_range is not None
    low, high = instance.game.reward_range
    whole = regret(run, true_rewards(instance.game, instance.opponent.respond)).cumulative[-1]
    return float(whole) / len(run.actions) / (high - low)


def table_of(runs: pl.DataFrame) -> str:
    """A row for each instance: regrets, and differences to `auto` with 95 % intervals over paired runs."""
    lines = ["| instance | auto | Hedge − auto | StackelUCB − auto | Exp3 − auto |", "|---|---:|---:|---:|---:|"]
    for _, part in runs.group_by("city", "seed", maintain_order=True):
        by_learner = {
            label: part.filter(learner=label).sort("run")["regret"].to_numpy() for label in (AUTO, HEDGE, PAPER, EXP3)
        }
        mean, half = mean_interval(100 * np.column_stack(list(by_learner.values())))
        cells = [f"{mean[0]:.2f} ± {half[0]:.2f}"]
        for label in (HEDGE, PAPER, EXP3):
            (difference,), (width,) = mean_interval(100 * (by_learner[label] - by_learner[AUTO])[:, None])
            cells.append(f"{difference:.2f} ± {width:.2f}{'' if difference > width else ' *'}")
        lines.append(f"| {part['instance'][0]} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(
    city: Annotated[list[str] | None, typer.Option(help="A city, repeatable.", show_default="all")] = None,
    instances: Annotated[int, typer.Option(help="Instances of each city.")] = 5,
    runs: Annotated[int, typer.Option(help="Paired runs of each learner.")] = 20,
    develop: Annotated[bool, typer.Option("--develop", help="Play development instances.")] = False,
    jobs: Annotated[int, typer.Option(help="Processes.")] = 2,
) -> None:
    """Print regrets per round, in percent of the range of rewards; a star marks where `auto` is not ahead."""
    first = DEVELOPMENT if develop else REPORT
    work = [(name, first + i) for name in city or [BUILT_IN, *cities()] for i in range(instances)]
    parts = Parallel(jobs, return_as="generator")(delayed(played)(*each, range(runs)) for each in work)
    everything = []
    for part in parts:
        everything.append(part)
        typer.echo(table_of(part).splitlines()[-1], err=True)
    typer.echo(table_of(pl.concat(everything)))


if __name__ == "__main__":
    typer.run(main)
