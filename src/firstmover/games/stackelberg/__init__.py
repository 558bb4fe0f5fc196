"""Repeated Stackelberg games: commitments to mixed strategies, and followers who respond to them."""

from pydantic import Field

from firstmover.core.documents import Specification
from firstmover.games.entry import GameEntry

_HERE = "firstmover.games.stackelberg"


class HarbourParameters(Specification):
    """The number of rounds for which the grid of mixtures is fine enough."""

    horizon: int = Field(default=400, ge=1)


ENTRIES = {
    "harbour": GameEntry(
        "repeated Stackelberg: share inspections among 3 quays while crews of 3 types land goods",
        build=f"{_HERE}.harbour_game:harbour_game",
        kernel=f"{_HERE}.opponents:HARBOUR_KERNEL",
        behaviour=f"{_HERE}.opponents:harbour_behaviour",
        parameters=HarbourParameters,
    ),
}
