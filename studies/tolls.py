"""`python -m studies.tolls`: how close a learner of tolls comes to the best fixed tolls on Sioux Falls, in total time.

An instance asks tolls on three of the ten links that lose most time: nothing, what a user costs the others on average,
or eight times that, which is far too much. Each of 100 days brings a random demand of every pair. Instances from 1,000
on are for the report.
"""

from dataclasses import replace
from typing import Annotated

import numpy as np
import polars as pl
import typer
from joblib import Parallel, delayed
from sklearn.gaussian_process.kernels import ConstantKernel

from firstmover.core.numerics import one_thread
from firstmover.games.opponent import Opponent, Tabulated
from firstmover.games.routing.city_game import BUILT_IN, CityParameters, Tolls, game_of, network_of_city, time_lost
from firstmover.runs.arena.cities import DEVELOPMENT, NOISE, REPORT
from firstmover.runs.arena.contestants import AUTO, automatic
from firstmover.runs.arena.families import Instance
from firstmover.simulation import RandomTypes
from firstmover.simulation.intervals import mean_interval
from firstmover.simulation.loop import play_run

DAYS = 100
BUSIEST, TOLLED = 10, 3
"""The links of which some have tolls, and how many."""

LARGEST = 8.0
"""The largest toll, in what a user costs the others."""


def toll_instance(seed: int) -> Instance:
    """Return an instance by its seed."""
    network, rng = network_of_city(BUILT_IN), np.random.default_rng([seed, 22])
    lost = time_lost(network)
    chosen = np.sort(rng.choice(np.argsort(-lost.total, kind="stable")[:BUSIEST], TOLLED, replace=False))
    level = float(np.mean(lost.external[chosen]))
    ends = tuple((int(network.nodes[network.tails[e]]), int(network.nodes[network.heads[e]])) for e in chosen)
    leader = Tolls(kind="tolls", links=ends, levels=(0.0, level, LARGEST * level))
    game = game_of(network, CityParameters(leader=leader, goal="time", demand="pairs"))
    demands = network.demand * rng.random((DAYS, network.n_pairs))
    responses = game.users.batch(game.actions, demands)
    noise = NOISE * float(responses.mean())
    opponent = Opponent(RandomTypes(demands), Tabulated(game.actions, demands, responses), noise)
    rewards = -responses[:, :, 0]
    game = replace(game, reward_range=(float(rewards.min()), float(rewards.max())))
    words = ", ".join(f"{tail}→{head}" for tail, head in ends)
    return Instance("tolls", seed, words, game, opponent, ConstantKernel(1.0), noise**2)


def played(seed: int, runs: int) -> pl.DataFrame:
    """Return the total time of each run of `auto`, of no toll and of random tolls, in best fixed ones on its days."""
    rows = []
    with one_thread():
        instance = toll_instance(seed)
        learner = automatic(instance)
        for number in range(runs):
            run = play_run(instance.game, instance.opponent, learner, DAYS, number)
            respond, actions = instance.opponent.respond, instance.game.actions
            totals = np.array([respond(actions, day)[:, 0] * day.sum() for day in run.opponent_types])
            best = totals.sum(axis=0).min()
            earned = totals[np.arange(DAYS), run.actions].sum()
            rows.append(
                (instance.words, number, earned / best, totals[:, 0].sum() / best, totals.mean(axis=1).sum() / best)
            )
    return pl.DataFrame(rows, ["tolls on", "run", AUTO, "no toll", "random tolls"], orient="row")


def table_of(runs: pl.DataFrame) -> str:
    """A row for each instance: total times, with the 95 % interval of `auto` over runs, and its worst run."""
    lines = ["| tolls on | auto | worst run | no toll | random tolls |", "|---|---:|---:|---:|---:|"]
    for (words,), part in runs.group_by("tolls on", maintain_order=True):
        ratios = part.select(AUTO, "no toll", "random tolls").to_numpy()
        mean, half = mean_interval(ratios)
        cells = (f"{mean[0]:.4f} ± {half[0]:.4f}", f"{ratios[:, 0].max():.4f}", f"{mean[1]:.4f}", f"{mean[2]:.4f}")
        lines.append(f"| {words} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def main(
    instances: Annotated[int, typer.Option(help="Instances.")] = 5,
    runs: Annotated[int, typer.Option(help="Runs of each.")] = 20,
    develop: Annotated[bool, typer.Option("--develop", help="Play development instances.")] = False,
    jobs: Annotated[int, typer.Option(help="Processes.")] = 2,
) -> None:
    """Print total times of all trips over 100 days, relative to the best fixed tolls in hindsight."""
    first = DEVELOPMENT if develop else REPORT
    parts = Parallel(jobs)(delayed(played)(first + i, runs) for i in range(instances))
    typer.echo(table_of(pl.concat(parts)))


if __name__ == "__main__":
    typer.run(main)
