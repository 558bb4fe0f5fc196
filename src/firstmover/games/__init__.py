"""Games by name, each with its opponents, words and map. Every folder of this package is a domain."""

from importlib import import_module
from typing import Any

_NAMES = {
    "entries": "GAMES game_named tables_named",
    "entry": "Demonstration GameEntry Template",
    "rewards": "Bilinear Concave Lattice Monotone decreasing increasing",
    "stackelberg.bimatrix": "BimatrixGame",
    "stackelberg.commitment": "Commitment optimal_commitment",
    "stackelberg.game": "StackelbergGame",
    "stackelberg.harbour_game": "harbour harbour_game",
    "stackelberg.simplex": "grid_size radius_for_horizon radius_for_size simplex_grid",
    "toy.game": "flock_game shore_game",
}
"""Public names by the module that defines them; `__init__.pyi` declares them to type checkers."""

_MODULE_OF = {name: f"{__name__}.{module}" for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted(_MODULE_OF)  # noqa: PLE0605 - a list of strings


def __getattr__(name: str) -> Any:
    """Import a public name on first use: the table alone needs neither SciPy nor scikit-learn."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULE_OF[name]), name)
    return value
