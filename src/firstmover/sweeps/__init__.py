"""Learners × games × seeds × parameters: many runs, each kept by the hash of what it is, on one machine or many."""

from firstmover.sweeps.collect import Collected
from firstmover.sweeps.compare import best_of_arenas, compare_runs, summarise_runs, wins_of
from firstmover.sweeps.driver import missing_tasks, run_sweep
from firstmover.sweeps.engines import ENGINES, Engine
from firstmover.sweeps.estimate import Estimate, estimate
from firstmover.sweeps.grid import Plan, plan_of
from firstmover.sweeps.spec import SweepSpec
from firstmover.sweeps.status import Status, status_of

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
