"""Routing against an adversary who chooses among the demand profiles that are worst for the learner."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Kernel

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Game, TrueRewards
from firstmover.games import GAMES
from firstmover.games.routing.game import routing_game
from firstmover.games.routing.opponents import RoadUsers
from firstmover.kernels import on_action, on_type
from firstmover.learners import StackelUCB
from firstmover.paper.routing import routing_setup
from firstmover.runs import Task
from firstmover.simulation import Adversary, Opponent, true_rewards
from firstmover.simulation.hindsight import regret
from firstmover.simulation.intervals import mean_interval
from firstmover.simulation.loop import play_run
from studies.routing import text

HORIZONS = (50, 100, 200, 400, 800, 1600)
"""The horizons T at which R(T)/T gives the slope."""

INTERACTION = ConstantKernel(4.0) * on_action(RBF(100.0)) * on_type(RBF(30.0))
"""An effect of 2 on the congestion (20 on the reward) that each plan may have under each demand profile."""


class Case(NamedTuple):
    """Whether the adversary maximises the shortfall behind the best plan for a type; kernel added, and β."""

    relative: bool
    added: Kernel | None = None
    confidence_width: float = GAMES["routing"].confidence_width


ADVERSARIES = {
    "smallest reward": Case(False),
    "largest shortfall": Case(True),
    "largest shortfall, interactions": Case(True, INTERACTION),
    "largest shortfall, interactions, β = 2": Case(True, INTERACTION, 2.0),
}
"""The rows of the table, by name."""

HELD_OUT_SEEDS = tuple(range(100, 105))
"""Seeds of the reported runs; settings were selected on seeds 0 to 4."""

PROFILES_PER_PLAN = 2
"""With ten plans that send everything: 20 profiles."""


def leads(users: RoadUsers, game: Game, plans: Matrix, plan: int, travel: NDArray[np.bool_]) -> Vector:
    """Return the lead (k,) of one of the plans over the best other when these pairs (k, p) have full demand."""
    responses = users.batch(plans, users.network.demand * travel)
    k, n, _ = responses.shape
    rewards = game.reward(np.tile(plans, (k, 1)), responses.reshape(-1, 1)).reshape(k, n)
    return rewards[:, plan] - np.delete(rewards, plan, axis=1).max(axis=1)


def climb(users: RoadUsers, game: Game, plans: Matrix, plan: int, rng: np.random.Generator) -> Matrix:
    """Return pairs (p,) with full demand such that one plan is far ahead, by local search from a random start.

    Pairs are ranked by the gain of flipping them. Half of those with a gain are flipped at once; the share is halved
    whenever the lead does not grow.
    """
    n = users.network.n_pairs
    travel, share = rng.random(n) < rng.random(), 0.5
    lead = leads(users, game, plans, plan, travel[None])[0]
    while True:
        gains = leads(users, game, plans, plan, travel ^ np.eye(n, dtype=bool)) - lead
        count = int(share * np.sum(gains > 0))
        if count == 0:
            return travel.astype(float)
        flipped = travel.copy()
        flipped[np.argsort(-gains)[:count]] ^= True
        reached = leads(users, game, plans, plan, flipped[None])[0]
        if reached > lead:
            travel, lead = flipped, reached
        else:
            share /= 2


@lru_cache(maxsize=4)
def worst_demands(seed: int = 0, profiles_per_plan: int = PROFILES_PER_PLAN) -> Matrix:
    """Return demand profiles without a common best plan: for each plan that sends everything, some that favour it.

    Every pair has full or zero demand: the vertices of the set of demands.
    """
    setup, rng = routing_setup(text()[0]), np.random.default_rng(seed)
    plans = setup.game.actions[setup.plans.shares == 1]
    rows = [climb(setup.users, setup.game, plans, i, rng) for i in range(len(plans)) for _ in range(profiles_per_plan)]
    return setup.users.network.demand * np.array(rows)


def time_averaged(types: Matrix, rounds: int, seed: int, case: Case) -> Vector:
    """Return R(t)/t of `anytime` against the adversary that chooses the worst of these types in every round.

    Worst is the smallest expected reward or, if `relative`, the largest shortfall behind the best plan for the type.
    """
    setup, roads = routing_setup(text()[0]), GAMES["routing"]
    plain = routing_game(setup.plans)
    game = Game(plain.name, plain.actions, plain.reward, plain.response_domain, types=types)
    rewards = true_rewards(game, setup.users)
    opponent = Opponent(Adversary(types, _shortfall(rewards) if case.relative else rewards), setup.users, noise_std=5.0)
    kernel = roads.kernel if case.added is None else roads.kernel + case.added
    learner = StackelUCB.start(game, kernel, roads.regularization, case.confidence_width)
    return regret(play_run(game, opponent, learner, rounds, seed), rewards).time_averaged


def _shortfall(rewards: TrueRewards) -> TrueRewards:
    def behind(opponent_type: Vector) -> Vector:
        earned = rewards(opponent_type)
        return earned - earned.max()

    return behind


def slope_of(horizons: Vector, values: Vector) -> float:
    """Return the slope of log R(T)/T over log T by least squares: −½ for √T regret, 0 for linear regret.

    >>> round(slope_of(np.array([10.0, 100.0, 1000.0]), np.array([4.0, 2.0, 1.0])), 3)
    -0.301
    """
    return float(np.polyfit(np.log(horizons), np.log(values), 1)[0])


@dataclass(frozen=True)
class AdversaryTask:
    """One run against one kind of adversary."""

    label: str
    seed: int
    rounds: int = HORIZONS[-1]

    def play(self) -> pl.DataFrame:
        """Play the run: one row per round with R(t)/t."""
        curve = time_averaged(worst_demands(), self.rounds, self.seed, ADVERSARIES[self.label])
        t = np.arange(1, self.rounds + 1)
        rows = {"adversary": self.label, "seed": self.seed, "t": t, "time_averaged_regret": curve}
        return pl.DataFrame(rows)


def adversary_tasks(seeds: Sequence[int] = HELD_OUT_SEEDS, rounds: int = HORIZONS[-1]) -> list[Task]:
    """Return all adversaries with every seed."""
    return [AdversaryTask(label, seed, rounds) for label in ADVERSARIES for seed in seeds]


def summarise_adversary(table: pl.DataFrame) -> pl.DataFrame:
    """One row per adversary: mean R(T)/T at each horizon, and its log-log slope with the 95 % half-width over seeds."""
    rows = []
    for (label,), part in table.filter(pl.col("t").is_in(HORIZONS)).group_by("adversary", maintain_order=True):
        t = part["t"].unique().sort().cast(pl.Float64).to_numpy()
        curves = part.sort("seed", "t")["time_averaged_regret"].to_numpy().reshape(-1, len(t))
        mean, half_width = curves.mean(axis=0), mean_interval(np.array([slope_of(t, curve) for curve in curves]))[1]
        slope = slope_of(t, mean)
        row: dict[str, str | float] = {"adversary": str(label), "slope": slope, "half_width": float(half_width)}
        rows.append(row | {f"T = {at:g}": float(v) for at, v in zip(t, mean, strict=True)})
    return pl.DataFrame(rows)
