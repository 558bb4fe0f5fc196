"""The learner that takes a game and nothing else."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from firstmover.beliefs import confidence_box
from firstmover.beliefs.fitted import FittedBelief
from firstmover.core.arrays import Mask, Matrix, Vector, as_array, as_mask
from firstmover.core.cards import StrategyCard
from firstmover.core.contracts import Game, Learner, check_game
from firstmover.core.records import Feedback, Prediction
from firstmover.learners.choice import ByChoice
from firstmover.learners.commitment import Committing
from firstmover.learners.contexts import COVERS, past_rounds
from firstmover.learners.fixed import always
from firstmover.learners.optimistic import best_possible
from firstmover.strategies import GrowingWeights, RevisedWeights
from firstmover.strategies.revised import Asleep

WIDTH = 1.0
"""β_0, in posterior standard deviations of the total over outputs and types."""

GROWTH = 0.5
"""How fast (β / β_0)² grows with the logarithm of the observations per action that was tried."""

MOST_TYPES = 30
"""Types up to which totals are computed again in every round. Of more, as many rounds are taken at each fit."""


@dataclass(frozen=True, eq=False, repr=False)
class Auto(StrategyCard):
    """StackelUCB without assumptions: a fitted belief, joint optimism, and weights whose totals are revised.

    r̃(x, θ) = Σ_k P(k) max r(x, y) over y in μ_k ± β_t/√m ρ_k(x) c σ_k(x, θ), over the structures k of the belief. ρ_k
    is the joint share: for the regret only the sum of r̃ over the rounds must exceed that of r, and the errors at
    different types and outputs partly cancel. After t observations at a different actions,
    β_t² = 1 + ½ log(t / a): optimism grows where few actions were tried. For known types all past rewards are computed
    by the present belief; a round is learnt before it is weighed. Against one known type the largest r̃ is played,
    Eq. (8).

    A decision for a context mixes the strategies of several covers of the contexts, each with its own totals of past
    rounds, which are evaluated as if they had come with this context. Covers are weighted by what their strategies
    earned (docs/theory/contexts.md).

    `advised` are the actions of the rounds of play, which the weights count even where another one was played,
    `imported` the numbers of the observations that were not rounds, `asleep` the numbers i n + x of the actions x that
    were not allowed in observation i, and `covers` the totals of the covers and their gap.
    """

    game: Game
    belief: FittedBelief
    weights: RevisedWeights
    imported: Vector
    advised: Vector
    asleep: Vector
    covers: Vector

    @classmethod
    def start(cls, game: Game) -> Self:
        """Return the learner of the first round."""
        weights, none = RevisedWeights.opened(best_possible(game)), np.empty(0)
        return cls(game, FittedBelief.prior(game), weights, none, none, none, np.zeros(COVERS + 1))

    @cached_property
    def strategy(self) -> Vector:
        """p_t over all actions, without a context."""
        return self.decide()

    def decide(self, context: Vector | None = None, allowed: Mask | None = None) -> Vector:
        """p_t for a context, if one is given, over the allowed actions."""
        n, types = self.game.n_actions, self.game.types
        mask = np.ones(n, dtype=bool) if allowed is None else as_mask("allowed", allowed, n)
        if context is not None:
            weights = self._cover_weights.strategy
            return np.asarray(weights @ self._each_cover(self.game.checked_context(context), mask), dtype=np.float64)
        if types is None or len(types) > 1:
            return self.weights.strategy_over(mask)
        return self._best(self.optimistic(types[0]), mask)

    def _best(self, rewards: Vector, allowed: Mask) -> Vector:
        """Eq. (8) over the allowed actions."""
        rewards = np.where(allowed, rewards, -np.inf)
        if self.belief.last is None:  # the responses so far tell no scale: try the best bounds in turn
            rewards = np.where(rewards == rewards.max(), -self.weights.played, -np.inf)
        return always(int(np.argmax(rewards)), self.game.n_actions)

    @property
    def _cover_weights(self) -> GrowingWeights:
        """Weights of the covers: a priori ½ of the first, and the less the finer."""
        new = GrowingWeights.start(1).enter(COVERS - 1)
        return replace(new, cumulative=self.covers[:-1], gap=float(self.covers[-1]))

    def _each_cover(self, context: Vector, allowed: Mask) -> Matrix:
        """The strategy of each cover at a context (covers, n), computed once."""
        key = context.tobytes() + allowed.tobytes()
        if key not in self._decided:
            self._decided[key] = np.array(self._strategies(context, allowed))
        return self._decided[key]

    @cached_property
    def _decided(self) -> dict[bytes, Matrix]:
        return {}

    def _strategies(self, context: Vector, allowed: Mask) -> list[Vector]:
        numbers, known = self._rounds, self.game.types
        if not len(numbers) and known is None:
            return self._opening(context, allowed)
        if known is None and len(context) == len(self.belief.seen[0].opponent_type):  # the whole type is known: Eq. (8)
            whole = context[np.argsort(self.game.context)]
            return [self._best(self.optimistic(whole), allowed)] * COVERS
        types = self.belief.types[numbers] if len(numbers) or known is None else known[:0]
        past = past_rounds(self.game, types, context, MOST_TYPES)
        kinds, place = np.unique(past.types, axis=0, return_inverse=True)
        table = self._table(kinds)
        if len(kinds) == 1 or not len(past.rounds):  # Eq. (8)
            return [self._best(table.sum(axis=0), allowed)] * COVERS
        actions, asleep = self.advised.astype(int)[past.rounds], self._asleep_in(numbers[past.rounds])
        each = [self.weights.revised(table, place, actions, counts, asleep) for counts in past.counts]
        return [weights.strategy_over(allowed) for weights in each]

    def _opening(self, context: Vector, allowed: Mask) -> list[Vector]:
        """The strategy of each cover before the first round, where any type may come: Eq. (8) over imported types."""
        if self.belief.last is None:  # nothing was imported, or it tells no scale
            return [self.weights.strategy_over(allowed)] * COVERS
        past = past_rounds(self.game, self.belief.types, context, MOST_TYPES)
        return [self._best(totals, allowed) for totals in past.counts @ self._table(past.types)]

    @property
    def _rounds(self) -> NDArray[np.int_]:
        """The numbers of the observations that were rounds of play."""
        return np.setdiff1d(np.arange(self.belief.count), self._outside)

    def _asleep_in(self, numbers: NDArray[np.int_]) -> Asleep | None:
        """The places among these observations, and the actions, of all that slept after they had been allowed once."""
        if not len(self.asleep):
            return None
        which, actions = np.divmod(self.asleep.astype(int), self.game.n_actions)
        place = np.searchsorted(numbers, which).clip(max=len(numbers) - 1)
        kept = (numbers[place] == which) & ~first_closures(np.searchsorted(self._rounds, which), actions)
        return place[kept], actions[kept]

    @property
    def _allowed_before(self) -> Mask:
        """The actions that were allowed in some round (n,)."""
        n = self.game.n_actions
        closed = np.bincount(self.asleep.astype(int) % n, minlength=n)
        return np.asarray(closed < len(self.advised))

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
        action = seen.action if seen.advised is None else seen.advised
        advised = np.append(self.advised, action)
        learner = replace(self, belief=belief, advised=advised, imported=self._outside, asleep=self._asleep_after(seen))
        revises = self.game.types is not None and len(self.game.types) <= MOST_TYPES
        if revises and not self.game.context:
            return learner._revised()
        rewards = learner.optimistic(seen.opponent_type)
        if self.game.context:
            learner = replace(learner, covers=self._covers_after(seen, rewards))
        if revises:
            return learner._revised()
        if seen.allowed is not None:
            rewards = np.where(seen.allowed | ~self._allowed_before, rewards, rewards[action])
        return replace(learner, weights=self.weights.update(rewards, action))

    def _asleep_after(self, seen: Feedback) -> Vector:
        if seen.allowed is None or seen.allowed.all():
            return self.asleep
        return np.append(self.asleep, self.belief.count * self.game.n_actions + np.flatnonzero(~seen.allowed))

    def _covers_after(self, seen: Feedback, rewards: Vector) -> Vector:
        allowed = np.ones(self.game.n_actions, dtype=bool) if seen.allowed is None else seen.allowed
        strategies = self._each_cover(seen.opponent_type[list(self.game.context)], allowed)
        weights = self._cover_weights.update(strategies @ rewards)
        return np.append(weights.cumulative, weights.gap)

    @property
    def _outside(self) -> Vector:
        """`imported`, and the numbers of the observations since the last round or fit."""
        known = len(self.imported) + len(self.advised)
        return (
            np.append(self.imported, np.arange(known, self.belief.count))
            if known < self.belief.count
            else self.imported
        )

    def _revised(self) -> Self:
        """The learner with the totals of its rounds by the present belief."""
        numbers, actions = self._rounds, self.advised.astype(int)
        kinds, place = np.unique(self.belief.types[numbers], axis=0, return_inverse=True)
        if len(kinds) <= MOST_TYPES:
            asleep = self._asleep_in(numbers)
            return replace(self, weights=self.weights.revised(self._table(kinds), place, actions, asleep=asleep))
        chosen = np.linspace(0, len(numbers) - 1, MOST_TYPES).astype(int)
        table = len(numbers) / MOST_TYPES * self._table(kinds[place[chosen]])
        asleep = self._asleep_in(numbers[chosen])
        some = self.weights.revised(table, np.arange(MOST_TYPES), actions[chosen], asleep=asleep)
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
        return learner._revised() if len(self.advised) else learner

    def translated(self, fit: Mapping[str, Any], before: Game, columns: Sequence[int], width: int) -> dict[str, Any]:
        """Return a fit of the game as it was `before`, for the game as it is."""
        return self.belief.translated(fit, before, columns, width)

    def observe(self, feedback: Feedback) -> Self:
        """Return the learner of the next round, with new hyperparameters if a fit is due."""
        learner = self.learn(feedback)
        return learner.fitted(learner.fit()) if learner.fit_due else learner


def first_closures(rounds: NDArray[np.int_], actions: NDArray[np.int_]) -> Mask:
    """Return which of these closures, of an action in a round, came before the action was first allowed.

    These are rounds 0, 1, … of the action without a gap.

    >>> first_closures(np.array([0, 0, 1, 3, 4]), np.array([7, 2, 7, 7, 5]))
    array([ True,  True,  True, False, False])
    """
    order = np.lexsort((rounds, actions))
    ordered = actions[order]
    found = np.empty(len(order), dtype=bool)
    found[order] = rounds[order] == np.arange(len(order)) - np.searchsorted(ordered, ordered)
    return found


def auto(game: Game) -> Learner:
    """Return the learner for a game that needs no kernel, no width and no horizon.

    A game with places is played by choices, or by commitments if the opponent sees the mixture; others by `Auto`.

    Parameters
    ----------
    game
        X, r and the response domain.

    Returns
    -------
    Learner
        The learner of round 1.

    Raises
    ------
    InvalidInput
        If the argument is not a Game.

    Examples
    --------
    >>> from firstmover import auto
    >>> from firstmover.games import GAMES
    >>> auto(GAMES["shore"].build()).belief, type(auto(GAMES["wildlife"].build())).__name__
    (FittedBelief(0 observations), 'ByChoice')
    """
    check_game(game)
    if game.places is None:
        return Auto.start(game)
    return Committing.start(game) if game.types is None else ByChoice.start(game)
