"""The learner that takes a game and nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from firstmover.beliefs import confidence_box
from firstmover.beliefs.finite import KnownTypes
from firstmover.beliefs.fitted import FittedBelief
from firstmover.core.arrays import Vector
from firstmover.core.contracts import Game, Learner
from firstmover.core.records import Feedback, Prediction, ShortRepr
from firstmover.learners.choice import ByChoice
from firstmover.learners.commitment import Committing
from firstmover.learners.fixed import always
from firstmover.learners.optimistic import best_possible
from firstmover.strategies import RevisedWeights

WIDTH = 1.0
"""β: optimism is the posterior standard deviation of the total over outputs and types."""

MOST_REVISED = 5000
"""Known types times actions up to which all totals are computed again in every round."""


@dataclass(frozen=True, eq=False, repr=False)
class Auto(ShortRepr):
    """StackelUCB without assumptions: a fitted belief, joint optimism, and weights whose totals are revised.

    r̃(x, θ) = Σ_k P(k) max r(x, y) over y in μ_k ± β/√m ρ_k(x) c σ_k(x, θ), over the structures k of the belief. ρ_k is
    the joint share: for the regret only the sum of r̃ over the rounds must exceed that of r, and the errors at different
    types and outputs partly cancel. For known types all past rewards are evaluated by the present belief; a round is
    learnt before it is weighed. Against one known type the largest r̃ is played, Eq. (8).
    """

    game: Game
    belief: FittedBelief
    weights: RevisedWeights

    @classmethod
    def start(cls, game: Game) -> Self:
        """Return the learner of the first round."""
        types = 0 if game.types is None else len(game.types)
        revised = types if types * game.n_actions <= MOST_REVISED else 0
        return cls(game, FittedBelief.prior(game), RevisedWeights.opened(best_possible(game), revised))

    @cached_property
    def strategy(self) -> Vector:
        """p_t."""
        types = self.game.types
        if types is None or len(types) > 1:
            return self.weights.strategy
        return always(int(np.argmax(self.optimistic(types[0]))), self.game.n_actions)

    def optimistic(self, opponent_type: Vector) -> Vector:
        """Return r̃ of all actions at one type; the best that the response domain allows before the first fit."""
        game, total, probability = self.game, np.zeros(self.game.n_actions), 0.0
        for weight, (mean, std), joint in self.belief.weighted(opponent_type):
            box = confidence_box(Prediction(mean, joint * std), WIDTH / np.sqrt(game.n_outputs), game.response_domain)
            total += weight * game.reward.best_in_box(game.actions, box)
            probability += weight
        return total / probability if probability else best_possible(game)

    def learn(self, feedback: Feedback) -> Self:
        """Return the learner of the next round, its hyperparameters as they are."""
        seen = self.game.check(feedback)
        belief = self.belief.condition(seen.action, seen.opponent_type, seen.response)
        learner = replace(self, belief=belief)
        if not self.weights.played.size:
            return replace(learner, weights=self.weights.update(learner.optimistic(seen.opponent_type)))
        assert self.game.types is not None
        kind = KnownTypes(self.game.types).position(seen.opponent_type)
        return learner._revised(self.weights.after(kind))

    def _revised(self, weights: RevisedWeights) -> Self:
        """The learner with these weights, their totals by the present belief."""
        types = self.game.types
        if types is None or len(types) == 1 or not weights.played.size:
            return replace(self, weights=weights)
        met = weights.played.reshape(len(types), -1).any(axis=1)
        rewards = np.zeros((len(types), self.game.n_actions))
        for i in np.flatnonzero(met):
            rewards[i] = self.optimistic(types[i])
        return replace(self, weights=weights.revised(rewards))

    @property
    def fit_due(self) -> bool:
        """Whether hyperparameters should be fitted now."""
        return self.belief.fit_due

    def fit(self) -> dict[str, Any]:
        """Return new hyperparameters, in plain numbers."""
        return self.belief.fit()

    def fitted(self, fit: Mapping[str, Any]) -> Self:
        """Return the learner with these hyperparameters; the totals of known types are revised."""
        return replace(self, belief=self.belief.fitted(fit))._revised(self.weights)

    def observe(self, feedback: Feedback) -> Self:
        """Return the learner of the next round, with new hyperparameters if a fit is due."""
        learner = self.learn(feedback)
        return learner.fitted(learner.fit()) if learner.fit_due else learner


def auto(game: Game) -> Learner:
    """Return the learner for a game that needs no kernel, no width and no horizon.

    A game with places is played by choices, or by commitments if the opponent sees the mixture; others by `Auto`.

    >>> from firstmover.games import GAMES
    >>> auto(GAMES["shore"].build())
    Auto(Game('shore', 24 actions, 1 output, 5 types), FittedBelief(0 observations), RevisedWeights(earned=0.0))
    """
    if game.places is None:
        return Auto.start(game)
    return Committing.start(game) if game.types is None else ByChoice.start(game)
