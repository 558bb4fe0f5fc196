"""`auto` with the rules of a decision: a floor, blocks of rounds, and a cost of changing the action."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import polars as pl

from firstmover.core.arrays import Matrix, Vector
from firstmover.games.opponent import true_rewards
from firstmover.learners.auto import auto
from firstmover.learners.decision_rules import DecisionRules, Floor, changes
from firstmover.runs import Task
from firstmover.runs.arena.families import REPORT, Instance, kiosk, random_bimatrix, random_prices, random_response
from firstmover.simulation.hindsight import regret_of_table, reward_table
from firstmover.simulation.intervals import mean_interval
from firstmover.simulation.loop import play_run
from studies.summary import means

ROUNDS, GAMES_PER_FAMILY, SAMPLED = 200, 25, 200
"""Rounds of a run, games of each family, and types that are drawn where they are not known."""

WORSE, BETTER = 0.6, 0.9
"""The baseline earns between these shares of what the best action earns, on average over types."""

CHANGE_COST, HOLD = 0.1, 4
"""The cost of a change, in shares of the spread of the actions' mean rewards, and the length of blocks."""

FAMILIES: dict[str, Callable[[int], Instance]] = {
    "kiosk": kiosk,
    "prices": random_prices,
    "response": random_response,
    "bimatrix": random_bimatrix,
}

MEASURES = ("below", "at_baseline", "changed", "regret", "with_costs")
FLOORS = ("floor", "free")
CHANGES = ("change cost", "hold", "free")


def types_of(instance: Instance, rng: np.random.Generator) -> Matrix:
    """The known types of a game, or types that its source draws."""
    if instance.game.types is not None:
        return instance.game.types
    return np.array([instance.opponent.types.draw(np.empty(0), [], rng) for _ in range(SAMPLED)])


def floor_of(best: float, share: float) -> float:
    """The share of a reward as a floor takes it: reward − (1 − share) |reward|."""
    return best - (1 - share) * abs(best)


@lru_cache(maxsize=4)
def with_baseline(family: str, seed: int) -> tuple[Instance, int, Vector]:
    """Return a game with actions that earn 60 to 90 % of the best, one of them, and the mean rewards of all actions.

    A game without such actions is replaced by the one 25 seeds on, until one has some.
    """
    rng = np.random.default_rng([seed, 11])
    for attempt in range(30):
        instance = FAMILIES[family](seed + GAMES_PER_FAMILY * attempt)
        mean = reward_table(true_rewards(instance.game, instance.opponent.respond), types_of(instance, rng)).mean(
            axis=0
        )
        low, high = (floor_of(float(mean.max()), share) for share in (WORSE, BETTER))
        between = np.flatnonzero((mean >= low) & (mean <= high))
        if len(between):
            return instance, int(rng.choice(between)), mean
    raise AssertionError(f"no game of {family} from seed {seed} has a baseline")


def rules_of(label: str, baseline: int, mean: Vector) -> DecisionRules | None:
    """Return the rules of a label."""
    cost = CHANGE_COST * float(np.ptp(mean))
    return {
        "floor": DecisionRules(Floor(baseline)),
        "change cost": DecisionRules(change_cost=cost),
        "hold": DecisionRules(hold=HOLD),
    }.get(label)


@dataclass(frozen=True)
class FloorTask:
    """One run: a family and a rule, and the seed of both the game and the run."""

    family: str
    rule: str
    seed: int

    @property
    def label(self) -> str:
        """The family and the rule."""
        return f"{self.family}, {self.rule}"

    @property
    def rounds(self) -> int:
        """The number of rounds."""
        return ROUNDS

    def play(self) -> pl.DataFrame:
        """Play the run: per round whether it lay below the floor, whether the action changed, and regrets.

        Means for the floor are over the types of the run. Regrets are in units of T (best − baseline), by the mean
        rewards over the types of the game; `with_costs` contains the costs of changes.
        """
        instance, baseline, mean = with_baseline(self.family, self.seed)
        game, opponent, cost = instance.game, instance.opponent, CHANGE_COST * float(np.ptp(mean))
        rules = rules_of(self.rule, baseline, mean)
        run = play_run(game, opponent, auto(game), ROUNDS, self.seed, rules=rules)
        changed = changes(run.actions.tolist())
        table = reward_table(true_rewards(game, opponent.respond), run.opponent_types)
        average = table.mean(axis=0)
        unit = ROUNDS * float(mean.max() - mean[baseline])
        paid = np.cumsum(changed) * (0.0 if rules is None else rules.change_cost)
        regret = regret_of_table(run, table).cumulative - paid
        floor = floor_of(float(average[baseline]), 0.95)
        return pl.DataFrame(
            {
                "family": self.family,
                "label": self.rule,
                "seed": self.seed,
                "t": np.arange(1, ROUNDS + 1),
                "below": average[run.actions] < floor - 1e-9 * abs(floor),
                "at_baseline": run.actions == baseline,
                "changed": changed,
                "regret": regret / unit,
                "with_costs": (regret + cost * np.cumsum(changed)) / unit,
            }
        )


def floor_tasks(labels: Sequence[str], count: int = GAMES_PER_FAMILY, first: int = REPORT.start) -> list[Task]:
    """Return the runs of these labels on so many games of each family."""
    return [FloorTask(family, label, first + i) for family in FAMILIES for i in range(count) for label in labels]


def per_run(table: pl.DataFrame) -> pl.DataFrame:
    """One row per run: shares of rounds, changes, and regrets at the end."""
    last = [pl.col(name).last() for name in ("regret", "with_costs")]
    shares = [pl.col("below").mean(), pl.col("at_baseline").mean(), pl.col("changed").sum()]
    return table.group_by("family", "label", "seed", maintain_order=True).agg(*shares, *last)


def summarise_floors(table: pl.DataFrame) -> pl.DataFrame:
    """One row per family and label, and for all families: shares of rounds, changes and regrets with intervals."""
    runs = per_run(table)
    both = pl.concat([runs, runs.with_columns(family=pl.lit("all"))])
    return means(both, ["family", "label"], MEASURES)


def regret_ratio(
    table: pl.DataFrame, label: str, baseline: str = "free", measure: str = "regret"
) -> tuple[float, float]:
    """Return the ratio of mean regrets over all games, and the half-width of its 95 % interval.

    Regrets are in units of that of the baseline action. The interval is that of the mean of a − ratio · b, in units of
    the mean of b (the delta method).
    """
    runs = per_run(table)
    a, b = (runs.filter(label=name).sort("family", "seed")[measure].to_numpy() for name in (label, baseline))
    ratio = float(a.mean() / b.mean())
    _, half_width = mean_interval(a - ratio * b)
    return ratio, float(half_width) / float(b.mean())


def typical_ratio(table: pl.DataFrame, label: str, baseline: str = "free", measure: str = "regret") -> float:
    """Return the median over games of the ratio of regrets."""
    runs = per_run(table)
    a, b = (runs.filter(label=name).sort("family", "seed")[measure].to_numpy() for name in (label, baseline))
    return float(np.median(a / b))


def share_below(table: pl.DataFrame, label: str) -> tuple[float, float]:
    """Return the share of rounds below the floor, over all games, and the half-width of its 95 % interval."""
    mean, half_width = mean_interval(per_run(table).filter(label=label)["below"].to_numpy())
    return float(mean), float(half_width)
