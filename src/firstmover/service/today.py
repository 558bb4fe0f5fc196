"""The decision card, the record of the web app's first view: the action, why, what is expected, and alarms."""

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

from firstmover.core.errors import InvalidInput, counted
from firstmover.core.numerics import one_thread
from firstmover.core.records import Alarm
from firstmover.figures.live.maps import NamedType, known_types, named_type
from firstmover.games import GAMES
from firstmover.games.map_record import short
from firstmover.games.words import PLAIN, Sheet, SheetRow
from firstmover.learners.alarms import prior_share
from firstmover.matches.candidates import valuation
from firstmover.matches.commands import asked_round, chosen_round
from firstmover.matches.events import unpacked
from firstmover.matches.explanation import reasons_of, runners_up
from firstmover.matches.forecast import Forecast, Interval, forecast
from firstmover.matches.health import health_of, nominal_share
from firstmover.matches.learner_state import rows_of
from firstmover.matches.observed_rows import observed_rows
from firstmover.matches.rounds import MatchRound
from firstmover.matches.schedule import DueRound, due_round
from firstmover.matches.setup import Setting
from firstmover.matches.state import State

MOST_TYPES = 12  # types with a forecast, of those that are known beforehand

RECENT = ("as met last", "as met before", "as met before that")
"""Words for the types that have a forecast where any type may come: the latest ones."""

MOST_RANGES = 4  # responses whose ranges are named where nothing is known

GUESS, FAIR = 0.6, 0.3
"""The shares of the prior deviation above which a forecast is a first guess, and above which it is fairly sure."""


@dataclass(frozen=True)
class Waiting:
    """A round that was asked and not closed."""

    round_id: str
    asked_at: str


@dataclass(frozen=True)
class PendingRound:
    """The round to carry out, with what was known when it was asked."""

    round_id: str
    action: int
    label: str
    features: dict[str, float]
    probability: float
    asked_at: str
    context: dict[str, Any] | None
    without: tuple[str, ...]


@dataclass(frozen=True)
class ResponseForecast:
    """A response by name, with its mean and the band of what is observed; the mean is None while it is unknown."""

    name: str
    unit: str
    mean: float | None
    lower: float | None
    upper: float | None


@dataclass(frozen=True)
class ExpectedOfType:
    """What is expected if an opponent of a type comes."""

    words: str
    opponent_type: dict[str, Any]
    responses: tuple[ResponseForecast, ...]
    reward: Interval


@dataclass(frozen=True)
class Option:
    """An action with its probability and what it is expected to earn, with a 90 % band: the advised one comes first."""

    label: str
    headline: str
    probability: float
    expected: float
    lower: float
    upper: float


@dataclass(frozen=True)
class Confidence:
    """How much is known about the response to the advised action."""

    level: Literal["unknown", "guess", "fair", "sure"]
    words: str


@dataclass(frozen=True)
class Advice:
    """What needs the fitted model. `nominal` is the share of responses that should lie in the bands of `expected`."""

    expected: tuple[ExpectedOfType, ...]
    note: str
    nominal: float
    options: tuple[Option, ...]
    reasons: tuple[str, ...]
    confidence: Confidence | None
    alarms: tuple[Alarm, ...]
    status_lines: tuple[str, ...]


@dataclass(frozen=True)
class DecisionCard:
    """The pending round, those that wait, the one closed last, the advice unless brief, and when a round is due."""

    title: str
    round: PendingRound | None
    pending: tuple[Waiting, ...]
    sheet: Sheet | None
    last: dict[str, Any] | None
    advice: Advice | None
    due: DueRound | None


def today(state: State, *, reveal: bool, wanted: str | None = None, brief: bool = False) -> DecisionCard:
    """Return the record; unless `reveal`, nothing in it depends on the action of a pending round.

    `wanted` names one of the pending rounds; the default is the one asked last. A `brief` record leaves out what needs
    the learner, which takes seconds to rebuild after many rounds.
    """
    played = _pending(state, wanted) if reveal else None
    shown = None if played is None or played.action is None else _round(state, played)
    sheet = None
    if played is not None and shown is not None:
        sheet = _mixture_sheet(state, played) if played.committed else sheet_of(state.setting, shown.action)
    return DecisionCard(
        "Today" if shown is None else f"Round {shown.round_id}",
        shown,
        tuple(Waiting(name, state.rounds[name].asked_at) for name in state.pending),
        sheet,
        None if state.closed_last is None else state.shown(state.rounds[state.closed_last]).as_dict(),
        None if brief else _advice(state, None if shown is None else played, reveal=reveal),
        due_round(state),
    )


def _pending(state: State, wanted: str | None) -> MatchRound | None:
    if wanted is not None and asked_round(state, wanted).status == "pending":
        return state.rounds[wanted]
    return state.rounds[chosen_round(state, None)] if state.pending else None


def _round(state: State, played: MatchRound) -> PendingRound:
    assert played.action is not None
    assert played.probability is not None
    label, features = state.described(played)
    without = tuple(state.setting.menu.labels[i] for i in played.without)
    known = played.round_id, played.action, label, features, played.probability, played.asked_at, played.context
    return PendingRound(*known, without)


def _advice(state: State, played: MatchRound | None, *, reveal: bool) -> Advice:
    health = health_of(state) if reveal else health_of(state).for_reader()
    expected: tuple[ExpectedOfType, ...] = ()
    options: tuple[Option, ...] = ()
    reasons: tuple[str, ...] = ()
    note, confidence = "", None
    if played is not None and played.action is not None:
        expected, note = _forecasts(state, played, played.action)
        options, reasons = _options(state, played, played.action)
        if not played.committed:
            confidence = _confidence(state, played.action, expected)
    lines = tuple(health.lines())
    return Advice(expected, note, nominal_share(state.learning), options, reasons, confidence, health.alarms, lines)


