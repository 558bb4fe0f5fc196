"""Move first, and learn, against an opponent you do not know.

`games` define actions and rewards, `learners` decide, `beliefs`, `strategies` and `kernels` are what learners are made
of; `simulation` plays against opponents that are known, `matches` against a real one.
"""

import logging
from importlib import import_module
from importlib.util import find_spec
from typing import Any

_NAMES = {
    "beliefs": "ConstantWidth LemmaWidth",
    "beliefs.regressor": "ResponseRegressor",
    "core.contracts": "Game",
    "core.errors": "FirstmoverError InvalidInput PrecisionLost",
    "core.places": "Places",
    "core.records": "Alarm Box Feedback Round Run",
    "games": "GAMES BimatrixGame Concave Lattice Monotone StackelbergGame decreasing increasing optimal_commitment "
    "radius_for_horizon simplex_grid",
    "games.choice_rules": "BestResponse",
    "games.stackelberg.openspiel": "from_openspiel to_openspiel",
    "games.stackelberg.opponents": "follower",
    "kernels": "on_action on_type polynomial",
    "learners": "GPMW GPUCB LEARNERS Exp3 Hedge Setup SingleType StackelUCB",
    "learners.alarms": "alarms",
    "learners.auto": "auto",
    "learners.decision_rules": "DecisionRules Floor",
    "matches": "Match",
    "runs": "compare",
    "simulation": "OPPONENTS Adversary Cyclic Opponent RandomTypes Regret Sampled Scripted opponent_for play play_many "
    "play_run regret single true_rewards",
    "simulation.ask_tell": "AskTell",
    "simulation.gymnasium_env": "AdversaryEnv LeaderEnv",
    "simulation.pettingzoo_env": "StackelbergAEC",
    "strategies": "STRATEGIES AdaHedge MultiplicativeWeights",
}
"""Public names by the module that defines them; `__init__.pyi` declares them to type checkers."""

_MODULE_OF = {name: f"firstmover.{module}" for module, names in _NAMES.items() for name in names.split()}

_EXTRAS = {"simulation.gymnasium_env": "gymnasium", "simulation.pettingzoo_env": "pettingzoo"}
"""Libraries of extras that a module needs; without them its names are not exported, and using one raises an error."""

_MISSING = {f"firstmover.{module}" for module, library in _EXTRAS.items() if find_spec(library) is None}

__all__ = sorted(name for name, module in _MODULE_OF.items() if module not in _MISSING)  # noqa: PLE0605 - strings

logging.getLogger(__name__).addHandler(logging.NullHandler())


def __getattr__(name: str) -> Any:
    """Import a public name on first use: SciPy and scikit-learn are slow to import."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'firstmover' has no attribute {name!r}")
    from firstmover.core.errors import naming_extras  # noqa: PLC0415 - with the first name, not with the package

    with naming_extras():
        value = globals()[name] = getattr(import_module(_MODULE_OF[name]), name)
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__]
