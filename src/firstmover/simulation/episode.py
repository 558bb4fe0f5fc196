"""A game whose moves are chosen outside, round by round, as environments of agents need it."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from firstmover.core.arrays import Vector, as_array, as_index, distribution
from firstmover.core.contracts import Game
from firstmover.core.errors import InvalidInput
from firstmover.core.numerics import sample_action
from firstmover.core.records import Round
from firstmover.games.opponent import Opponent
from firstmover.learners.fixed import always
from firstmover.simulation.loop import Coming, Streams, answered, coming_type


class Episode:
    """The rounds of one game so far; the caller gives p_t and, if it plays the opponent, θ_t.

    Actions, types and noise come from the streams of the seed, as in `play`: equal moves give equal rounds. After
    `horizon` rounds no move is taken; an episode of none is that of an environment before its first reset.
    """

    def __init__(self, game: Game, opponent: Opponent, seed: int = 0, horizon: int = 0) -> None:
        self.game, self.opponent, self.horizon, self.past = game, opponent, horizon, list[Round]()
        self._streams, self._coming = Streams.of(seed), Coming(None, lambda _: np.empty(0))

    def context(self) -> Vector | None:
        """Draw what is known of θ_t before p_t, and return it; call it once before each `move` without a type."""
        self._coming = coming_type(self.game, self.opponent.types, self.past, self._streams.types)
        return self._coming.context

    def move(self, strategy: Vector, opponent_type: Vector | None = None) -> Round:
        """Play a round with p_t against this type, or against that of the opponent's own source."""
        if len(self.past) >= self.horizon:
            raise InvalidInput(f"no round of {self.horizon} is left in this episode: call reset first.")
        strategy = distribution("strategy", strategy, self.game.n_actions)
        drawn = self._coming.given(strategy) if opponent_type is None else opponent_type
        kind, t = as_array("opponent_type", drawn, ndim=1), len(self.past) + 1
        action = sample_action(strategy, self._streams.actions.random())
        answer = answered(self.game, self.opponent, t, action, kind, noise=self._streams.noise)
        played = Round(t, strategy, action, kind, answer.true_response, answer.response, answer.reward)
        self.game.check(played.feedback)
        self.past.append(played)
        return played

    def __str__(self) -> str:
        if not self.past:
            return "No round was played."
        last = self.past[-1]
        kind, response = (", ".join(f"{x:.4g}" for x in part) for part in (last.opponent_type, last.response))
        return f"Round {last.t}: action {last.action}, type ({kind}), response ({response}), reward {last.reward:.4g}."


def information(played: Round) -> dict[str, Any]:
    """Return a round for the info of an environment: new objects, of which an agent need not see any."""
    return {
        "action": played.action,
        "opponent_type": played.opponent_type.copy(),
        "response": played.response.copy(),
        "true_reward": played.reward,
    }


def one_index(name: str, value: Any, count: int) -> int:
    """Return an index below `count`, also from an array without axes, as agents return it."""
    return as_index(name, value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value, count)


def pure(action: Any, count: int) -> Vector:
    """Return the strategy that plays one action."""
    return always(one_index("action", action, count), count)


def mixture(weights: ArrayLike, count: int) -> Vector:
    """Return the strategy of non-negative weights: divided by their sum, or uniform if all are 0.

    >>> mixture([2.0, 0.0, 6.0], 3), mixture([0.0, 0.0], 2)
    (array([0.25, 0.  , 0.75]), array([0.5, 0.5]))
    """
    given = as_array("weights", weights, ndim=1, length=count)
    if given.min() < 0:
        raise InvalidInput(f"weights has the value {given.min():.6g}: give weights of 0 or more.")
    largest = given.max()
    if largest == 0:
        return np.full(count, 1 / count)
    scaled = given / largest  # the sum of tiny weights may be 0
    return np.asarray(scaled / scaled.sum(), dtype=np.float64)
