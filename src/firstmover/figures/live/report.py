"""The one-page report of a match: what it is about, whether it is winning, what was learnt, alarms, and its hash."""

from dataclasses import dataclass

import numpy as np

from firstmover.core.errors import FirstmoverError, InvalidInput, counted
from firstmover.core.numerics import one_thread
from firstmover.core.records import Alarm
from firstmover.figures.live.earnings import Earnings, earnings
from firstmover.figures.live.trace import Trace
from firstmover.games import GAMES
from firstmover.games.map_record import finite
from firstmover.matches.candidates import Candidate, valuation
from firstmover.matches.certificate import certificate_of
from firstmover.matches.match_alarms import match_alarms
from firstmover.matches.observed_rows import observed_rows
from firstmover.matches.rewards import reward_formula
from firstmover.matches.rounds import MatchRound
from firstmover.matches.setup import Setting

MOST_ANSWERS, MOST_ACTIONS, MOST_ROUNDS, MOST_ALARMS = 4, 5, 6, 3
"""Answers, actions, rounds and alarms that one page has place for."""

LONGEST_REWARD = 160
"""Characters of the words about the reward that one page has place for."""


@dataclass(frozen=True)
class ReportedRound:
    """A told round: the action that was played, what it earned, and what was expected just before, if anything."""

    round_id: str
    asked_at: str
    label: str
    reward: float
    expected: float | None


@dataclass(frozen=True)
class Report:
    """A match on one page, the same for all roles: nothing depends on the action of a pending round.

    `lost` is the certificate with its remarks, or why there is none. `best` has the actions with the largest expected
    rewards, or `best_note` says why none is known. `alarms` has at most MOST_ALARMS of `alarm_count`. `head` is the
    hash of event `covered`, the last one before the oldest pending round was asked: the hash of an ask would confirm a
    guess of its action.
    """

    name: str
    title: str
    about: str
    begun_at: str
    begun_by: str | None
    counts: str
    earnings: Earnings
    lost: tuple[str, ...]
    best: tuple[Candidate, ...]
    best_note: str
    last: tuple[ReportedRound, ...]
    alarms: tuple[Alarm, ...]
    alarm_count: int
    head: str
    covered: int
    events: int


def match_report(trace: Trace) -> Report:
    """Return the record after the last event."""
    state, earned = trace.state, earnings(trace)
    first, alarms = trace.journal.event(1), match_alarms(state)
    with one_thread():
        lost, (best, note) = _lost(trace), _best(trace)
    oldest = next(iter(state.pending), None)
    covered = state.sequence if oldest is None else state.rounds[oldest].asked - 1
    return Report(
        name=state.name,
        title=state.setting.config.title,
        about=about(state.setting),
        begun_at=first.clock,
        begun_by=first.actor,
        counts=_counts(trace),
        earnings=earned,
        lost=lost,
        best=best,
        best_note=note,
        last=_last(trace),
        alarms=alarms[:MOST_ALARMS],
        alarm_count=len(alarms),
        head=trace.journal.event(covered).hash,
        covered=covered,
        events=state.sequence,
    )


def about(setting: Setting) -> str:
    """What a match is about, in a sentence.

    >>> print(about(Setting.of({"menu": {"game": "routing"}}))[:64])
    Each round plays one of 41 actions and observes y1: Sioux Falls:
    """
    spec = setting.config.reward
    earns = GAMES[setting.config.menu.game or ""].summary if spec is None else f"it earns {reward_formula(spec)}"
    earns = earns if len(earns) <= LONGEST_REWARD else f"{earns[:LONGEST_REWARD].rstrip()} …"
    names = [name for name, _ in setting.responses.outputs]
    observed = " and ".join(names) if len(names) < 3 else counted(len(names), "response")
    actions = counted(len(setting.menu.labels), "action")
    return f"Each round plays one of {actions} and observes {observed}: {earns}{'' if earns.endswith('…') else '.'}"


def _counts(trace: Trace) -> str:
    state, rounds = trace.state, trace.state.rounds.values()
    numbers = {
        "pending": len(state.pending),
        "void": sum(each.status == "void" for each in rounds),
        "corrected": sum(each.corrections > 0 for each in rounds),
        "observations without a round": sum(state.imports.values()) + len(state.records),
    }
    rest = [f"{number:,} {name}" for name, number in numbers.items() if number]
    return ", ".join([f"{counted(len(rounds), 'round')} asked, {state.told:,} told", *rest])


def _lost(trace: Trace) -> tuple[str, ...]:
    """The certificate, or why there is none."""
    try:
        found = certificate_of(trace.state)
        return found.sentence, *found.remarks
    except FirstmoverError as error:
        return (f"No certificate of what was lost: {error}",)


def _best(trace: Trace) -> tuple[tuple[Candidate, ...], str]:
    """The actions on the menu that are expected to earn most over the types so far, or why they are not known."""
    state = trace.state
    try:
        values = valuation(state, observed_rows(state), None, trace.told_strategy)
    except InvalidInput as error:
        return (), str(error)
    retired = state.setting.menu.retired
    order = [int(i) for i in np.argsort(-values.expected, kind="stable") if i not in retired]
    return tuple(values.candidate(i) for i in order[:MOST_ACTIONS]), ""


def _last(trace: Trace) -> tuple[ReportedRound, ...]:
    """The rounds told last, the latest one first."""
    told = [step for step in trace.state.steps if isinstance(step, MatchRound)][-MOST_ROUNDS:]
    shown = [trace.state.shown(each) for each in told]
    series = trace.series
    return tuple(
        ReportedRound(each.round_id, each.asked_at, each.played_label or each.label or "", reward, finite(expected))
        for each, reward, expected in reversed(
            list(zip(shown, series.reward[-len(told) :], series.expected[-len(told) :], strict=True))
        )
    )
