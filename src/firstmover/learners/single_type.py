"""The strategy of Eq. (8): the largest optimistic reward against one known type."""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Self

import numpy as np

from firstmover.core.arrays import Vector
from firstmover.core.cards import StrategyCard
from firstmover.core.contracts import Belief, ConfidenceWidth, Game
from firstmover.core.records import Feedback
from firstmover.learners.fixed import always
from firstmover.learners.optimistic import optimistic_rewards

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, eq=False, repr=False)
class SingleType(StrategyCard):
    """x_t = argmax_x r̃_t(x, θ̄), Eq. (8): the action of the largest optimistic reward, ties to the first.

    Parameters
    ----------
    game
        X, r and the response domain.
    belief
        The posterior of b before the first round.
    confidence
        β_t.
    opponent_type
        θ̄ (p,).

    Examples
    --------
    >>> from firstmover import GAMES, ConstantWidth, Setup, SingleType
    >>> shore = GAMES["shore"]
    >>> game = shore.build()
    >>> setup = Setup(game, shore.kernel, shore.regularization, ConstantWidth(1.0))
    >>> int(SingleType(game, setup.belief(), setup.confidence, game.types[0]).strategy.argmax())
    19
    """

    game: Game
    belief: Belief
    confidence: ConfidenceWidth
    opponent_type: Vector

    @property
    def strategy(self) -> Vector:
        """All weight on x_t."""
        rewards = optimistic_rewards(self.game, self.belief, self.confidence, self.opponent_type)
        return always(int(np.argmax(rewards)), self.game.n_actions)

    def observe(self, feedback: Feedback) -> Self:
        """Condition the belief on the response."""
        seen = self.game.check(feedback)
        return replace(self, belief=self.belief.condition(seen.action, seen.opponent_type, seen.response))
