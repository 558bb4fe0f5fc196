"""The learner that takes a game and nothing else."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np

from firstmover.beliefs import confidence_box
from firstmover.beliefs.fitted import FittedBelief
from firstmover.core.arrays import Matrix, Vector, as_array
from firstmover.core.contracts import Game, Learner
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Feedback, Prediction, ShortRepr
from firstmover.learners.choice import ByChoice
from firstmover.learners.commitment import Committing
from firstmover.learners.fixed import always
from firstmover.learners.optimistic import best_possible
from firstmover.strategies import RevisedWeights

WIDTH = 1.0
"""β_0, in posterior standard deviations of the total over outputs and types."""

GROWTH = 0.5
"""How fast (β / β_0)² grows with the logarithm of the observations per action that was tried."""

MOST_TYPES = 30
"""Types up to which totals are computed again in every round. Of more, as many rounds are taken at each fit."""


@dataclass(frozen=True, eq=False, repr=False)
class Auto(ShortRepr):
    """StackelUCB without assumptions: a fitted belief, joint optimism, and weights whose totals are revised.

    r̃(x, θ) = Σ_k P(k) max r(x, y) over y in μ_k ± β_t/√m ρ_k(x) c σ_k(x, θ), over the structures k of the belief. ρ_k
    is the joint share: for the regret only the sum of r̃ over the rounds must exceed that of r, and the errors at
    different types and outputs partly cancel. After t observations at a different actions,
    β_t² = 1 + ½ log(t / a): optimism grows where few actions were tried. For known types all past rewards are computed
    by the present belief; a round is learnt before it is weighed. Against one known type the largest r̃ is played,
    Eq. (8).

    `imported` are the numbers of the observations that were not rounds of play.
    """

    game: Game
    belief: FittedBelief
    weights: RevisedWeights
    imported: Vector

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
        rewards = self.optimistic(types[0])
        if self.belief.last is None:  # the responses so far tell no scale: try the best bounds in turn
            rewards = np.where(rewards == rewards.max(), -self.weights.played, -np.inf)
        return always(int(np.argmax(rewards)), self.game.n_actions)

    @cached_property
    def width(self) -> float:
        """β_t."""
        tried = len({seen.action for seen in self.belief.seen})
        if not tried:
            return WIDTH
        return WIDTH * float(np.sqrt(1 + GROWTH * np.log(self.belief.count / tried)))

    def optimistic(self, opponent_type: Vector) -> Vector:
        """Return r̃ of all actions at one type; the best that the response domain allows before the first fit."""
        game, total, probability = self.game, np.zeros(self.game.n_actions), 0.0
        for weight, (mean, std), joint in self.belief.weighted(opponent_type):
            box = confidence_box(
                Prediction(mean, joint * std), self.width / np.sqrt(game.n_outputs), game.response_domain
            )
            total += weight * game.reward.best_in_box(game.actions, box)
            probability += weight
        return as_array("best_in_box", total / probability, ndim=1) if probability else best_possible(game)

    def learn(self, feedback: Feedback) -> Self:
        """Return the learner of the next round, its hyperparameters as they are."""
        seen = self.game.check(feedback)
        belief = self.belief.condition(seen.action, seen.opponent_type, seen.response)
        learner = replace(self, belief=belief, imported=self._outside)
        if self.game.types is not None and len(self.game.types) <= MOST_TYPES:
            return learner._revised()
        return replace(learner, weights=self.weights.update(learner.optimistic(seen.opponent_type), seen.action))

    @property
    def _outside(self) -> Vector:
        """`imported`, and the numbers of the observations since the last round or fit."""
        known = len(self.imported) + int(self.weights.played.sum())
        return (
            np.append(self.imported, np.arange(known, self.belief.count))
            if known < self.belief.count
            else self.imported
        )

    def _revised(self) -> Self:
        """The learner with the totals of its rounds by the present belief."""
        seen = [self.belief.seen[i] for i in np.setdiff1d(np.arange(self.belief.count), self.imported)]
        kinds, place = np.unique([each.opponent_type for each in seen], axis=0, return_inverse=True)
        actions = np.array([each.action for each in seen])
        if len(kinds) <= MOST_TYPES:
            return replace(self, weights=self.weights.revised(self._table(kinds), place, actions))
        chosen = np.linspace(0, len(seen) - 1, MOST_TYPES).astype(int)
        table = len(seen) / MOST_TYPES * self._table(kinds[place[chosen]])
        some = self.weights.revised(table, np.arange(MOST_TYPES), actions[chosen])
        played = np.bincount(actions, minlength=self.game.n_actions).astype(float)
        return replace(self, weights=replace(some, played=played))

    def _table(self, kinds: Matrix) -> Matrix:
        """r̃ at each type (q, n)."""
        return np.array([self.optimistic(kind) for kind in kinds])

    @property
    def fit_due(self) -> bool:
        """Whether hyperparameters should be fitted now."""
        return self.belief.fit_due

    def fit(self) -> dict[str, Any]:
        """Return new hyperparameters, in plain numbers."""
        return self.belief.fit()

    def fitted(self, fit: Mapping[str, Any]) -> Self:
        """Return the learner with these hyperparameters, and totals by the new belief."""
        learner = replace(self, belief=self.belief.fitted(fit), imported=self._outside)
        return learner._revised() if self.weights.played.any() else learner

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
    if not isinstance(game, Game):
        raise InvalidInput(f"game is {game!r}: give a Game, such as GAMES['shore'].build().")
    if game.places is None:
        return Auto.start(game)
    return Committing.start(game) if game.types is None else ByChoice.start(game)
