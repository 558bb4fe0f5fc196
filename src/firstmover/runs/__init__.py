"""From a specification to runs, results on disk, and a summary."""

from firstmover.runs.experiment_spec import ExperimentSpec, LearnerSpec
from firstmover.runs.experiment_store import Manifest, claim, read, read_manifest, save_run
from firstmover.runs.play_tasks import Task, run_experiment, run_tasks, tasks_of
from firstmover.runs.summary import as_markdown, summarise

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
