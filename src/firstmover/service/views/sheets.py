"""An action as a sheet to carry out, in the words of the game."""

from dataclasses import asdict
from typing import Any

from firstmover.games import GAMES
from firstmover.games.words import PLAIN
from firstmover.matches.setup import Setting


def sheet_of(setting: Setting, action: int) -> dict[str, Any]:
    """Return the sheet of one action.

    >>> sheet_of(Setting.of({"menu": {"game": "routing"}}), 23)["headline"]
    'Send 225 units: 150 by route 1, 75 by route 3'
    """
    game = setting.config.menu.game
    words = PLAIN if game is None else GAMES[game].words
    return asdict(words.sheet(setting.menu, action, tuple(spec.unit for spec in setting.responses.specs)))
