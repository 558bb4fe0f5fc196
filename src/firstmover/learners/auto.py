"""The learner that needs no tuning."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from firstmover.beliefs import confidence_box
from firstmover.beliefs.fitted import FittedBelief
from firstmover.core.arrays import Vector, Matrix
from firstmover.core.contracts import Game
from firstmover.core.records import Feedback, ShortRepr
from firstmover.learners.fixed import always
from firstmover.learners.optimistic import _clipped, best_possible

WIDTH = 1.0
MOST_TYPES = 150
RATE = 2.0
GROW = 0.0

@dataclass(frozen=True, eq=False, repr=False)
class Weights:
    cumulative: Vector
    earned: float
    opening: Vector | None = None

    @property
    def learning_rate(self) -> float:
        regret = self.cumulative.max() - self.earned
        return RATE * np.log(len(self.cumulative)) / regret if regret > 1e-12 * np.ptp(self.cumulative) else np.inf

    @property
    def strategy(self) -> Vector:
        if self.opening is not None:
            return self.opening
        lead = self.cumulative - self.cumulative.max()
        rate = self.learning_rate
        w = (lead == 0).astype(float) if rate == np.inf else np.exp(rate * lead)
        return w / w.sum()


@dataclass(frozen=True, eq=False, repr=False)
class Auto(ShortRepr):
    game: Game
    belief: FittedBelief
    weights: Weights
    played: tuple[Vector, ...] = ()

    @classmethod
    def start(cls, game: Game) -> Self:
        best = best_possible(game)
        top = best == best.max()
        return cls(game, FittedBelief.prior(game), Weights(np.zeros(game.n_actions), 0.0, top / top.sum()))

    @property
    def alone(self) -> bool:
        return self.game.types is not None and len(self.game.types) == 1

    @property
    def strategy(self) -> Vector:
        if self.alone:
            return always(int(np.argmax(self.optimistic(self.game.types[0]))), self.game.n_actions)
        return self.weights.strategy

    @property
    def width(self):
        return WIDTH * (1 + GROW * np.log1p(self.belief.count)) / np.sqrt(self.game.n_outputs)

    def optimistic(self, opponent_type: Vector) -> Vector:
        """r̃"""
        game, total, weights = self.game, 0.0, 0.0
        for weight, prediction in self.belief.each(opponent_type):
            box = confidence_box(prediction, self.width, game.response_domain)
            total = total + weight * game.reward.best_in_box(game.actions, box)
            weights += weight
        if not weights:
            return best_possible(game)
        rewards = np.asarray(total / weights)
        return rewards if self.alone else _clipped(game, rewards)

    def observe(self, feedback: Feedback) -> Self:
        belief = self.belief.condition(feedback.action, feedback.opponent_type, feedback.response)
        refit = belief.fit_due
        if refit:
            belief = belief.refitted()
        after = replace(self, belief=belief, played=(*self.played, self.strategy))
        if self.alone:
            return after
        if refit or self.game.types is not None:
            return replace(after, weights=after._revised())
        r = self.optimistic(feedback.opponent_type)
        w = self.weights
        return replace(after, weights=Weights(w.cumulative + r, w.earned + float(self.strategy @ r)))

    def _revised(self) -> Weights:
        seen, played = np.array([f.opponent_type for f in self.belief.seen]), np.array(self.played)
        if self.game.types is not None:
            kinds, place, counts = np.unique(seen, axis=0, return_inverse=True, return_counts=True)
            sums = np.zeros((len(kinds), self.game.n_actions))
            np.add.at(sums, place, played)
            factor = 1.0
        else:
            chosen = np.unique(np.linspace(0, len(seen) - 1, min(len(seen), MOST_TYPES)).astype(int))
            kinds, sums, counts, factor = seen[chosen], played[chosen], np.ones(len(chosen)), len(seen) / len(chosen)
        rewards = np.array([self.optimistic(kind) for kind in kinds])
        return Weights(factor * (counts @ rewards), factor * float(np.vdot(sums, rewards)))
