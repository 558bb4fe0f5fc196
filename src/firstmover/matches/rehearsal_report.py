"""A rehearsal in sentences, by the three questions of a person with a table of the past."""

from math import floor, log10
from typing import TYPE_CHECKING

import numpy as np

from firstmover.core.errors import counted

if TYPE_CHECKING:
    from firstmover.matches.rehearsal import Rehearsal
    from firstmover.simulation.gains import Gain

WORK = "Can this work with my data?"
EARN = "What would it have earned?"
TRUST = "May I trust it?"

NOW = "what you do now"

NAMES = {
    "match": "firstmover",
    "with a floor": "firstmover with a floor",
    "best single action": "best single action, in hindsight",
    "oracle": "best action of every round, if the opponent were known",
}
"""Policies under names for readers; others keep their own."""

MANY = 20
"""Seasons from which on nine in ten of them are a range; of fewer, the smallest and the largest gain are stated."""

FEWEST = 10
"""Seasons below which no chance is stated."""

ENOUGH = 50
"""Seasons below which the reader is told to play more."""

LARGE = 10.0
"""A change of so many times the present earnings is stated in earnings: the present ones are close to zero."""

CLEAR = 1.645
"""Standard errors by which forecasts must be better with the decisions than without, at the level of 5 %."""

BARELY = 0.9
"""Error relative to that of a constant, from which on the model explains little."""

NARROW = 0.85
"""Share of responses in bands of 90 %, below which the bands are called too narrow."""

APART = 0.1
"""Relative difference of the earnings in the table and in the seasons, from which on it is stated as a warning."""

ASSUMPTIONS = (
    "How to read this: the opponent of each season is drawn from a model that is fitted to your table, with the "
    "uncertainty of that model, not only from its mean; its rounds are drawn from the past. firstmover begins with the "
    "table as its history. What the table does not show is not rehearsed either: competitors who react, stock that "
    "runs out, customers who learn, and actions far from those that were played."
)


def report_lines(rehearsal: "Rehearsal") -> list[str]:
    """Return the report for a terminal: the headline, then the answers to the three questions."""
    return [
        headline(rehearsal),
        *("", WORK, *can_it_work(rehearsal), *rehearsal.held_out.lines()),
        *("", EARN, *what_it_earns(rehearsal)),
        *("", TRUST, *may_i_trust(rehearsal), ASSUMPTIONS),
    ]


def headline(rehearsal: "Rehearsal") -> str:
    """Return the gain of the match over the present policy in one sentence."""
    match = rehearsal.match
    seasons, present = len(match.earned), float(match.present.mean())
    low, high = (
        (match.relative.min(), match.relative.max()) if seasons < MANY else np.quantile(match.relative, (0.05, 0.95))
    )
    whose = f"the {seasons} seasons" if seasons < MANY else "nine of ten seasons"
    earns = compared(float(match.relative.mean()), present)
    return (
        f"In {counted(seasons, 'simulated season')} of {counted(match.rounds, 'round')}, firstmover earns "
        f"{earns} {'as' if earns == 'as much' else 'than'} {NOW} ({whose}: {signed(low, present)} to "
        f"{signed(high, present)}): {plain(match.per_round)} per round instead of {plain(present)}."
    )


def can_it_work(rehearsal: "Rehearsal") -> list[str]:
    """Return whether the table explains the responses, by the forecasts of rounds that the model had not seen."""
    held, share = rehearsal.held_out, rehearsal.held_out.share
    left = f"; {rehearsal.left_out} were left out, since their types are not known" if rehearsal.left_out else ""
    several = f" on average over {len(held.names)} responses" if len(held.names) > 1 else ""
    verdict = "Yes" if share < BARELY and rehearsal.decisions > CLEAR else "Barely"
    found = [
        f"{verdict}: the error of forecasts is {percent(share)} of that of a constant{several}. The later "
        f"{counted(held.rounds, 'round')} were forecast, each from those before it. "
        f"{counted(rehearsal.rounds_used, 'round')} of {rehearsal.source} were used{left}."
    ]
    if rehearsal.decisions <= CLEAR:
        found.append(
            "Forecasts that do not know what was decided are as good: the table does not show that decisions matter, "
            "so that a gain is no more than a guess."
        )
    worse = [
        name for name, error, constant in zip(held.names, held.error, held.constant, strict=True) if error >= constant
    ]
    if worse:
        found.append(f"A constant forecasts these no worse than the model: {', '.join(worse)}.")
    repeated = [name for name, error, last in zip(held.names, held.error, held.last, strict=True) if error >= last]
    if repeated:
        found.append(
            f"The response of the round before forecasts these no worse than the model: {', '.join(repeated)}."
        )
    inside = held.covered[1]
    if inside.min() < NARROW:
        found.append(
            f"Bands that should hold 90 % of responses held {percent(float(inside.min()))} of "
            f"{held.names[int(inside.argmin())]}: the model is surer than it may be."
        )
    return found


