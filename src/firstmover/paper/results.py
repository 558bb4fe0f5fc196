"""Stored runs as arrays, the congestion that they caused, and the published figures to compare them with."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.errors import InvalidInput
from firstmover.games.routing.network import Network
from firstmover.paper.experiments import EXPERIMENTS, MENUS
from firstmover.paper.menus import COLUMNS as MENU_COLUMNS
from firstmover.paper.preset import packaged
from firstmover.paper.routing import RoutingSetup, routing_setup, shortest_plan
from firstmover.paper.wildlife import held_from
from firstmover.runs import Manifest, read, read_manifest

_MEASURES = ("learner", "seed", "t", "action", "reward", "time_averaged_regret")
COLUMNS = {
    "routing": (*_MEASURES, "opponent_type"),
    "wildlife": _MEASURES,
    MENUS: (*MENU_COLUMNS, "menu"),
}
"""The columns that figures and tables read, by the kind of results."""

STRATEGIES_SHOWN = {"shortest": "100 % by shortest route", "none": "0 % routed", "StackelUCB": "StackelUCB"}
"""The columns of the table in Figure 1, in its order, with their titles."""

LAST_ROUNDS = 10  # number of rounds at the end of a run that count as its outcome


PUBLISHED = SimpleNamespace(**packaged("published.toml"))  # published figures


def published_curves(name: str, labels: tuple[str, ...]) -> tuple[Vector, Matrix]:
    """Return the rounds at which curves were published, and the `regret` or `reward` of each label (k, rounds).

    A label without a published curve has NaN.
    """
    rounds, table = np.array(PUBLISHED.rounds, dtype=float), getattr(PUBLISHED, name)
    return rounds, np.array([table.get(label, [np.nan] * len(rounds)) for label in labels])


@dataclass(frozen=True)
class Results:
    """The manifest of a folder of results and the rounds of its runs."""

    manifest: Manifest
    table: pl.DataFrame

    @classmethod
    def read(cls, folder: Path, kind: str, columns: Sequence[str] | None = None) -> "Results":
        """Read a folder, which must hold results of this kind."""
        manifest = read_manifest(folder)
        if manifest.kind != kind:
            raise InvalidInput(
                f"Folder {str(folder)!r} holds results of kind {manifest.kind!r}: give one of kind {kind!r}."
            )
        return cls(manifest, read(folder, columns or COLUMNS[kind]))

    @cached_property
    def preset(self) -> Any:
        """The preset that was played."""
        return EXPERIMENTS[self.manifest.kind].restored(self.manifest.spec)

    @property
    def notes(self) -> dict[str, Any]:
        """The fitted hyperparameters; for the park also OPT, Max-Min, Best-offline and the best patrol."""
        return self.manifest.notes

    @property
    def seeds(self) -> int:
        """The number of runs of each learner."""
        return len(self.manifest.seeds)

    def labels(self, algorithm: str) -> list[str]:
        """The labels of an algorithm, such as StackelUCB or GP-UCB."""
        return [label for label in self.manifest.labels if label.startswith(f"{algorithm} ")]

    @cached_property
    def _by_label(self) -> dict[tuple[Any, ...], pl.DataFrame]:
        return self.table.partition_by("learner", as_dict=True)

    def runs_of(self, label: str) -> pl.DataFrame:
        """Return the rows of a learner's runs."""
        return self._by_label[(label,)]

    def rounds_of(self, label: str, column: str) -> NDArray[Any]:
        """Return a column of a learner's runs (seeds, T)."""
        return self.runs_of(label)[column].to_numpy().reshape(self.seeds, self.manifest.rounds)

    def totals(self, label: str) -> Vector:
        """Return the sum of rewards of each run."""
        return np.asarray(self.rounds_of(label, "reward").sum(axis=1))

    def regret(self, label: str) -> Vector:
        """Return R(T) / T of each run."""
        return np.asarray(self.rounds_of(label, "time_averaged_regret")[:, -1])

    def held(self, label: str) -> Vector:
        """Return the round from which each run plays the best patrol to the end; T + 1 if it does not."""
        return held_from(self.rounds_of(label, "action"), self.notes["optimal_action"])

    def last(self, label: str) -> Vector:
        """Return the mean reward of each run's last rounds."""
        return np.asarray(self.rounds_of(label, "reward")[:, -LAST_ROUNDS:].mean(axis=1))

    @property
    def comparable(self) -> bool:
        """True if the park's rewards have the scale of the published ones, which depends on the rangers' density."""
        return bool(np.isclose(float(self.notes["optimum"]), PUBLISHED.references["OPT"], atol=1e-4))

    @cached_property
    def congestion(self) -> "Congestion":
        """The congestion that three strategies cause on the roads."""
        return Congestion.of(self)


@dataclass(frozen=True)
class Congestion:
    """Time-averaged congestion over all runs under the k = 3 strategies shown; `learners` are the labels of their runs.

    `by_link` (3, E) and its mean over links `average` (3,) have users respond to each strategy. `users_kept` (3, seeds)
    is the mean of each run if users respond to StackelUCB's plans whatever the operator plays: the printed row was
    computed in this way, from one run.
    """

    network: Network
    learners: tuple[str, ...]
    by_link: Matrix
    average: Vector
    users_kept: Matrix

    @classmethod
    def of(cls, results: Results) -> "Congestion":
        """Compute the congestion of stored runs, which include the column `opponent_type`."""
        setup = routing_setup(results.preset)
        learners = ("shortest", "none", results.labels("StackelUCB")[0])
        by_round = [_link_congestion(setup, results.runs_of(label)) for label in learners]
        by_link = np.stack([congestion.mean(axis=0) for congestion in by_round])
        # Another plan and the same routes of the users give the loads z − x + x', relative to capacities.
        plans = setup.game.actions / setup.users.network.capacity
        users = (by_round[2] / 0.15) ** 0.25 - plans[results.runs_of(learners[2])["action"].to_numpy()]
        kept = [np.mean(0.15 * (users + plans[fixed]) ** 4, axis=1) for fixed in (shortest_plan(setup.plans), 0)]
        users_kept = np.stack([*kept, by_round[2].mean(axis=1)]).reshape(3, results.seeds, -1).mean(axis=2)
        return cls(setup.users.network, learners, by_link, by_link.mean(axis=1), users_kept)


def _link_congestion(setup: RoutingSetup, runs: pl.DataFrame) -> Matrix:
    """c_e(z) of each round and link (T, E), computed plan by plan."""
    actions = runs["action"].to_numpy()
    demands = runs["opponent_type"].explode().to_numpy().reshape(len(runs), -1)
    congestion = np.empty((len(actions), setup.users.network.n_links))
    for action in np.unique(actions):
        chosen = actions == action
        congestion[chosen] = setup.users.congestion_batch(setup.game.actions[[action]], demands[chosen])[:, 0]
    return congestion
