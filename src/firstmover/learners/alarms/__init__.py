"""Alarms: signs in the rounds played so far that a learner is not learning, each with a remedy."""

import numpy as np

from firstmover.core.contracts import Learner
from firstmover.core.errors import InvalidInput
from firstmover.core.numerics import one_thread
from firstmover.core.records import Alarm, Feedback, Run
from firstmover.learners.alarms.evidence import Model, has_model, model_of, prior_share, width_of
from firstmover.learners.alarms.monitor import Monitor
from firstmover.learners.alarms.observed import Observed, all_alarms, recording_alarms

__all__ = [
    "Model",
    "Monitor",
    "Observed",
    "alarms",
    "all_alarms",
    "has_model",
    "model_of",
    "prior_share",
    "recording_alarms",
    "width_of",
]


def alarms(learner: Learner, run: Run) -> tuple[Alarm, ...]:
    """Return the alarms after the last round of a run, which is replayed.

    Parameters
    ----------
    learner
        The learner before the first round.
    run
        The rounds that it played.

    Returns
    -------
    tuple[Alarm, ...]
        One alarm of each kind that applies; none if the learner learns.

    Raises
    ------
    InvalidInput
        If the learner has no belief about responses.

    Examples
    --------
    >>> from firstmover import GAMES, StackelUCB, alarms, opponent_for, play_run
    >>> prices = GAMES["prices"]
    >>> game = prices.build()
    >>> learner = StackelUCB.start(game, prices.kernel, prices.regularization, confidence_width=20.0)
    >>> run = play_run(game, opponent_for("prices", game, "random"), learner, rounds=100, seed=0)
    >>> [alarm.name for alarm in alarms(learner, run)]
    ['optimism']
    """
    if not has_model(learner):
        raise InvalidInput(
            f"{type(learner).__name__} has no belief about responses: give a learner that has one, such as StackelUCB."
        )
    monitor, seen = Monitor(), []
    with one_thread():
        for action, opponent_type, response in zip(run.actions, run.opponent_types, run.responses, strict=True):
            feedback = Feedback(int(action), opponent_type, response)
            seen.append(feedback)
            monitor = monitor.after(model_of(learner), feedback)
            learner = learner.observe(feedback)
        model = model_of(learner)
        return all_alarms(monitor, model, Observed.of(model.game, seen, np.arange(1, len(seen) + 1)))
