"""Games against a real opponent: a durable journal, ask and tell, replay."""

from firstmover.matches.config import MatchConfig
from firstmover.matches.health import Health
from firstmover.matches.journal import Journal
from firstmover.matches.match import Match
from firstmover.matches.rounds import Decision, MatchRound
from firstmover.matches.state import State
from firstmover.matches.verification import Verification, state_hash

__all__ = [
    "Decision",
    "Health",
    "Journal",
    "Match",
    "MatchConfig",
    "MatchRound",
    "State",
    "Verification",
    "state_hash",
]
