"""A growing menu under arbitrary orders of types: patrols against poachers from three camps, beside a fixed menu."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import polars as pl
from sklearn.gaussian_process.kernels import ConstantKernel, Matern

from firstmover.beliefs import ChoiceBelief, ConstantWidth
from firstmover.core.arrays import Matrix, Vector
from firstmover.core.choices import ChoiceReward
from firstmover.core.contracts import Game, Learner, TypeSource
from firstmover.core.records import Box
from firstmover.games.wildlife.game import patrol_menu, wildlife_game
from firstmover.games.wildlife.opponents import Poachers
from firstmover.kernels import on_action, on_type
from firstmover.learners import Growing, StackelUCB
from firstmover.runs import Task
from firstmover.runs.task import table_with_regret
from firstmover.simulation import Cyclic, Opponent, RandomTypes
from firstmover.simulation.loop import play_run
from studies.arenas import PARK, POACHERS
from studies.summary import means

ROUNDS = 200

HELD_OUT_SEEDS = tuple(range(100, 105))
"""Seeds of the reported runs; kernel and width were selected on seeds 0 and 1."""

CAMPS = np.array([[0.0, 0.0], [5.0, 0.0], [5.0, 5.0]])
"""The starting points of the three types of poachers: corners of the park."""

WIDTH = ConstantWidth(0.5 / PARK.n_cells)
"""β = 1/(2c) for c cells, as for all choice learners."""

KERNEL = ConstantKernel(1.0) + on_action(Matern(0.3, nu=2.5)) * on_type(Matern(5.0, nu=2.5))

NOISE = 1e-3


@lru_cache(maxsize=4)
def _from_camp(camp: tuple[float, float]) -> Poachers:
    return replace(POACHERS, start=camp)


def attacked_cells(actions: Matrix, camp: Vector) -> Matrix:
    """Return 1 at the cell that poachers from this camp attack, for each patrol (k, 25)."""
    poachers = _from_camp((float(camp[0]), float(camp[1])))
    return np.eye(PARK.n_cells)[PARK.cell_of(poachers(actions, camp))]


def camps_game(actions: Matrix) -> Game:
    """Return the park with a menu of patrols; the response is the attacked cell, and the type is the poachers' camp."""
    park = wildlife_game(PARK, actions)
    places, cells, _ = POACHERS.best_places
    reward = ChoiceReward(park.reward, places[np.argsort(cells)])
    cells_domain = Box(np.zeros(PARK.n_cells), np.ones(PARK.n_cells))
    return Game("camps", actions, reward, cells_domain, park.reward_range, CAMPS)


def first_menu() -> Matrix:
    """Return the initial menu: one patrol per cell, and the uniform one."""
    return np.vstack([np.eye(PARK.n_cells), np.full((1, PARK.n_cells), 1 / PARK.n_cells)])


def _on_525() -> tuple[Game, Learner]:
    game = camps_game(patrol_menu(PARK.n_cells))
    return game, StackelUCB.anytime(game, ChoiceBelief.prior(game.actions, CAMPS, PARK.n_cells), WIDTH)


def _growing() -> tuple[Game, Learner]:
    game = camps_game(first_menu())
    return game, Growing.start(game, KERNEL, NOISE, WIDTH)


LEARNERS: dict[str, Callable[[], tuple[Game, Learner]]] = {"525 patrols": _on_525, "growing from 26": _growing}

ORDERS: dict[str, TypeSource] = {"in turn": Cyclic(CAMPS), "by chance": RandomTypes(CAMPS)}


@dataclass(frozen=True)
class GrowingTask:
    """One run of a learner against camps in one order of arrival."""

    learner: str
    order: str
    seed: int
    rounds: int = ROUNDS

    @property
    def label(self) -> str:
        """Learner and order."""
        return f"{self.learner}, camps {self.order}"

    def play(self) -> pl.DataFrame:
        """Play the run; `best` is the mean reward so far of the best member of its menu in hindsight."""
        game, learner = LEARNERS[self.learner]()
        opponent = Opponent(ORDERS[self.order], attacked_cells)
        run = play_run(game, opponent, learner, self.rounds, self.seed)
        table = table_with_regret(game, opponent, run, self.seed, self.label).select(
            "seed", "t", "reward", "cumulative_regret"
        )
        best = (pl.col("reward").cum_sum() + pl.col("cumulative_regret")) / pl.col("t")
        members = game.n_actions if run.menu is None else len(run.menu)
        return table.with_columns(
            learner=pl.lit(self.learner), order=pl.lit(self.order), best=best, members=pl.lit(members)
        )


def growing_tasks(seeds: Sequence[int] = HELD_OUT_SEEDS, rounds: int = ROUNDS) -> list[Task]:
    """Return both learners against camps in both orders."""
    return [GrowingTask(learner, order, seed, rounds) for order in ORDERS for learner in LEARNERS for seed in seeds]


def summarise_growing(table: pl.DataFrame) -> pl.DataFrame:
    """One row per order and learner: mean reward, that of the last 40 rounds, that of its menu's best, and members."""
    last = pl.col("t") > pl.col("t").max() - 40
    runs = table.group_by("order", "learner", "seed", maintain_order=True).agg(
        reward=pl.col("reward").mean(),
        last_40=pl.col("reward").filter(last).mean(),
        best=pl.col("best").last(),
        members=pl.col("members").last(),
    )
    return means(runs, ["order", "learner"], ["reward", "last_40", "best", "members"])
