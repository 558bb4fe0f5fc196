"""The learner that takes a game and nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from firstmover.beliefs import confidence_box
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

MOST_TYPES = 30
"""Types up to which totals are computed again in every round. Of more, as many rounds are taken at each fit."""


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
    rounds: Vector

    @classmethod
    def start(cls, game: Game) -> Self:
        """Return the learner of the first round."""
        return cls(game, FittedBelief.prior(game), RevisedWeights.opened(best_possible(game)), np.empty(0))

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
        learner = replace(self, belief=belief, rounds=np.append(self.rounds, self.belief.count))
        few = self.game.types is not None and len(self.game.types) <= MOST_TYPES
        if few:
            return learner._revised()
        return replace(learner, weights=self.weights.update(learner.optimistic(seen.opponent_type), seen.action))

    def _revised(self) -> Self:
        """The learner with the totals of its rounds by the present belief."""
        if self.game.types is not None and len(self.game.types) == 1:
            return self
        played = [self.belief.seen[int(number)] for number in self.rounds]
        kinds, place = np.unique([seen.opponent_type for seen in played], axis=0, return_inverse=True)
        if len(kinds) > MOST_TYPES:
            chosen = np.linspace(0, len(played) - 1, MOST_TYPES).astype(int)
            factor, played = len(played) / MOST_TYPES, [played[i] for i in chosen]
            kinds, place = np.array([seen.opponent_type for seen in played]), np.arange(MOST_TYPES)
        else:
            factor = 1.0
        rewards = factor * np.array([self.optimistic(kind) for kind in kinds])[place]
        return replace(self, weights=self.weights.revised(rewards, [seen.action for seen in played]))

    @property
    def fit_due(self) -> bool:
        """Whether hyperparameters should be fitted now."""
        return self.belief.fit_due

    def fit(self) -> dict[str, Any]:
        """Return new hyperparameters, in plain numbers."""
        return self.belief.fit()

    def fitted(self, fit: Mapping[str, Any]) -> Self:
        """Return the learner with these hyperparameters, and totals by the new belief."""
        learner = replace(self, belief=self.belief.fitted(fit))
        return learner._revised() if len(self.rounds) else learner

    def observe(self, feedback: Feedback) -> Self:
        """Return the learner of the next round, with new hyperparameters if a fit is due."""
        learner = self.learn(feedback)
        return learner.fitted(learner.fit()) if learner.fit_due else learner


def auto(game: Game) -> Learner:
    """Return the learner for a game that needs no kernel, no width and no horizon.

    A game with places is played by choices, or by commitments if the opponent sees the mixture; others by `Auto`.

    >>> from firstmover.games import GAMES
    >>> auto(GAMES["shore"].build()).belief, type(auto(GAMES["wildlife"].build())).__name__
    (FittedBelief(0 observations), 'ByChoice')
    """
    if game.places is None:
        return Auto.start(game)
    return Committing.start(game) if game.types is None else ByChoice.start(game)
