"""A menu that grows while types come in any order: patrols against poachers of three camps, beside a given menu."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
import polars as pl
from sklearn.gaussian_process.kernels import ConstantKernel, Matern

from firstmover.beliefs import ChoiceBelief, ConstantWidth
from firstmover.core.choices import ChoiceReward
from firstmover.core.contracts import Game, Learner, TypeSource
from firstmover.core.records import Box, Matrix, Vector
from firstmover.games.wildlife.game import patrol_menu, wildlife_game
from firstmover.games.wildlife.opponents import Poachers
from firstmover.kernels import on_action, on_type
from firstmover.learners import Growing, StackelUCB
from firstmover.runs.play_tasks import Task, judged_table
from firstmover.simulation import Cyclic, Opponent, RandomTypes
from firstmover.simulation.intervals import mean_interval
from firstmover.simulation.loop import play_run
from studies.arenas import PARK, POACHERS

ROUNDS = 200

FRESH_SEEDS = tuple(range(100, 105))
"""Seeds that nothing was chosen on: kernel and width were tried on seeds 0 and 1."""

CAMPS = np.array([[0.0, 0.0], [5.0, 0.0], [5.0, 5.0]])
"""Where poachers of each type set out: three corners of the park."""

WIDTH = ConstantWidth(0.5 / PARK.n_cells)
"""β = 1/(2c), as of all learners of choices."""

KERNEL = ConstantKernel(1.0) + on_action(Matern(0.3, nu=2.5)) * on_type(Matern(5.0, nu=2.5))

NOISE = 1e-3


@lru_cache(maxsize=4)
def _from_camp(camp: tuple[float, float]) -> Poachers:
    return replace(POACHERS, start=camp)


def cells_struck(actions: Matrix, camp: Vector) -> Matrix:
    """1 at the cell that poachers from this camp strike, for each patrol (k, 25)."""
    poachers = _from_camp((float(camp[0]), float(camp[1])))
    return np.eye(PARK.n_cells)[PARK.cell_of(poachers(actions, camp))]


def camps_game(actions: Matrix) -> Game:
    """The park on a menu of patrols; the response is the cell struck, and a type is where the poachers' camp is."""
    park = wildlife_game(PARK, actions)
    places, cells, _ = POACHERS.best_places
    reward = ChoiceReward(park.reward, places[np.argsort(cells)])
    cells_domain = Box(np.zeros(PARK.n_cells), np.ones(PARK.n_cells))
    return Game("camps", actions, reward, cells_domain, park.reward_range, CAMPS)


def first_menu() -> Matrix:
    """What the growing menu begins with: one cell each, and all alike."""
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
    """One run of a learner against camps in one order."""

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
        opponent = Opponent(ORDERS[self.order], cells_struck)
        run = play_run(game, opponent, learner, self.rounds, self.seed)
        table = judged_table(game, opponent, run, self.seed, self.label).select(
            "seed", "t", "reward", "cumulative_regret"
        )
        best = (pl.col("reward").cum_sum() + pl.col("cumulative_regret")) / pl.col("t")
        members = game.n_actions if run.menu is None else len(run.menu)
        return table.with_columns(
            learner=pl.lit(self.learner), order=pl.lit(self.order), best=best, members=pl.lit(members)
        )


def growing_tasks(seeds: Sequence[int] = FRESH_SEEDS, rounds: int = ROUNDS) -> list[Task]:
    """Both learners against camps in both orders."""
    return [GrowingTask(learner, order, seed, rounds) for order in ORDERS for learner in LEARNERS for seed in seeds]


def summarise_growing(table: pl.DataFrame) -> pl.DataFrame:
    """One row an order and learner: mean reward of a round, of the last 40, of its menu's best, and its members."""
    last = pl.col("t") > pl.col("t").max() - 40
    runs = table.group_by("order", "learner", "seed", maintain_order=True).agg(
        reward=pl.col("reward").mean(),
        last_40=pl.col("reward").filter(last).mean(),
        best=pl.col("best").last(),
        members=pl.col("members").last(),
    )
    rows = []
    for (order, learner), part in runs.group_by("order", "learner", maintain_order=True):
        mean, half = mean_interval(part.select("reward", "last_40", "best", "members").to_numpy().astype(float))
        rows.append((order, learner, len(part), *(number for pair in zip(mean, half, strict=True) for number in pair)))
    measures = ("reward", "last_40", "best", "members")
    names = [name for m in measures for name in (m, f"{m}_half_width")]
    return pl.DataFrame(rows, schema=["order", "learner", "seeds", *names], orient="row")
