"""The entries of the GAMES table: those of every folder of this package."""

from importlib import import_module
from pkgutil import iter_modules

from firstmover import games
from firstmover.games.entry import GameEntry

ENTRIES: dict[str, GameEntry] = {}
for _folder in iter_modules(games.__path__, "firstmover.games."):
    if _folder.ispkg:
        ENTRIES |= import_module(_folder.name).ENTRIES
