"""Certificates of what was lost: how often they hold, and how far they lie above the regret."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import polars as pl

from firstmover.beliefs import LemmaWidth, belief_over
from firstmover.core.arrays import Vector
from firstmover.core.contracts import Game, Learner
from firstmover.core.records import Feedback, Run
from firstmover.games import GAMES
from firstmover.games.opponent import Opponent, Tabulated, true_rewards
from firstmover.learners import StackelUCB
from firstmover.learners.auto import auto
from firstmover.runs import Task
from firstmover.runs.arena.families import REPORT, Instance, random_prices, random_roads
from firstmover.runs.calibration import CalibrationSpec, Drawing
from firstmover.simulation import Adversary, RandomTypes
from firstmover.simulation.hindsight import regret
from firstmover.simulation.loop import play_run
from firstmover.theory import random_response, responses_everywhere
from firstmover.theory.certificate import Certificate, Played, estimated_certificate, run_certificate

DELTA = 0.1
PROVED = {
    "shore": ("shore", 2.0),
    "prices": ("prices", 2.0),
    "roads": ("routing", 10.0),
    "quiet roads": ("routing", 2.0),
}
"""Games whose menu, kernel, types and noise are used for responses that are drawn, and the norm of these.

The congestion of the published road users is between 0 and 12, which a norm of 2 does not reach."""

LONG, SHORT = 1000, 200
"""Rounds of a run."""

BRIEF, LASTING = f"auto, T = {SHORT}", f"auto, T = {LONG}"

COUNTS = {
    **{("proved", name): 67 for name in ("shore", "prices", "roads")},
    ("proved", "quiet roads"): 20,
    **{(BRIEF, name): 67 for name in ("shore", "prices", "roads")},
    **{(LASTING, "shore"): 6, (LASTING, "prices"): 6, (LASTING, "roads"): 4, (BRIEF, "fresh prices"): 20},
}
"""Games by kind and name: 201 proved certificates and 201 estimates on shore, prices and roads together."""


@dataclass(frozen=True)
class Scored:
    """The regret of a run, and its certificate."""

    regret: float
    certificate: Certificate


@lru_cache
def _drawing(name: str) -> tuple[Drawing, Learner]:
    """The menu and kernel for drawn responses, and the learner before the first round."""
    game_name, norm = PROVED[name]
    drawing = Drawing(CalibrationSpec(game=game_name, rkhs_norm_bound=norm))
    game, noise = drawing.game, drawing.noise_std
    width = LemmaWidth(norm, noise, noise**2, DELTA, n_outputs=game.n_outputs)
    prior = belief_over(drawing.kernel, noise**2, game.actions, game.n_outputs, drawing.types)
    return drawing, StackelUCB.anytime(game, prior, width)


def _source(seed: int, game: Game, types: Any, respond: Any) -> Any:
    """Types in random order for even seeds, an adaptive adversary for odd ones."""
    return Adversary(types, true_rewards(game, respond)) if seed % 2 else RandomTypes(types)


def proved(name: str, seed: int, rounds: int) -> Scored:
    """Play StackelUCB against a drawn response of known norm."""
    drawing, learner = _drawing(name)
    game, norm = drawing.game, PROVED[name][1]
    rng = np.random.default_rng([seed, 1])
    drawn = random_response(drawing.kernel, game.actions, drawing.types, norm, n_outputs=game.n_outputs, rng=rng)
    respond = Tabulated(game.actions, drawing.types, responses_everywhere(game, drawn, drawing.types))
    opponent = Opponent(_source(seed, game, drawing.types, respond), respond, drawing.noise_std)
    run = play_run(game, opponent, learner, rounds, seed)
    return Scored(_regret(game, opponent, run), run_certificate(learner, run))


def _regret(game: Game, opponent: Opponent, run: Run) -> float:
    return float(regret(run, true_rewards(game, opponent.respond)).cumulative[-1])


@dataclass(frozen=True, eq=False)
class Remembered:
    """A learner that keeps its latest state, which a run does not return."""

    learner: Learner
    latest: list[Learner]

    @property
    def strategy(self) -> Vector:
        """p_t."""
        return self.learner.strategy

    def observe(self, feedback: Feedback) -> "Remembered":
        """Return the learner of the next round."""
        self.latest[:] = [self.learner.observe(feedback)]
        return replace(self, learner=self.latest[0])


def _built_in(name: str, seed: int) -> tuple[Game, Opponent]:
    game = GAMES[name].build()
    behaviour = GAMES[name].opponents(game)
    source = _source(seed, game, game.types, behaviour.respond)
    return game, Opponent(source, behaviour.respond, behaviour.noise_std)


FRESH: dict[str, Callable[[int], Instance]] = {"roads": random_roads, "fresh prices": random_prices}
"""Games that are drawn; shore and prices are the built-in ones."""


def _game(name: str, seed: int) -> tuple[Game, Opponent]:
    if name not in FRESH:
        return _built_in(name, seed)
    instance = FRESH[name](seed)
    return instance.game, instance.opponent


def estimated(name: str, seed: int, rounds: int) -> Scored:
    """Play `auto` against an opponent whose responses no assumption was made about."""
    game, opponent = _game(name, seed)
    latest: list[Learner] = []
    run = play_run(game, opponent, Remembered(auto(game), latest), rounds, seed)
    last = Feedback(int(run.actions[-1]), run.opponent_types[-1], run.responses[-1])
    belief = latest[0].observe(last).belief  # type: ignore[attr-defined]
    return Scored(_regret(game, opponent, run), estimated_certificate(game, belief, Played.of(run), 1 - DELTA))


@dataclass(frozen=True)
class CertificateTask:
    """One run and its certificate; `seed` is that of the game and of the run."""

    game: str
    kind: str
    seed: int
    rounds: int = 1  # rows of the table

    @property
    def label(self) -> str:
        """The game and the kind of certificate."""
        return f"{self.game}, {self.kind}"

    def play(self) -> pl.DataFrame:
        """Return one row: regret, bound and expectation."""
        played = SHORT if self.kind == BRIEF else LONG
        found = (proved if self.kind == "proved" else estimated)(self.game, self.seed, played)
        certificate = found.certificate
        return pl.DataFrame(
            {
                "game": [self.game],
                "kind": [self.kind],
                "seed": [self.seed],
                "regret": [found.regret],
                "loss": [certificate.loss],
                "expected": [certificate.expected],
            }
        )


def certificate_tasks(first: int = REPORT.start) -> list[Task]:
    """Return the runs of all games."""
    return [CertificateTask(game, kind, first + i) for (kind, game), count in COUNTS.items() for i in range(count)]


NARROW = 0.3
"""The share of the width above the expected loss with which certificates should not hold any more."""


def summarise_certificates(table: pl.DataFrame) -> pl.DataFrame:
    """One row per game and kind: how many certificates hold, also with 0.3 of the width, and bound / regret."""
    rows = table.with_columns(
        holds=pl.col("loss") >= pl.col("regret"),
        ratio=pl.col("loss") / pl.col("regret"),
        narrow=pl.col("expected").clip(0.0) * (1 - NARROW) + pl.col("loss") * NARROW >= pl.col("regret"),
    )
    ratio = pl.col("ratio")
    return rows.group_by("kind", "game", maintain_order=True).agg(
        pl.len().alias("games"),
        pl.col("holds").sum(),
        pl.col("narrow").sum().alias(f"holds_at_{NARROW}"),
        pl.col("regret").median(),
        ratio.quantile(0.25, "linear").alias("lower_quartile"),
        ratio.median().alias("median"),
        ratio.quantile(0.75, "linear").alias("upper_quartile"),
    )


def holding(table: pl.DataFrame, kind: str) -> tuple[int, int]:
    """Return how many certificates of a kind hold, and how many there are."""
    rows = summarise_certificates(table).filter(pl.col("kind").str.starts_with(kind))
    return int(rows["holds"].sum()), int(rows["games"].sum())


def largest_median(table: pl.DataFrame, kind: str) -> tuple[float, str]:
    """Return the largest median of bound over regret of a kind, and its game."""
    row = summarise_certificates(table).filter(kind=kind).sort("median").row(-1, named=True)
    return float(row["median"]), str(row["game"])
