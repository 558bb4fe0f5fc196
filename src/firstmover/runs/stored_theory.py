"""Analyse stored runs: build game, opponent and learner again, and replay the rounds."""

from dataclasses import dataclass
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

import numpy as np
import polars as pl

from firstmover.core.errors import InvalidInput
from firstmover.core.files import canonical_json
from firstmover.core.plugins import require_plugins
from firstmover.core.records import Run
from firstmover.runs.grid import plan_of
from firstmover.runs.setup import Stage
from firstmover.runs.spec import ExperimentSpec
from firstmover.runs.store import KIND, Manifest, read, read_document, read_format, read_manifest, task_table
from firstmover.runs.task import SpecTask
from firstmover.simulation.hindsight import Regret
from firstmover.theory import Believer, RunAnalysis

EXPERIMENTS = {
    "routing": "firstmover.paper.routing:RoutingPreset",
    "wildlife": "firstmover.paper.wildlife:WildlifePreset",
}
"""Experiments whose tasks are built by code, by the kind that their manifest states."""


@dataclass(frozen=True, eq=False)
class AnalysedRun:
    """One stored run: its label and seed, what it was played with, and its analysis."""

    label: str
    seed: int
    stage: Stage
    analysis: RunAnalysis


def analysed_runs(folder: Path) -> list[AnalysedRun]:
    """The first seed of every learner with a model of the responses."""
    manifest = read_manifest(folder)
    runs = read(folder)
    analysed = []
    for task in _first_tasks(manifest, folder):
        stage: Stage = task.stage()
        if not isinstance(stage.learner, Believer):
            continue
        if stage.opponent.drifts:
            raise InvalidInput(
                f"Folder {str(folder)!r} holds an opponent that drifts, which has no one b to compare boxes with: "
                "give one in which it does not."
            )
        run, loss = _stored(runs.filter(learner=task.label, seed=task.seed), stage.game.n_actions)
        analysed.append(AnalysedRun(task.label, task.seed, stage, RunAnalysis(stage.learner, run, loss)))
    if not analysed:
        raise InvalidInput(
            f"Folder {str(folder)!r} holds no learner that learns responses: play 'stackelucb' or 'single-type'."
        )
    return analysed


def _first_tasks(manifest: Manifest, folder: Path) -> list[Any]:
    """The task of the first seed of every label; tasks of the paper's experiments have a stage as well."""
    if manifest.kind == KIND and read_format(folder) == 1:
        tasks: list[Any] = list(plan_of(ExperimentSpec.read(manifest.spec)).tasks)
    elif manifest.kind == KIND:
        require_plugins(manifest.spec.get("plugins", ()))
        rows = task_table(folder).unique("variant", keep="first", maintain_order=True)
        tasks = [
            SpecTask(canonical_json(read_document(folder, row["key"])), row["variant"], row["seed"], row["horizon"], "")
            for row in rows.iter_rows(named=True)
        ]
    elif manifest.kind in EXPERIMENTS:
        tasks = resolve_name(EXPERIMENTS[manifest.kind]).restored(manifest.spec).tasks(1)[0]
    else:
        raise InvalidInput(
            f"Folder {str(folder)!r} holds results of kind {manifest.kind!r}: give one of play, run or reproduce."
        )
    first = {task.label: task for task in reversed(tasks)}
    return [first[label] for label in manifest.labels]


def _stored(table: pl.DataFrame, n_actions: int) -> tuple[Run, Regret]:
    """The rounds of a table and their regret; strategies and the best reward are not stored: NaN."""
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
