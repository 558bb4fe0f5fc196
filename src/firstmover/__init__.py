"""Move first, and learn, against an opponent you do not know.

The rooms: `games` (what is played), `opponents` (who answers), `learners` (who decides), `beliefs` and `strategies`
(what learners are made of), `play` and `regret` (what happens and what it cost).
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from firstmover.contracts import Game
from firstmover.errors import FirstmoverError, InvalidInput, PrecisionLost
from firstmover.opponents import OPPONENTS, Adversary, BestResponse, Cyclic, Opponent, RandomTypes, true_rewards
from firstmover.play import play, play_run
from firstmover.records import Box, Feedback, Round, Run
from firstmover.regret import Regret, regret

if TYPE_CHECKING:
    from firstmover.beliefs import ConstantWidth, LemmaWidth
    from firstmover.games import GAMES, Concave, Lattice, Monotone, decreasing, increasing
    from firstmover.kernels import on_action, on_type, polynomial
    from firstmover.learners import LEARNERS, Exp3, Hedge, Setup, SingleType, StackelUCB
    from firstmover.strategies import STRATEGIES, AdaHedge, MultiplicativeWeights

__all__ = [
    "GAMES",
    "LEARNERS",
    "OPPONENTS",
    "STRATEGIES",
    "AdaHedge",
    "Adversary",
    "BestResponse",
    "Box",
    "Concave",
    "ConstantWidth",
    "Cyclic",
    "Exp3",
    "Feedback",
    "FirstmoverError",
    "Game",
    "Hedge",
    "InvalidInput",
    "Lattice",
    "LemmaWidth",
    "Monotone",
    "MultiplicativeWeights",
    "Opponent",
    "PrecisionLost",
    "RandomTypes",
    "Regret",
    "Round",
    "Run",
    "Setup",
    "SingleType",
    "StackelUCB",
    "decreasing",
    "increasing",
    "on_action",
    "on_type",
    "play",
    "play_run",
    "polynomial",
    "regret",
    "true_rewards",
]

_LATER = ("beliefs", "games", "kernels", "learners", "strategies")
"""Rooms that need SciPy or scikit-learn load when a name of theirs is first used: the command's help need not wait."""


def __getattr__(name: str) -> Any:
    if name in __all__:
        for room in _LATER:
            module = import_module(f"firstmover.{room}")
            if hasattr(module, name):
                return getattr(module, name)
    raise AttributeError(f"module 'firstmover' has no attribute {name!r}")
