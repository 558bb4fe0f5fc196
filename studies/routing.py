"""Routing with less regret than full information: what each part of the recommended learner is worth."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import polars as pl

from firstmover.beliefs import ConstantWidth, FreshBelief
from firstmover.core.contracts import Game, Learner
from firstmover.core.records import Vector
from firstmover.games import GAMES
from firstmover.games.tabulated import Tabulated
from firstmover.learners import Hedge, StackelUCB
from firstmover.paper.routing import Prepared, RoutingPreset, RoutingTask, rewards_of, routing_setup
from firstmover.runs.play_tasks import Task, table_of
from firstmover.simulation import Opponent, Scripted, true_rewards
from firstmover.simulation.hindsight import regret_of_table
from firstmover.simulation.intervals import mean_interval
from firstmover.simulation.loop import Streams, play_run
from firstmover.strategies import AdaHedge

FRESH_SEEDS = tuple(range(100, 150))
"""Paired runs of each learner, on seeds that nothing was chosen on: it was tried on seeds 0 to 49."""

RECOMMENDED, HEDGE, PAPER = "recommended", "Hedge", "StackelUCB poly3"
"""`anytime` with the routing game's own assumptions; full information and StackelUCB with the paper's rate."""

PRESET_LABELS = (PAPER, HEDGE)


def _paper_belief(game: Game, prepared: Prepared) -> FreshBelief:
    return FreshBelief.prior(prepared.fits[PAPER].kernel, GAMES["routing"].regularization, game.actions, 1)


def _recommended(game: Game, width: float) -> StackelUCB:
    roads = GAMES["routing"]
    return StackelUCB.start(game, roads.kernel, roads.regularization, width)


LEARNERS_BEYOND: dict[str, Callable[[Game, Opponent, Prepared], Learner]] = {
    "AdaHedge": lambda game, _, prepared: StackelUCB(
        game, _paper_belief(game, prepared), ConstantWidth(0.5), AdaHedge.start(game.n_actions)
    ),
    "AdaHedge, hopeful first move": lambda game, _, prepared: StackelUCB.anytime(
        game, _paper_belief(game, prepared), ConstantWidth(0.5)
    ),
    RECOMMENDED: lambda game, *_: _recommended(game, GAMES["routing"].confidence_width),
    "recommended, β = 0.1": lambda game, *_: _recommended(game, 0.1),
    "AdaHedge, full information": lambda game, opponent, _: Hedge(
        game, true_rewards(game, opponent.respond), AdaHedge.start(game.n_actions)
    ),
}
"""Learners that are told no range and no horizon, each with one part more than the one before."""


@dataclass(frozen=True)
class BeyondTask:
    """One run under the preset's demands and noise; equal seeds meet the same of both."""

    preset: RoutingPreset
    prepared: Prepared
    label: str
    seed: int

    @property
    def rounds(self) -> int:
        """T."""
        return self.preset.rounds

    def play(self) -> pl.DataFrame:
        """Play the run, and compare it with every plan at every demand."""
        scene = routing_setup(self.preset)
        game, network = scene.game, scene.users.network
        demands = network.demand * Streams.of(self.seed).types.random((self.rounds, network.n_pairs))
        responses = scene.users.batch(game.actions, demands)
        opponent = Opponent(Scripted(demands), Tabulated(game.actions, demands, responses), self.preset.noise_std)
        learner = LEARNERS_BEYOND[self.label](game, opponent, self.prepared)
        run = play_run(game, opponent, learner, self.rounds, self.seed)
        return table_of(run, regret_of_table(run, rewards_of(game, responses)), self.label, self.seed)


@lru_cache(maxsize=1)
def text() -> tuple[RoutingPreset, Prepared]:
    """The preset `paper`, and what its runs share."""
    preset = RoutingPreset.load("routing", "paper")
    return preset, Prepared.of(preset)


def regret_tasks(
    seeds: Sequence[int] = FRESH_SEEDS, labels: Sequence[str] = (*PRESET_LABELS, *LEARNERS_BEYOND)
) -> list[Task]:
    """Every learner with every seed."""
    return [
        (RoutingTask if label in PRESET_LABELS else BeyondTask)(*text(), label, s) for label in labels for s in seeds
    ]


def summarise_regret(table: pl.DataFrame) -> pl.DataFrame:
    """R(T)/T of each learner, and its paired difference to Hedge with full information and the paper's rate.

    One row a learner: the mean over seeds, the half-width of its 95 % interval, and the same of the difference.
    """
    last = table.filter(pl.col("t") == pl.col("t").max()).sort("seed", maintain_order=True)
    values = {
        str(label): part["time_averaged_regret"].to_numpy()
        for (label,), part in last.group_by("learner", maintain_order=True)
    }
    return pl.DataFrame([_row(label, runs, runs - values[HEDGE]) for label, runs in values.items()])


def _row(label: str, runs: Vector, lead: Vector) -> dict[str, str | float]:
    (mean, lead_mean), (reach, lead_reach) = mean_interval(np.column_stack([runs, lead]))
    return {
        "learner": label,
        "regret": float(mean),
        "half_width": float(reach),
        "minus_hedge": float(lead_mean),
        "minus_hedge_half_width": float(lead_reach),
    }
