"""A game played for real: a durable journal, ask and tell, replay."""

from firstmover.matches.config import MatchConfig
from firstmover.matches.decision import Decision
from firstmover.matches.fold import State
from firstmover.matches.health import Health
from firstmover.matches.journal import Journal
from firstmover.matches.match import Match
from firstmover.matches.verifying import Verification, state_hash
from firstmover.matches.views import RoundView
from firstmover.matches.watch import Watcher

__all__ = [
    "Decision",
    "Health",
    "Journal",
    "Match",
    "MatchConfig",
    "RoundView",
    "State",
    "Verification",
    "Watcher",
    "state_hash",
]
