"""`auto` on fresh games beside the arena: parks, the simplex, prices, a template, outliers and cost."""

import tomllib
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from time import process_time
from typing import Any, Self
from unittest.mock import patch

import numpy as np
import polars as pl
from scipy.special import expit
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Game
from firstmover.core.records import Box, Feedback
from firstmover.games import GAMES
from firstmover.games.opponent import Opponent
from firstmover.games.rewards import increasing
from firstmover.games.wildlife.opponents import Poachers
from firstmover.matches.setup import Setting
from firstmover.runs import Task
from firstmover.runs.arena.contestants import automatic
from firstmover.runs.arena.families import REPORT, Instance, near_park, random_prices, watched
from firstmover.runs.arena.instances import instance_of
from firstmover.simulation import RandomTypes, Sampled, true_rewards
from firstmover.simulation.hindsight import regret
from firstmover.simulation.intervals import mean_interval, share_interval
from firstmover.simulation.loop import play_run
from studies.best_commitment import best_commitment

GAMES_PER_PARK = 5

PARK_ROUNDS, HELD_FROM, GAP = 100, 40, 0.01
"""Rounds on a park; a game counts if its mean gap to the best patrol from round 40 on is at most 0.01."""


def fresh_park(number: int) -> Instance:
    """Return a park by its seed: every third is near the published one, the others are random."""
    return instance_of("near park" if number % 3 == 2 else "park", number)


@dataclass(frozen=True)
class ParkTask:
    """All games on one park: `seed` is that of the park."""

    seed: int
    games: int = GAMES_PER_PARK
    label: str = "parks"

    @property
    def rounds(self) -> int:
        """The rounds of all games together."""
        return self.games * PARK_ROUNDS

    def play(self) -> pl.DataFrame:
        """Play all games: one row per round, with the gap to the best patrol."""
        instance = fresh_park(self.seed)
        best = float(true_rewards(instance.game, instance.opponent.respond)(instance.game.types[0]).max())  # type: ignore[index]
        tables = []
        for game in range(self.games):
            run = play_run(instance.game, instance.opponent, automatic(instance), PARK_ROUNDS, game)
            t = np.arange(1, PARK_ROUNDS + 1)
            tables.append(pl.DataFrame({"park": self.seed, "game": game, "t": t, "gap": best - run.rewards}))
        return pl.concat(tables)


def park_tasks(first: int = REPORT.start, count: int = 30) -> list[Task]:
    """Return one task per park."""
    return [ParkTask(first + i) for i in range(count)]


def summarise_parks(table: pl.DataFrame) -> dict[str, float]:
    """Return the share of games within `GAP` from round 40 on with its 95 % interval, and the mean final gap."""
    late = pl.col("t") >= HELD_FROM
    games = table.group_by("park", "game", maintain_order=True).agg(
        late=pl.col("gap").filter(late).mean(), final=pl.col("gap").last()
    )
    within = int((games["late"] <= GAP).sum())
    low, high = share_interval(within, len(games))
    parks = games.group_by("park", maintain_order=True).agg(pl.col("final").mean())["final"].to_numpy()
    mean, half_width = mean_interval(parks)
    return {
        "games": len(games),
        "share": within / len(games),
        "share_low": low,
        "share_high": high,
        "final": float(mean),
        "final_half_width": float(half_width),
    }


SIMPLEX_ROUNDS, SIMPLEX_GAMES = 200, 3

LAST = (181, 200)
"""Rounds over which the rewards of commitments are averaged, ends included."""


