"""Move first, and learn, against an opponent you do not know.

The rooms: `games` (what is played), `opponents` (who answers), `learners` (who decides), `beliefs` and `strategies`
(what learners are made of), `play` and `regret` (what happens and what it cost), `matches` (a game played for real).
"""

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from firstmover.beliefs import ConstantWidth, LemmaWidth
    from firstmover.contracts import Game
    from firstmover.errors import FirstmoverError, InvalidInput, PrecisionLost
    from firstmover.games import (
        GAMES,
        BimatrixGame,
        Concave,
        Lattice,
        Monotone,
        StackelbergGame,
        decreasing,
        increasing,
        optimal_commitment,
        radius_for_horizon,
        simplex_grid,
    )
    from firstmover.kernels import on_action, on_type, polynomial
    from firstmover.learners import GPMW, GPUCB, LEARNERS, Exp3, Hedge, Setup, SingleType, StackelUCB
    from firstmover.many import play_many
    from firstmover.matches import Match, Watcher
    from firstmover.opponents import (
        OPPONENTS,
        Adversary,
        BestResponse,
        Cyclic,
        Opponent,
        RandomTypes,
        Sampled,
        Scripted,
        follower,
        opponent_for,
        single,
        true_rewards,
    )
    from firstmover.places import Places
    from firstmover.play import play, play_run
    from firstmover.records import Box, Feedback, Round, Run
    from firstmover.regret import Regret, regret
    from firstmover.strategies import STRATEGIES, AdaHedge, MultiplicativeWeights

__all__ = [
    "GAMES",
    "GPMW",
    "GPUCB",
    "LEARNERS",
    "OPPONENTS",
    "STRATEGIES",
    "AdaHedge",
    "Adversary",
    "BestResponse",
    "BimatrixGame",
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
    "Match",
    "Monotone",
    "MultiplicativeWeights",
    "Opponent",
    "Places",
    "PrecisionLost",
    "RandomTypes",
    "Regret",
    "Round",
    "Run",
    "Sampled",
    "Scripted",
    "Setup",
    "SingleType",
    "StackelUCB",
    "StackelbergGame",
    "Watcher",
    "decreasing",
    "follower",
    "increasing",
    "on_action",
    "on_type",
    "opponent_for",
    "optimal_commitment",
    "play",
    "play_many",
    "play_run",
    "polynomial",
    "radius_for_horizon",
    "regret",
    "simplex_grid",
    "single",
    "true_rewards",
]

_ROOMS = (
    "errors",
    "records",
    "places",
    "contracts",
    "kernels",
    "beliefs",
    "games",
    "strategies",
    "learners",
    "opponents",
)
"""Where public names are at home, besides `play`, `many`, `regret` and `matches`."""


def __getattr__(name: str) -> Any:
    """Load a name when it is first used: the command's help need not wait for SciPy and scikit-learn."""
    if name in _ROOMS:
        return import_module(f"firstmover.{name}")
    if name in __all__:
        for room in (*_ROOMS, "play", "many", "regret", "matches"):
            module = import_module(f"firstmover.{room}")
            if hasattr(module, name):
                return getattr(module, name)
    raise AttributeError(f"module 'firstmover' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__


class _Package(ModuleType):
    """Keeps `play` and `regret` the functions: importing the modules of these names would else put them here."""

    def __setattr__(self, name: str, value: object) -> None:
        if name not in __all__:
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
