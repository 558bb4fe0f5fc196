"""Baselines that regress the reward itself and ignore the two levels of the game: GP-UCB and GP-MW."""

from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from firstmover.core.arrays import Vector
from firstmover.core.cards import StrategyCard
from firstmover.core.contracts import Belief, ConfidenceWidth, Game, Weights
from firstmover.core.records import Feedback
from firstmover.learners.fixed import always
from firstmover.learners.optimistic import credited


def observed_reward(game: Game, feedback: Feedback) -> Vector:
    """r(x_t, y_t) as a response of one number, (1,)."""
    return game.reward(game.actions[[feedback.action]], feedback.response[None])


def upper_bounds(learner: "GPUCB | GPMW", opponent_type: Vector) -> Vector:
    """μ + βσ of g(x, θ) = r(x, b(x, θ)) for all actions at one type (n,); of GP-MW at most the largest reward."""
    prediction = learner.belief.predict(opponent_type)
    bounds = prediction.mean[:, 0] + learner.confidence(learner.belief.information_gain) * prediction.std
    reward_range = learner.game.reward_range
    return bounds if reward_range is None or isinstance(learner, GPUCB) else np.clip(bounds, *reward_range)


@dataclass(frozen=True, eq=False, repr=False)
class GPUCB(StrategyCard):
    """x_t = argmax_x μ_t(x) + β_t σ_t(x), with μ and σ of g(x) = r(x, b(x, θ̄)) from rewards (Srinivas et al. 2010).

    Parameters
    ----------
    game
        X and r.
    belief
        The posterior of g before the first round, with one output.
    confidence
        β_t.
    opponent_type
        θ̄ (p,).

    Examples
    --------
    >>> from firstmover import GAMES, GPUCB, ConstantWidth, Feedback, Setup
    >>> shore = GAMES["shore"]
    >>> game = shore.build()
    >>> setup = Setup(game, shore.kernel, shore.regularization, ConstantWidth(1.0))
    >>> learner = GPUCB(game, setup.reward_belief(), setup.confidence, game.types[0])
    >>> int(learner.observe(Feedback(3, game.types[0], [0.2])).strategy.argmax())
    12
    """

    game: Game
    belief: Belief
    confidence: ConfidenceWidth
    opponent_type: Vector

    @property
    def strategy(self) -> Vector:
        """All weight on x_t, ties to the first."""
        return always(int(np.argmax(upper_bounds(self, self.opponent_type))), self.game.n_actions)

    def observe(self, feedback: Feedback) -> Self:
        """Condition the belief on the reward."""
        seen = self.game.check(feedback)
        reward = observed_reward(self.game, seen)
        return replace(self, belief=self.belief.condition(seen.action, seen.opponent_type, reward))


@dataclass(frozen=True, eq=False, repr=False)
class GPMW(StrategyCard):
    """p_{t+1}[x] ∝ p_t[x] · exp(η ucb_t(x, θ_t)), with ucb = min(μ + βσ, largest reward) of g(x, θ) = r(x, b(x, θ)).

    Like StackelUCB it uses the type and optimistic rewards, but ignores that r is known (Sessa et al. 2019).

    Parameters
    ----------
    game
        X and r.
    belief
        The posterior of g before the first round, with one output.
    confidence
        β_t.
    weights
        p_t, such as `MultiplicativeWeights` or `AdaHedge`.

    Examples
    --------
    >>> from firstmover import GAMES, GPMW, ConstantWidth, Feedback, Setup
    >>> shore = GAMES["shore"]
    >>> game = shore.build()
    >>> setup = Setup(game, shore.kernel, shore.regularization, ConstantWidth(1.0), horizon=100)
    >>> learner = GPMW(game, setup.reward_belief(), setup.confidence, setup.weights())
    >>> seen = Feedback(3, game.types[0], [0.2])
    >>> learner.observe(seen).observe(seen).strategy[2:4].round(4)
    array([0.0348, 0.0332])
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
        rewards = upper_bounds(self, seen.opponent_type)
        belief = self.belief.condition(seen.action, seen.opponent_type, observed_reward(self.game, seen))
        return replace(self, weights=self.weights.update(credited(self, rewards, seen.allowed)), belief=belief)
