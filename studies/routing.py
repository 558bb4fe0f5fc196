"""Routing with less regret than full information: the effect of each part of the default learner."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import polars as pl

from firstmover.beliefs import ConstantWidth, FreshBelief
from firstmover.core.contracts import Game, Learner
from firstmover.games import GAMES
from firstmover.learners import Hedge, StackelUCB
from firstmover.paper.routing import Prepared, RoutingPreset, RoutingTask, routing_setup
from firstmover.runs import Task
from firstmover.simulation import Opponent, true_rewards
from firstmover.strategies import AdaHedge
from studies.summary import means

HELD_OUT_SEEDS = tuple(range(100, 150))
"""Paired runs of each learner; learners were selected on seeds 0 to 49."""

RECOMMENDED, HEDGE, PAPER = "recommended", "Hedge", "StackelUCB poly3"
"""`anytime` with the routing game's own assumptions; full information and StackelUCB with the paper's rate."""


def _paper_belief(game: Game, prepared: Prepared) -> FreshBelief:
    return FreshBelief.prior(prepared.fits[PAPER].kernel, GAMES["routing"].regularization, game.actions, 1)


def _recommended(game: Game, width: float) -> StackelUCB:
    roads = GAMES["routing"]
    return StackelUCB.start(game, roads.kernel, roads.regularization, width)


LEARNERS_BEYOND: dict[str, Callable[[Game, Opponent, Prepared], Learner]] = {
    "AdaHedge": lambda game, _, prepared: StackelUCB(
        game, _paper_belief(game, prepared), ConstantWidth(0.5), AdaHedge.start(game.n_actions)
    ),
    "AdaHedge, optimistic first action": lambda game, _, prepared: StackelUCB.anytime(
        game, _paper_belief(game, prepared), ConstantWidth(0.5)
    ),
    RECOMMENDED: lambda game, *_: _recommended(game, GAMES["routing"].confidence_width),
    "recommended, β = 0.1": lambda game, *_: _recommended(game, 0.1),
    "AdaHedge, full information": lambda game, opponent, _: Hedge(
        game, true_rewards(game, opponent.respond), AdaHedge.start(game.n_actions)
    ),
}
"""Learners that know neither the reward range nor the horizon, each with one part more than the one before."""


@dataclass(frozen=True)
class RoutingStudyTask(RoutingTask):
    """One run under the preset's demands and noise, which depend on the seed alone; demands are not stored."""

    def learner(self, opponent: Opponent) -> Learner:
        """Return a learner of the paper or of `LEARNERS_BEYOND`."""
        if self.label not in LEARNERS_BEYOND:
            return super().learner(opponent)
        return LEARNERS_BEYOND[self.label](routing_setup(self.preset).game, opponent, self.prepared)

    def play(self) -> pl.DataFrame:
        """Play the run; the 552 demands of each round are dropped."""
        return super().play().drop("opponent_type")


@lru_cache(maxsize=1)
def text() -> tuple[RoutingPreset, Prepared]:
    """Return the preset `paper` and the values that its runs share."""
    preset = RoutingPreset.load("paper")
    return preset, Prepared.of(preset)


def regret_tasks(
    seeds: Sequence[int] = HELD_OUT_SEEDS, labels: Sequence[str] = (PAPER, HEDGE, *LEARNERS_BEYOND)
) -> list[Task]:
    """Return every learner with every seed."""
    preset, prepared = text()
    return [RoutingStudyTask(preset, label, seed, prepared) for label in labels for seed in seeds]


def summarise_regret(table: pl.DataFrame) -> pl.DataFrame:
    """One row per learner: R(T)/T, and its difference to Hedge at the paper's rate, paired by seed."""
    last = table.filter(pl.col("t") == pl.col("t").max()).rename({"time_averaged_regret": "regret"})
    hedge = last.filter(learner=HEDGE).select("seed", hedge="regret")
    paired = last.join(hedge, on="seed", maintain_order="left")
    return means(
        paired.with_columns(minus_hedge=pl.col("regret") - pl.col("hedge")), ["learner"], ["regret", "minus_hedge"]
    )
