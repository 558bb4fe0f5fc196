"""StackelUCB with a sliding window, for opponents that drift."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from firstmover.beliefs.window import WindowBelief
from firstmover.core.arrays import Matrix, Vector
from firstmover.core.cards import StrategyCard
from firstmover.core.contracts import ConfidenceWidth, Game, Weights
from firstmover.core.records import Feedback
from firstmover.learners.fixed import always
from firstmover.learners.optimistic import credited, optimistic_rewards


@dataclass(frozen=True, eq=False, repr=False)
class Windowed(StrategyCard):
    """Algorithm 1 on the last W rounds: the belief has their responses, and the weights their optimistic rewards.

    p_t[x] ∝ exp(η Σ_{s = t−W}^{t−1} r̃_s(x, θ_s)), with r̃_s computed in round s. Against one known type the action of
    the largest r̃_t is played, Eq. (8): SW-GP-UCB (Zhou and Shroff 2021) with the optimism of r̃.

    `weights` are those before the first round. None: the game has one known type.
    """

    game: Game
    belief: WindowBelief
    confidence: ConfidenceWidth
    weights: Weights | None
    rewards: Matrix

    @classmethod
    def start(cls, game: Game, belief: WindowBelief, confidence: ConfidenceWidth, weights: Weights | None) -> Self:
        """Return the learner of the first round."""
        return cls(game, belief, confidence, weights, np.empty((0, game.n_actions)))

    @cached_property
    def strategy(self) -> Vector:
        """p_t."""
        if self.weights is not None:
            return updated(self.weights, self.rewards).strategy
        assert self.game.types is not None
        rewards = optimistic_rewards(self.game, self.belief, self.confidence, self.game.types[0])
        return always(int(np.argmax(rewards)), self.game.n_actions)

    def observe(self, feedback: Feedback) -> Self:
        """Optimistic rewards by the belief before this round, then the window of both."""
        seen = self.game.check(feedback)
        belief = self.belief.condition(seen.action, seen.opponent_type, seen.response)
        if self.weights is None:
            return replace(self, belief=belief)
        rewards = optimistic_rewards(self.game, self.belief, self.confidence, seen.opponent_type)
        kept = np.vstack([self.rewards, credited(self, rewards, seen.allowed)])
        return replace(self, belief=belief, rewards=kept[-self.belief.window :])


def updated(weights: Weights, rewards: Iterable[Vector]) -> Weights:
    """Return the weights after rounds with these rewards."""
    for row in rewards:
        weights = weights.update(row)
    return weights
