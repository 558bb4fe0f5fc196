"""Wrong assumptions and wrong data on four games: each costs little, or raises an alarm within 60 rounds."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Self

import numpy as np
import polars as pl
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, Kernel, Product, Sum

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Game
from firstmover.core.records import Feedback
from firstmover.games import GAMES
from firstmover.games.opponent import Opponent, responses_of, true_rewards
from firstmover.kernels import bind, pairs, polynomial
from firstmover.kernels.domain_kernels import Demand, FixedKernel
from firstmover.learners import StackelUCB
from firstmover.learners.auto import Auto
from firstmover.runs import Task
from firstmover.runs.arena.families import REPORT
from firstmover.simulation import opponent_for
from firstmover.simulation.hindsight import regret
from firstmover.simulation.loop import play_run
from studies.alarms import Monitored

ROUNDS = 60

PLAYED = ("shore", "flock", "prices", "routing")
"""Built-in games, played with their own kernel, λ and β, and types that arrive at random."""

SOUND, FREE = "as it is", "types as free numbers"
"""Sound runs: regrets are compared with those of the first, or of the second where a column is added to the types."""

ASSUMED = (
    "length scale × 5",
    "length scale ÷ 5",
    "prior variance ÷ 25",
    "linear kernel",
    "λ × 10",
    "λ ÷ 10",
)
"""Wrong assumptions; a linear kernel has the mean prior variance of the game's."""

RECORDED = (
    "Student-t noise",
    "5 % outliers of 20σ",
    "5 % outliers of 200σ",
    "units × 1000 in half of the rounds",
    "one more type, pure noise",
    "types recorded at random",
    "response column swapped from round 31",
)
"""Wrong data. Noise has two degrees of freedom at the same scale. Where there is one column, the response of another
action is recorded in its place."""

SWAPPED, FREEDOM = 31, 2.0

WORKS, SILENT = 1.5, 0.1
"""The ratio of regrets up to which a learner works, and the share of runs that may neither work nor raise an alarm."""


class WithNoise(FixedKernel):
    """A kernel of all columns but the last, times an RBF of length scale 1 of the last."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def gram(self, X: Matrix, Y: Matrix) -> Matrix:
        """The Gram matrix."""
        return self.kernel(X[:, :-1], Y[:, :-1]) * RBF()(X[:, -1:], Y[:, -1:])

    def diag(self, X: Matrix) -> Vector:
        """k(z, z) of each row."""
        return self.kernel.diag(np.atleast_2d(X)[:, :-1])


def stretched(kernel: Kernel, factor: float) -> Kernel:
    """Return a bound kernel whose length scales, or scales of features, are multiplied by a factor."""
    match kernel:
        case Sum() | Product():
            return type(kernel)(stretched(kernel.k1, factor), stretched(kernel.k2, factor))
        case Demand():
            return Demand(kernel.length_scale * factor, kernel.place_scale * factor)
        case ConstantKernel():
            return kernel
    return Rescaled(kernel, factor)


class Rescaled(FixedKernel):
    """A kernel of features that are divided by a factor."""

    def __init__(self, kernel: Kernel, factor: float) -> None:
        self.kernel = kernel
        self.factor = factor

    def gram(self, X: Matrix, Y: Matrix) -> Matrix:
        """The Gram matrix."""
        return self.kernel(X / self.factor, Y / self.factor)

    def diag(self, X: Matrix) -> Vector:
        """k(z, z) of each row."""
        return self.kernel.diag(np.atleast_2d(X) / self.factor)


@lru_cache
def linear(name: str) -> Kernel:
    """Return a linear kernel of the mean prior variance of a game's own."""
    entry, game = GAMES[name], GAMES[name].build()
    rng = np.random.default_rng(0)
    points = pairs(game.actions, np.array([another_type(name, game, rng) for _ in range(20)]))
    level = float(bind(entry.kernel, game.actions.shape[1]).diag(points).mean())
    return ConstantKernel(level / 2) * polynomial(1, scale=float(np.sqrt(np.mean(np.sum(points**2, axis=1)))))


