"""What a match has earned: over time, against a baseline, against its own past, and against what was expected."""

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Literal

import numpy as np

from firstmover.core.arrays import Vector
from firstmover.core.errors import counted
from firstmover.core.numerics import one_thread
from firstmover.figures.live.trace import Trace, told_rewards
from firstmover.games.map_record import short
from firstmover.matches.forecast import intervals
from firstmover.matches.learner_state import rows_of
from firstmover.matches.rounds import MatchRound
from firstmover.matches.state import State

MOST_POINTS = 40
"""Points of the small curve of rewards."""

DAYS = 30
"""Days of what is called a month."""

MOST_COMPARED = 30
"""The latest rounds that are compared with as many before them."""

MOST_TYPES = 20
"""The latest different types at which the baseline is valued."""

CLEAR = 2.0
"""Standard errors from which on a difference of means is called good or bad news."""

Tone = Literal["up", "down", ""]

LEAST_HISTORY = 10
"""Imported rows from which on the action that they have most often is the baseline."""


@dataclass(frozen=True)
class Baseline:
    """What a fixed policy is expected to earn per round at the types of the latest rounds, and what those earned.

    `name` is an action, or empty for one drawn at random; `why` says where it comes from.
    """

    name: str
    why: str
    expected: float
    earned: float
    rounds: int
    tone: Tone


@dataclass(frozen=True)
class Past:
    """Mean rewards of the latest rounds, and of as many before them."""

    rounds: int
    latest: float
    before: float
    tone: Tone


@dataclass(frozen=True)
class Month:
    """The rounds told in the last 30 days: how many, what they earned, and how many actions they tried first."""

    rounds: int
    earned: float
    first_tried: int


@dataclass(frozen=True)
class LastOutcome:
    """The round told last, with what it was expected to earn just before; None if nothing was known."""

    round_id: str
    label: str
    reward: float
    expected: float | None


@dataclass(frozen=True)
class Answer:
    """A question about the earnings, its number, the words beside it, and whether it is good news."""

    name: str
    value: str
    words: str
    tone: Tone = ""


@dataclass(frozen=True)
class Earnings:
    """The rewards of the told rounds in the order of the tells; nothing depends on the action of a pending round.

    `curve` has means over `every` rounds each, and `answers` say it in words. A `partial` record has nothing of
    what the model expects, since it was made before the model was fitted.
    """

    rounds: int
    total: float
    curve: Vector
    every: int
    last: LastOutcome | None
    past: Past | None
    baseline: Baseline | None
    month: Month
    partial: bool = False
    answers: tuple[Answer, ...] = ()


