"""What happens to each learner as rationality falls: poachers who choose by chance, seen one choice a round."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import polars as pl
from sklearn.gaussian_process.kernels import ConstantKernel, Matern

from firstmover.beliefs import ChoiceBelief, ConstantWidth, FiniteBelief
from firstmover.beliefs.fitting import fit_noise
from firstmover.choices import ChoiceReward
from firstmover.contracts import Game, Learner, ResponseFunction
from firstmover.experiments.run import Task, table_of
from firstmover.games.park import published_park
from firstmover.games.wildlife import wildlife_game
from firstmover.intervals import mean_interval
from firstmover.learners import GPUCB, Exp3, SingleType, uniform
from firstmover.opponents import Choosing, Opponent, Poachers, Population, single, true_rewards
from firstmover.opponents.bounded import best, epsilon_best, logit, satisficing
from firstmover.play import play_run
from firstmover.records import Box, Matrix, Vector
from firstmover.regret import regret

ROUNDS = 100

PARK = published_park(density_scale=1.0)
POACHERS = Poachers(PARK, coverage_sign=1, density_factor=10.0)
"""Of the authors' program, in which the best of 525 patrols earns 0.050 against poachers who never err."""

TYPE = np.zeros(1)

NOISES = (1e-3, 0.1, 1.0)
"""Noise variances of indicators, beside a kernel of variance 1, among which the likelihood chooses round by round."""


def _suqr(actions: Matrix, _: Vector) -> Matrix:
    """SUQR with the weights of Nguyen et al. (2013): −9.85 x + 0.37 R + 0.15 P, R from 1 to 10 and P = −1."""
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
    park = wildlife_game(PARK)
    reward = ChoiceReward(park.reward, POACHERS.best_places[0])
    chances = reward.coefficients(park.actions)
    extremes = float(chances.min()), float(chances.max())
    domain = Box(np.zeros(PARK.n_cells), np.ones(PARK.n_cells))
    return Game("park of choices", park.actions, reward, domain, extremes, TYPE[None])


def cell_noise(behaviour: str, points: int = 100, seed: int = 0) -> Vector:
    """Noise variance of each cell's indicator (25,) by maximum likelihood, from answers to random patrols."""
    game, rng, respond = choice_park(), np.random.default_rng(seed), BEHAVIOURS[behaviour]
    actions = game.actions[rng.integers(game.n_actions, size=points)]
    opponent = Opponent(single(TYPE), respond, sampled=True)
    seen = np.array([opponent.seen(row, rng) for row in respond(actions, TYPE)])
    return fit_noise(ConstantKernel(0.25) + ConstantKernel(0.25) * Matern(0.5, nu=2.5), actions, seen)


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
        run = play_run(game, opponent, _learner(self.learner, self.rounds), self.rounds, self.seed)
        table = table_of(run, regret(run, true_rewards(game, respond)), self.label, self.seed)
        kept = table.select("seed", "t", "action", "best_action", "reward", "cumulative_regret")
        return kept.with_columns(learner=pl.lit(self.learner), behaviour=pl.lit(self.behaviour))


def _learner(name: str, rounds: int) -> Learner:
    game = choice_park()
    if name == "Exp3":
        return Exp3.start(game, rounds)
    if name == "uniform":
        return uniform(game.n_actions)
    if name == "GP-UCB":
        return GPUCB(game, _reward_prior(), ConstantWidth(1.0), TYPE)
    return SingleType(game, _choice_prior(name), ConstantWidth(1 / game.n_outputs), TYPE)


@lru_cache(maxsize=2)
def _choice_prior(name: str) -> ChoiceBelief:
    game, noises = choice_park(), NOISES if name == "choice, noise fitted" else NOISES[:1]
    return ChoiceBelief.prior(game.actions, TYPE[None], game.n_outputs, noises)


@lru_cache(maxsize=1)
def _reward_prior() -> FiniteBelief:
    """Rewards scatter by 0.05 from choice to choice; a kernel of their own size would leave GP-UCB where it begins."""
    kernel = ConstantKernel(0.05) * Matern(0.5, nu=2.5)
    return FiniteBelief.prior(kernel, 0.0025, choice_park().actions, TYPE[None], 1)


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
