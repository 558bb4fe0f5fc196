"""The whole simplex of the park: the reward of the best mixture, and that of a learner without a grid."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from scipy.optimize import Bounds, differential_evolution

from firstmover.beliefs import ConstantWidth
from firstmover.games.wildlife.game import patrols_game
from firstmover.games.wildlife.opponents import Poachers
from firstmover.games.wildlife.park import published_park
from firstmover.kernels import polynomial
from firstmover.learners import LEARNERS, Setup
from firstmover.runs import Task
from firstmover.simulation import opponent_for
from firstmover.simulation.intervals import mean_interval
from firstmover.simulation.loop import play_run
from studies.best_commitment import BestCommitment, best_commitment

WINDOWS = {"rounds_131_150": (131, 150), "rounds_181_200": (181, 200)}
"""Rounds over which rewards are averaged, ends included."""

HELD_OUT_SEEDS = tuple(range(20, 40))
"""Seeds of the reported runs; the learner was developed on seeds 0 to 19."""

ROUNDS = 200


def watching_poachers() -> Poachers:
    """Return the poachers of the game `patrols`, with the two densities of the released program."""
    return Poachers(published_park(density_scale=1.0), coverage_sign=1, density_factor=10.0)


def reference() -> BestCommitment:
    """Return the best commitment, found by equalising the poachers' payoffs."""
    return best_commitment(watching_poachers())


def searched_reference(seed: int = 0, iterations: int = 1000) -> float:
    """Return the reward of the best commitment that differential evolution finds from the poachers' responses alone."""
    poachers, theta = watching_poachers(), np.zeros(0)

    def lost(logs: Any, /) -> Any:
        weights = np.exp(logs - logs.max(axis=0)).T
        x = weights / weights.sum(axis=1, keepdims=True)
        y = poachers(x, theta)
        covered = x[np.arange(len(x)), poachers.park.cell_of(y)]
        return -(covered - (1 - covered) * poachers.park.density(y))

    found = differential_evolution(
        lost,
        Bounds(np.full(poachers.park.n_cells, -6.0), np.zeros(poachers.park.n_cells)),
        rng=seed,
        popsize=20,
        maxiter=iterations,
        tol=0.0,
        polish=False,
        vectorized=True,
        updating="deferred",
    )
    return -float(found.fun)


@dataclass(frozen=True)
class CommitmentTask:
    """One run of the learner `commitment`."""

    seed: int
    rounds: int = ROUNDS

    @property
    def label(self) -> str:
        """The learner's name in the table."""
        return "commitment"

    def play(self) -> pl.DataFrame:
        """Play the run: one row per round; `reward` is r(p_t, y_t), the mean over the patrolled cell."""
        game = patrols_game()
        learner = LEARNERS[self.label].build(Setup(game, polynomial(1), 1.0, ConstantWidth(0.0)))
        run = play_run(game, opponent_for("patrols", game, "commitment"), learner, self.rounds, self.seed)
        n = game.n_actions
        each = game.reward(np.tile(game.actions, (self.rounds, 1)), np.repeat(run.true_responses, n, axis=0))
        earned = np.einsum("ij,ij->i", run.strategies, each.reshape(-1, n))
        return pl.DataFrame({"seed": self.seed, "t": np.arange(1, self.rounds + 1), "reward": earned})


def commitment_tasks(seeds: Sequence[int] = HELD_OUT_SEEDS, rounds: int = ROUNDS) -> list[Task]:
    """Return one run per seed."""
    return [CommitmentTask(seed, rounds) for seed in seeds]


@dataclass(frozen=True)
class SearchTask:
    """The reference optimum and the result of the independent search."""

    seed: int = 0
    iterations: int = 1000

    @property
    def label(self) -> str:
        """The name in a store."""
        return "search"

    @property
    def rounds(self) -> int:
        """The number of rows of the table."""
        return 1

    def play(self) -> pl.DataFrame:
        """Search: one row with both rewards."""
        found = searched_reference(self.seed, self.iterations)
        return pl.DataFrame({"t": [1], "optimum": [reference().reward], "found": [found]})


def summarise_commitments(table: pl.DataFrame) -> dict[str, float]:
    """Return the mean reward over each window, the half-width of its 95 % interval over seeds, and the worst seed."""
    row: dict[str, float] = {"seeds": table["seed"].n_unique(), "optimum": reference().reward}
    for name, (first, last) in WINDOWS.items():
        means = table.filter(pl.col("t").is_between(first, last)).group_by("seed").agg(pl.mean("reward"))["reward"]
        mean, half_width = mean_interval(means.to_numpy())
        row |= {name: float(mean), f"{name}_half_width": float(half_width), f"{name}_worst": float(means.min())}  # type: ignore[arg-type]
    return row
