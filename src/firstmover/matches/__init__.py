"""A game played for real: a durable journal, ask and tell, replay."""

from firstmover.matches.config import MatchConfig
from firstmover.matches.decision import Decision
from firstmover.matches.health import Health
from firstmover.matches.journal import Journal
from firstmover.matches.match import Match
from firstmover.matches.reader import Watcher
from firstmover.matches.round_rows import RoundView
from firstmover.matches.state import State
from firstmover.matches.verification import Verification, state_hash

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
