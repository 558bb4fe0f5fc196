"""Replay of a run: the beliefs of the learner before each round."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from firstmover.core.contracts import Belief
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Feedback, Matrix, Run, Vector
from firstmover.learners import SingleType, StackelUCB
from firstmover.learners.optimistic import optimistic_rewards

Believer = StackelUCB | SingleType
"""A learner with a belief about b."""


def feedback_of(run: Run) -> Iterator[Feedback]:
    """Yield the feedback that the learner observed, round by round."""
    for action, opponent_type, response in zip(run.actions, run.opponent_types, run.responses, strict=True):
        yield Feedback(int(action), opponent_type, response)


def beliefs_of(belief: Belief, run: Run) -> Iterator[Belief]:
    """Yield the belief before each round and after the last: T + 1 beliefs."""
    yield belief
    for seen in feedback_of(run):
        belief = belief.condition(seen.action, seen.opponent_type, seen.response)
        yield belief


@dataclass(frozen=True)
class Replay:
    """Per round t: r̃_t of all actions (T, n), mean (T, m) and deviation (T,) of the action played, β and γ after it.

    β is that of the information gained in t rounds, at least as large as all β used so far.
    """

    optimistic_rewards: Matrix
    means: Matrix
    stds: Vector
    confidence_widths: Vector
    information_gains: Vector

    @classmethod
    def of(cls, learner: Believer, run: Run) -> "Replay":
        """Replay a run from the learner before its first round."""
        if not isinstance(learner, Believer):
            raise InvalidInput(
                f"{type(learner).__name__} has no belief about responses: give a learner that has one, StackelUCB or "
                "SingleType."
            )
        game, confidence = learner.game, learner.confidence
        rounds, (t, m) = iter(beliefs_of(learner.belief, run)), run.responses.shape
        rewards, means, stds = np.empty((t, game.n_actions)), np.empty((t, m)), np.empty(t)
        gains = np.empty(t)
        belief = next(rounds)
        for i, (action, opponent_type) in enumerate(zip(run.actions.tolist(), run.opponent_types, strict=True)):
            rewards[i] = optimistic_rewards(game, belief, confidence, opponent_type)
            prediction = belief.predict(opponent_type)
            means[i], stds[i] = prediction.mean[action], prediction.std[action]
            belief = next(rounds)
            gains[i] = belief.information_gain
        widths = np.array([confidence(gain) for gain in gains.tolist()])
        return cls(rewards, means, stds, widths, gains)
