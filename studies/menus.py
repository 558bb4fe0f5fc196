"""`auto` on a menu that loses three actions and gains five in the middle of a run."""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np
import polars as pl
from numpy.typing import NDArray

from firstmover.core.arrays import Mask, Matrix, Vector
from firstmover.core.records import Round, Run
from firstmover.games.opponent import true_rewards
from firstmover.learners.auto import auto
from firstmover.runs import Task
from firstmover.runs.arena.families import REPORT, Instance, kiosk, random_prices, random_response
from firstmover.simulation import Scripted
from firstmover.simulation.hindsight import reward_table
from firstmover.simulation.intervals import mean_interval, share_interval
from firstmover.simulation.loop import Masks, Streams, play_run
from studies.summary import means

CHANGE, ROUNDS, LOST, GAINED = 100, 200, 3, 5
"""The rounds before the change and in all, and the actions that the menu loses and gains."""

SOON, NEAR, SAMPLE = 20, 0.01, 400
"""Rounds after the change within which the new best action is to be found; the share of the spread of mean rewards up
to which another action is as good; and types that are drawn where they are not known."""

FAMILIES = ("kiosk", "prices", "response")

CHANGED, FRESH, ALWAYS = "changed", "fresh", "all along"
LABELS = (CHANGED, FRESH, ALWAYS)
"""A menu that changes at round 100; a learner that begins then; and a menu that had the later actions all along."""


@dataclass(frozen=True, eq=False)
class Change:
    """An instance, masks of its actions that are open before and after, and of those as good as the new best one."""

    instance: Instance
    before: Mask
    after: Mask
    good: Mask


def instance_of(family: str, seed: int) -> Instance:
    """Return an instance of which types come at random."""
    if family == "kiosk":
        return kiosk(seed)
    return random_prices(seed, "random") if family == "prices" else random_response(seed, "random")


def drawn_types(instance: Instance) -> Matrix:
    """Return types that are drawn as in the rounds of an instance."""
    rng = np.random.default_rng([instance.seed, 9])
    return np.array([instance.opponent.types.draw(np.empty(0), [], rng) for _ in range(SAMPLE)])


def mean_rewards(instance: Instance) -> Vector:
    """Return the mean reward of each action over the known types, or over a sample of them (n,)."""
    types = drawn_types(instance) if instance.game.types is None else instance.game.types
    return reward_table(true_rewards(instance.game, instance.opponent.respond), types).mean(axis=0)


def change_of(family: str, seed: int) -> Change:
    """Return the change of an instance: it gains its best action and loses the best of the others.

    The other four that it gains and the other two that it loses are drawn.
    """
    instance, rng = instance_of(family, seed), np.random.default_rng([seed, 10])
    mean, n = mean_rewards(instance), instance.game.n_actions
    best = int(mean.argmax())
    gained = np.append(rng.choice(np.delete(np.arange(n), best), GAINED - 1, replace=False), best)
    kept = np.setdiff1d(np.arange(n), gained)
    former = kept[mean[kept].argmax()]
    lost = np.append(rng.choice(kept[kept != former], LOST - 1, replace=False), former)
    before, after = ~np.isin(np.arange(n), gained), ~np.isin(np.arange(n), lost)
    good = after & (mean >= mean.max() - NEAR * np.ptp(mean[after]))
    return Change(instance, before, after, good)


def masks(before: Mask, after: Mask) -> Masks:
    """Return the masks of a menu that changes once."""

    def allowed(past: Sequence[Round], _: np.random.Generator) -> Mask:
        return before if len(past) < CHANGE else after

    return allowed


@dataclass(frozen=True)
class MenuTask:
    """One run on an instance of a family; `seed` is that of both."""

    family: str
    menu: str
    seed: int
    rounds: int = ROUNDS - CHANGE

    @property
    def label(self) -> str:
        """Family and menu."""
        return f"{self.family}, {self.menu}"

    def play(self) -> pl.DataFrame:
        """Play the run: one row for each round after the change."""
        change = change_of(self.family, self.seed)
        run, good = played(change, self.menu, self.seed)
        rewards = true_rewards(change.instance.game, change.instance.opponent.respond)
        table = reward_table(rewards, run.opponent_types)[:, change.after]
        return pl.DataFrame(
            {
                "family": self.family,
                "menu": self.menu,
                "seed": self.seed,
                "t": np.arange(CHANGE + 1, ROUNDS + 1),
                "likeliest": good[run.strategies.argmax(axis=1)],
                "played": good[run.actions],
                "reward": run.rewards,
                "cumulative_regret": np.cumsum(table, axis=0).max(axis=1) - np.cumsum(run.rewards),
                "range": float(np.ptp(table)),
            }
        )


