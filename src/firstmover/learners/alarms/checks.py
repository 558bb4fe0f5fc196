"""The alarms of a monitor: each a rule about its running statistics, with what was measured and one remedy."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from firstmover.core.arrays import Vector
from firstmover.core.errors import counted
from firstmover.core.records import Alarm

if TYPE_CHECKING:
    from firstmover.learners.alarms.monitor import Monitor

LEAST, FEWEST = 8, 4
"""Rounds before the first alarm, and before an outlier that is not gross."""

WINDOW = 50
"""Rounds, the latest, that alarms are computed from."""

FEW = 25
"""Rounds at the start and at the end whose optimism is compared."""

ENOUGH = 20
"""Rounds before a drift or an outlier that show what is usual."""

TOLERATED = 0.85
"""The share of responses inside their 90 % bands without alarm."""

FAR, GROSS = 8.0, 50.0
"""Deviations of the noise between an outlier and the posterior mean after it, and predicted deviations between a gross
outlier and its prediction."""

LITTLE, FLAT = 1.0, 0.3
"""The sum of log scores up to which predictions are no better than a constant, odds of e; and deviations of the noise
up to which they are one."""

ENOUGH_SCORED = 100
"""Rounds before the sum of scores says something."""

TAIL_ODDS = 20.0
"""Odds from which on errors have heavy tails."""

DRIFT_LIMIT, DRIFT_SLACK = 15.0, 0.25
"""h and δ of the Page-Hinkley test."""


def _not_generalising(monitor: "Monitor") -> Alarm | None:
    rounds, ratio, spread = 30, monitor.mean("prior_share", 30), monitor.mean("spread_share", 30)
    stays, wide = ratio > 0.95, monitor.fitted and spread > 1
    if monitor.rounds < 60 or not (stays or wide):
        return None
    measured = f"{ratio:.0%} of that without data" if stays else f"{spread:.0%} of that of all responses so far"
    return Alarm(
        "not generalising",
        f"Before each of the last {rounds} responses its standard deviation was {measured}: what was observed says "
        "nothing about the next round.",
        "Leave out a type that is new in every round, such as a date or a number that only grows, or replace it by "
        "what responses depend on, such as the weekday."
        if monitor.fitted
        else "Increase the length scales of the kernel, or leave out a type that is new in every round.",
        monitor.rounds - rounds + 1,
    )


def _optimism(monitor: "Monitor") -> Alarm | None:
    optimistic, earned = monitor.mean("optimistic", FEW), monitor.column("earned")
    gap, first = optimistic - float(earned[-FEW:].mean()), monitor.first_gap / FEW
    if monitor.rounds < 4 * FEW or not (gap >= first / 2 and optimistic > earned.max()):
        return None
    return Alarm(
        "optimism",
        f"The optimistic reward of the action played was {optimistic:.4g} over the last {FEW} rounds, more than any of "
        f"the last {len(earned)} rounds earned; {earned[-FEW:].mean():.4g} was earned on average.",
        "Check the responses recorded since then. If they are right, the opponent has changed: start a new match, and "
        "import the rounds since then."
        if monitor.fitted
        else "Decrease the width β or the prior variance of the kernel, or give tighter bounds of the responses.",
        monitor.rounds - FEW + 1,
    )


def _locked_in(monitor: "Monitor") -> Alarm | None:
    same, others = monitor.rounds - monitor.same_since + 1, monitor.column("unexplored", FEW)
    if same < WINDOW or np.mean(others > 0) <= 0.5:
        return None
    count = counted(int(others.max()), "action")
    return Alarm(
        "locked in",
        f"The same action was played {same} times in a row, while {count} of which hardly anything is known could earn "
        f"more than the {monitor.mean('earned'):.4g} earned.",
        "Try other actions yourself and import what you observe, or describe actions by features in which similar ones "
        "are near to each other."
        if monitor.fitted
        else "Increase the width β or the prior variance of the kernel, so that unexplored actions are tried.",
        monitor.same_since,
    )


def _no_better_than_constant(monitor: "Monitor") -> Alarm | None:
    """A fitted belief that predicts the same response for all actions; of given kernels rivals are better evidence."""
    lately = float(np.sum(monitor.column("score")))
    flat = monitor.fitted and float(np.median(monitor.column("signal"))) < FLAT
    if monitor.rounds < ENOUGH_SCORED or not flat or max(monitor.score, lately) > LITTLE:
        return None
    return Alarm(
        "no better than a constant",
        f"The {monitor.rounds} responses so far were predicted no better than by their mean and deviation alone, and "
        "the predictions of all actions are nearly the same.",
        "Check that the right response is recorded, and add the features of actions or types that it depends on.",
        1,
    )


def _calibration(monitor: "Monitor") -> Alarm | None:
    n, inside = len(monitor.window), monitor.mean("inside")
    if inside >= TOLERATED - 5 * np.sqrt(TOLERATED * (1 - TOLERATED) / n):  # five standard errors
        return None
    return Alarm(
        "calibration",
        f"Of the last {n} responses {inside:.0%} lay inside their 90 % bands.",
        "Check the units of the responses of these rounds, and add a feature that tells rounds with large errors "
        "from others."
        if monitor.fitted
        else "Increase λ, the variance of the noise, or the prior variance of the kernel.",
        monitor.start,
    )


def _drift(monitor: "Monitor") -> Alarm | None:
    _, total, smallest, place = monitor.drift.tolist()
    if total - smallest <= DRIFT_LIMIT or place < ENOUGH:
        return None
    more = (total - smallest) / (monitor.rounds - place) + DRIFT_SLACK
    return Alarm(
        "drift",
        f"Errors of predictions have been larger by {more:.2g} standard deviations than before: the opponent may have "
        "changed.",
        "If it has, start a new match, and import the rounds since then.",
        int(place) + 1,
    )


def _outlier(monitor: "Monitor") -> Alarm | None:
    """The largest one of the window that has hardly any before it: after it a belief may be spoiled.

    A gross one needs no round before it. While few rounds show what is usual, others must be farther off.
    """
    outlying, errors = monitor.column("outlying"), monitor.column("largest_error")
    before, places = np.arange(len(outlying)), monitor.start + np.arange(len(outlying))
    far, gross = FAR * np.maximum(1.0, ENOUGH / places) ** 3, errors > GROSS
    large = (outlying > FAR) | gross
    spoiled = np.cumsum(large) - large > 0.1 * before
    single = np.flatnonzero((gross | ((outlying > far) & (before >= FEWEST))) & ~spoiled)
    if not len(single):
        return None
    worst = single[np.argmax(errors[single])]
    return Alarm(
        "outlier",
        f"The response of one round contradicts what was known: it lies {errors[worst]:.3g} standard deviations from "
        "its prediction.",
        "Check what was recorded, and correct it if it is wrong.",
        int(places[worst]),
    )


def _heavy_tails(monitor: "Monitor") -> Alarm | None:
    """Errors that fit Student's distribution of two degrees of freedom far better than a normal one."""
    errors, rounds = monitor.errors, monitor.start + np.arange(len(monitor.errors))
    found = errors[np.isfinite(errors)]
    if len(found) < ENOUGH or not tail_evidence(found) > np.log(TAIL_ODDS):
        return None
    largest = np.nan_to_num(np.abs(errors)).max(axis=1)
    usual = float(np.median(np.abs(found)))
    return Alarm(
        "heavy tails",
        f"Most of the last {len(errors)} responses lay close to their predictions, and some very far off: the farthest "
        f"{largest.max() / usual:.3g} times as far as usual.",
        "Check what was recorded in the round named, and correct it if it is wrong. If such responses are real, record "
        "the mean or the median of several measurements.",
        int(rounds[np.argmax(largest)]),
    )


def tail_evidence(errors: Vector) -> float:
    """The log likelihood of Student's distribution less that of the normal one, each at its likeliest scale."""
    n, scales = len(errors), np.geomspace(0.02, 2.0, 30) * np.sqrt(np.mean(errors**2))
    student = -1.5 * np.log1p((errors[:, None] / scales) ** 2 / 2) - np.log(2 * np.sqrt(2) * scales)
    normal = -0.5 * n * (1 + np.log(2 * np.pi * np.mean(errors**2)))
    return float(np.max(student.sum(axis=0)) - normal)


CHECKS: tuple[Callable[["Monitor"], Alarm | None], ...] = (
    _not_generalising,
    _optimism,
    _locked_in,
    _no_better_than_constant,
    _calibration,
    _drift,
    _heavy_tails,
    _outlier,
)

AT_ONCE: tuple[Callable[["Monitor"], Alarm | None], ...] = (_outlier,)
"""Alarms that need no rounds before them."""
