"""Move first, and learn, against an opponent you do not know.

`games` define actions and rewards, `learners` decide, `beliefs`, `strategies` and `kernels` are what learners are made
of; `simulation` plays against opponents that are known, `matches` against a real one.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from firstmover.beliefs import ConstantWidth, LemmaWidth
    from firstmover.core.contracts import Game
    from firstmover.core.errors import FirstmoverError, InvalidInput, PrecisionLost
    from firstmover.core.places import Places
    from firstmover.core.records import Box, Feedback, Round, Run
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
    from firstmover.matches import Match
    from firstmover.runs import compare
    from firstmover.simulation import (
        OPPONENTS,
        Adversary,
        BestResponse,
        Cyclic,
        Opponent,
        RandomTypes,
        Regret,
        Sampled,
        Scripted,
        follower,
        opponent_for,
        play,
        play_many,
        play_run,
        regret,
        single,
        true_rewards,
    )
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
    "compare",
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

_MODULES = {
    "firstmover.beliefs": (
        "ConstantWidth",
        "LemmaWidth",
    ),
    "firstmover.core.contracts": ("Game",),
    "firstmover.core.errors": (
        "FirstmoverError",
        "InvalidInput",
        "PrecisionLost",
    ),
    "firstmover.core.places": ("Places",),
    "firstmover.core.records": (
        "Box",
        "Feedback",
        "Round",
        "Run",
    ),
    "firstmover.games": (
        "GAMES",
        "BimatrixGame",
        "Concave",
        "Lattice",
        "Monotone",
        "StackelbergGame",
        "decreasing",
        "increasing",
        "optimal_commitment",
        "radius_for_horizon",
        "simplex_grid",
    ),
    "firstmover.kernels": (
        "on_action",
        "on_type",
        "polynomial",
    ),
    "firstmover.learners": (
        "GPMW",
        "GPUCB",
        "LEARNERS",
        "Exp3",
        "Hedge",
        "Setup",
        "SingleType",
        "StackelUCB",
    ),
    "firstmover.matches": ("Match",),
    "firstmover.runs": ("compare",),
    "firstmover.simulation": (
        "OPPONENTS",
        "Adversary",
        "BestResponse",
        "Cyclic",
        "Opponent",
        "RandomTypes",
        "Regret",
        "Sampled",
        "Scripted",
        "follower",
        "opponent_for",
        "play",
        "play_many",
        "play_run",
        "regret",
        "single",
        "true_rewards",
    ),
    "firstmover.strategies": (
        "STRATEGIES",
        "AdaHedge",
        "MultiplicativeWeights",
    ),
}
_MODULE_OF = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a public name on first use: the command's help need not wait for SciPy and scikit-learn."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'firstmover' has no attribute {name!r}")
    value = getattr(import_module(_MODULE_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__]