def played(change: Change, menu: str, seed: int) -> tuple[Run, NDArray[np.bool_]]:
    """Return the rounds after the change of a run, and which actions of its game are as good as the best one.

    A fresh learner meets the types of the other runs, on the new menu alone.
    """
    game, opponent = change.instance.game, change.instance.opponent
    if menu != FRESH:
        allowed = masks(change.before if menu == CHANGED else np.ones(game.n_actions, dtype=bool), change.after)
        return after_change(play_run(game, opponent, auto(game), ROUNDS, seed, allowed=allowed)), change.good
    rng = Streams.of(seed).types
    types = np.array([opponent.types.draw(np.empty(0), [], rng) for _ in range(ROUNDS)])
    game = replace(game, actions=game.actions[change.after])
    opponent = replace(opponent, types=Scripted(types[CHANGE:]))
    return play_run(game, opponent, auto(game), ROUNDS - CHANGE, seed), change.good[change.after]


def after_change(run: Run) -> Run:
    """Return the rounds after the change."""
    columns = {field.name: getattr(run, field.name) for field in fields(run)}
    return Run(**{name: value if value is None else value[CHANGE:] for name, value in columns.items()})


def menu_tasks(first: int = REPORT.start, count: int = 20) -> list[Task]:
    """Return the runs on so many instances of each family."""
    return [MenuTask(family, menu, first + i) for family in FAMILIES for menu in LABELS for i in range(count)]


def runs_of(table: pl.DataFrame) -> pl.DataFrame:
    """One row per run: whether the new best action was found in time and kept, and the regret in shares of the range.

    It is found in the first round in which the likeliest action is as good, and kept if such actions are played in most
    rounds from there.
    """
    rows = []
    for (family, menu, seed), part in table.group_by("family", "menu", "seed", maintain_order=True):
        soon = np.flatnonzero(part["likeliest"].to_numpy()[:SOON])
        kept = bool(len(soon) and part["played"].to_numpy()[soon[0] :].mean() > 0.5)
        regret = float(part["cumulative_regret"][-1] / part["range"][0])
        rows.append((family, menu, seed, len(soon) > 0, kept, regret))
    return pl.DataFrame(rows, schema=["family", "menu", "seed", "found", "kept", "regret"], orient="row")


def summarise_menus(table: pl.DataFrame) -> pl.DataFrame:
    """One row per family and menu, and for all families: shares of games, and the mean regret with its interval."""
    runs = runs_of(table)
    both = pl.concat([runs, runs.with_columns(family=pl.lit("all"))])
    return means(both, ["family", "menu"], ["found", "kept", "regret"])


def kept_share(table: pl.DataFrame, menu: str = CHANGED) -> tuple[float, float, float]:
    """Return the share of games in which the new best action was found in time and kept, and its 95 % interval."""
    kept = runs_of(table).filter(menu=menu)["kept"]
    return float(kept.mean()), *share_interval(int(kept.sum()), len(kept))  # type: ignore[arg-type]


def regret_ratio(table: pl.DataFrame, baseline: str) -> tuple[float, float]:
    """Return Σ regret on the changed menu over Σ regret of a baseline, over games, and the half-width of its interval.

    The interval of a ratio of means, by the linearised differences a − ρ b (delta method).
    """
    wide = runs_of(table).pivot("menu", index=["family", "seed"], values="regret")
    ours, other = wide[CHANGED].to_numpy(), wide[baseline].to_numpy()
    ratio = ours.sum() / other.sum()
    _, half_width = mean_interval((ours - ratio * other) / other.mean())
    return float(ratio), float(half_width)
