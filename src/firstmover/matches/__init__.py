"""Games against a real opponent: a durable journal, ask and tell, replay."""

from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from firstmover.matches.config import MatchConfig
from firstmover.matches.health import Health
from firstmover.matches.history import Imported
from firstmover.matches.match import Match
from firstmover.matches.rounds import Decision, MatchRound
from firstmover.matches.state import State
from firstmover.matches.verification import Verification, state_hash

if TYPE_CHECKING:
    from firstmover.matches.journal import Journal

__all__ = [
    "Decision",
    "Health",
    "Imported",
    "Journal",
    "Match",
    "MatchConfig",
    "MatchRound",
    "State",
    "Verification",
    "state_hash",
]


def __getattr__(name: str) -> Any:
    """Import Journal on first use: SQLAlchemy is slow to import."""
    if name != "Journal":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return resolve_name("firstmover.matches.journal:Journal")
