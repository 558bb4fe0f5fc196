"""Games of OpenSpiel to payoff tables and back, with exact payoffs."""

from typing import Any

import numpy as np

from firstmover.core.arrays import as_index
from firstmover.core.errors import InvalidInput, first_line, installing, shown
from firstmover.games.stackelberg.bimatrix import BimatrixGame

MOST_PAYOFFS = 1_000_000
"""Payoffs of the largest table that is made of an extensive game: its pure strategies grow exponentially."""


def from_openspiel(game: Any, leader: int = 0) -> BimatrixGame:
    """Return the payoff tables of a two-player game of OpenSpiel.

    A one-shot game is taken as it is. Of a small sequential game the normal form is taken, in which an action is a pure
    strategy for the whole game.

    Parameters
    ----------
    game
        A `pyspiel.Game`, or the name by which `pyspiel.load_game` loads one.
    leader
        The number of the player who moves first, 0 or 1.

    Returns
    -------
    BimatrixGame
        The payoffs of the leader and of one type of follower.

    Raises
    ------
    InvalidInput
        If OpenSpiel is not installed, or the game is unknown, has not two players, or is too large.

    Examples
    --------
    >>> import firstmover as fm
    >>> game = fm.from_openspiel("matrix_pd")
    >>> game.leader.tolist(), game.followers[0].tolist()
    ([[5.0, 0.0], [10.0, 1.0]], [[5.0, 10.0], [0.0, 1.0]])
    """
    pyspiel, leader = _pyspiel(), as_index("leader", leader, 2)
    loaded = _loaded(pyspiel, game)
    if loaded.num_players() != 2:
        raise InvalidInput(f"game {str(loaded)!r} has {loaded.num_players()} player(s): give one of two players.")
    name = loaded.get_type().short_name
    if not isinstance(loaded, pyspiel.MatrixGame):
        loaded = _normal_form(pyspiel, loaded)
    tables = [np.array(table, dtype=float) for table in (loaded.row_utilities(), loaded.col_utilities())]
    own, other = tables if leader == 0 else [table.T for table in reversed(tables)]
    return BimatrixGame(own, other[None], name)


def to_openspiel(game: BimatrixGame, opponent_type: int = 0) -> Any:
    """Return the matrix game of OpenSpiel between the leader, its row player, and one type of follower.

    Parameters
    ----------
    game
        The payoff tables.
    opponent_type
        The number of the follower's type.

    Returns
    -------
    pyspiel.MatrixGame
        The game, in which both players move at once; commitments are not part of it.

    Raises
    ------
    InvalidInput
        If OpenSpiel is not installed, or there is no such type.

    Examples
    --------
    >>> import firstmover as fm
    >>> game = fm.BimatrixGame([[2, 4], [1, 3]], [[[1, 0], [0, 1]]], "commit")
    >>> matrix = fm.to_openspiel(game)
    >>> matrix.row_utilities().tolist(), matrix.col_utilities().tolist()
    ([[2.0, 4.0], [1.0, 3.0]], [[1.0, 0.0], [0.0, 1.0]])
    """
    follower = game.followers[as_index("opponent_type", opponent_type, len(game.followers))]
    names = [
        [f"{player} {i}" for i in range(n)] for player, n in zip(("row", "column"), game.leader.shape, strict=True)
    ]
    return _pyspiel().create_matrix_game(game.name, game.name, *names, game.leader, follower)


def _loaded(pyspiel: Any, game: Any) -> Any:
    """The game, loaded if it is named."""
    if isinstance(game, pyspiel.Game):
        return game
    if not isinstance(game, str) or game.partition("(")[0] not in pyspiel.registered_names():
        raise InvalidInput(f"game is {shown(game)}: give a game of OpenSpiel, or one of pyspiel.registered_names().")
    try:
        return pyspiel.load_game(game)
    except pyspiel.SpielError as error:
        raise InvalidInput(f"game {game!r} cannot be loaded: {first_line(error)}; correct its parameters.") from None


def _normal_form(pyspiel: Any, game: Any) -> Any:
    """The matrix game of the actions of both players or, of a sequential game, of their pure strategies."""
    kind = game.get_type()
    if kind.information == pyspiel.GameType.Information.ONE_SHOT:
        return pyspiel.load_matrix_game(str(game))
    if kind.dynamics != pyspiel.GameType.Dynamics.SEQUENTIAL or not kind.provides_information_state_string:
        raise InvalidInput(f"game {str(game)!r} is neither one-shot nor sequential with information states: give one.")
    _check_size(game)
    return pyspiel.extensive_to_matrix_game(game)


def _check_size(game: Any) -> None:
    """Raise if the players have too many pure strategies: products of the actions at their information states."""
    strategies, known, waiting = [1, 1], set(), [game.new_initial_state()]
    while waiting:
        state = waiting.pop()
        actions = [] if state.is_terminal() else state.legal_actions()
        if actions and not state.is_chance_node():
            player = state.current_player()
            at = player, state.information_state_string(player)
            strategies[player] *= 1 if at in known else len(actions)
            known.add(at)
        if strategies[0] * strategies[1] > MOST_PAYOFFS:
            raise InvalidInput(
                f"game {str(game)!r} has more than {MOST_PAYOFFS:,} pairs of pure strategies: give a smaller one."
            )
        waiting += [state.child(action) for action in actions]


def _pyspiel() -> Any:
    try:
        import pyspiel  # noqa: PLC0415 - an extra
    except ModuleNotFoundError:
        raise InvalidInput(f"OpenSpiel is not installed: {installing('openspiel')}.") from None
    return pyspiel