def another_type(name: str, game: Game, rng: np.random.Generator) -> Vector:
    """Draw a type at random."""
    sampler = GAMES[name].opponents(game).sampler
    if sampler is not None:
        return sampler(rng)
    assert game.types is not None
    return game.types[rng.integers(len(game.types))]


def assumptions(name: str, row: str) -> tuple[Kernel, float]:
    """Return the kernel and λ of a game, perhaps wrong."""
    kernel, noise = bind(GAMES[name].kernel, GAMES[name].build().actions.shape[1]), GAMES[name].regularization
    factors = {ASSUMED[4]: 10.0, ASSUMED[5]: 0.1}
    kernels: dict[str, Callable[[], Kernel]] = {
        ASSUMED[0]: lambda: stretched(kernel, 5.0),
        ASSUMED[1]: lambda: stretched(kernel, 0.2),
        ASSUMED[2]: lambda: ConstantKernel(1 / 25) * kernel,
        ASSUMED[3]: lambda: linear(name),
        RECORDED[4]: lambda: WithNoise(kernel),
    }
    return kernels.get(row, lambda: kernel)(), noise * factors.get(row, 1.0)


@dataclass(frozen=True)
class HeavyTailed(Opponent):
    """An opponent whose noise has Student's distribution."""

    def seen(self, true_response: Vector, rng: np.random.Generator) -> Vector:
        """The observation of b(x, θ)."""
        return true_response + self.noise_std * rng.standard_t(FREEDOM, len(true_response))


@dataclass(frozen=True, eq=False)
class Misrecorded:
    """A learner that observes what was recorded of each round instead of what happened."""

    learner: Any
    record: Callable[[int, Feedback], Feedback]
    played: int = 0

    @property
    def strategy(self) -> Vector:
        """p_t."""
        return self.learner.strategy

    def observe(self, feedback: Feedback) -> Self:
        """Observe the record of the round."""
        t = self.played + 1
        return replace(self, learner=self.learner.observe(self.record(t, feedback)), played=t)


def record_of(name: str, row: str, game: Game, opponent: Opponent, seed: int) -> Callable[[int, Feedback], Feedback]:
    """Return what is recorded of a round."""
    rng, sigma = np.random.default_rng([seed, len(row)]), float(np.max(opponent.noise_std))

    def record(t: int, seen: Feedback) -> Feedback:
        opponent_type, response, chance = seen.opponent_type, seen.response, rng.random()
        if row in RECORDED[1:3] and chance < 0.05:
            size = 20.0 if row == RECORDED[1] else 200.0
            response = response + size * sigma * rng.choice([-1.0, 1.0])
        elif row == RECORDED[3] and chance < 0.5:
            response = 1000.0 * response
        elif row == RECORDED[4]:
            opponent_type = np.append(opponent_type, rng.standard_normal())
        elif row == RECORDED[5]:
            opponent_type = another_type(name, game, rng)
        elif row == RECORDED[6] and t >= SWAPPED:
            response = np.roll(response, 1) if len(response) > 1 else _of_another(game, opponent, seen)
        return Feedback(seen.action, opponent_type, response)

    return record


def _of_another(game: Game, opponent: Opponent, seen: Feedback) -> Vector:
    """The response, with its noise, as it would be to the action in the opposite place of the menu."""
    rows = [seen.action, game.n_actions - 1 - seen.action]
    this, other = responses_of(game, opponent.respond, seen.opponent_type, rows)
    return seen.response + other - this


