"""GP-UCB (Srinivas et al. 2010) on the reward itself, ignoring the two levels of the game."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from firstmover.core.contracts import Belief, ConfidenceWidth, Game
from firstmover.core.records import Feedback, ShortRepr, Vector
from firstmover.learners.fixed import always


def observed_reward(game: Game, feedback: Feedback) -> Vector:
    """r(x_t, y_t) as a response of one number, (1,)."""
    return game.reward(game.actions[[feedback.action]], feedback.response[None])


@dataclass(frozen=True, eq=False, repr=False)
class GPUCB(ShortRepr):
    """x_t = argmax_x μ_t(x) + β_t σ_t(x), with μ and σ of g(x) = r(x, b(x, θ̄)) from rewards."""

    game: Game
    belief: Belief
    confidence: ConfidenceWidth
    opponent_type: Vector

    @property
    def strategy(self) -> Vector:
        """All weight on x_t, ties to the first."""
        prediction = self.belief.predict(self.opponent_type)
        width = self.confidence(self.belief.information_gain)
        return always(int(np.argmax(prediction.mean[:, 0] + width * prediction.std)), self.game.n_actions)

    def observe(self, feedback: Feedback) -> Self:
        """Condition the belief on the reward."""
        seen = self.game.check(feedback)
        reward = observed_reward(self.game, seen)
        return replace(self, belief=self.belief.condition(seen.action, seen.opponent_type, reward))
