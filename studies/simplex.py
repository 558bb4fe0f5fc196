"""The whole simplex of the park: what the best mixture of all earns, and what a learner that has no grid earns."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from scipy.optimize import Bounds, differential_evolution

from firstmover.beliefs import ConstantWidth
from firstmover.games.wildlife.game import patrols_game
from firstmover.games.wildlife.opponents import BestCommitment, Poachers, best_commitment
from firstmover.games.wildlife.park import published_park
from firstmover.kernels import polynomial
from firstmover.learners import LEARNERS, Setup
from firstmover.runs.play_tasks import Task
from firstmover.simulation import opponent_for
from firstmover.simulation.intervals import mean_interval
from firstmover.simulation.loop import play_run

WINDOWS = {"rounds_131_150": (131, 150), "rounds_181_200": (181, 200)}
"""Rounds over which rewards are averaged, ends included."""

FRESH_SEEDS = tuple(range(20, 40))
"""Seeds that nothing was chosen on: the learner was tried on seeds 0 to 19."""

ROUNDS = 200


def watching_poachers() -> Poachers:
    """The poachers of the game `patrols`: the program's two densities."""
    return Poachers(published_park(density_scale=1.0), coverage_sign=1, density_factor=10.0)


def reference() -> BestCommitment:
    """The best commitment of all, by equalising what poachers can get."""
    return best_commitment(watching_poachers())


def searched_reference(seed: int = 0, iterations: int = 1000) -> float:
    """The same by differential evolution over logarithms of coverage, which knows of the poachers' answers alone."""
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
    """One run of the learner of commitments."""

    seed: int
    rounds: int = ROUNDS

    @property
    def label(self) -> str:
        """The learner's name in the table."""
        return "commitment"

    def play(self) -> pl.DataFrame:
        """One row a round; `reward` is that of the commitment, r(p_t, y_t), on average over the cell patrolled."""
        game = patrols_game()
        learner = LEARNERS[self.label].build(Setup(game, polynomial(1), 1.0, ConstantWidth(0.0)))
        run = play_run(game, opponent_for("patrols", game, "commitment"), learner, self.rounds, self.seed)
        n = game.n_actions
        each = game.reward(np.tile(game.actions, (self.rounds, 1)), np.repeat(run.true_responses, n, axis=0))
        earned = np.einsum("ij,ij->i", run.strategies, each.reshape(-1, n))
        return pl.DataFrame({"seed": self.seed, "t": np.arange(1, self.rounds + 1), "reward": earned})


def commitment_tasks(seeds: Sequence[int] = FRESH_SEEDS, rounds: int = ROUNDS) -> list[Task]:
    """One run a seed."""
    return [CommitmentTask(seed, rounds) for seed in seeds]


@dataclass(frozen=True)
class SearchTask:
    """The reference optimum beside what the independent search finds."""

    seed: int = 0
    iterations: int = 1000

    @property
    def label(self) -> str:
        """Its name in a store."""
        return "search"

    @property
    def rounds(self) -> int:
        """One row."""
        return 1

    def play(self) -> pl.DataFrame:
        """Search."""
        found = searched_reference(self.seed, self.iterations)
        return pl.DataFrame({"t": [1], "optimum": [reference().reward], "found": [found]})


def summarise_commitments(table: pl.DataFrame) -> dict[str, float]:
    """The mean reward over each window with the half-width of its 95 % interval over seeds, and the worst seed."""
    row: dict[str, float] = {"seeds": table["seed"].n_unique(), "optimum": reference().reward}
    for name, (first, last) in WINDOWS.items():
        means = table.filter(pl.col("t").is_between(first, last)).group_by("seed").agg(pl.mean("reward"))["reward"]
        mean, half_width = mean_interval(means.to_numpy()[:, None])
        row |= {name: float(mean[0]), f"{name}_half_width": float(half_width[0]), f"{name}_worst": float(means.min())}  # type: ignore[arg-type]
    return row
