"""Hedge: multiplicative weights with full information, an oracle baseline."""

from dataclasses import dataclass, replace
from typing import Self

from firstmover.core.arrays import Vector
from firstmover.core.cards import StrategyCard
from firstmover.core.contracts import Game, TrueRewards, Weights
from firstmover.core.records import Feedback
from firstmover.learners.optimistic import credited


@dataclass(frozen=True, eq=False, repr=False)
class Hedge(StrategyCard):
    """p_{t+1}[x] ∝ p_t[x] · exp(η r(x, b(x, θ_t))), which only a simulation can show (Balcan et al. 2015)."""

    game: Game
    true_rewards: TrueRewards
    weights: Weights

    @property
    def strategy(self) -> Vector:
        """p_t."""
        return self.weights.strategy

    def observe(self, feedback: Feedback) -> Self:
        """Follow the true rewards of all actions at the type just seen."""
        seen = self.game.check(feedback)
        rewards = self.true_rewards(seen.opponent_type)
        return replace(self, weights=self.weights.update(credited(self, rewards, seen.allowed)))
