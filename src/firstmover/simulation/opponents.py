"""Simulated opponents: OPPONENTS names the sequences of types θ_t; the entry of a game has the responses b."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from firstmover.core.contracts import Game
from firstmover.core.registry import Table
from firstmover.games import game_named
from firstmover.games.opponent import Behaviour, Opponent

if TYPE_CHECKING:  # pydantic is loaded when parameters are read
    from firstmover.core.documents import Specification
    from firstmover.games import BimatrixGame


@dataclass(frozen=True)
class OpponentEntry:
    """An entry of the OPPONENTS table.

    Parameters
    ----------
    summary
        One line for people.
    builder
        The game, its behaviour and parameters to the opponent.
    parameters
        The model of the parameters, or None.
    adaptive
        Whether types are chosen by the learner's strategy.
    single_type
        Whether there is one type, which learners know.
    shorthand
        The parameter that `NAME:VALUE` gives.

    Examples
    --------
    >>> from firstmover import OPPONENTS
    >>> OPPONENTS["adversary"].adaptive, OPPONENTS["drifting"].shorthand
    (True, 'rounds')
    """

    summary: str
    builder: Callable[[Game, Behaviour, Any], Opponent]
    parameters: "type[Specification] | None" = None
    adaptive: bool = False
    single_type: bool = False
    shorthand: str | None = None

    def build(
        self, game: Game, behaviour: Behaviour, parameters: "Mapping[str, Any] | Specification | None" = None
    ) -> Opponent:
        """Return the opponent with this sequence of types and this behaviour.

        Parameters
        ----------
        game
            X, and the types.
        behaviour
            b and its noise.
        parameters
            By name, or as the model; None: the defaults.

        Returns
        -------
        Opponent
            The opponent for `play`.
        """
        from firstmover.core.documents import Specification  # noqa: PLC0415

        if not isinstance(parameters, Specification):
            parameters = (self.parameters or Specification).read(parameters or {})
        return self.builder(game, behaviour, parameters)


OPPONENTS: Table[OpponentEntry] = Table("opponent", "firstmover.simulation.opponent_entries:ENTRIES")
"""Sequences of types by name: each entry (`OpponentEntry`) combines one with the responses of a game."""


def opponent_for(
    game_name: str,
    game: Game,
    name: str,
    tables: "BimatrixGame | None" = None,
    parameters: Mapping[str, Any] | None = None,
) -> Opponent:
    """Return the opponent of a game of the GAMES table, or of payoff tables, by its name in the OPPONENTS table.

    Parameters
    ----------
    game_name
        Name of the game, of which the responses are taken.
    game
        The game as it was built.
    name
        In OPPONENTS, perhaps with a parameter, such as "drifting:100".
    tables
        Payoff tables, for a game that was built of them.
    parameters
        Further parameters of the entry, by name.

    Returns
    -------
    Opponent
        The opponent for `play`.

    Raises
    ------
    InvalidInput
        If a name or a parameter is unknown, or the game has no such opponent.

    Examples
    --------
    >>> from firstmover import GAMES, opponent_for
    >>> game = GAMES["shore"].build()
    >>> opponent_for("shore", game, "cyclic").types.types.shape
    (5, 1)
    """
    behaviour = game_named(game_name, tables).opponents(game)
    entry, values = OPPONENTS.resolve(name, parameters)
    return entry.build(game, behaviour, values)
