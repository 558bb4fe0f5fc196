"""Learners: they choose p_t from the rounds observed so far. LEARNERS names them."""

from firstmover.core.registry import Table
from firstmover.learners.alarms import Monitor
from firstmover.learners.choice import ByChoice
from firstmover.learners.commitment import Committing
from firstmover.learners.decision_rules import DecisionRules, Floor
from firstmover.learners.exp3 import Exp3
from firstmover.learners.fixed import Fixed, best_in_hindsight, best_offline, fixed_action, max_min, uniform
from firstmover.learners.growing import Growing
from firstmover.learners.hedge import Hedge
from firstmover.learners.reward_regression import GPMW, GPUCB
from firstmover.learners.setup import LearnerEntry, Setup
from firstmover.learners.single_type import SingleType
from firstmover.learners.stackelucb import StackelUCB

__all__ = [
    "DEFAULT_LEARNER",
    "GPMW",
    "GPUCB",
    "LEARNERS",
    "ByChoice",
    "Committing",
    "DecisionRules",
    "Exp3",
    "Fixed",
    "Floor",
    "Growing",
    "Hedge",
    "LearnerEntry",
    "Monitor",
    "Setup",
    "SingleType",
    "StackelUCB",
    "best_in_hindsight",
    "best_offline",
    "fixed_action",
    "max_min",
    "uniform",
]

LEARNERS: Table[LearnerEntry] = Table("learner", "firstmover.learners.entries:ENTRIES")
"""Learners by name: each entry (`LearnerEntry`) builds a learner from a `Setup`, and lists its parameters."""

DEFAULT_LEARNER = "auto"
"""The learner that is played where none is named."""
