"""One run is one task: equal tasks give equal tables, in any process."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import polars as pl
from scipy.special import entr

from firstmover.core.contracts import Game
from firstmover.core.files import sources_hash, text_hash
from firstmover.core.plugins import plugin_sources
from firstmover.core.records import Run
from firstmover.runs.setup import Stage, arena_of, learner_of
from firstmover.simulation import Opponent, play_run, true_rewards
from firstmover.simulation.hindsight import Regret, dynamic_regret, regret_of_table, reward_table

POINTS = 200
"""Rounds of a run, evenly spread, that are kept of a curve; the last one always."""

CURVE = ("t", "cumulative_regret", "cumulative_reward", "entropy")
"""The columns that are kept of a round in any case."""

PACKAGES = ("core", "kernels", "beliefs", "strategies", "learners", "games", "simulation", "runs")
"""The packages of firstmover that decide what a run gives."""

LIBRARIES = ("numpy", "scipy", "scikit-learn")


class Task(Protocol):
    """One run of a learner: a protocol, which `SpecTask` implements.

    Examples
    --------
    >>> from firstmover.runs import ExperimentSpec, plan_of
    >>> spec = ExperimentSpec.read({"game": "shore", "rounds": 9, "seeds": 1, "learners": ["exp3"]})
    >>> task = plan_of(spec).tasks[0]
    >>> task.label, task.seed, task.rounds
    ('exp3', 0, 9)
    """

    @property
    def label(self) -> str:
        """The learner's name in tables and figures."""

    @property
    def seed(self) -> int:
        """The run's seed."""

    @property
    def rounds(self) -> int:
        """T, the number of rounds."""

    def play(self) -> pl.DataFrame:
        """Play the run: one row per round."""


@dataclass(frozen=True)
class SpecTask:
    """A run that a document describes.

    Parameters
    ----------
    document
        Canonical JSON: everything that decides the result, the seed included.
    label
        The learner's name in tables and figures.
    seed
        Of the run.
    rounds
        T, the number of rounds.
    family
        Learner, game and opponent, whose rounds take about the same time.

    Examples
    --------
    >>> from firstmover.runs import ExperimentSpec, plan_of
    >>> spec = ExperimentSpec.read({"game": "shore", "rounds": 9, "seeds": 1, "learners": ["exp3"]})
    >>> plan_of(spec).tasks[0].play().height
    9
    """

    document: str
    label: str
    seed: int
    rounds: int
    family: str

    @property
    def fields(self) -> dict[str, Any]:
        """The document."""
        return json.loads(self.document)

    def stage(self) -> Stage:
        """Build the game, the opponent and the learner."""
        game, opponent = arena_of(self.fields)
        return Stage(game, opponent, learner_of(self.fields, game, opponent, self.seed))

    def play(self) -> pl.DataFrame:
        """Play the run: one row per round."""
        stage = self.stage()
        run = play_run(stage.game, stage.opponent, stage.learner, self.rounds, self.seed)
        return table_with_regret(stage.game, stage.opponent, run, self.seed, self.label)

    def kept(self, table: pl.DataFrame) -> pl.DataFrame:
        """The rounds of the run that are stored."""
        return kept(table, self.fields["keep"])


def kept(table: pl.DataFrame, keep: str) -> pl.DataFrame:
    """The rounds of a run that are stored: the last, some, or all with everything known of them.

    >>> table = pl.DataFrame({"learner": "a", "seed": 1, "t": [1, 2], "cumulative_regret": [0.5, 0.7],
    ...                       "reward": [1.0, 2.0], "entropy": 0.0})
    >>> kept(table, "summary").row(0)
    (2, 0.7, 3.0, 0.0)
    """
    table = table.with_columns(cumulative_reward=pl.col("reward").cum_sum())
    if keep == "rounds":
        return table.drop("learner", "seed")
    points = 1 if keep == "summary" else min(POINTS, len(table))
    rounds = np.linspace(0, len(table) - 1, points).round().astype(int) if points > 1 else [len(table) - 1]
    return table.select(CURVE)[rounds]


def table_of(run: Run, loss: Regret, label: str, seed: int) -> pl.DataFrame:
    """One row per round; entropy is that of p_t, in nats."""
    rounds, outputs = run.responses.shape
    return pl.DataFrame(
        {
            "learner": pl.repeat(label, rounds, eager=True),
            "seed": pl.repeat(seed, rounds, dtype=pl.Int64, eager=True),
            "t": np.arange(1, rounds + 1),
            "action": run.actions,
            "probability": run.strategies[np.arange(rounds), run.actions],
            "opponent_type": pl.Series(run.opponent_types).cast(pl.List(pl.Float64)),
            **{f"response_{i}": run.responses[:, i] for i in range(outputs)},
            **{f"true_response_{i}": run.true_responses[:, i] for i in range(outputs)},
            "reward": run.rewards,
            "cumulative_regret": loss.cumulative,
            "time_averaged_regret": loss.time_averaged,
            "best_action": loss.best_action,
            "entropy": entr(run.strategies).sum(axis=1),
        }
    )


def table_with_regret(game: Game, opponent: Opponent, run: Run, seed: int, label: str) -> pl.DataFrame:
    """One row per round with its regret; against a drifting opponent also the regret against each round's best."""
    game = game if run.menu is None else replace(game, actions=run.menu)
    rewards = reward_table(true_rewards(game, opponent.respond), opponent.asked(run.opponent_types))
    table = table_of(run, regret_of_table(run, rewards), label, seed)
    return table.with_columns(dynamic_regret=dynamic_regret(run, rewards)) if opponent.drifts else table


def code_hash(with_plugins: bool = True) -> str:
    """The hash of the sources of firstmover and of all loaded plugins, and of the versions of numerical libraries.

    A result with this hash in its key is never reused after the code that gave it was changed. Without plugins it is
    for results that no plugin can change.
    """
    versions = [f"{name} {version(name)}" for name in LIBRARIES]
    plugins = [hashlib.sha256(path.read_bytes()).hexdigest() for path in plugin_sources()] if with_plugins else []
    return text_hash(" ".join([*versions, sources_hash(PACKAGES), *plugins]))


def file_hashes(*parameters: Mapping[str, Any]) -> dict[str, str]:
    """The hashes of all files that parameters name: their content decides a result as much as their name."""
    paths = {value for given in parameters for value in given.values() if isinstance(value, str) and value}
    return {path: hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in sorted(paths) if Path(path).is_file()}
