"""StackelUCB that learns from a round before it weighs the round's rewards."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from firstmover.contracts import Belief, ConfidenceWidth, Game, Weights
from firstmover.learners.optimistic import optimistic_rewards
from firstmover.records import Feedback, Vector


@dataclass(frozen=True, eq=False)
class LearnFirst:
    """Algorithm 1 with r̃_t(x, θ_t) = min of Eq. (6) before and after the response of round t is known.

    Both bound r(x, b(x, θ_t)) from above, so their minimum does, and it is never above that of Algorithm 1: weights
    follow rewards that are no longer wrong about what was just seen.
    """

    game: Game
    belief: Belief
    confidence: ConfidenceWidth
    weights: Weights

    @property
    def strategy(self) -> Vector:
        """p_t."""
        return self.weights.strategy

    def observe(self, feedback: Feedback) -> Self:
        """The belief first, then the weights, by the smaller of both optimistic rewards."""
        seen = self.game.check(feedback)
        belief = self.belief.condition(seen.action, seen.opponent_type, seen.response)
        before, after = (
            optimistic_rewards(self.game, known, self.confidence, seen.opponent_type) for known in (self.belief, belief)
        )
        return replace(self, belief=belief, weights=self.weights.update(np.minimum(before, after)))