@dataclass(frozen=True)
class SimplexTask:
    """One run on the whole simplex of one park, whose number is the label."""

    park: int
    seed: int
    rounds: int = SIMPLEX_ROUNDS

    @property
    def label(self) -> str:
        """The park."""
        return f"park {self.park}"

    def play(self) -> pl.DataFrame:
        """Play the run: one row per round with r(p_t, y_t), and the rewards of the uniform and the best mixture."""
        instance = watched(fresh_park(self.park))
        poachers = fresh_park(self.park).opponent.respond
        assert isinstance(poachers, Poachers)
        run = play_run(instance.game, instance.opponent, automatic(instance), self.rounds, self.seed)
        uniform = np.full((1, poachers.park.n_cells), 1 / poachers.park.n_cells)
        return pl.DataFrame(
            {
                "park": self.park,
                "seed": self.seed,
                "t": np.arange(1, self.rounds + 1),
                "reward": earned_by(poachers, run.strategies, run.true_responses),
                "uniform": float(earned_by(poachers, uniform, poachers(uniform, uniform[0]))[0]),
                "best": best_commitment(poachers).reward,
            }
        )


def earned_by(poachers: Poachers, mixtures: Matrix, locations: Matrix) -> Vector:
    """Return r(p, y) = p_i − (1 − p_i) φ(y) of mixtures (k, c), i the cell of y."""
    covered = mixtures[np.arange(len(mixtures)), poachers.park.cell_of(locations)]
    return covered - (1 - covered) * poachers.park.density(locations)


def simplex_tasks(first: int = REPORT.start, count: int = 20, games: int = SIMPLEX_GAMES) -> list[Task]:
    """Return all runs on so many parks."""
    return [SimplexTask(first + i, seed) for i in range(count) for seed in range(games)]


def summarise_simplex(table: pl.DataFrame) -> pl.DataFrame:
    """One row per park: the share of the gap from uniform to best that rounds 181 to 200 close."""
    late = table.filter(pl.col("t").is_between(*LAST))
    return (
        late.group_by("park", maintain_order=True)
        .agg(pl.col("uniform", "best").first(), reward=pl.col("reward").mean())
        .with_columns(closed=(pl.col("reward") - pl.col("uniform")) / (pl.col("best") - pl.col("uniform")))
    )


PRICE_ROUNDS, PRICE_SEEDS = 300, 5


@dataclass(frozen=True)
class PricesTask:
    """One run against the adversary of one price game."""

    game: int
    seed: int
    rounds: int = PRICE_ROUNDS

    @property
    def label(self) -> str:
        """The game."""
        return f"prices {self.game}"

    def play(self) -> pl.DataFrame:
        """Play the run: one row per round with the reward and that of the best fixed prices in hindsight."""
        instance = random_prices(self.game, "adversary")
        return _curve(self, instance, {"game": self.game, "words": instance.words})


def _curve(task: Task, instance: Instance, keys: Mapping[str, Any]) -> pl.DataFrame:
    """Play `auto` on an instance: one row per round with reward and regret, and the keys of the task."""
    run = play_run(instance.game, instance.opponent, automatic(instance), task.rounds, task.seed)
    loss = regret(run, true_rewards(instance.game, instance.opponent.respond))
    columns = {"t": np.arange(1, task.rounds + 1), "reward": run.rewards, "cumulative_regret": loss.cumulative}
    return pl.DataFrame({**keys, "seed": task.seed, **columns})


def prices_tasks(first: int = REPORT.start, count: int = 8, seeds: int = PRICE_SEEDS) -> list[Task]:
    """Return all runs of so many price games."""
    return [PricesTask(first + i, seed) for i in range(count) for seed in range(seeds)]


