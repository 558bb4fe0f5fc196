"""The alarm that types say nothing about the responses, or are not those of the rounds."""

import numpy as np

from firstmover.core.arrays import Matrix
from firstmover.core.records import Alarm
from firstmover.learners.alarms.evidence import Model
from firstmover.learners.alarms.marginal import smooth_evidence

MOST, LEAST, FEW_COLUMNS = 60, 20, 12
"""Observations, the first, that are used and before the first alarm; columns up to which each is judged alone."""

ODDS = 300.0
"""Odds from which on responses are predicted better without a column."""


def irrelevant_types(model: Model, points: Matrix, responses: Matrix) -> Alarm | None:
    """Compare the evidence of smooth functions of action and type with that of those that leave types out."""
    n, d = min(len(responses), MOST), model.game.actions.shape[1]
    points, responses = points[:n], responses[:n]
    varying = d + np.flatnonzero(np.ptp(points[:, d:], axis=0) > 0) if n else np.empty(0, dtype=int)
    if n < LEAST or not len(varying):
        return None
    groups = [varying, *([[column] for column in varying] if 1 < len(varying) <= FEW_COLUMNS else [])]
    without = [smooth_evidence(np.delete(points, group, axis=1), responses) for group in groups]
    best = int(np.argmax(without))
    gain = without[best] - smooth_evidence(points, responses)
    if not gain > np.log(ODDS):
        return None
    what = "the types" if best == 0 else f"number {varying[best - 1] - d + 1} of the type"
    return Alarm(
        "types without effect",
        f"The first {n} responses are predicted better without {what}, by odds of 10^{gain / np.log(10):.0f}.",
        "Check that the types recorded are those of the rounds. If they are, leave out what says nothing about the "
        "response.",
        1,
    )
