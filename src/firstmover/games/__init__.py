"""Games by name, each with its opponents, words and map. Every folder of this package is a domain."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from firstmover.core.errors import InvalidInput, unknown_name
from firstmover.core.registry import Table
from firstmover.games.entry import Demonstration, GameEntry, Template

if TYPE_CHECKING:
    from firstmover.games.rewards import Bilinear, Concave, Lattice, Monotone, decreasing, increasing
    from firstmover.games.stackelberg.bimatrix import BimatrixGame
    from firstmover.games.stackelberg.commitment import Commitment, optimal_commitment
    from firstmover.games.stackelberg.game import StackelbergGame
    from firstmover.games.stackelberg.harbour_game import harbour, harbour_game
    from firstmover.games.stackelberg.simplex import grid_size, radius_for_horizon, radius_for_size, simplex_grid
    from firstmover.games.toy.game import flock_game, shore_game

__all__ = [
    "GAMES",
    "Bilinear",
    "BimatrixGame",
    "Commitment",
    "Concave",
    "Demonstration",
    "GameEntry",
    "Lattice",
    "Monotone",
    "StackelbergGame",
    "Template",
    "decreasing",
    "flock_game",
    "game_named",
    "grid_size",
    "harbour",
    "harbour_game",
    "increasing",
    "optimal_commitment",
    "radius_for_horizon",
    "radius_for_size",
    "shore_game",
    "simplex_grid",
    "tables_named",
]

_MODULES = {
    "rewards": ("Bilinear", "Concave", "Lattice", "Monotone", "decreasing", "increasing"),
    "stackelberg.bimatrix": ("BimatrixGame",),
    "stackelberg.commitment": ("Commitment", "optimal_commitment"),
    "stackelberg.game": ("StackelbergGame",),
    "stackelberg.harbour_game": ("harbour", "harbour_game"),
    "stackelberg.simplex": ("grid_size", "radius_for_horizon", "radius_for_size", "simplex_grid"),
    "toy.game": ("flock_game", "shore_game"),
}
_WHERE = {name: module for module, names in _MODULES.items() for name in names}


def __getattr__(name: str) -> Any:
    """Import a public name on first use: the table alone needs neither SciPy nor scikit-learn."""
    if name not in _WHERE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_WHERE[name]}"), name)
    return value


GAMES: Table[GameEntry] = Table("game", "firstmover.games.entries:ENTRIES")

FROM_TABLES = "bimatrix:LEADER,FOLLOWER"
"""The name of a game of payoff tables: files of the leader's and of each follower type's table, CSV or .npy."""


def game_named(name: str, tables: "BimatrixGame | None" = None) -> GameEntry:
    """Return the entry of a game, or one for payoff tables in files; payoff tables that were read before may be given.

    >>> game_named("sohre")
    Traceback (most recent call last):
    ...
    firstmover.core.errors.InvalidInput: Unknown game 'sohre': did you mean 'shore'? Known: ...
    """
    if tables is None and name in GAMES:
        return GAMES[name]
    found = tables or tables_named(name)
    if found is None:
        raise unknown_name("game", name, [*GAMES, FROM_TABLES])
    from firstmover.games.stackelberg.opponents import table_behaviour  # noqa: PLC0415 - needs SciPy

    return GameEntry(
        "a finite Stackelberg game from payoff tables",
        build=found.on_small_grid,
        kernel="firstmover.games.stackelberg.priors:TABLE_KERNEL",
        confidence_width=0.5,
        behaviour=lambda _: table_behaviour(found),
    )


def tables_named(name: str) -> "BimatrixGame | None":
    """Return the game of `bimatrix:LEADER,FOLLOWER[,FOLLOWER…]`; None for a name of another form."""
    kind, colon, paths = name.partition(":")
    if kind != "bimatrix":
        return None
    files = [path for path in paths.split(",") if path]
    if not colon or len(files) < 2:
        raise InvalidInput(
            f"game {name!r} names {len(files)} file(s): write {FROM_TABLES}, one file per follower type."
        )
    from firstmover.games.stackelberg.bimatrix import BimatrixGame  # noqa: PLC0415 - needs SciPy

    return BimatrixGame.from_files(*files)