def shares_of_optimum(table: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """One row per group: the mean over runs of earnings as a share of the best fixed action in hindsight."""
    earned = pl.col("reward").sum()
    runs = table.group_by(*by, "seed", maintain_order=True).agg(
        share=earned / (earned + pl.col("cumulative_regret").last())
    )
    rows = []
    for key, part in runs.group_by(*by, maintain_order=True):
        mean, half_width = mean_interval(part["share"].to_numpy())
        rows.append((*key, float(mean), float(half_width), float(part["share"].min())))  # type: ignore[arg-type]
    return pl.DataFrame(rows, schema=[*by, "share", "share_half_width", "worst"], orient="row")


TEMPLATE_ROUNDS, TEMPLATE_SEEDS = 100, 20


def warm_template() -> Instance:
    """Return the game of the template `pricing` with one type more, the temperature in °C, and simulated customers.

    All buy more on warm days; residents buy nearly nothing above 11, tourists nearly nothing above 12.
    """
    document = tomllib.loads(GAMES["prices"].templates[0].text)
    document["types"].append({"name": "temperature", "unit": "°C"})
    game = Setting.of(document).game
    noise = 3.0

    def respond(actions: Matrix, opponent_type: Vector, /) -> Matrix:
        residents, tourists, temperature = opponent_type
        warm = np.clip(0.5 + 0.04 * (temperature - 10.0), 0.3, 1.3)
        price, limit = actions[:, [0]], 10.5 * residents + 11.5 * tourists
        return warm * (60.0 * residents + 45.0 * tourists) * expit(2.5 * (limit - price))

    def sampler(rng: np.random.Generator) -> Vector:
        tourist = float(rng.random() < 0.4)
        return np.array([1 - tourist, tourist, np.round(rng.normal(16.0, 8.0), 1)])

    opponent = Opponent(Sampled(sampler), respond, noise)
    return Instance("template", 0, "pricing with temperature", game, opponent, ConstantKernel(900.0) * RBF(2.0), 9.0)


@dataclass(frozen=True)
class TemplateTask:
    """One run of the template."""

    seed: int
    rounds: int = TEMPLATE_ROUNDS
    label: str = "template"

    def play(self) -> pl.DataFrame:
        """Play the run: one row per round."""
        return _curve(self, warm_template(), {"game": self.label})


def template_tasks(first: int = REPORT.start, seeds: int = TEMPLATE_SEEDS) -> list[Task]:
    """Return one run per seed."""
    return [TemplateTask(first + i) for i in range(seeds)]


OUTLYING_SHARE, OUTLYING_FACTOR = 0.01, 1e6
"""The share of responses that are recorded wrongly, and the factor of the mistake."""

OUTLIER_FAMILIES = ("prices", "roads", "response", "kiosk")

OUTLIER_LABELS = ("as they are", "1 % × 10⁶", "without robust weights")

OUTLIER_ROUNDS, OUTLIER_SEEDS = 200, 6


@dataclass(frozen=True)
class Mistyped(Opponent):
    """The same opponent, of whose responses 1 % are recorded × 10⁶."""

    opponent: Opponent | None = None

    def seen(self, true_response: Vector, rng: np.random.Generator) -> Vector:
        """The observation of the opponent, or what was typed instead; the noise is that of the run without mistakes."""
        assert self.opponent is not None
        state: int = rng.bit_generator.state["state"]["state"]
        wrong = np.random.default_rng(state).random() < OUTLYING_SHARE
        seen = self.opponent.seen(true_response, rng)
        return seen * OUTLYING_FACTOR if wrong else seen


@dataclass(frozen=True)
class OutlierTask:
    """One run of `auto` with or without mistakes, or of `auto` without robust weights."""

    family: str
    instance: int
    responses: str
    seed: int
    rounds: int = OUTLIER_ROUNDS

    @property
    def label(self) -> str:
        """Instance and responses."""
        return f"{self.family} {self.instance}, {self.responses}"

    def play(self) -> pl.DataFrame:
        """Play the run: one row per round."""
        instance = instance_of(self.family, self.instance)
        opponent = instance.opponent
        if self.responses == OUTLIER_LABELS[1]:
            instance = replace(instance, opponent=Mistyped(opponent.types, opponent.respond, opponent=opponent))
        robust = self.responses != OUTLIER_LABELS[2]
        keys = {"family": self.family, "instance": self.instance, "responses": self.responses}
        with nullcontext() if robust else patch("firstmover.beliefs.fitted.CLEAR", np.inf):
            return _curve(self, instance, keys)


def outlier_tasks(first: int = REPORT.start, each: int = 2, seeds: int = OUTLIER_SEEDS) -> list[Task]:
    """Return all runs on some instances of the families whose responses are numbers."""
    return [
        OutlierTask(family, first + i, responses, seed)
        for family in OUTLIER_FAMILIES
        for i in range(each)
        for responses in OUTLIER_LABELS
        for seed in range(seeds)
    ]


def summarise_outliers(table: pl.DataFrame) -> pl.DataFrame:
    """One row per instance: mean R(T)/T in each case, and the two ratios of the targets."""
    keys = ["family", "instance", "responses"]
    runs = table.group_by(*keys, "seed", maintain_order=True).agg(regret=pl.col("cumulative_regret").last() / pl.len())
    wide = runs.group_by(keys, maintain_order=True).agg(pl.col("regret").mean())
    wide = wide.pivot("responses", index=["family", "instance"], values="regret")
    plain, wrong, equal = (pl.col(label) for label in OUTLIER_LABELS)
    return wide.with_columns(with_mistakes=wrong / plain, robustness=plain / equal)


@dataclass(frozen=True, eq=False)
class Timed:
    """A learner that records the processor time of each round, decision and update."""

    learner: Any
    seconds: list[float] = field(default_factory=list)

    @property
    def strategy(self) -> Vector:
        """p_t."""
        return self.learner.strategy

    def observe(self, feedback: Feedback) -> Self:
        """Observe, and compute the strategy of the next round."""
        start = process_time()
        learner = self.learner.observe(feedback)
        _ = learner.strategy
        self.seconds.append(process_time() - start)
        return replace(self, learner=learner)


COST_ROUNDS = 1000

COST_LABELS = ("525 patrols, a choice", "525 patrols, two numbers", "525 actions, 3 + 2 features, 8 types")


@dataclass(frozen=True)
class CostTask:
    """1,000 rounds of `auto` on 525 actions, with the processor time of each."""

    label: str
    seed: int = 0
    rounds: int = COST_ROUNDS

    def play(self) -> pl.DataFrame:
        """Play the run: one row per round."""
        instance = large_instance(self.label)
        timed = Timed(automatic(instance))
        play_run(instance.game, instance.opponent, timed, self.rounds + 1, self.seed)
        return pl.DataFrame({"game": self.label, "t": np.arange(1, self.rounds + 1), "seconds": timed.seconds})


def large_instance(label: str) -> Instance:
    """Return a game of 525 actions: near parks with and without declared places, or a response function."""
    if label != COST_LABELS[2]:
        instance = near_park(0)
        return instance if label == COST_LABELS[0] else replace(instance, game=replace(instance.game, places=None))
    rng = np.random.default_rng(0)
    types, reward = rng.random((8, 2)), increasing(lambda x, y: (1 + x[:, 0]) * y[:, 0])
    game = Game("large", rng.random((525, 3)), reward, Box([-4.0], [4.0]), types=types)
    opponent = Opponent(
        RandomTypes(types),
        lambda x, theta: np.sin(4 * x[:, :1] + 3 * theta[0]) + np.cos(5 * x[:, 1:2]) * theta[1],
        0.1,
    )
    return Instance("large", 0, label, game, opponent, RBF(0.5), 0.01)


def cost_tasks(rounds: int = COST_ROUNDS) -> list[Task]:
    """Return one run per game."""
    return [CostTask(label, rounds=rounds) for label in COST_LABELS]


def summarise_cost(table: pl.DataFrame) -> pl.DataFrame:
    """One row per game: mean milliseconds per round, and the longest round of the first 500, in seconds."""
    return table.group_by("game", maintain_order=True).agg(
        milliseconds=1000 * pl.col("seconds").mean(), longest=pl.col("seconds").filter(pl.col("t") <= 500).max()
    )
