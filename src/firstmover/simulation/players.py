"""The players of an environment: objects, or names of the tables."""

from numpy.typing import ArrayLike

from firstmover.beliefs import ConstantWidth
from firstmover.core.arrays import Matrix, as_array
from firstmover.core.contracts import Game, GrowsMenu, Learner, check_game
from firstmover.core.errors import InvalidInput, shown
from firstmover.games import game_named
from firstmover.games.opponent import Opponent, true_rewards
from firstmover.learners import LEARNERS, Setup
from firstmover.simulation.opponents import opponent_for


def game_and_opponent(game: Game | str, opponent: Opponent | str) -> tuple[Game, Opponent]:
    """Return a game and its opponent; both may be named, an opponent only of a named game."""
    built = game_named(game).build() if isinstance(game, str) else game
    check_game(built)
    if isinstance(opponent, str):
        if not isinstance(game, str):
            raise InvalidInput(f"opponent is {opponent!r}, and the game is not named: give an Opponent.")
        return built, opponent_for(game, built, opponent)
    if not isinstance(opponent, Opponent):
        raise InvalidInput(f"opponent is {shown(opponent)}: give an Opponent, or the name of one.")
    return built, opponent


def learner_in(name: Game | str, game: Game, opponent: Opponent, learner: Learner | str, horizon: int) -> Learner:
    """Return a learner with a fixed menu; it may be named in a named game, whose entry has its kernel, λ and β."""
    if isinstance(learner, str):
        if not isinstance(name, str):
            raise InvalidInput(f"learner is {learner!r}, and the game is not named: give a learner, as auto(game) is.")
        assumed, (entry, parameters) = game_named(name), LEARNERS.resolve(learner)
        width, rewards = ConstantWidth(assumed.confidence_width), true_rewards(game, opponent.respond)
        setup = Setup(game, assumed.kernel, assumed.regularization, width, horizon=horizon, true_rewards=rewards)
        learner = entry.build(setup, parameters)
    if isinstance(learner, GrowsMenu):
        raise InvalidInput(
            f"learner is {shown(learner)}, whose menu grows: give one whose strategies keep their length."
        )
    return learner


def types_to_choose(game: Game, types: ArrayLike | None) -> Matrix:
    """Return the types among which an adversary chooses (q, p): those given, or those of the game."""
    if game.context:
        raise InvalidInput(
            f"game {game.name!r} has a context, which is known before p_t: an adversary that chooses the whole type "
            "after p_t cannot play it, so give a game without context."
        )
    chosen = game.types if types is None else as_array("types", types, ndim=2)
    if chosen is None:
        raise InvalidInput(f"game {game.name!r} has no finite set of types: give some as types, one per row.")
    if game.types is not None and chosen.shape[1] != game.types.shape[1]:
        raise InvalidInput(
            f"types has {chosen.shape[1]} column(s): types of game {game.name!r} have {game.types.shape[1]}."
        )
    unknown = [] if game.types is None else [row for row in chosen if not (game.types == row).all(axis=1).any()]
    if unknown:
        raise InvalidInput(f"types has the row {unknown[0].tolist()}: game {game.name!r} has no such type.")
    if not len(chosen):
        raise InvalidInput("types has no rows: give at least one type.")
    return chosen
