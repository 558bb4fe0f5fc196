"""A small belief and a learner that refit, to test what a match does with any that do."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from sklearn.gaussian_process.kernels import RBF

from firstmover.beliefs import ConstantWidth, belief_over
from firstmover.core.arrays import Vector
from firstmover.core.contracts import Belief, Game
from firstmover.core.records import Feedback, Prediction
from firstmover.learners.optimistic import best_possible, optimistic_rewards
from firstmover.strategies import AdaHedge

EVERY = 4
"""Observations between two fits."""

LAST_BITS = {"factor": 1.0}
"""What another machine makes of the last bits of a fit."""


@dataclass(frozen=True, eq=False)
class ScaledBelief:
    """One length scale, 1 + the standard deviation of the responses; its fit is due after every four of them."""

    game: Game
    inner: Belief
    seen: tuple[tuple[int, Vector, Vector], ...] = ()
    last: int = 0

    @classmethod
    def prior(cls, game: Game, length: float = 5.0) -> Self:
        return cls(game, belief_over(9.0 * RBF(length), 1.0, game.actions, game.n_outputs, game.types))

    def predict(self, opponent_type: Vector) -> Prediction:
        mean, std = self.inner.predict(opponent_type)
        return Prediction(mean, np.repeat(std[:, None], self.game.n_outputs, axis=1))

    @property
    def noise_variance(self) -> Vector:
        return np.full(self.game.n_outputs, 0.25)

    @property
    def information_gain(self) -> float:
        return self.inner.information_gain

    def condition(self, action: int, opponent_type: Vector, response: Vector) -> Self:
        inner = self.inner.condition(action, opponent_type, response)
        return replace(self, inner=inner, seen=(*self.seen, (action, opponent_type, response)))

    @property
    def fit_due(self) -> bool:
        return len(self.seen) >= self.last + EVERY

    def fit(self) -> dict[str, Any]:
        return {"length": LAST_BITS["factor"] * (1.0 + float(np.std([row[2] for row in self.seen])))}

    def fitted(self, fit: Mapping[str, Any], /) -> Self:
        belief = self.prior(self.game, fit["length"])
        for row in self.seen:
            belief = belief.condition(*row)
        return replace(belief, last=len(self.seen))


@dataclass(frozen=True, eq=False)
class Tuned:
    """StackelUCB with AdaHedge over that belief."""

    game: Game
    belief: ScaledBelief
    weights: AdaHedge

    @classmethod
    def start(cls, game: Game) -> Self:
        return cls(game, ScaledBelief.prior(game), AdaHedge.opened(best_possible(game)))

    @property
    def strategy(self) -> Vector:
        return self.weights.strategy

    def observe(self, feedback: Feedback) -> Self:
        learnt = self.learn(feedback)
        return learnt.fitted(learnt.fit()) if learnt.fit_due else learnt

    def learn(self, feedback: Feedback) -> Self:
        seen = self.game.check(feedback)
        rewards = optimistic_rewards(self.game, self.belief, ConstantWidth(1.0), seen.opponent_type)  # type: ignore[arg-type]
        belief = self.belief.condition(seen.action, seen.opponent_type, seen.response)
        return replace(self, weights=self.weights.update(rewards), belief=belief)

    @property
    def fit_due(self) -> bool:
        return self.belief.fit_due

    def fit(self) -> dict[str, Any]:
        return self.belief.fit()

    def fitted(self, fit: Mapping[str, Any], /) -> Self:
        return replace(self, belief=self.belief.fitted(fit))
