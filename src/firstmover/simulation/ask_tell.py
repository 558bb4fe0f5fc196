"""A learner in a loop that the caller owns: ask for an action, tell the response."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from firstmover.core.arrays import Mask, Vector, as_array, as_count, as_index, as_mask, distribution
from firstmover.core.contracts import Game, GrowsMenu, Learner, check_game, decided
from firstmover.core.errors import InvalidInput
from firstmover.core.numerics import one_thread, sample_action
from firstmover.core.records import Feedback
from firstmover.learners.auto import auto


class AskTell:
    """A learner as the policy of a contextual bandit, in memory; a `Match` does the same durably.

    `ask` draws an action from p_t, `tell` reports what was observed. An action that is asked for again before it was
    told is drawn again, and replaces the first one.

    Parameters
    ----------
    game
        The game whose actions are played.
    learner
        A learner before its first round; None: `auto(game)`.
    seed
        The seed of the draws: equal seeds and responses give equal actions.

    Attributes
    ----------
    learner
        The learner of the coming round.
    strategy
        p_t of the last `ask`, 0 where actions were left out; None before the first.

    Raises
    ------
    InvalidInput
        If the game or the seed cannot be used.

    Examples
    --------
    A kiosk knows the weather before it sets its price, and leaves out the lowest price.

    >>> import numpy as np
    >>> import firstmover as fm
    >>> revenue = fm.increasing(lambda price, sold: price[:, 0] * sold[:, 0])
    >>> game = fm.Game("kiosk", [[1.0], [2.0], [4.0], [8.0]], revenue, fm.Box([0], [20]), context=(0,))
    >>> kiosk = fm.AskTell(game, seed=0)
    >>> for day in range(30):
    ...     warm = float(day % 2)
    ...     action = kiosk.ask(context=[warm], without=[0])
    ...     kiosk.tell(response=(6 + 12 * warm) * np.exp(-game.actions[action] / (2 + 4 * warm)))
    >>> [game.actions[np.argmax(kiosk.learner.decide(context=[warm])), 0].item() for warm in (0.0, 1.0)]
    [2.0, 8.0]
    """

    def __init__(self, game: Game, learner: Learner | None = None, *, seed: int = 0) -> None:
        check_game(game)
        self.learner = auto(game) if learner is None else learner
        self.strategy: Vector | None = None
        self._start, self._random = game, np.random.default_rng(as_count("seed", seed, least=0))
        self._asked: tuple[int, Vector | None, Mask | None] | None = None

    @property
    def game(self) -> Game:
        """The game, with the present menu if the learner adds actions to it."""
        return self.learner.grown if isinstance(self.learner, GrowsMenu) else self._start

    def ask(self, context: ArrayLike | None = None, without: Sequence[int] = ()) -> int:
        """Draw the action of the coming round.

        Parameters
        ----------
        context
            The features of the type that are known before the move, in a game with a context; None: not known.
        without
            Numbers of actions that are not allowed in this round.

        Returns
        -------
        int
            The number of the action, from 0.

        Raises
        ------
        InvalidInput
            If the game has no such context, or no action is left.
        """
        game, mask = self.game, None
        known = None if context is None else game.checked_context(as_array("context", context, ndim=1))
        if len(without):
            allowed = np.ones(game.n_actions, dtype=bool)
            allowed[[as_index("without", action, game.n_actions) for action in without]] = False
            mask = as_mask("allowed actions", allowed)
        with one_thread():
            self.strategy = distribution("strategy", decided(self.learner, known, mask), game.n_actions)
        action = sample_action(self.strategy, self._random.random())
        self._asked = action, known, mask
        return action

    def tell(self, response: ArrayLike, opponent_type: ArrayLike | None = None, played: int | None = None) -> None:
        """Report the response to the action that was asked for.

        Parameters
        ----------
        response
            The observed response (m,).
        opponent_type
            The whole type (p,); it may be left out if the game has one known type, or if it is the context.
        played
            The number of the action that was played instead of the one asked for.

        Raises
        ------
        InvalidInput
            If no action was asked for since the last `tell`, or a value does not fit the game.
        """
        if self._asked is None:
            raise InvalidInput("no action was asked for since the last tell: call ask first.")
        action, context, allowed = self._asked
        kind = self._type(context) if opponent_type is None else as_array("opponent_type", opponent_type, ndim=1)
        if context is not None and not np.array_equal(kind[list(self._start.context)], context):
            raise InvalidInput(
                f"opponent_type is {kind.tolist()}: its context was {context.tolist()} when ask was called."
            )
        seen = as_array("response", response, ndim=1)
        if played is None or played == action:
            feedback = Feedback(action, kind, seen, allowed)
        else:
            feedback = Feedback(as_index("played", played, self.game.n_actions), kind, seen, allowed, advised=action)
        with one_thread():
            self.learner = self.learner.observe(self.game.check(feedback))
        self._asked = None

    def _type(self, context: Vector | None) -> Vector:
        """The type that need not be told: the only one of the game, or the context if it is the whole type."""
        game = self._start
        if game.types is not None and len(game.types) == 1:
            return game.types[0]
        whole = len(game.context) if game.types is None else game.types.shape[1]
        if context is None or sorted(game.context) != list(range(whole)):
            raise InvalidInput("opponent_type is not given, and the context does not tell it: give the whole type.")
        return context[np.argsort(game.context)]
