"""Games against a real opponent: a durable journal, ask and tell, replay."""

from pkgutil import resolve_name
from typing import TYPE_CHECKING, Any

from firstmover.matches.config import MatchConfig
from firstmover.matches.match import Match
from firstmover.matches.rounds import Decision, MatchRound
from firstmover.matches.state import State

if TYPE_CHECKING:
    from firstmover.matches.health import Health
    from firstmover.matches.history import Imported
    from firstmover.matches.journal import Journal
    from firstmover.matches.proposal import Proposal, propose, propose_file
    from firstmover.matches.rehearsal import Rehearsal, rehearse
    from firstmover.matches.verification import Verification, state_hash

__all__ = [
    "Decision",
    "Health",
    "Imported",
    "Journal",
    "Match",
    "MatchConfig",
    "MatchRound",
    "Proposal",
    "Rehearsal",
    "State",
    "Verification",
    "propose",
    "propose_file",
    "rehearse",
    "state_hash",
]

_LAZY = {
    "Health": "health",
    "Imported": "history",
    "Journal": "journal",
    "Proposal": "proposal",
    "Rehearsal": "rehearsal",
    "Verification": "verification",
    "propose": "proposal",
    "propose_file": "proposal",
    "rehearse": "rehearsal",
    "state_hash": "verification",
}
"""Names that are imported on first use: a process that opens a match answers sooner."""


def __getattr__(name: str) -> Any:
    """Import a name on first use."""
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return resolve_name(f"firstmover.matches.{_LAZY[name]}:{name}")
