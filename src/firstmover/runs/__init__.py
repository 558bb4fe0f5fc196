"""From a document to tasks, results on disk, and a comparison: one experiment or a sweep of thousands."""

from firstmover.runs.comparison import (
    Collected,
    Comparison,
    as_markdown,
    best_of_arenas,
    compare,
    compare_runs,
    summarise,
    summarise_runs,
    wins_of,
)
from firstmover.runs.engines import ENGINES
from firstmover.runs.grid import Plan, plan_of
from firstmover.runs.pool import Progress, run_tasks
from firstmover.runs.spec import ExperimentSpec
from firstmover.runs.store import Manifest, claim, read, read_manifest, save_run
from firstmover.runs.sweep import Status, estimate, missing_tasks, run_experiment, run_sweep, status_of
from firstmover.runs.task import SpecTask, Task

__all__ = [
    "ENGINES",
    "Collected",
    "Comparison",
    "ExperimentSpec",
    "Manifest",
    "Plan",
    "Progress",
    "SpecTask",
    "Status",
    "Task",
    "as_markdown",
    "best_of_arenas",
    "claim",
    "compare",
    "compare_runs",
    "estimate",
    "missing_tasks",
    "plan_of",
    "read",
    "read_manifest",
    "run_experiment",
    "run_sweep",
    "run_tasks",
    "save_run",
    "status_of",
    "summarise",
    "summarise_runs",
    "wins_of",
]
