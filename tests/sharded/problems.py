"""A game over a menu of product kernels, and the rounds that are told to sharded and to plain learners alike."""

from dataclasses import dataclass

import numpy as np
from sklearn.gaussian_process.kernels import RBF

from firstmover import Box, Feedback, Game, StackelUCB, increasing
from firstmover.beliefs import ConstantWidth, LargeBelief
from firstmover.kernels import on_action, on_type
from firstmover.play import sample
from firstmover.sharded import ShardedStackelUCB
from firstmover.strategies import MultiplicativeWeights

KERNEL = on_action(RBF(0.5)) * on_type(RBF(0.5))
WIDTH = ConstantWidth(2.0)


def reward(actions, responses):
    """Grows with the response; module-level, so that another process can name it."""
    return responses[:, 0] + 0.2 * responses[:, 1] - 0.1 * actions[:, 0]


@dataclass
class Problem:
    n: int = 101
    d: int = 3
    q: int = 4
    rounds: int = 40
    seed: int = 0

    def __post_init__(self):
        rng = np.random.default_rng(self.seed)
        types = rng.random((self.q, 2))
        self.game = Game(
            "menu", rng.random((self.n, self.d)), increasing(reward, 2), Box([-3, -3], [3, 3]), (-4.0, 4.0), types
        )
        self.seen = types[rng.integers(self.q, size=self.rounds)]
        self.noise, self.uniforms = rng.normal(size=(self.rounds, 2)), rng.random(self.rounds)

    def feedback(self, t, action):
        x, theta = self.game.actions[action], self.seen[t]
        response = np.sin(3 * x.sum() + theta.sum() + np.arange(2)) + 0.1 * self.noise[t]
        return Feedback(int(action), theta, response)

    def plain(self):
        game = self.game
        belief = LargeBelief.prior(KERNEL, 0.01, game.actions, game.types, 2)
        weights = MultiplicativeWeights.start(game.n_actions, game.reward_range, self.rounds)
        return StackelUCB(game, belief, WIDTH, weights)

    def sharded(self, shards, **home):
        return ShardedStackelUCB.start(self.game, KERNEL, 0.01, WIDTH, horizon=self.rounds, shards=shards, **home)

    def play(self, learner, before_round=lambda _: None):
        """The learner after all rounds, and the actions that the same uniform numbers pick."""
        actions = []
        for t, uniform in enumerate(self.uniforms):
            before_round(t)
            pick = learner.sample(uniform) if hasattr(learner, "sample") else sample(learner.strategy, uniform)
            actions.append(pick)
            learner = learner.observe(self.feedback(t, pick))
        return learner, actions


def difference(sharded, plain, types):
    """The largest difference of p and of what is believed at all types."""
    off = [np.abs(sharded.strategy - plain.strategy).max()]
    off.append(abs(sharded.belief.information_gain - plain.belief.information_gain))
    for theta in types:
        here, there = sharded.belief.predict(theta), plain.belief.predict(theta)
        off += [np.abs(here.mean - there.mean).max(), np.abs(here.std - there.std).max()]
    return float(max(off))