def what_it_earns(rehearsal: "Rehearsal") -> list[str]:
    """Return the gain with its intervals, its share of what is possible, when it pays, and what others earn."""
    match, oracle = rehearsal.match, rehearsal.oracle
    present = float(match.present.mean())
    found = [
        f"In the table, what you did earned {plain(rehearsal.recorded)} per round; in the seasons the same "
        f"decisions earn {plain(present)}."
    ]
    if abs(present - rehearsal.recorded) > APART * abs(rehearsal.recorded):
        found.append("The two differ by more than a tenth: the gain is no surer than that.")
    if match.interval is not None:
        half = (match.interval[1] - match.interval[0]) / 2
        known = (
            f"{percent(half).removesuffix(' %')} points"
            if half < LARGE and present > 0
            else f"{plain(half * abs(present))} per round"
        )
        found.append(f"The mean gain is known to ± {known} by the number of seasons (95 % interval).")
    if match.per_round > 0:
        found.append(
            f"That is {percent(rehearsal.of_oracle)} of what the best action of every round would earn if the opponent "
            f"were known, {percent(rehearsal.of_oracle_late)} in the last quarter of the rounds."
        )
    else:
        missing = oracle.per_round - match.per_round
        found.append(
            f"The best action of every round would earn {plain(missing)} per round more if the opponent were known."
        )
    found.append(_pays(match))
    others = [
        f"{NAMES.get(each.name, each.name)} {compared(float(each.relative.mean()), present)}"
        for each in rehearsal.others
    ]
    fewest = counted(min(len(each.earned) for each in rehearsal.others), "season")
    found.append(f"Compared with {NOW}, other policies earn: {'; '.join(others)}. Learners among them played {fewest}.")
    return found


def _pays(match: "Gain") -> str:
    """When the gain has paid for exploration."""
    after, behind = match.pays_after
    if after is None:
        return f"It does not pay within the {counted(match.rounds, 'round')}: the median season ends behind {NOW}."
    if after == 0:
        begin = "Exploration costs nothing in the median season: it is ahead from the first round on"
    else:
        begin = f"Exploration has paid after {counted(after, 'round')} in the median season, which then stays ahead"
    ends = f"{percent(behind)} of seasons end" if behind else "No season ends"
    return f"{begin}. {ends} behind {NOW}."


def may_i_trust(rehearsal: "Rehearsal") -> list[str]:
    """Return the chances of being behind, what a floor costs, and signs of confounding."""
    match, floored = rehearsal.match, rehearsal.floored
    found = ["Chances have their 95 % intervals in brackets, by the number of seasons."]
    for rounds in match.horizons:
        floored_then = with_floor(rehearsal, rounds)
        beside = "" if floored_then is None else f", with a floor in {chance(floored_then, rounds)}"
        found.append(
            f"After {counted(rounds, 'round')} it is behind {NOW} in {chance(match, rounds)} of seasons{beside}."
        )
    costs = _floor_costs(rehearsal)
    found.append(
        f"The floor allows only actions that earn at least {percent(rehearsal.at_least)} of what "
        f"{rehearsal.baseline!r} earns, but for few trials. It {costs}, by {counted(len(floored.earned), 'season')}."
    )
    if len(match.earned) < ENOUGH:
        found.append(f"{counted(len(match.earned), 'season')} are few for chances: rehearse 100 before you decide.")
    return [*found, *rehearsal.confounding.lines()]


def _floor_costs(rehearsal: "Rehearsal") -> str:
    """What the floor costs, in words."""
    change = compared(-rehearsal.floor_cost, rehearsal.match.per_round)
    if change == "as much":
        return "makes no difference"
    return f"costs {change.removesuffix(' less')}" if rehearsal.floor_cost > 0 else f"earns {change}"


def with_floor(rehearsal: "Rehearsal", rounds: int) -> "Gain | None":
    """Return the seasons with a floor in which so many rounds were played, None if they are too few for a chance."""
    found = rehearsal.floored_early if rounds <= rehearsal.floored_early.rounds else rehearsal.floored
    return found if len(found.earned) >= FEWEST else None


def chance(gain: "Gain", rounds: int) -> str:
    """Return the share of seasons in which a policy is behind after so many rounds, with its 95 % interval."""
    low, high = gain.worse_interval(rounds)
    return f"{percent(gain.worse_after(rounds) or 0.0)} ({percent(low).removesuffix(' %')} to {percent(high)})"


def compared(share: float, present: float) -> str:
    """Return a relative gain over the present earnings in words.

    Where these are no gain, it is stated in earnings: a share of a loss says nothing.

    >>> compared(0.092, 118.0), compared(-0.5, 118.0), compared(0.0001, 118.0), compared(30.0, 0.01)
    ('9.2 % more', '50 % less', 'as much', '0.3 per round more')
    >>> compared(1.06, -25.6)
    '27.14 per round more'
    """
    relative = abs(share) < LARGE and present > 0
    text = percent(abs(share)) if relative else f"{plain(abs(share * present))} per round"
    if text == "0 %":
        return "as much"
    return f"{text} {'more' if share > 0 else 'less'}"


def signed(share: float, present: float) -> str:
    """Return a relative gain with its sign.

    >>> signed(0.123, 118.0), signed(-0.004, 118.0), signed(30.0, 0.01)
    ('+12 %', '−0.4 %', '+0.3 per round')
    """
    sign, relative = "−" if share < 0 else "+", abs(share) < LARGE and present > 0
    return sign + (percent(abs(share)) if relative else f"{plain(abs(share * present))} per round")


def percent(share: float) -> str:
    """Return a share with one decimal below 10 %, else with none.

    >>> percent(0.0), percent(0.0042), percent(0.0999), percent(0.124), percent(1.0)
    ('0 %', '0.4 %', '10 %', '12 %', '100 %')
    """
    text = f"{100 * share:.1f}" if round(100 * abs(share), 1) < 10 else f"{100 * share:.0f}"
    return f"{text.removesuffix('.0')} %"


def plain(value: float) -> str:
    """Return a number with four digits, groups of three, and an exponent only if it is very small or large.

    >>> plain(118.03), plain(1234567.0), plain(-0.012), plain(3e-7), plain(0.0)
    ('118', '1,235,000', '−0.012', '3e-07', '0')
    """
    if value == 0 or not 1e-4 <= abs(value) < 1e15:
        return f"{value:.3g}".replace("-", "−", int(value < 0))
    decimals = 3 - floor(log10(abs(value)))
    text = f"{round(value, decimals):,.{max(0, decimals)}f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text).replace("-", "−")
