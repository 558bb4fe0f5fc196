"""What happens to each learner as rationality falls: poachers who choose by chance, seen one choice a round."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import polars as pl
from sklearn.gaussian_process.kernels import ConstantKernel, Matern

from firstmover.beliefs import ConstantWidth, FiniteBelief
from firstmover.beliefs.fitting import fit_noise
from firstmover.contracts import Game, Learner, ResponseFunction
from firstmover.experiments.run import Task, table_of
from firstmover.games.park import published_park
from firstmover.games.places import PlaceReward
from firstmover.games.wildlife import patrol_menu
from firstmover.intervals import mean_interval
from firstmover.learners import GPUCB, Exp3, SingleType, uniform
from firstmover.opponents import Choosing, Opponent, Poachers, Population, single, true_rewards
from firstmover.opponents.bounded import best, epsilon_best, logit, satisficing
from firstmover.play import play_run
from firstmover.records import Box, Matrix, Vector
from firstmover.regret import regret

ROUNDS = 150

PARK = published_park(density_scale=1.0)
POACHERS = Poachers(PARK, coverage_sign=1, density_factor=10.0)
"""Of the authors' program, in which the best of 525 patrols earns 0.050 against poachers who never err."""

TYPE = np.zeros(1)

SHAPE = ConstantKernel(0.25) * Matern(0.5, nu=2.5)
"""Of the chances: a standard deviation of ½, and patrols of the menu that lie about 0.3 apart tell of each other."""


def _suqr(actions: Matrix, _: Vector) -> Matrix:
    """Subjective utility of Nguyen et al. (2013), linear in the coverage: −9.85 x + 0.37 R + 0.15 P, R and P 1 to 10."""
    _, cells, value = POACHERS.best_places
    gain = 1 + 9 * (value - value.min()) / (value.max() - value.min())
    return -9.85 * actions[:, cells] + 0.37 * gain - 0.15


def _poachers(rule: Callable[[Matrix], Matrix]) -> Choosing:
    return Choosing(lambda actions, _: POACHERS.subjective(actions), rule)


BEHAVIOURS: dict[str, ResponseFunction] = {
    "best response": _poachers(best),
    "logit 100": _poachers(logit(100.0)),
    "logit 30": _poachers(logit(30.0)),
    "logit 10": _poachers(logit(10.0)),
    "logit 3": _poachers(logit(3.0)),
    "epsilon 0.2": _poachers(epsilon_best(0.2)),
    "satisficing 0.05": _poachers(satisficing(0.05)),
    "SUQR": Choosing(_suqr, logit(1.0)),
    "population": Population(
        (_poachers(best), _poachers(logit(10.0)), _poachers(epsilon_best(0.2)), _poachers(satisficing(0.05))),
        np.full(4, 0.25),
    ),
}
"""Poachers from perfectly rational to careless; utilities in the park differ by about 1 from cell to cell."""

LEARNERS = ("choice", "choice, noise fitted", "GP-UCB", "Exp3", "uniform")


@lru_cache(maxsize=1)
def choice_park() -> Game:
    """The park with 525 patrols whose response is the cell struck: 25 chances, at the best place of each cell."""
    places, cells, _ = POACHERS.best_places
    lost = PARK.density(places)
    actions = patrol_menu(PARK.n_cells)
    reward = PlaceReward(lambda x: x[:, cells] - (1 - x[:, cells]) * lost)
    gains = reward.gains(actions)
    domain = Box(np.zeros(len(cells)), np.ones(len(cells)))
    return Game("park of choices", actions, reward, domain, (float(gains.min()), float(gains.max())), TYPE[None])


@lru_cache(maxsize=32)
def fitted_noise(behaviour: str, points: int = 100, seed: int = 0) -> Vector:
    """Noise variance of each cell's indicator (25,) by maximum likelihood, from answers to random patrols."""
    game, rng = choice_park(), np.random.default_rng(seed)
    actions = game.actions[rng.integers(game.n_actions, size=points)]
    opponent = Opponent(single(TYPE), BEHAVIOURS[behaviour], sampled=True)
    seen = np.array([opponent.seen(row, rng) for row in BEHAVIOURS[behaviour](actions, TYPE)])
    return fit_noise(SHAPE, actions, seen)


@dataclass(frozen=True)
class RationalityTask:
    """One run of a learner against poachers of one behaviour."""

    behaviour: str
    learner: str
    seed: int
    rounds: int = ROUNDS

    @property
    def label(self) -> str:
        """Learner and behaviour."""
        return f"{self.learner} against {self.behaviour}"

    def play(self) -> pl.DataFrame:
        """Play the run; rewards are expected ones, over the poachers' chances."""
        game, respond = choice_park(), BEHAVIOURS[self.behaviour]
        opponent = Opponent(single(TYPE), respond, sampled=True)
        run = play_run(game, opponent, _learner(self.learner, self.behaviour, self.rounds), self.rounds, self.seed)
        table = table_of(run, regret(run, true_rewards(game, respond)), self.label, self.seed)
        kept = table.select("seed", "t", "action", "best_action", "reward", "cumulative_regret")
        return kept.with_columns(learner=pl.lit(self.learner), behaviour=pl.lit(self.behaviour))


def _learner(name: str, behaviour: str, rounds: int) -> Learner:
    game = choice_park()
    if name == "Exp3":
        return Exp3.start(game, rounds)
    if name == "uniform":
        return uniform(game.n_actions)
    if name == "GP-UCB":
        belief = _prior(0.01, 0.05, 1)
        return GPUCB(game, belief, ConstantWidth(1.0), TYPE)
    noise = 0.01 if name == "choice" else float(np.max(fitted_noise(behaviour)))
    return SingleType(game, _prior(noise, 0.25, game.n_outputs), ConstantWidth(0.5), TYPE)


@lru_cache(maxsize=32)
def _prior(noise_variance: float, variance: float, n_outputs: int) -> FiniteBelief:
    kernel = ConstantKernel(variance) * Matern(0.5, nu=2.5)
    return FiniteBelief.prior(kernel, max(noise_variance, 1e-4), choice_park().actions, TYPE[None], n_outputs)


def rationality_tasks(seeds: int = 20, rounds: int = ROUNDS) -> list[Task]:
    """Every learner against every behaviour."""
    return [
        RationalityTask(behaviour, learner, seed, rounds)
        for behaviour in BEHAVIOURS
        for learner in LEARNERS
        for seed in range(seeds)
    ]


def summarise_rationality(table: pl.DataFrame) -> pl.DataFrame:
    """One row a behaviour and learner: mean expected reward over the run and its last 20 rounds, and the optimum's."""
    last = pl.col("t") > pl.col("t").max() - 20
    runs = table.group_by("behaviour", "learner", "seed", maintain_order=True).agg(
        reward=pl.col("reward").mean(),
        last=pl.col("reward").filter(last).mean(),
        optimum=(pl.col("reward").sum() + pl.col("cumulative_regret").last()) / pl.len(),
    )
    rows = []
    for (behaviour, learner), part in runs.group_by("behaviour", "learner", maintain_order=True):
        mean, half = mean_interval(part.select("reward", "last").to_numpy())
        rows.append((behaviour, learner, len(part), mean[0], half[0], mean[1], half[1], part["optimum"][0]))
    names = ["behaviour", "learner", "seeds", "reward", "reward_half_width", "last_20", "last_20_half_width", "optimum"]
    return pl.DataFrame(rows, schema=names, orient="row")
