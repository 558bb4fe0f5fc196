"""GP-MW (Sessa et al. 2019): regresses the reward as one unknown function of action and type."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from firstmover.core.contracts import Belief, ConfidenceWidth, Game, Weights
from firstmover.core.records import Feedback, ShortRepr, Vector
from firstmover.learners.gp_ucb import observed_reward


@dataclass(frozen=True, eq=False, repr=False)
class GPMW(ShortRepr):
    """p_{t+1}[x] ∝ p_t[x] · exp(η ucb_t(x, θ_t)), with ucb = min(μ + βσ, largest reward) of g(x, θ) = r(x, b(x, θ)).

    Like StackelUCB it uses the type and optimistic rewards, but ignores that r is known.
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
        """Upper confidence bounds on the rewards of all actions, then the weights, then the belief."""
        seen = self.game.check(feedback)
        prediction = self.belief.predict(seen.opponent_type)
        rewards = prediction.mean[:, 0] + self.confidence(self.belief.information_gain) * prediction.std
        if self.game.reward_range is not None:
            rewards = np.clip(rewards, *self.game.reward_range)
        belief = self.belief.condition(seen.action, seen.opponent_type, observed_reward(self.game, seen))
        return replace(self, weights=self.weights.update(rewards), belief=belief)