def sheet_of(setting: Setting, action: int) -> Sheet:
    """Return the sheet of instructions of one action.

    >>> sheet_of(Setting.of({"menu": {"game": "routing"}}), 23).headline
    'Send 225 units: 150 by route 1, 75 by route 3'
    """
    game = setting.config.menu.game
    words = PLAIN if game is None else GAMES[game].words
    return words.sheet(setting.menu, action, tuple(unit for _, unit in setting.responses.outputs))


def _mixture_sheet(state: State, played: MatchRound) -> Sheet:
    """The sheet of a commitment: the share of each action."""
    shares = state.setting.menu.shares(unpacked(played.committed))
    rows = tuple(SheetRow(name, f"{share:.1%}".replace("%", "\u00a0%")) for name, share in shares.items())
    return Sheet(f"Commit to {state.described(played)[0]}", rows, "The opponent sees this mixture.")


def _options(state: State, played: MatchRound, action: int) -> tuple[tuple[Option, ...], tuple[str, ...]]:
    """The advised action and its runners-up, and the reasons; none before anything was observed."""
    setting, mask = state.setting, state.setting.mask(played.without)
    try:
        with one_thread():
            strategy = np.array(state.decide(played.context, played.without))
            strategy[action] = played.probability  # that of the ask; more may have been observed since
            values = valuation(state, observed_rows(state), played.context, strategy)
            chosen = [action, *runners_up(values, action, mask)]
            reasons = tuple(reasons_of(state, played, values, mask))
    except InvalidInput as error:  # nothing is known, or the learner has no expected rewards
        return (), (str(error),)
    found = [(sheet_of(setting, i).headline, values.candidate(i)) for i in chosen]
    options = [
        Option(each.label, headline, each.probability, each.expected, each.lower, each.upper)
        for headline, each in found
    ]
    return tuple(options), reasons


def _confidence(state: State, action: int, expected: tuple[ExpectedOfType, ...]) -> Confidence:
    """How sure the forecast of an action is, by its deviation relative to that of the prior."""
    known = [each for each in expected if all(response.mean is not None for response in each.responses)]
    if not known or not state.steps:
        return Confidence("unknown", _unknown_words(expected))
    setting = state.setting
    vectors = [setting.types.vector(each.opponent_type) for each in known if each.opponent_type] or [
        setting.types.vector(row[1]) for row in state.latest_rows(1)
    ]
    with one_thread():
        share = max(float(np.max(prior_share(state.learning.belief, vector)[action])) for vector in vectors)
    rows = [row for step in state.steps for row in rows_of(step)]
    own = sum(row[0] == action for row in rows)
    basis = f"from {counted(len(rows), 'observation')}, {own} of them of this action"
    if share > GUESS:
        return Confidence("guess", f"This is a first guess, {basis}.")
    if share > FAIR:
        return Confidence("fair", f"We are fairly sure, {basis}.")
    return Confidence("sure", f"We know this well, {basis}.")


def _unknown_words(expected: tuple[ExpectedOfType, ...]) -> str:
    """What is possible where nothing is known."""
    if not expected:
        return "We do not know yet: nothing was observed so far."
    if (count := len(expected[0].responses)) > MOST_RANGES:
        return f"We do not know yet: none of the {count} responses can be predicted."
    ranges = []
    for each in expected[0].responses:
        bounded = each.lower is not None and each.upper is not None
        ends = f" from {short(each.lower or 0.0)} to {short(each.upper or 0.0)} {each.unit}" if bounded else ""
        ranges.append(f"{each.name} may be anything{ends}".strip())
    return f"We do not know yet: {'; '.join(ranges)}."


def _forecasts(state: State, played: MatchRound, action: int) -> tuple[tuple[ExpectedOfType, ...], str]:
    """The forecast for each type, and a note where not all types are shown; of a commitment for its mixture."""
    types, note = _types(state, played.context)
    if played.committed and state.steps:
        types, note = [NamedType({}, unpacked(played.committed), "predicted", is_vector=True)], ""
    with one_thread():
        found = [(each, forecast(state.learning, action, each.vector)) for each in types]
    return tuple(_type_forecast(state.setting, each, predicted) for each, predicted in found), note


def _type_forecast(setting: Setting, each: NamedType, predicted: Forecast) -> ExpectedOfType:
    told = {name: value for name, value in each.values.items() if not isinstance(value, list)}
    outputs = zip(setting.responses.outputs, predicted.responses, strict=True)
    responses = tuple(ResponseForecast(name, unit, **asdict(interval)) for (name, unit), interval in outputs)
    return ExpectedOfType(each.name, told, responses, predicted.reward)


def _types(state: State, context: dict[str, Any] | None) -> tuple[list[NamedType], str]:
    """The known types that fit the context, or else the latest ones, and a note where some are left out."""
    known = known_types(state.setting)
    if known is not None:
        fitting = [each for each in known if all(each.values[name] == value for name, value in (context or {}).items())]
        note = f"{MOST_TYPES} of {len(fitting)} types are shown." if len(fitting) > MOST_TYPES else ""
        return [replace(fitting[0], name="predicted")] if len(fitting) == 1 else fitting[:MOST_TYPES], note
    met: dict[str, NamedType] = {}
    for step in reversed(state.steps):
        for row in reversed(rows_of(step)):
            values = row[1] | (context or {})
            met.setdefault(repr(values), named_type(state.setting, values))
        if len(met) >= len(RECENT):
            break
    if not met:
        return [], "No opponent has been met yet: a forecast is shown after the first round that is told."
    return [
        replace(each, name=age if each.is_vector else f"{each.name}, {age}")
        for each, age in zip(met.values(), RECENT, strict=False)
    ], ""
