"""The record of the web app's first view: the action as a sheet, its forecast, and the status of the match."""

from dataclasses import asdict, replace
from typing import Any

from firstmover.core.numerics import one_thread
from firstmover.figures.live.maps import NamedType, known_types, named_type
from firstmover.games import GAMES
from firstmover.games.words import PLAIN, Sheet, SheetRow
from firstmover.matches.commands import asked_round, chosen_round
from firstmover.matches.events import unpacked
from firstmover.matches.forecast import forecast
from firstmover.matches.health import health_of, nominal_share
from firstmover.matches.learner_state import rows_of
from firstmover.matches.rounds import MatchRound
from firstmover.matches.setup import Setting
from firstmover.matches.state import State

MOST_TYPES = 12  # types with a forecast, of those that are known beforehand

RECENT = ("as met last", "as met before", "as met before that")
"""Words for the types that have a forecast where any type may come: the latest ones."""


def today(state: State, *, reveal: bool, wanted: str | None = None, brief: bool = False) -> dict[str, Any]:
    """Return the record; unless `reveal`, nothing in it depends on the action of a pending round.

    `wanted` names one of the pending rounds; the default is the one asked last. A `brief` record leaves out what needs
    the learner, which takes seconds to rebuild after many rounds.
    """
    played = _pending(state, wanted) if reveal else None
    record = {
        "title": "Today",
        "round": None,
        "pending": list(state.pending),
        "sheet": None,
        "last": None if state.closed_last is None else state.shown(state.rounds[state.closed_last]).as_dict(),
    }
    action = None if played is None else played.action
    if played is not None and action is not None:
        record["title"] = f"Round {played.round_id}"
        label, features = state.described(played)
        described = {"label": label, "features": features}
        record["round"] = {"round_id": played.round_id, "action": action, "probability": played.probability} | described
        record["sheet"] = _mixture_sheet(state, played) if played.committed else sheet_of(state.setting, action)
    if brief:
        return record
    health = health_of(state) if reveal else health_of(state).for_reader()
    expected, note = ([], "") if played is None or action is None else _forecasts(state, played, action)
    return record | {
        "expected": expected,
        "expected_note": note,
        "nominal": nominal_share(state.learning),
        "alarms": [asdict(alarm) for alarm in health.alarms],
        "status_lines": health.lines(),
    }


def _pending(state: State, wanted: str | None) -> MatchRound | None:
    if wanted is not None and asked_round(state, wanted).status == "pending":
        return state.rounds[wanted]
    return state.rounds[chosen_round(state, None)] if state.pending else None


def sheet_of(setting: Setting, action: int) -> dict[str, Any]:
    """Return the sheet of instructions of one action.

    >>> sheet_of(Setting.of({"menu": {"game": "routing"}}), 23)["headline"]
    'Send 225 units: 150 by route 1, 75 by route 3'
    """
    game = setting.config.menu.game
    words = PLAIN if game is None else GAMES[game].words
    return asdict(words.sheet(setting.menu, action, tuple(unit for _, unit in setting.responses.outputs)))


def _mixture_sheet(state: State, played: MatchRound) -> dict[str, Any]:
    """The sheet of a commitment: the share of each action."""
    shares = state.setting.menu.shares(unpacked(played.committed))
    rows = tuple(SheetRow(name, f"{share:.1%}".replace("%", "\u00a0%")) for name, share in shares.items())
    return asdict(Sheet(f"Commit to {state.described(played)[0]}", rows, "The opponent sees this mixture."))


def _forecasts(state: State, played: MatchRound, action: int) -> tuple[list[dict[str, Any]], str]:
    """The forecast for each type, and a note where not all types are shown; of a commitment for its mixture."""
    types, note = _types(state)
    if played.committed and state.steps:
        types, note = [NamedType({}, unpacked(played.committed), "predicted", is_vector=True)], ""
    outputs = state.setting.responses.outputs
    with one_thread():
        found = [(each, forecast(state.learning, action, each.vector)) for each in types]
    return [
        {
            "opponent_type": {name: value for name, value in each.values.items() if not isinstance(value, list)},
            "words": each.name,
            "responses": [
                {"name": name, "unit": unit, **asdict(interval)}
                for (name, unit), interval in zip(outputs, predicted.responses, strict=True)
            ],
            "reward": asdict(predicted.reward),
        }
        for each, predicted in found
    ], note


def _types(state: State) -> tuple[list[NamedType], str]:
    """The known types, or else the latest ones, and a note where some are left out or none was met."""
    known = known_types(state.setting)
    if known is not None:
        note = f"{MOST_TYPES} of {len(known)} types are shown." if len(known) > MOST_TYPES else ""
        return [replace(known[0], name="predicted")] if len(known) == 1 else known[:MOST_TYPES], note
    met: dict[str, NamedType] = {}
    for step in reversed(state.steps):
        for row in reversed(rows_of(step)):
            met.setdefault(repr(row[1]), named_type(state.setting, row[1]))
        if len(met) >= len(RECENT):
            break
    if not met:
        return [], "No opponent has been met yet: a forecast is shown after the first round that is told."
    return [
        replace(each, name=age if each.is_vector else f"{each.name}, {age}")
        for each, age in zip(met.values(), RECENT, strict=False)
    ], ""
