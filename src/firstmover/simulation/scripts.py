"""Types from a file, each of which a game's opponents can be."""

import reprlib
from pathlib import Path

import numpy as np

from firstmover.core.contracts import Game, ResponseFunction
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Matrix
from firstmover.games.opponent import responses_of
from firstmover.simulation.arrivals import Scripted


def checked_script(path: str, game: Game, respond: ResponseFunction) -> Scripted:
    """The types of a CSV file in its order: known ones where the game knows them, else such as can be answered."""
    script = Scripted.from_file(Path(path))
    if game.types is None:
        _check_answers(path, script.types, game, respond)
    else:
        _check_known(path, script.types, game.name, game.types)
    return script


def _check_known(path: str, types: Matrix, game_name: str, known: Matrix) -> None:
    if types.shape[1] != known.shape[1]:
        raise InvalidInput(
            f"types file {path!r} has {types.shape[1]} column(s): types of game {game_name!r} have {known.shape[1]}."
        )
    strange = ~(types[:, None] == known).all(axis=2).any(axis=1)
    if strange.any():
        row = int(np.argmax(strange))
        raise InvalidInput(
            f"types file {path!r} has in row {row + 1} the type {reprlib.repr(types[row].tolist())}, which game "
            f"{game_name!r} does not have: give one of {reprlib.repr(known.tolist())}."
        )


def _check_answers(path: str, types: Matrix, game: Game, respond: ResponseFunction) -> None:
    for row, opponent_type in enumerate(types, start=1):
        try:
            responses_of(game, respond, opponent_type, [0])
        except InvalidInput as error:
            raise InvalidInput(f"types file {path!r}, row {row}: {error}") from None
