"""Alarms from the observations themselves: wrong assumptions, other units, a response far from all others."""

from collections.abc import Sequence
from typing import NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from firstmover.core.arrays import Matrix
from firstmover.core.contracts import Game
from firstmover.core.records import Alarm, Feedback
from firstmover.learners.alarms.assumptions import wrong_assumptions
from firstmover.learners.alarms.evidence import Model, choice_of
from firstmover.learners.alarms.irrelevant import irrelevant_types
from firstmover.learners.alarms.monitor import Monitor
from firstmover.learners.alarms.units import wrong_units
from firstmover.learners.alarms.untested import untested

OTHERS, ISOLATED = 3, 1000.0
"""Other responses that show what is usual, and the distance to their median, in spreads from their 10 % to their 90 %
quantile, from which on a response is an outlier in whatever order they came."""


class Observed(NamedTuple):
    """Observations: z = (x, θ) (t, d + p), responses (t, m), and the number of the round of each, 0 if imported.

    The first and the last 100 are enough.
    """

    points: Matrix
    responses: Matrix
    rounds: NDArray[np.intp]

    @classmethod
    def of(cls, game: Game, seen: Sequence[Feedback], rounds: NDArray[np.intp]) -> Self:
        """Return the record of these observations."""
        points = [np.concatenate([game.actions[each.action], each.opponent_type]) for each in seen]
        return cls(np.array(points), np.array([each.response for each in seen]), rounds)


def recording_alarms(monitor: Monitor, observed: Observed) -> tuple[Alarm, ...]:
    """Return the alarm about what was recorded: other units, else an outlier, if there is one."""
    if not len(observed.responses) or choice_of(observed.responses[0]) is not None:
        return ()
    with np.errstate(all="ignore"):  # of responses of 1e300
        outlier = next((alarm for alarm in monitor.alarms if alarm.name == "outlier"), None)
        found = wrong_units(*observed) or outlier or _far_from_the_others(observed)
    return () if found is None else (found,)


def all_alarms(monitor: Monitor, model: Model, observed: Observed) -> tuple[Alarm, ...]:
    """Return the alarms of the monitor and of the observations, those about what was recorded first."""
    recorded = recording_alarms(monitor, observed)
    others = [alarm for alarm in monitor.alarms if alarm.name != "outlier"]
    if not recorded and len(observed.responses) and choice_of(observed.responses[0]) is None:
        with np.errstate(all="ignore"):
            checks = [check(model, *observed[:2]) for check in (wrong_assumptions, untested, irrelevant_types)]
        known = {alarm.name for alarm in others}
        others += [alarm for alarm in checks if alarm is not None and alarm.name not in known]
    return (*recorded, *others)


def _far_from_the_others(observed: Observed) -> Alarm | None:
    """A response of a round that is far from all others, before or after it."""
    responses, told = observed.responses, np.flatnonzero(observed.rounds)
    if len(responses) <= OTHERS or not len(told):
        return None
    middle = np.median(responses, axis=0)
    worst = told[np.argmax(np.max(np.abs(responses - middle), axis=1)[told])]
    low, middle, high = np.quantile(np.delete(responses, worst, axis=0), [0.1, 0.5, 0.9], axis=0)
    distances = np.abs(responses[worst] - middle) / np.where(high > low, high - low, np.inf)
    if not distances.max() > ISOLATED:
        return None
    return Alarm(
        "outlier",
        f"The response of one round lies {distances.max():.3g} times as far from the median of all others as these "
        "from each other.",
        "Check what was recorded, and correct it if it is wrong.",
        int(observed.rounds[worst]),
    )
