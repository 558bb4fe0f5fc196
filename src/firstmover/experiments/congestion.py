"""The congestion of each link that a strategy causes, over all its runs: Figure 1, right, and its table."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from firstmover.experiments.results import Results
from firstmover.experiments.routing import RoutingScene, routing_scene, shortest_plan
from firstmover.games.network import Network
from firstmover.records import Matrix, Vector

STRATEGIES_SHOWN = ("shortest", "none", "StackelUCB")
"""The columns of the table, in the paper's order."""


@dataclass(frozen=True)
class Congestion:
    """Time-averaged congestion over all runs.

    Parameters
    ----------
    network
        The roads.
    learners
        Whose runs stand for each of `STRATEGIES_SHOWN`.
    by_link
        Of each link (3, E), each strategy with the users' own answers to it.
    average
        Over the links (3,).
    users_kept
        The same average of each run (3, seeds) if users are kept at their answers to StackelUCB's plans whatever the
        operator does: so the printed row was computed, from one run.
    """

    network: Network
    learners: tuple[str, ...]
    by_link: Matrix
    average: Vector
    users_kept: Matrix


def congestion_of(folder: Path) -> Congestion:
    """The congestion of a folder's runs."""
    results = Results.read(folder, "routing", ("learner", "action", "opponent_type"))
    scene = routing_scene(results.preset)
    ours = next(label for label in results.manifest.labels if label.startswith("StackelUCB"))
    learners = ("shortest", "none", ours)
    rounds = [_rounds(results.table, label) for label in learners]
    by_round = [link_congestion(scene, actions, demands) for actions, demands in rounds]
    by_link = np.stack([congestion.mean(axis=0) for congestion in by_round])
    fixed = (shortest_plan(scene.plans), 0)
    kept = [by_round[2].mean(axis=1)] + [_kept(scene, rounds[2][0], by_round[2], action) for action in fixed]
    by_run = np.stack(kept).reshape(3, len(results.manifest.seeds), -1).mean(axis=2)
    return Congestion(scene.users.network, learners, by_link, by_link.mean(axis=1), by_run[[1, 2, 0]])


def link_congestion(scene: RoutingScene, actions: NDArray[np.int64], demands: Matrix) -> Matrix:
    """c_e(z) of each round (T, E): all rounds of a plan in one batch."""
    congestion = np.empty((len(actions), scene.users.network.n_links))
    for action in np.unique(actions):
        chosen = actions == action
        congestion[chosen] = scene.users.congestion_batch(scene.game.actions[[action]], demands[chosen])[:, 0]
    return congestion


def _rounds(table: pl.DataFrame, label: str) -> tuple[NDArray[np.int64], Matrix]:
    """The plans (T,) and demands (T, p) of all runs of a learner."""
    runs = table.filter(pl.col("learner") == label)
    return runs["action"].to_numpy(), runs["opponent_type"].explode().to_numpy().reshape(len(runs), -1)


def _kept(scene: RoutingScene, actions: NDArray[np.int64], congestion: Matrix, instead: int) -> Vector:
    """The average congestion of each round (T,) with another plan on the same users' routes: z − x + x'."""
    plans = scene.game.actions / scene.users.network.capacity
    loads = (congestion / 0.15) ** 0.25 - plans[actions] + plans[instead]
    return np.asarray(np.mean(0.15 * loads**4, axis=1))
