"""The alarms of a match: from its monitor, and from its observations, imported ones too."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from firstmover.core.numerics import one_thread
from firstmover.core.records import Alarm
from firstmover.matches.learner_state import rows_of
from firstmover.matches.rounds import MatchRound
from firstmover.matches.state import State

if TYPE_CHECKING:
    from firstmover.learners.alarms import Observed

ENDS = 100
"""Observations at the beginning and at the end that alarms are computed from."""


def match_alarms(state: State) -> tuple[Alarm, ...]:
    """The alarms, with the names of their rounds; none for a learner without a model of responses."""
    from firstmover.learners.alarms import all_alarms

    learning = state.learning
    if learning.monitor is None:
        return ()
    with one_thread():
        return _named(state, all_alarms(learning.monitor, learning.model, _observed(state)))


def doubt(state: State, round_id: str) -> str | None:
    """A sentence about a response that contradicts all that is known, if it is that of this round."""
    from firstmover.learners.alarms import recording_alarms

    monitor = state.learning.monitor
    found = () if monitor is None else _named(state, recording_alarms(monitor, _observed(state)))
    return next((alarm.measured for alarm in found if alarm.name == "outlier" and alarm.since == round_id), None)


def _named(state: State, alarms: tuple[Alarm, ...]) -> tuple[Alarm, ...]:
    told = [step.round_id for step in state.steps if isinstance(step, MatchRound)]
    return tuple(replace(alarm, since=told[int(alarm.since) - 1] if told else "") for alarm in alarms)


def _observed(state: State) -> "Observed":
    """The first and the last observations of actions on the menu."""
    from firstmover.learners.alarms import Observed

    rows, told = [], 0
    for step in state.steps:
        told += isinstance(step, MatchRound)
        rows += [(row, told if isinstance(step, MatchRound) else 0) for row in rows_of(step)]
    rows = rows if len(rows) <= 2 * ENDS else rows[:ENDS] + rows[-ENDS:]
    seen = [state.setting.feedback(*row) for row, _ in rows]
    return Observed.of(state.setting.game, seen, np.array([number for _, number in rows], dtype=np.intp))
