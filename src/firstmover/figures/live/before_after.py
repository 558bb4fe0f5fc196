"""Rewards of a match before and after something: the difference of the means, with what its interval assumes."""

from dataclasses import dataclass
from datetime import datetime

import numpy as np
from scipy.special import stdtr, stdtrit

from firstmover.core.arrays import Mask, Vector
from firstmover.core.errors import InvalidInput, counted
from firstmover.figures.live.trace import Trace
from firstmover.games.map_record import short
from firstmover.matches.change_log import change_log
from firstmover.matches.rounds import MatchRound

LEVEL = 0.95
"""The confidence of an interval."""

LEAST = 2
"""Rounds on each side from which on a deviation can be estimated."""

MOST_BOUNDARIES = 50
"""The latest changes, imports and overrides that are offered."""

ASSUMED = (
    "The interval assumes that rounds of the same side differ by chance alone, independently, and that the moment was "
    "chosen before anyone looked at the rewards: of many moments that are tried, some look good by chance."
)


@dataclass(frozen=True)
class Boundary:
    """A recorded event that may have changed what rounds earn, by its number."""

    event: int
    words: str


@dataclass(frozen=True)
class Difference:
    """The mean after minus the mean before, with its 95 % interval, and how often chance alone differs as much."""

    value: float
    lower: float
    upper: float
    chance: float


@dataclass(frozen=True)
class BeforeAfter:
    """Told rounds that were asked before an event, and from it on; `difference` is None with fewer than two on a side.

    `sentences` say what was found, what may explain it otherwise, and what the interval assumes.
    """

    boundaries: tuple[Boundary, ...]
    words: str
    before: int
    after: int
    mean_before: float | None
    mean_after: float | None
    difference: Difference | None
    sentences: tuple[str, ...]


def welch(before: Vector, after: Vector) -> Difference:
    """Welch's interval of the difference d of two means, and P(|T| ≥ |d| / s) of its t distribution.

    s² = s₀² / n₀ + s₁² / n₁ with ν = s⁴ / Σ (sᵢ² / nᵢ)² / (nᵢ − 1) degrees of freedom.

    >>> found = welch(np.array([1.0, 2.0, 3.0]), np.array([4.0, 5.0, 6.0]))
    >>> print(f"{found.value:g}, {found.lower:.3f} to {found.upper:.3f}, {found.chance:.4f}")
    3, 0.733 to 5.267, 0.0213
    """
    parts = [values.var(ddof=1) / len(values) for values in (before, after)]
    value, error = float(after.mean() - before.mean()), float(np.sqrt(sum(parts)))
    if error == 0:
        return Difference(value, value, value, float(value == 0))
    freedom = error**4 / sum(part**2 / (len(side) - 1) for part, side in zip(parts, (before, after), strict=True))
    reach = float(stdtrit(freedom, (1 + LEVEL) / 2)) * error
    return Difference(value, value - reach, value + reach, 2 * float(stdtr(freedom, -abs(value) / error)))


def before_after(
    trace: Trace, *, event: int | None = None, round_id: str | None = None, date: str | None = None
) -> BeforeAfter:
    """Compare the told rounds asked before an event, a round or a date with those asked from it on.

    Without any of the three, only the boundaries are listed. Rewards are those of the present definition.
    """
    boundaries, given = _boundaries(trace), {"event": event, "round": round_id, "date": date}
    named = [name for name, value in given.items() if value is not None]
    if len(named) > 1:
        raise InvalidInput(f"{' and '.join(named)} are given: give one of event, round and date.")
    if not named:
        return BeforeAfter(boundaries, "", 0, 0, None, None, None, ())
    told = [step for step in trace.state.steps if isinstance(step, MatchRound)]
    rewards = np.array(trace.series.reward)
    order = np.argsort([step.asked for step in told], kind="stable")  # in the order of asks
    late, words = _split(trace, [told[i] for i in order], event, round_id, date)
    known = np.isfinite(rewards[order])
    sides = [rewards[order][known & side] for side in (~late, late)]
    means = [float(side.mean()) if len(side) else None for side in sides]
    found = welch(*sides) if min(map(len, sides)) >= LEAST else None
    sentences = tuple(_sentences(words, sides, found))
    return BeforeAfter(boundaries, words, len(sides[0]), len(sides[1]), means[0], means[1], found, sentences)


def _split(
    trace: Trace, told: list[MatchRound], event: int | None, round_id: str | None, date: str | None
) -> tuple[Mask, str]:
    """Which of the rounds come after, and the boundary in words."""
    if date is not None:
        try:
            begin = datetime.fromisoformat(date).astimezone()
        except (ValueError, OverflowError):
            raise InvalidInput(f"date is {date!r}: give a date such as 2027-05-31.") from None
        late = [datetime.fromisoformat(each.asked_at) >= begin for each in told]
        return np.array(late, dtype=bool), f"from {date} on"
    if round_id is not None:
        if round_id not in trace.state.rounds:
            raise InvalidInput(f"round {round_id!r} was not asked: name one that was.")
        event, words = trace.state.rounds[round_id].asked, f"from round {round_id} on"
    else:
        named = {each.event: each.words for each in _boundaries(trace)}
        words = f"after {named.get(event or 0, f'event {event}')}"
    return np.array([each.asked >= (event or 0) for each in told], dtype=bool), words


def _boundaries(trace: Trace) -> tuple[Boundary, ...]:
    """Changes, imports and overrides, the latest one first."""
    state = trace.state
    found = [Boundary(each.sequence, each.words) for each in change_log(state.setting, trace.journal.event)]
    for step in state.steps:
        if isinstance(step, MatchRound):
            if step.played is not None:
                label = state.setting.menu.labels[step.played]
                found.append(Boundary(step.asked, f"override in round {step.round_id}: {label}"))
        elif step.kind == "imported":
            found.append(Boundary(step.sequence, f"import of {counted(len(step.payload['rows']), 'row')}"))
    unique = {each.event: each for each in sorted(found, key=lambda each: -each.event)}
    return tuple(unique.values())[:MOST_BOUNDARIES]


def _sentences(words: str, sides: list[Vector], found: Difference | None) -> list[str]:
    """What was found, in plain words."""
    before, after = sides
    words = words[:1].upper() + words[1:]
    if found is None:
        return [
            f"{words} there are {counted(len(after), 'told round')}, and {len(before)} before: "
            f"at least {LEAST} on each side are needed for an interval."
        ]
    size, low, high = (short(abs(number)) for number in (found.value, found.lower, found.upper))
    if found.lower > 0:
        result = f"you earned {low} to {high} more per round"
    elif found.upper < 0:
        result = f"you earned {high} to {low} less per round"
    else:
        kind = "more" if found.value >= 0 else "less"
        result = f"you earned {size} {kind} per round, which is not significantly different from no change"
    often = "less than 1" if found.chance < 0.01 else f"{100 * found.chance:.0f}"
    sentences = [f"{words} {result}; chance alone would differ as much in {often} of 100 such comparisons."]
    half = len(before) // 2
    if half >= LEAST:
        trend = welch(before[:half], before[half:])
        if trend.lower > 0 or trend.upper < 0:
            kind = "more" if trend.value > 0 else "less"
            sentences.append(
                f"Already before, the later half earned {short(abs(trend.value))} {kind} per round than the earlier "
                "half: the difference may be that trend going on, such as what the learner learnt."
            )
    return [*sentences, ASSUMED]
