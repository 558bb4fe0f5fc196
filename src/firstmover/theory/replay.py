"""Replay of a run: the beliefs of the learner before each round, and the split of regret in the proof of Theorem 1."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import Belief
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Run
from firstmover.learners import SingleType, StackelUCB
from firstmover.learners.optimistic import optimistic_rewards
from firstmover.simulation.hindsight import Regret

Believer = StackelUCB | SingleType
"""A learner with a belief about b."""


def beliefs_of(belief: Belief, run: Run) -> Iterator[Belief]:
    """Yield the belief before each round and after the last: T + 1 beliefs."""
    yield belief
    for action, opponent_type, response in zip(run.actions.tolist(), run.opponent_types, run.responses, strict=True):
        belief = belief.condition(action, opponent_type, response)
        yield belief


@dataclass(frozen=True)
class Replay:
    """The predictions of a learner in each round of a run.

    Parameters
    ----------
    optimistic_rewards
        r̃_t of all actions (T, n).
    means
        μ_t of the action played (T, m).
    stds
        σ_t of the action played (T,).
    confidence_widths
        β of the information gained in t rounds (T,), at least as large as all β used so far.
    information_gains
        γ after t rounds (T,).

    Examples
    --------
    >>> from firstmover import GAMES, StackelUCB, opponent_for, play_run
    >>> from firstmover.theory import Replay
    >>> shore = GAMES["shore"]
    >>> game = shore.build()
    >>> learner = StackelUCB.start(game, shore.kernel, shore.regularization, confidence_width=2.0)
    >>> run = play_run(game, opponent_for("shore", game, "random"), learner, rounds=5, seed=0)
    >>> Replay.of(learner, run).optimistic_rewards.shape
    (5, 24)
    """

    optimistic_rewards: Matrix
    means: Matrix
    stds: Vector
    confidence_widths: Vector
    information_gains: Vector

    @classmethod
    def of(cls, learner: Believer, run: Run) -> "Replay":
        """Replay a run from the learner before its first round.

        Parameters
        ----------
        learner
            Before the first round.
        run
            The rounds that it played.

        Returns
        -------
        Replay
            The predictions.

        Raises
        ------
        InvalidInput
            If the learner has no belief about responses.
        """
        if not isinstance(learner, Believer):
            raise InvalidInput(
                f"{type(learner).__name__} has no belief about responses: give a learner that has one, StackelUCB or "
                "SingleType."
            )
        game, confidence = learner.game, learner.confidence
        beliefs, (t, m) = beliefs_of(learner.belief, run), run.responses.shape
        rewards, means, stds, gains = np.empty((t, game.n_actions)), np.empty((t, m)), np.empty(t), np.empty(t)
        belief = next(beliefs)
        for i, (action, opponent_type) in enumerate(zip(run.actions.tolist(), run.opponent_types, strict=True)):
            rewards[i] = optimistic_rewards(game, belief, confidence, opponent_type)
            prediction = belief.predict(opponent_type)
            means[i], stds[i] = prediction.mean[action], prediction.std[action]
            belief = next(beliefs)
            gains[i] = belief.information_gain
        widths = np.array([confidence(gain) for gain in gains.tolist()])
        return cls(rewards, means, stds, widths, gains)


@dataclass(frozen=True)
class RegretSplit:
    """R(t) ≤ R_1(t) + R_2(t) for t = 1 … T, with x* the best action in hindsight of each t.

    The terms are::

        R_1(t) = Σ_{s≤t} r̃_s(x*, θ_s) − r̃_s(x_s, θ_s)       regret of the weights on optimistic rewards
        R_2(t) = Σ_{s≤t} r̃_s(x_s, θ_s) − r(x_s, b(x_s, θ_s))  excess of these over the rewards obtained

    The sum exceeds the regret by Σ r̃_s(x*, θ_s) − r(x*, b(x*, θ_s)), the optimism at x*: at least 0 while b is covered.

    Parameters
    ----------
    regret
        R(t).
    weights
        R_1(t).
    optimism
        R_2(t).

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover.theory import RegretSplit
    >>> RegretSplit(np.array([1.0]), np.array([0.5]), np.array([2.0])).total
    array([2.5])
    """

    regret: Vector
    weights: Vector
    optimism: Vector

    @property
    def total(self) -> Vector:
        """R_1 + R_2."""
        return self.weights + self.optimism


def split_of(run: Run, replay: Replay, loss: Regret) -> RegretSplit:
    """Return the split of a run whose regret is known.

    In the example, two rounds and two actions; the first is played twice and earns 1 and 0, its optimistic rewards were
    3 and 1.

    Parameters
    ----------
    run
        The rounds.
    replay
        The predictions.
    loss
        The regret.

    Returns
    -------
    RegretSplit
        R_1 and R_2.

    Raises
    ------
    InvalidInput
        If the numbers of rounds differ.

    Examples
    --------
    >>> import numpy as np
    >>> from firstmover import Regret, Run
    >>> from firstmover.theory import Replay, split_of
    >>> nothing = np.zeros((2, 1))
    >>> run = Run(np.full((2, 2), 0.5), np.array([0, 0]), nothing, nothing, nothing, np.array([1.0, 0.0]))
    >>> hoped = np.array([[3.0, 2.0], [1.0, 4.0]])
    >>> seen = Replay(hoped, nothing, np.zeros(2), np.zeros(2), np.zeros(2))
    >>> parts = split_of(run, seen, Regret(np.array([0.0, 2.0]), np.array([0, 1]), np.array([0.0, 3.0])))
    >>> print(parts.regret, parts.weights, parts.optimism)
    [0. 2.] [0. 2.] [2. 3.]
    """
    if len(loss.cumulative) != len(replay.stds):
        raise InvalidInput(f"loss has {len(loss.cumulative)} rounds: the replay has {len(replay.stds)}.")
    rounds = np.arange(len(replay.stds))
    shown = np.cumsum(replay.optimistic_rewards, axis=0)[rounds, loss.best_action]
    played = np.cumsum(replay.optimistic_rewards[rounds, run.actions])
    return RegretSplit(loss.cumulative, shown - played, played - np.cumsum(run.rewards))
