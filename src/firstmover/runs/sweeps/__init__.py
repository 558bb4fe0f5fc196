"""Learners × games × seeds × parameters: many runs, each kept by the hash of what it is, on one machine or many."""

from firstmover.runs.sweeps.collect import Collected
from firstmover.runs.sweeps.compare import best_of_arenas, compare_runs, summarise_runs, wins_of
from firstmover.runs.sweeps.driver import missing_tasks, run_sweep
from firstmover.runs.sweeps.engines import ENGINES, Engine
from firstmover.runs.sweeps.estimate import Estimate, estimate
from firstmover.runs.sweeps.grid import Plan, plan_of
from firstmover.runs.sweeps.spec import SweepSpec
from firstmover.runs.sweeps.status import Status, status_of

__all__ = [
    "ENGINES",
    "Collected",
    "Engine",
    "Estimate",
    "Plan",
    "Status",
    "SweepSpec",
    "best_of_arenas",
    "compare_runs",
    "estimate",
    "missing_tasks",
    "plan_of",
    "run_sweep",
    "status_of",
    "summarise_runs",
    "wins_of",
]
