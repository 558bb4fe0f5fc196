"""The table of games: the entries of every folder of this package, and games of payoff tables in files."""

from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import TYPE_CHECKING

from firstmover.core.errors import InvalidInput, unknown_name
from firstmover.core.registry import Table
from firstmover.games.entry import GameEntry

if TYPE_CHECKING:
    from firstmover.games.stackelberg.bimatrix import BimatrixGame

_FOLDERS = [each.name for each in iter_modules([str(Path(__file__).parent)], "firstmover.games.") if each.ispkg]

GAMES: Table[GameEntry] = Table(
    "game", {name: entry for folder in _FOLDERS for name, entry in import_module(folder).ENTRIES.items()}
)
"""Games by name: each entry (`GameEntry`) builds the game and has its kernel, its opponents, words and map."""

FROM_TABLES = "bimatrix:LEADER,FOLLOWER"
"""The name of a game of payoff tables: files of the leader's and of each follower type's table, CSV or .npy."""


def game_named(name: str, tables: "BimatrixGame | None" = None) -> GameEntry:
    """Return the entry of a game, or one for payoff tables in files; payoff tables that were read before may be given.

    Parameters
    ----------
    name
        In GAMES, or `bimatrix:LEADER,FOLLOWER` with files of payoff tables.
    tables
        Payoff tables that were read before.

    Returns
    -------
    GameEntry
        The entry, which builds the game.

    Raises
    ------
    InvalidInput
        If the name is unknown, or a file cannot be read.

    Examples
    --------
    >>> from firstmover.games import game_named
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
    """Return the game of `bimatrix:LEADER,FOLLOWER[,FOLLOWER…]`; None for a name of another form.

    Parameters
    ----------
    name
        Of a game.

    Returns
    -------
    BimatrixGame | None
        The payoff tables of its files, or None.

    Raises
    ------
    InvalidInput
        If fewer than two files are named, or one cannot be read.

    Examples
    --------
    >>> from firstmover.games import tables_named
    >>> tables_named("shore") is None
    True
    """
    kind, _, paths = name.partition(":")
    if kind != "bimatrix":
        return None
    files = [path for path in paths.split(",") if path]
    if len(files) < 2:
        raise InvalidInput(
            f"game {name!r} names {len(files)} file(s): write {FROM_TABLES}, one file per follower type."
        )
    from firstmover.games.stackelberg.bimatrix import BimatrixGame  # noqa: PLC0415 - needs SciPy

    return BimatrixGame.from_files(*files)
