"""Routing against an adversary who chooses among the demand profiles that are worst for the learner."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import polars as pl
from numpy.typing import NDArray

from firstmover.core.contracts import Game, TrueRewards
from firstmover.core.records import Matrix, Vector
from firstmover.games import GAMES
from firstmover.games.routing.game import routing_game
from firstmover.games.routing.opponents import RoadUsers
from firstmover.learners import StackelUCB
from firstmover.paper.routing import routing_setup
from firstmover.runs.task import Task
from firstmover.simulation import Adversary, Opponent, true_rewards
from firstmover.simulation.hindsight import regret
from firstmover.simulation.intervals import mean_interval
from firstmover.simulation.loop import play_run
from studies.routing import text

HORIZONS = (50, 100, 200, 400, 800, 1600)
"""Where R(T)/T is read off for the slope."""

ADVERSARIES = {"smallest reward": False, "largest shortfall": True}
"""Whether it looks at how far the learner falls short of the best plan for a type."""

FRESH_SEEDS = tuple(range(100, 105))
"""Seeds that nothing was chosen on: settings were tried on seeds 0 to 4."""

PROFILES_A_PLAN = 2
"""With ten plans that send everything: 20 profiles."""


def leads(users: RoadUsers, game: Game, plans: Matrix, plan: int, travel: NDArray[np.bool_]) -> Vector:
    """How far one of the plans is ahead of the best other when these pairs (k, p) travel in full: (k,)."""
    responses = users.batch(plans, users.network.demand * travel)
    k, n, _ = responses.shape
    rewards = game.reward(np.tile(plans, (k, 1)), responses.reshape(-1, 1)).reshape(k, n)
    return rewards[:, plan] - np.delete(rewards, plan, axis=1).max(axis=1)


def climb(users: RoadUsers, game: Game, plans: Matrix, plan: int, rng: np.random.Generator) -> Matrix:
    """Pairs that travel (p,) so that one plan is far ahead: from a random start, flip the pairs that help most.

    All that help are ranked; half of them are flipped at once, and half as many whenever that is no gain.
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
def worst_demands(seed: int = 0, profiles_a_plan: int = PROFILES_A_PLAN) -> Matrix:
    """Demand profiles under which no plan is best for long: for each plan that sends everything, some that favour it.

    Every pair travels in full or not at all, the corners of what demands can be.
    """
    scene, rng = routing_setup(text()[0]), np.random.default_rng(seed)
    plans = scene.game.actions[scene.plans.shares == 1]
    rows = [climb(scene.users, scene.game, plans, i, rng) for i in range(len(plans)) for _ in range(profiles_a_plan)]
    return scene.users.network.demand * np.array(rows)


def time_averaged(types: Matrix, rounds: int, seed: int, relative: bool = False) -> Vector:
    """R(t)/t of the recommended learner against the adversary who sends the worst of these types in every round.

    Worst is the smallest expected reward or, if `relative`, the largest shortfall behind the best plan for the type.
    """
    scene, roads = routing_setup(text()[0]), GAMES["routing"]
    plain = routing_game(scene.plans)
    game = Game(plain.name, plain.actions, plain.reward, plain.response_domain, types=types)
    rewards = true_rewards(game, scene.users)
    opponent = Opponent(Adversary(types, _shortfall(rewards) if relative else rewards), scene.users, noise_std=5.0)
    learner = StackelUCB.start(game, roads.kernel, roads.regularization, roads.confidence_width)
    return regret(play_run(game, opponent, learner, rounds, seed), rewards).time_averaged


def _shortfall(rewards: TrueRewards) -> TrueRewards:
    def behind(opponent_type: Vector) -> Vector:
        earned = rewards(opponent_type)
        return earned - earned.max()

    return behind


def slope_of(horizons: Vector, values: Vector) -> float:
    """The slope of log R(T)/T over log T by least squares: −½ for √T regret, 0 for linear regret.

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
        """One row a round: R(t)/t."""
        curve = time_averaged(worst_demands(), self.rounds, self.seed, ADVERSARIES[self.label])
        t = np.arange(1, self.rounds + 1)
        rows = {"adversary": self.label, "seed": self.seed, "t": t, "time_averaged_regret": curve}
        return pl.DataFrame(rows)


def adversary_tasks(seeds: Sequence[int] = FRESH_SEEDS, rounds: int = HORIZONS[-1]) -> list[Task]:
    """Both adversaries with every seed."""
    return [AdversaryTask(label, seed, rounds) for label in ADVERSARIES for seed in seeds]


def summarise_adversary(table: pl.DataFrame) -> pl.DataFrame:
    """R(T)/T at each horizon, mean over seeds, and its log-log slope with its 95 % half-width over seeds."""
    rows = []
    for (label,), part in table.filter(pl.col("t").is_in(HORIZONS)).group_by("adversary", maintain_order=True):
        t = part["t"].unique().sort().to_numpy()
        curves = part.sort("seed", "t")["time_averaged_regret"].to_numpy().reshape(-1, len(t))
        each = np.array([[slope_of(t.astype(float), curve)] for curve in curves])
        mean, half_width = curves.mean(axis=0), mean_interval(each)[1]
        slope = slope_of(t.astype(float), mean)
        row: dict[str, str | float] = {"adversary": str(label), "slope": slope, "half_width": float(half_width[0])}
        rows.append(row | {f"T = {at}": float(v) for at, v in zip(t, mean, strict=True)})
    return pl.DataFrame(rows)
