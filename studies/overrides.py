"""The belief of `auto` when another action than advised is played in some rounds."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl

from firstmover.core.arrays import Matrix
from firstmover.core.numerics import one_thread, sample_action
from firstmover.core.records import Feedback
from firstmover.games.opponent import responses_of
from firstmover.learners.auto import Auto
from firstmover.runs import Task
from firstmover.runs.arena.families import REPORT, Instance
from firstmover.simulation.intervals import mean_interval
from firstmover.simulation.loop import Streams
from studies.menus import FAMILIES, drawn_types, instance_of

ROUNDS, SHARE = 200, 0.3
"""Rounds of a run, and the share of them in which another action than advised is played."""

FOLLOWED, RANDOM, HABIT = "followed", "random", "habit"
LABELS = (FOLLOWED, RANDOM, HABIT)
"""The advice is followed; replaced by any other action; or by one that is the same in the whole run."""

Override = Callable[[int], int]
"""From the action that is advised to the one that is played."""


def overriding(label: str, n_actions: int, rng: np.random.Generator) -> Override:
    """Return what is played instead of the advised action."""
    habit = int(rng.integers(n_actions))

    def played(advised: int) -> int:
        kept, other = rng.random() >= SHARE, (advised + int(rng.integers(1, n_actions))) % n_actions
        if kept or label == FOLLOWED:
            return advised
        return habit if label == HABIT else other

    return played


def learner_after(instance: Instance, label: str, seed: int) -> Auto:
    """Return `auto` after a run: types, noise and the rounds of overrides depend on the seed alone."""
    game, opponent, streams = instance.game, instance.opponent, Streams.of(seed)
    override, learner = overriding(label, game.n_actions, streams.history), Auto.start(game)
    with one_thread():
        for _ in range(ROUNDS):
            theta = opponent.types.draw(np.empty(0), [], streams.types)
            advised = sample_action(learner.strategy, streams.actions.random())
            action = override(advised)
            response = opponent.seen(responses_of(game, opponent.respond, theta, [action])[0], streams.noise)
            learner = learner.observe(Feedback(action, theta, response, advised=None if action == advised else advised))
    return learner


def error_of(learner: Auto, instance: Instance) -> float:
    """Return the root mean squared error of μ over all actions and types, relative to the spread of each output."""
    game, respond = instance.game, instance.opponent.respond
    everything = np.arange(game.n_actions).tolist()
    types: Matrix = drawn_types(instance)[:100] if game.types is None else game.types
    true = np.concatenate([responses_of(game, respond, theta, everything) for theta in types])
    mean = np.concatenate([learner.belief.predict(theta).mean for theta in types])
    return float(np.sqrt(np.mean(((mean - true) / true.std(axis=0)) ** 2)))


@dataclass(frozen=True)
class OverrideTask:
    """One run on an instance of a family; `seed` is that of both."""

    family: str
    advice: str
    seed: int
    rounds: int = ROUNDS

    @property
    def label(self) -> str:
        """Family, and what happens to the advice."""
        return f"{self.family}, {self.advice}"

    def play(self) -> pl.DataFrame:
        """Play the run: one row with the error of the belief after it."""
        instance = instance_of(self.family, self.seed)
        learner = learner_after(instance, self.advice, self.seed)
        overridden = float(np.mean([f.action for f in learner.belief.seen] != learner.advised))
        row = {"family": self.family, "advice": self.advice, "seed": self.seed, "overridden": overridden}
        return pl.DataFrame({**row, "error": error_of(learner, instance)})


def override_tasks(first: int = REPORT.start, count: int = 40) -> list[Task]:
    """Return the runs on so many instances of each family."""
    return [OverrideTask(family, advice, first + i) for family in FAMILIES for advice in LABELS for i in range(count)]


def error_ratio(table: pl.DataFrame, advice: str) -> tuple[float, float, float]:
    """Return the geometric mean over games of error / error where the advice is followed, and its 95 % interval."""
    wide = table.pivot("advice", index=["family", "seed"], values="error")
    mean, half_width = mean_interval(np.log(wide[advice] / wide[FOLLOWED]).to_numpy())
    return float(np.exp(mean)), float(np.exp(mean - half_width)), float(np.exp(mean + half_width))


def summarise_overrides(table: pl.DataFrame) -> pl.DataFrame:
    """One row per family and habit, and for all families: games, the share of overrides, and the ratio of errors."""
    rows = []
    for family in [*FAMILIES, "all"]:
        part = table if family == "all" else table.filter(family=family)
        for advice in LABELS[1:]:
            own = part.filter(advice=advice)
            if len(own):
                rows.append((family, advice, len(own), float(own["overridden"].mean()), *error_ratio(part, advice)))  # type: ignore[arg-type]
    return pl.DataFrame(rows, schema=["family", "advice", "games", "overridden", "ratio", "low", "high"], orient="row")
