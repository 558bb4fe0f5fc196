"""Drifting opponents: poachers whose camp moves across the park, against learners with and without forgetting."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import polars as pl
from sklearn.gaussian_process.kernels import ConstantKernel, Matern

from firstmover.beliefs import ConstantWidth
from firstmover.core.arrays import Matrix, Vector
from firstmover.core.choices import ChoiceReward
from firstmover.core.contracts import Belief, Game
from firstmover.core.records import Box
from firstmover.games.wildlife.game import patrol_menu, wildlife_game
from firstmover.games.wildlife.opponents import MovingCamp
from firstmover.learners import SingleType
from firstmover.runs import Task
from firstmover.simulation import Opponent, Scripted, true_rewards
from firstmover.simulation.hindsight import dynamic_regret, regret_of_table, reward_table
from firstmover.simulation.loop import play_run
from studies.arenas import PARK, POACHERS
from studies.forgetting import Forgetting
from studies.monotone_choice import Deterred
from studies.summary import means

ROUNDS = 600

HELD_OUT_MENUS = tuple(range(41, 51))
"""Seeds of the reported menus; memories were selected on menus 0 to 7, and menus 31 to 40 were reported before."""

LENGTH = 0.25
"""The length scale of the kernel over patrols."""


@dataclass(frozen=True)
class Memory:
    """The lifetime τ of observations in the regression, and the largest age of a report that rules out cells.

    None: no monotone effect of coverage is assumed, and nothing is ruled out.
    """

    lifetime: float
    rules_out: int | None = None

    def prior(self, game: Game) -> Belief:
        """The belief before the first round."""
        kernel = ConstantKernel(1.0) + Matern(LENGTH, nu=2.5)
        belief = Forgetting.prior(kernel, NOISE, game.actions, game.n_outputs, self.lifetime)
        return belief if self.rules_out is None else Deterred(belief, game.actions, self.rules_out)


FOR_EVER = 1e9

MEMORIES = {
    "remembers all": Memory(FOR_EVER),
    "forgets": Memory(2000.0),
    "remembers all, deterred": Memory(FOR_EVER, ROUNDS),
    "forgets, deterred": Memory(1000.0, 50),
}
"""Each assumption with and without forgetting; at τ = 1e9 all observations have equal weight."""

WITHOUT = {"forgets": "remembers all", "forgets, deterred": "remembers all, deterred"}
"""Learners that forget, each with the learner that makes the same assumption and does not."""

MIXED_PATROLS = 500

NOISE = 1e-3
"""λ of the indicators with a kernel of variance 1, for poachers that always play a best response."""


@lru_cache(maxsize=4)
def drifting_park(menu_seed: int) -> Game:
    """Return the park with a menu of 525 patrols; the response is the attacked cell, as 25 indicators."""
    park = wildlife_game(PARK, patrol_menu(PARK.n_cells, MIXED_PATROLS, menu_seed))
    places, cells, _ = POACHERS.best_places
    reward = ChoiceReward(park.reward, places[np.argsort(cells)])
    domain = Box(np.zeros(PARK.n_cells), np.ones(PARK.n_cells))
    return Game("drifting park", park.actions, reward, domain, park.reward_range)


@dataclass(frozen=True, eq=False)
class AttackedCells:
    """b_t(x): the attacked cell, given the camp of round t, which moves from one corner to the opposite one."""

    rounds: int

    def __call__(self, actions: Matrix, opponent_type: Vector, /) -> Matrix:
        """Return 1 at the attacked cell, for each patrol (k, 25)."""
        corners = ((0.0, 0.0), (float(PARK.cells[0]), float(PARK.cells[1])))
        moving = MovingCamp(POACHERS, corners, self.rounds)
        return np.eye(PARK.n_cells)[PARK.cell_of(moving(actions, opponent_type))]


@dataclass(frozen=True)
class DriftTask:
    """One run on one menu, whose seed it has: poachers and learner are deterministic."""

    label: str
    seed: int
    rounds: int = ROUNDS

    def play(self) -> pl.DataFrame:
        """Play the run: one row per round, with its dynamic regret."""
        game, respond = drifting_park(self.seed), AttackedCells(self.rounds)
        clock = np.arange(1.0, self.rounds + 1)[:, None]
        learner = SingleType(game, MEMORIES[self.label].prior(game), ConstantWidth(1 / game.n_outputs), clock[0])
        run = play_run(game, Opponent(Scripted(clock), respond), learner, self.rounds, self.seed)
        rewards = reward_table(true_rewards(game, respond), clock)
        return pl.DataFrame(
            {
                "learner": self.label,
                "menu": self.seed,
                "t": np.arange(1, self.rounds + 1),
                "reward": run.rewards,
                "regret": regret_of_table(run, rewards).cumulative,
                "dynamic_regret": dynamic_regret(run, rewards),
            }
        )


def drift_tasks(menus: Sequence[int] = HELD_OUT_MENUS, rounds: int = ROUNDS) -> list[Task]:
    """Return all learners on every menu."""
    return [DriftTask(label, menu, rounds) for label in MEMORIES for menu in menus]


def summarise_drift(table: pl.DataFrame) -> pl.DataFrame:
    """One row per learner: dynamic regret and regret at T, and its share of the dynamic regret without forgetting.

    The share is computed menu by menu; it is 1 for learners that do not forget.
    """
    last = table.filter(pl.col("t") == pl.col("t").max())
    ends = last.with_columns(baseline=pl.col("learner").replace(WITHOUT))
    whole = last.select("menu", baseline="learner", whole="dynamic_regret")
    paired = ends.join(whole, on=["menu", "baseline"], maintain_order="left")
    shares = paired.with_columns(share=pl.col("dynamic_regret") / pl.col("whole"))
    return means(shares, ["learner"], ["dynamic_regret", "regret", "share"])