@dataclass(frozen=True)
class MisspecifiedTask:
    """One run of a learner on a game, with one wrong assumption or wrong data."""

    game: str
    learner: str
    row: str
    seed: int
    rounds: int = ROUNDS

    @property
    def label(self) -> str:
        """Game, learner and row."""
        return f"{self.game}, {self.learner}, {self.row}"

    def play(self) -> pl.DataFrame:
        """Play the run: R(T), the first alarm and its round; none if there is no alarm."""
        game = GAMES[self.game].build()
        opponent = opponent_for(self.game, game, "random")
        if self.row == RECORDED[0]:
            opponent = HeavyTailed(opponent.types, opponent.respond, opponent.noise_std)
        assumed = replace(game, types=None) if self.row in (FREE, RECORDED[4]) else game
        kernel, noise = assumptions(self.game, self.row)
        width = GAMES[self.game].confidence_width
        learner = Auto.start(assumed) if self.learner == "auto" else StackelUCB.start(assumed, kernel, noise, width)
        monitored = Monitored(learner)
        record = record_of(self.game, self.row, game, opponent, self.seed)
        run = play_run(game, opponent, Misrecorded(monitored, record), self.rounds + 1, self.seed)
        lost = regret(run, true_rewards(game, opponent.respond)).cumulative[self.rounds - 1]  # the last is not observed
        name, first = min(monitored.first.items(), key=lambda item: item[1], default=(None, None))
        keys = {"game": self.game, "learner": self.learner, "row": self.row, "seed": self.seed}
        return pl.DataFrame(
            {**keys, "regret": float(lost), "alarm": name, "first": first},
            schema_overrides={"alarm": pl.String, "first": pl.Int64},
        )


def misspecified_tasks(first: int = REPORT.start, seeds: int = 6, automatic: int = 3) -> list[Task]:
    """Return runs of StackelUCB with every row, and of `auto`, which has no assumptions, with those about data."""
    rows = {"StackelUCB": ((SOUND, FREE, *ASSUMED, *RECORDED), seeds), "auto": ((SOUND, FREE, *RECORDED), automatic)}
    return [
        MisspecifiedTask(game, learner, row, first + seed)
        for learner, (wrong, count) in rows.items()
        for game in PLAYED
        for row in wrong
        for seed in range(count)
    ]


def summarise_misspecified(table: pl.DataFrame) -> pl.DataFrame:
    """One row per cell: the ratio of mean regrets, the share of runs with an alarm, its median round, and silent runs.

    A run is silent if it has no alarm and lost more than 1.5 times what the sound run with its seed lost. A cell is
    silent if more than a tenth of its runs are and the ratio of its mean regrets is above 1.5.
    """
    sound = table.filter(pl.col("row").is_in([SOUND, FREE])).select("game", "learner", "row", "seed", sound="regret")
    wrong = table.with_columns(
        reference=pl.when(pl.col("row") == RECORDED[4]).then(pl.lit(FREE)).otherwise(pl.lit(SOUND))
    )
    both = wrong.join(sound.rename({"row": "reference"}), on=["game", "learner", "reference", "seed"])
    silent = pl.col("alarm").is_null() & (pl.col("regret") > WORKS * pl.col("sound"))
    cells = both.group_by("row", "learner", "game", maintain_order=True).agg(
        ratio=pl.col("regret").mean() / pl.col("sound").mean(),
        runs=pl.len(),
        alarms=pl.col("alarm").is_not_null().mean(),
        first=pl.col("first").median(),
        alarm=pl.col("alarm").drop_nulls().mode().sort().first(),
        neither=silent.mean(),
    )
    return cells.with_columns(silent=(pl.col("ratio") > WORKS) & (pl.col("neither") > SILENT))


def misspecified_table(table: pl.DataFrame) -> pl.DataFrame:
    """Return the cells in words: rows by games, `works ×1.2`, or the median round of the alarm and its usual name."""
    cells = summarise_misspecified(table).filter(~pl.col("row").is_in([SOUND, FREE]))
    rows = []
    for (row, learner), part in cells.group_by("row", "learner", maintain_order=True):
        words = {cell["game"]: _words(cell) for cell in part.iter_rows(named=True)}
        rows.append({"wrong": str(row), "learner": str(learner), **words})
    return pl.DataFrame(rows)


def _words(cell: dict[str, Any]) -> str:
    works = f"works ×{cell['ratio']:.2g}" if cell["ratio"] <= WORKS else f"×{cell['ratio']:.2g}"
    alarm = (
        f"alarm in round {cell['first']:.0f} ({cell['alarm']}), {cell['alarms']:.0%} of runs" if cell["alarms"] else ""
    )
    return ", ".join(part for part in (works, alarm, "SILENT" if cell["silent"] else "") if part)
