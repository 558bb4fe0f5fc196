"""StackelUCB in many runs at once, where that is quicker than one by one."""

from dataclasses import replace
from typing import Self

import numpy as np

from firstmover.beliefs import FreshBelief
from firstmover.beliefs.batch import Actions, BatchBelief
from firstmover.beliefs.noisy import WithNoise
from firstmover.core.contracts import Learner
from firstmover.core.records import Box, Matrix
from firstmover.learners.stackelucb import StackelUCB
from firstmover.strategies import MultiplicativeWeights, scaled


class ManyStackelUCB:
    """One StackelUCB learner in several runs, with an axis of runs in front; it observes in place."""

    def __init__(self, learner: StackelUCB, belief: FreshBelief, noise_variance: float, runs: int, rounds: int) -> None:
        assert isinstance(learner.weights, MultiplicativeWeights)
        self._learner, self._weights, self._noise_variance = learner, learner.weights, noise_variance
        self._belief = BatchBelief(belief, runs, rounds)
        self._cumulative = np.tile(learner.weights.cumulative, (runs, 1))
        self._actions = np.tile(learner.game.actions, (runs, 1))

    @classmethod
    def of(cls, learner: Learner, runs: int, rounds: int) -> Self | None:
        """The learner in several runs of so many rounds; None where its parts are of other kinds."""
        if type(learner) is not StackelUCB or type(learner.weights) is not MultiplicativeWeights:
            return None
        noisy = learner.belief if isinstance(learner.belief, WithNoise) else None
        belief = noisy.belief if noisy else learner.belief
        if not isinstance(belief, FreshBelief) or not belief.menu.gram.readable:
            return None
        return cls(learner, belief, noisy.noise_variance if noisy else 0.0, runs, rounds)

    @property
    def strategies(self) -> Matrix:
        """p_t of every run (runs, n)."""
        lead = self._cumulative - self._cumulative.max(axis=1, keepdims=True)
        weights = np.exp(self._weights.learning_rate * lead)
        return weights / weights.sum(axis=1, keepdims=True)

    def observe(self, actions: Actions, opponent_types: Matrix, responses: Matrix) -> None:
        """Lines 5 to 7 of Algorithm 1 in every run."""
        rewards = self._optimistic_rewards(opponent_types)
        reward_range = self._weights.reward_range
        self._cumulative = self._cumulative + (rewards if reward_range is None else scaled(rewards, reward_range))
        self._weights = replace(self._weights, t=self._weights.t + 1)
        self._belief.condition(actions, opponent_types, responses)

    def _optimistic_rewards(self, opponent_types: Matrix) -> Matrix:
        """r̃ of all actions in every run (runs, n)."""
        game, confidence = self._learner.game, self._learner.confidence
        widths = np.array([confidence(gain) for gain in self._belief.information_gain.tolist()])
        mean, std = self._belief.predict(opponent_types)
        if self._noise_variance:
            std = np.sqrt(std**2 + self._noise_variance)
        reach, (low, high) = (
            (widths[:, None] * std)[:, :, None],
            (game.response_domain.lower, game.response_domain.upper),
        )
        rows = (-1, game.n_outputs)
        box = Box((mean - reach).clip(low, high).reshape(rows), (mean + reach).clip(low, high).reshape(rows))
        rewards = game.reward.best_in_box(self._actions, box).reshape(std.shape)
        return rewards if game.reward_range is None else np.clip(rewards, *game.reward_range)
