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
    """p_{t+1}[x] ∝ p_t[x] · exp(η r(x, b(x, θ_t))), which only a simulation can show (Balcan et al. 2015).

    Parameters
    ----------
    game
        X and r.
    true_rewards
        θ to r(x, b(x, θ)) of all actions (n,), as `true_rewards` gives it.
    weights
        p_t, such as `MultiplicativeWeights` or `AdaHedge`.

    Examples
    --------
    >>> from firstmover import GAMES, AdaHedge, Hedge, opponent_for, play_run, true_rewards
    >>> game = GAMES["shore"].build()
    >>> opponent = opponent_for("shore", game, "random")
    >>> learner = Hedge(game, true_rewards(game, opponent.respond), AdaHedge.start(game.n_actions))
    >>> play_run(game, opponent, learner, rounds=50, seed=0)
    Run(50 rounds, 24 actions, mean reward 0.761)
    """

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
