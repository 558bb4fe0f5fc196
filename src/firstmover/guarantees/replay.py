"""A finished or running game gone through again: what the learner believed before each of its rounds."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from firstmover.contracts import Belief
from firstmover.errors import InvalidInput
from firstmover.learners import SingleType, StackelUCB
from firstmover.learners.optimistic import optimistic_rewards
from firstmover.records import Feedback, Matrix, Run, Vector

Believer = StackelUCB | SingleType
"""A learner that believes something of b."""


def feedback_of(run: Run) -> Iterator[Feedback]:
    """What the learner was shown, round by round."""
    for action, opponent_type, response in zip(run.actions, run.opponent_types, run.responses, strict=True):
        yield Feedback(int(action), opponent_type, response)


def beliefs_of(belief: Belief, run: Run) -> Iterator[Belief]:
    """The belief before each round, and after the last: T + 1 of them."""
    yield belief
    for seen in feedback_of(run):
        belief = belief.condition(seen.action, seen.opponent_type, seen.response)
        yield belief


@dataclass(frozen=True)
class Replay:
    """Of each round t: r̃_t of all actions (T, n), the mean (T, m) and deviation (T,) where it played, β and γ after it.

    β is that of the information gained in all t rounds, at least as large as every one used so far.
    """

    optimistic_rewards: Matrix
    means: Matrix
    stds: Vector
    confidence_widths: Vector
    information_gains: Vector

    @classmethod
    def of(cls, learner: Believer, run: Run) -> "Replay":
        """Go through a run with the learner that began it."""
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
        for i, (action, kind) in enumerate(zip(run.actions.tolist(), run.opponent_types, strict=True)):
            rewards[i] = optimistic_rewards(game, belief, confidence, kind)
            said = belief.predict(kind)
            means[i], stds[i] = said.mean[action], said.std[action]
            belief = next(rounds)
            gains[i] = belief.information_gain
        widths = np.array([confidence(gain) for gain in gains.tolist()])
        return cls(rewards, means, stds, widths, gains)