def earnings(source: Trace | State, now: datetime | None = None) -> Earnings:
    """Return the record after the last event; the month ends `now`, by default at the present moment.

    It is partial if only the state of the match is given.
    """
    state, trace = (source, None) if isinstance(source, State) else (source.state, source)
    rewards = told_rewards(state) if trace is None else np.array(trace.series.reward)
    finite = rewards[np.isfinite(rewards)]
    every = max(1, -(-len(rewards) // MOST_POINTS))
    curve = np.array([np.nanmean(rewards[i : i + every]) for i in range(0, len(rewards), every)])
    record = Earnings(
        len(rewards),
        float(finite.sum()),
        curve,
        every,
        _last(state, np.nan if trace is None or not len(rewards) else trace.series.expected[-1]),
        _past(finite),
        None if trace is None else _baseline(trace, rewards),
        _month(state, rewards, now or datetime.now(UTC)),
        partial=trace is None,
    )
    return replace(record, answers=tuple(_answers(record)))


def _month(state: State, rewards: Vector, now: datetime) -> Month:
    begin = now - timedelta(days=DAYS)
    told = [step for step in state.steps if isinstance(step, MatchRound)]
    recent = np.array([datetime.fromisoformat(step.asked_at) >= begin for step in told], dtype=bool)
    before = {step.action_played for step, late in zip(told, recent, strict=True) if not late}
    tried = {step.action_played for step, late in zip(told, recent, strict=True) if late}
    earned = rewards[recent]
    return Month(int(recent.sum()), float(earned[np.isfinite(earned)].sum()), len(tried - before))


def _last(state: State, expected: float) -> LastOutcome | None:
    told = [step for step in state.steps if isinstance(step, MatchRound)]
    if not told:
        return None
    shown = state.shown(told[-1])
    assert shown.reward is not None
    label = shown.played_label or shown.label or ""
    return LastOutcome(shown.round_id, label, shown.reward, expected if np.isfinite(expected) else None)


def _past(rewards: Vector) -> Past | None:
    count = min(MOST_COMPARED, len(rewards) // 2)
    if count == 0:
        return None
    latest, before = rewards[-count:], rewards[-2 * count : -count]
    return Past(count, float(latest.mean()), float(before.mean()), _tone(latest, before))


def _baseline(trace: Trace, rewards: Vector) -> Baseline | None:
    """The policy of the floor, of the imported history, or an action at random, at the types of the latest rounds."""
    state, game = trace.state, trace.state.setting.game
    told = [step for step in state.steps if isinstance(step, MatchRound)]
    if not told or state.setting.commits or game.places is not None:
        return None
    latest, kinds = 0, set[str]()
    for step in reversed(told):
        kinds.add(repr(step.opponent_type))
        if len(kinds) > MOST_TYPES:
            break
        latest += 1
    action, why = _policy(state)
    values = dict[str, float]()
    with one_thread():
        for step in told[-latest:]:
            if (kind := repr(step.opponent_type)) not in values:
                mean = intervals(trace.learning, state.setting.types.vector(step.opponent_type or {}))[0]
                known = np.flatnonzero(np.isfinite(mean).all(axis=1))
                chosen = known if action is None else known[known == action]
                if not len(chosen):
                    return None
                values[kind] = float(np.mean(game.reward(game.actions[chosen], mean[chosen])))
    expected = float(np.mean([values[repr(step.opponent_type)] for step in told[-latest:]]))
    earned = rewards[-latest:]
    earned = earned[np.isfinite(earned)]
    name = "" if action is None else state.setting.menu.labels[action]
    return Baseline(name, why, expected, float(earned.mean()), latest, _tone(earned, np.full(2, expected)))


def _policy(state: State) -> tuple[int | None, str]:
    """The action that the match is compared with, None for any at random, and where it comes from."""
    rules = state.setting.rules
    if rules is not None and rules.floor is not None:
        return rules.floor.baseline, "the baseline of the floor"
    rows = [row for step in state.steps if not isinstance(step, MatchRound) for row in rows_of(step)]
    if len(rows) >= LEAST_HISTORY:
        counts = np.bincount([row[0] for row in rows], minlength=state.setting.game.n_actions)
        return int(counts.argmax()), "the action of most imported rows"
    return None, "an action at random"


def _answers(record: Earnings) -> list[Answer]:
    """Whether the match is winning: what was earned, against the baseline, the past and what was expected."""
    if not record.rounds:
        return []
    mean = f"{short(record.total / record.rounds)} per round"
    found = [Answer("earned", short(record.total), f"{mean} in {counted(record.rounds, 'round')}")]
    if (baseline := record.baseline) is not None:
        name, over = baseline.name or "an action at random", counted(baseline.rounds, "round")
        words = f"per round against {name}, by the model ({over})"
        found.append(_gain("against the baseline", baseline.earned - baseline.expected, words, baseline.tone))
    if (past := record.past) is not None:
        words = f"per round against as many before; they earned {short(past.latest)} each"
        found.append(_gain(f"last {counted(past.rounds, 'round')}", past.latest - past.before, words, past.tone))
    month = record.month
    tried = f"{counted(month.first_tried, 'action')} tried for the first time"
    found.append(Answer(f"last {DAYS} days", short(month.earned), f"in {counted(month.rounds, 'round')}; {tried}"))
    if (last := record.last) is not None and last.expected is not None:
        found.append(Answer("last round", short(last.reward), f"{short(last.expected)} was expected"))
    return found


def _gain(name: str, gain: float, words: str, tone: Tone) -> Answer:
    return Answer(name, f"{'+' if gain > 0 else ''}{short(gain)}", words, tone)


def _tone(rewards: Vector, others: Vector) -> Tone:
    """Whether the first mean is above or below the second by more than chance: two standard errors."""
    if len(rewards) < 2:
        return ""
    gain = rewards.mean() - others.mean()
    error = np.sqrt(rewards.var(ddof=1) / len(rewards) + others.var(ddof=1) / len(others))
    return "" if abs(gain) <= CLEAR * error else "up" if gain > 0 else "down"
