"""`python -m studies.cities`: `auto` with drivers in equilibrium on Sioux Falls and on every city that was added.

Instances from 1,000 on are those of the report.
"""

from collections.abc import Sequence
from time import process_time
from typing import Annotated

import numpy as np
import polars as pl
import typer
from joblib import Parallel, delayed

from firstmover.core.numerics import one_thread
from firstmover.core.records import Run
from firstmover.games.routing.cities import cities
from firstmover.games.routing.city_game import BUILT_IN
from firstmover.runs.arena.cities import DEVELOPMENT, REPORT
from firstmover.runs.arena.contestants import AUTO
from firstmover.runs.arena.families import Instance
from firstmover.runs.arena.instances import CITY, instance_of
from firstmover.simulation import true_rewards
from firstmover.simulation.hindsight import regret
from firstmover.simulation.intervals import mean_interval
from firstmover.simulation.loop import play_run
from studies.contestants import EXP3, HEDGE, PAPER, labelled

ROUNDS = 100

LABELS = (AUTO, HEDGE, PAPER, EXP3)


def played(city: str, seed: int, runs: Sequence[int]) -> pl.DataFrame:
    """Return the regret per round of every learner in every run of an instance; runs are paired."""
    rows = []
    with one_thread():
        family = f"{CITY}{city}"
        instance = instance_of(family, seed)
        for label in LABELS:
            learner = labelled(label, family, seed, ROUNDS)
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
        by_learner = {label: part.filter(learner=label).sort("run")["regret"].to_numpy() for label in LABELS}
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
