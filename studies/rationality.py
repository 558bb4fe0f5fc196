"""Learners against opponents of decreasing rationality, who choose at random; one choice is observed per round."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import polars as pl
from sklearn.gaussian_process.kernels import ConstantKernel, Matern

from firstmover.beliefs import ChoiceBelief, ConstantWidth, FiniteBelief
from firstmover.beliefs.choice import choice_kernels
from firstmover.core.contracts import Belief, Learner
from firstmover.learners import GPUCB, Exp3, SingleType, uniform
from firstmover.runs import Task
from firstmover.runs.task import table_of
from firstmover.simulation import Opponent, single, true_rewards
from firstmover.simulation.hindsight import regret
from firstmover.simulation.loop import play_run
from studies.arenas import ARENAS, TYPE
from studies.per_output import PerOutput
from studies.summary import means

ROUNDS = 100

HELD_OUT_SEEDS = tuple(range(100, 120))
"""Seeds of the reported runs; noises and kernels were selected on seeds 0 to 19."""

NOISES = (1e-3, 0.1, 1.0)
"""Noise variances of indicators with a kernel of variance 1; the likelihood selects one in every round."""

LEARNERS = ("choice", "choice, noise fitted", "choice, noise per place", "GP-UCB", "Exp3", "uniform")


@dataclass(frozen=True)
class RationalityTask:
    """One run of a learner against opponents of one behaviour."""

    arena: str
    behaviour: str
    learner: str
    seed: int
    rounds: int = ROUNDS

    @property
    def label(self) -> str:
        """The learner and the behaviour."""
        return f"{self.learner} against {self.behaviour}"

    def play(self) -> pl.DataFrame:
        """Play the run; rewards are expectations over the opponents' choices."""
        arena = ARENAS[self.arena]()
        game, respond = arena.game, arena.behaviours[self.behaviour]
        opponent = Opponent(single(TYPE), respond, sampled=True)
        run = play_run(game, opponent, self._learner(), self.rounds, self.seed)
        table = table_of(run, regret(run, true_rewards(game, respond)), self.label, self.seed)
        kept = table.select("seed", "t", "action", "best_action", "reward", "cumulative_regret")
        return kept.with_columns(learner=pl.lit(self.learner), behaviour=pl.lit(self.behaviour))

    def _learner(self) -> Learner:
        game = ARENAS[self.arena]().game
        if self.learner == "Exp3":
            return Exp3.start(game, self.rounds)
        if self.learner == "uniform":
            return uniform(game.n_actions)
        if self.learner == "GP-UCB":
            return GPUCB(game, _reward_prior(self.arena), ConstantWidth(1.0), TYPE)
        return SingleType(game, _choice_prior(self.arena, self.learner), ConstantWidth(1 / game.n_outputs), TYPE)


@lru_cache(maxsize=4)
def _choice_prior(arena: str, name: str) -> Belief:
    game, noises = ARENAS[arena]().game, NOISES if name == "choice, noise fitted" else NOISES[:1]
    if name == "choice, noise per place":
        kernels, places = choice_kernels(game.actions, TYPE[None]), game.n_outputs
        return PerOutput.prior(kernels, NOISES, game.actions, TYPE[None], places, prior_mean=1 / places)
    return ChoiceBelief.prior(game.actions, TYPE[None], game.n_outputs, noises)


@lru_cache(maxsize=2)
def _reward_prior(name: str) -> FiniteBelief:
    arena = ARENAS[name]()
    kernel = ConstantKernel(arena.reward_variance) * Matern(0.5, nu=2.5)
    return FiniteBelief.prior(kernel, arena.reward_noise, arena.game.actions, TYPE[None], 1)


def rationality_tasks(arena: str, seeds: Sequence[int] = HELD_OUT_SEEDS, rounds: int = ROUNDS) -> list[Task]:
    """Return every learner against every behaviour."""
    return [
        RationalityTask(arena, behaviour, learner, seed, rounds)
        for behaviour in ARENAS[arena]().behaviours
        for learner in LEARNERS
        for seed in seeds
    ]


def summarise_rationality(table: pl.DataFrame) -> pl.DataFrame:
    """One row per behaviour and learner: mean expected reward, that of the last 20 rounds, and the optimum."""
    last = pl.col("t") > pl.col("t").max() - 20
    runs = table.group_by("behaviour", "learner", "seed", maintain_order=True).agg(
        reward=pl.col("reward").mean(),
        last_20=pl.col("reward").filter(last).mean(),
        optimum=(pl.col("reward").sum() + pl.col("cumulative_regret").last()) / pl.len(),
    )
    return means(runs, ["behaviour", "learner"], ["reward", "last_20", "optimum"])
