"""Stored runs in the light of the theory: the stage is built again, and the rounds are gone through."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
import polars as pl

from firstmover.core.errors import InvalidInput
from firstmover.core.records import Run
from firstmover.core.registry import Table
from firstmover.runs.experiment_spec import ExperimentSpec
from firstmover.runs.experiment_store import Manifest, read_manifest, read_run
from firstmover.runs.play_tasks import Stage, Task, tasks_of
from firstmover.simulation.hindsight import Regret
from firstmover.theory import Believer, RunAnalysis

EXPERIMENTS: Table[Any] = Table(
    "experiment",
    {"routing": "firstmover.paper.experiments:ROUTING", "wildlife": "firstmover.paper.experiments:WILDLIFE"},
)
"""Experiments whose tasks are built by code, by the kind that their manifest states."""


@runtime_checkable
class Staged(Protocol):
    """A task that can say what stood ready before its first round."""

    def stage(self) -> Stage:
        """Game, opponent and learner."""
        ...


@dataclass(frozen=True, eq=False)
class JudgedRun:
    """One stored run: whose it is, the stage it was played on, and what the theory says of it."""

    label: str
    seed: int
    stage: Stage
    judgement: RunAnalysis


def judged_runs(folder: Path) -> list[JudgedRun]:
    """The first seed of every learner that believes something of the responses."""
    manifest = read_manifest(folder)
    first = {task.label: task for task in reversed(_tasks(manifest, folder))}
    judged = []
    for label in manifest.labels:
        task = first[label]
        stage = task.stage() if isinstance(task, Staged) else None
        if stage is None or not isinstance(stage.learner, Believer):
            continue
        if stage.opponent.drifts:
            raise InvalidInput(
                f"Folder {str(folder)!r} holds an opponent that drifts, which has no one b to compare boxes with: "
                "give one in which it does not."
            )
        run, loss = _stored(read_run(folder, label, task.seed), stage.game.n_actions)
        judged.append(JudgedRun(label, task.seed, stage, RunAnalysis(stage.learner, run, loss)))
    if not judged:
        raise InvalidInput(
            f"Folder {str(folder)!r} holds no learner that learns responses: play 'stackelucb' or 'single-type'."
        )
    return judged


def _tasks(manifest: Manifest, folder: Path) -> list[Task]:
    """The tasks that the folder's runs came from."""
    if manifest.kind == "experiment":
        return tasks_of(ExperimentSpec.read(manifest.spec))
    if manifest.kind not in EXPERIMENTS:
        raise InvalidInput(
            f"Folder {str(folder)!r} holds results of kind {manifest.kind!r}: give one of play, run or reproduce."
        )
    entry = EXPERIMENTS[manifest.kind]
    return entry.tasks(entry.preset.restored(manifest.spec), 1)[0]


def _stored(table: pl.DataFrame, n_actions: int) -> tuple[Run, Regret]:
    """The rounds of a table and their regret; strategies and the best reward are not stored, and are not a number."""
    outputs = sum(name.startswith("true_response_") for name in table.columns)
    run = Run(
        strategies=np.full((len(table), n_actions), np.nan),
        actions=table["action"].to_numpy(),
        opponent_types=np.array(table["opponent_type"].to_list()),
        true_responses=table.select(f"true_response_{i}" for i in range(outputs)).to_numpy(),
        responses=table.select(f"response_{i}" for i in range(outputs)).to_numpy(),
        rewards=table["reward"].to_numpy(),
    )
    unknown = np.full(len(table), np.nan)
    return run, Regret(table["cumulative_regret"].to_numpy(), table["best_action"].to_numpy(), unknown)
