"""The alarm that types say nothing about the responses, or are not those of the rounds."""

import numpy as np
from numpy.typing import NDArray

from firstmover.core.arrays import Matrix
from firstmover.core.records import Alarm
from firstmover.learners.alarms.evidence import Model
from firstmover.learners.alarms.marginal import (
    LENGTHS,
    NOISE,
    VARIANCES,
    log_mean_exp,
    matern,
    smooth_evidence,
    spread_of,
)

MOST, LEAST, FEW_COLUMNS = 60, 20, 12
"""Observations, the first, that are used and before the first alarm; columns up to which each is judged alone."""

ODDS = 300.0
"""Odds from which on responses are predicted better without a column, or by groups that are not the types."""

FEW_TYPES, DISTINCT, STEPS = 6, 0.8, 10
"""Types up to which groups are looked for; the share of different responses up to which they are levels, which are
groups for another reason; and steps of the search."""


def irrelevant_types(model: Model, points: Matrix, responses: Matrix) -> Alarm | None:
    """Compare the evidence of smooth functions of action and type with that of those that leave types out.

    If the types recorded are not far better either, compare with hidden groups: e = mean_K p_K(y) / p(y), K from 2 to
    the number of types, p(y) the better of both. Under smooth functions of action and type whose scale is known, e
    exceeds 300 in at most one of 300 matches (Ville's inequality); the scale is that of the responses.
    """
    n, d = min(len(responses), MOST), model.game.actions.shape[1]
    points, responses = points[:n], responses[:n]
    varying = d + np.flatnonzero(np.ptp(points[:, d:], axis=0) > 0) if n else np.empty(0, dtype=int)
    if n < LEAST or not len(varying):
        return None
    groups = [varying, *([[column] for column in varying] if 1 < len(varying) <= FEW_COLUMNS else [])]
    without = [smooth_evidence(np.delete(points, group, axis=1), responses) for group in groups]
    best, recorded = int(np.argmax(without)), smooth_evidence(points, responses)
    gain = without[best] - recorded
    if gain > np.log(ODDS):
        what = "the types" if best == 0 else f"number {varying[best - 1] - d + 1} of the type"
        return _alarm(f"The first {n} responses are predicted better without {what}", gain)
    count, helpful = len(np.unique(points[:, d:], axis=0)), recorded - without[0] > np.log(ODDS)
    if helpful or count > FEW_TYPES or len(np.unique(responses, axis=0)) < DISTINCT * n:
        return None
    hidden = np.array([hidden_groups(points[:, :d], responses, k) for k in range(2, count + 1)])
    gain = log_mean_exp(hidden) - max(recorded, without[best])
    what = f"The first {n} responses fall into {2 + int(np.argmax(hidden))} groups, which the types do not tell apart"
    return _alarm(what, gain) if gain > np.log(ODDS) else None


def hidden_groups(actions: Matrix, responses: Matrix, count: int) -> float:
    """The log evidence if each round has one of K types at random that was not recorded, from below.

    p(y) = K⁻ᵗ Σ_g p(y | g) over all assignments g of rounds to K groups, each with a smooth function of the action, is
    at least the term of one assignment: log p(y) ≥ log p(y | g) − t log K, whatever the search finds.
    """
    groups = _assignment(actions, responses / spread_of(responses), count)
    return smooth_evidence(actions, responses, groups) - len(responses) * float(np.log(count))


def _assignment(actions: Matrix, responses: Matrix, count: int) -> NDArray[np.intp]:
    """Assign observations to groups: that whose smooth function, fitted to its members, is nearest (as in k-means).

    The first centres are responses far from each other.
    """
    gram = VARIANCES[-1] * matern(actions, LENGTHS[-1])
    distances = np.sum((responses - responses.mean(axis=0)) ** 2, axis=1)[None]
    for k in range(count):
        centre = responses[np.argmax(distances.min(axis=0))]
        distances = np.vstack([distances[: k and None], np.sum((responses - centre) ** 2, axis=1)])
    groups = np.argmin(distances, axis=0)
    for _ in range(STEPS):
        fits = []
        for k in range(count):
            members = np.flatnonzero(groups == k)
            noisy = gram[np.ix_(members, members)] + NOISE * np.eye(len(members))
            fits.append(gram[:, members] @ np.linalg.solve(noisy, responses[members]))
        groups, before = np.argmin(np.sum((np.array(fits) - responses) ** 2, axis=2), axis=0), groups
        if np.array_equal(groups, before):
            break
    return groups


def _alarm(measured: str, gain: float) -> Alarm:
    return Alarm(
        "types without effect",
        f"{measured}, by odds of 10^{gain / np.log(10):.0f}.",
        "Check that the types recorded are those of the rounds. If they are, leave out what says nothing about the "
        "response.",
        1,
    )
