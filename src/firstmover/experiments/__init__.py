"""From a specification to runs, results on disk, and a summary."""

from firstmover.experiments.run import Task, run_experiment, run_tasks, tasks_of
from firstmover.experiments.spec import ExperimentSpec, LearnerSpec
from firstmover.experiments.store import Manifest, claim, read, read_manifest, save_run
from firstmover.experiments.summary import as_markdown, summarise

__all__ = [
    "ExperimentSpec",
    "LearnerSpec",
    "Manifest",
    "Task",
    "as_markdown",
    "claim",
    "read",
    "read_manifest",
    "run_experiment",
    "run_tasks",
    "save_run",
    "summarise",
    "tasks_of",
]
