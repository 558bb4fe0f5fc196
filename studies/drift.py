"""Opponents that drift: poachers whose camp moves across the park, met with and without forgetting."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import polars as pl
from sklearn.gaussian_process.kernels import ConstantKernel, Matern

from firstmover.beliefs import ConstantWidth
from firstmover.core.choices import ChoiceReward
from firstmover.core.contracts import Belief, Game
from firstmover.core.records import Box, Matrix, Vector
from firstmover.games.wildlife.game import patrol_menu, wildlife_game
from firstmover.games.wildlife.opponents import MovingCamp
from firstmover.learners import SingleType
from firstmover.runs.play_tasks import Task
from firstmover.simulation import Opponent, Scripted, true_rewards
from firstmover.simulation.hindsight import dynamic_regret, regret_of_table, reward_table
from firstmover.simulation.intervals import mean_interval
from firstmover.simulation.loop import play_run
from studies.arenas import PARK, POACHERS
from studies.forgetting import Forgetting
from studies.monotone_choice import Deterred

ROUNDS = 600

FRESH_MENUS = tuple(range(41, 51))
"""Seeds of menus that nothing was chosen on: memories were tried on menus 0 to 7; menus 31 to 40 were reported once."""

LENGTH = 0.25
"""Of the kernel over patrols."""


@dataclass(frozen=True)
class Memory:
    """How long observations count: the lifetime τ of the regression, and how old a report may be that rules out cells.

    None: coverage is not assumed to deter, and nothing is ruled out.
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
"""Each assumption with and without forgetting; at τ = 1e9 all observations count alike for ever."""

WITHOUT = {"forgets": "remembers all", "forgets, deterred": "remembers all, deterred"}
"""Who forgets, and who assumes the same and does not."""

MIXED_PATROLS = 500

NOISE = 1e-3
"""λ of the indicators beside a kernel of variance 1, as for poachers who do not err."""


@lru_cache(maxsize=4)
def drifting_park(menu_seed: int) -> Game:
    """The park on a menu of 525 patrols; the response is the cell struck, as 1 among 25 indicators."""
    park = wildlife_game(PARK, patrol_menu(PARK.n_cells, MIXED_PATROLS, menu_seed))
    places, cells, _ = POACHERS.best_places
    reward = ChoiceReward(park.reward, places[np.argsort(cells)])
    domain = Box(np.zeros(PARK.n_cells), np.ones(PARK.n_cells))
    return Game("drifting park", park.actions, reward, domain, park.reward_range)


@dataclass(frozen=True, eq=False)
class CellsStruck:
    """b_t(x): the cell that poachers strike from where their camp is in round t, from one corner to the opposite."""

    rounds: int

    def __call__(self, actions: Matrix, opponent_type: Vector, /) -> Matrix:
        """1 at the cell struck, for each patrol (k, 25)."""
        corners = ((0.0, 0.0), (float(PARK.cells[0]), float(PARK.cells[1])))
        moving = MovingCamp(POACHERS, corners, self.rounds)
        return np.eye(PARK.n_cells)[PARK.cell_of(moving(actions, opponent_type))]


@dataclass(frozen=True)
class DriftTask:
    """One run on one menu, which is its seed: poachers and learner leave nothing to chance."""

    label: str
    seed: int
    rounds: int = ROUNDS

    def play(self) -> pl.DataFrame:
        """Play the run: one row a round, with its dynamic regret."""
        game, respond = drifting_park(self.seed), CellsStruck(self.rounds)
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


def drift_tasks(menus: Sequence[int] = FRESH_MENUS, rounds: int = ROUNDS) -> list[Task]:
    """All learners on every menu."""
    return [DriftTask(label, menu, rounds) for label in MEMORIES for menu in menus]


def summarise_drift(table: pl.DataFrame) -> pl.DataFrame:
    """One row a learner: dynamic regret at T, regret at T, and dynamic regret as a share of that without forgetting.

    Means and 95 % half-widths over menus; the share is taken menu by menu, and is 1 for who remembers all.
    """
    last = table.filter(pl.col("t") == pl.col("t").max()).sort("learner", "menu")
    ends = {label: last.filter(learner=label) for label in MEMORIES if label in last["learner"]}
    rows = []
    for label, part in ends.items():
        values = part.select("dynamic_regret", "regret").to_numpy()
        whole = ends[WITHOUT.get(label, label)]["dynamic_regret"].to_numpy()
        mean, half = mean_interval(np.column_stack([values, values[:, 0] / whole]))
        rows.append((label, len(part), *(number for pair in zip(mean, half, strict=True) for number in pair)))
    measures = ("dynamic_regret", "regret", "share")
    names = [name for m in measures for name in (m, f"{m}_half_width")]
    return pl.DataFrame(rows, schema=["learner", "menus", *names], orient="row")
