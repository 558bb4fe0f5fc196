"""The map of a match: plain values of the match for the map of its game."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.contracts import ResponseFunction
from firstmover.core.errors import InvalidInput
from firstmover.figures.live.trace import Trace
from firstmover.games import GAMES
from firstmover.games.default_map import default_map
from firstmover.games.map_record import MapRecord, short
from firstmover.games.match_view import MatchView, Observation, Posterior, Quantity
from firstmover.games.routing.city_map import stored_city_map
from firstmover.matches.forecast import intervals
from firstmover.matches.learner_state import rows_of
from firstmover.matches.rounds import MatchRound
from firstmover.matches.setup import Setting
from firstmover.matches.state import State
from firstmover.matches.value_schema import GameTypes, Values

MOST_OBSERVED = 300
"""The latest observations of a match that a map shows."""

MOST_TYPES = 50
"""The latest types over which expected rewards are averaged, where all types are known."""


def map_of(
    source: Trace | State,
    *,
    reveal: bool,
    respond: ResponseFunction | None = None,
    chosen: Mapping[str, str] | None = None,
) -> MapRecord | None:
    """Return the map of a match; None if it needs the fitted model and only the state of the match is given.

    `reveal` shows the action of a pending round, `respond` the true responses of a simulation. `chosen` has the chosen
    options of the map by name; without it the map shows the first ones.
    """
    state, trace = (source, None) if isinstance(source, State) else (source.state, source)
    setting, shown = state.setting, _shown(state, reveal=reveal)
    rows = [(step.round_id or "", *row) for step in state.steps[-MOST_OBSERVED:] for row in rows_of(step)]
    rows = rows[-MOST_OBSERVED:]  # oldest first
    observed = tuple(
        Observation(round_id, action, setting.types.vector(values), setting.responses.vector(response))
        for round_id, action, values, response in rows
    )
    types = known_types(setting)
    if types is None:  # any type may come: the last one stands for them
        types = [named_type(setting, rows[-1][2])] if rows else []
    view = MatchView(
        game=setting.game,
        menu=setting.menu,
        responses=tuple(Quantity(name, unit) for name, unit in setting.responses.outputs),
        types=np.array([each.vector for each in types]),
        type_names=tuple(each.name for each in types),
        observed=observed,
        last_type=named_type(setting, rows[-1][2]).name if rows else "",
        action=None if shown is None else shown.action_played,
        round_id="" if shown is None else shown.round_id,
        posterior=None if trace is None else posterior_of(trace, reveal=reveal),
        respond=respond,
        chosen=chosen or {},
    )
    record = _drawn(setting, view)
    for name in set() if record is None else set(view.chosen) - {choice.name for choice in record.choices}:
        raise InvalidInput(f"{name} is {view.chosen[name]!r}: the map of this match has no such choice; leave it out.")
    return record


def _drawn(setting: Setting, view: MatchView) -> MapRecord | None:
    """The map of the game, of a city's roads, or of any menu."""
    game, roads = setting.config.menu.game, setting.config.map
    if roads is not None:
        return stored_city_map(view, roads)
    return default_map(view) if game is None else GAMES[game].map(view)


def _shown(state: State, *, reveal: bool) -> MatchRound | None:
    """The pending round asked last, if it may be revealed, else the told round asked last."""
    if reveal and state.pending:
        return state.rounds[next(reversed(state.pending))]
    return next((played for played in reversed(state.rounds.values()) if played.status == "told"), None)


def posterior_of(trace: Trace, *, reveal: bool) -> Posterior:
    """Return the fitted model of a match as plain values; unless `reveal`, with p_t of the round told last."""
    types, weights = _recent_types(trace.state)
    predict, bands = trace.learning.belief.predict, partial(intervals, trace.learning)
    strategy = trace.strategy if reveal else trace.told_strategy
    return Posterior(predict, bands, strategy, trace.played, types, weights)


def _recent_types(state: State) -> tuple[Matrix, Vector]:
    """The latest types, each once, and how often each was met; all known types before any was met."""
    known = state.setting.game.types
    rows = state.latest_rows(1 if known is None else MOST_TYPES)
    if not rows:
        return (np.empty((0, 0)), np.empty(0)) if known is None else (known, np.ones(len(known)))
    met = np.array([state.setting.types.vector(row[1]) for row in rows])
    types, counts = np.unique(met, axis=0, return_counts=True)
    return types, counts.astype(float)


@dataclass(frozen=True, eq=False)
class NamedType:
    """A type as it is recorded, as the learner sees it, and in words; with `is_vector` it has no words of its own."""

    values: Values
    vector: Vector
    name: str
    is_vector: bool


def known_types(setting: Setting) -> list[NamedType] | None:
    """Return all types of a match, levels with numbers in the order of their numbers; None if any type may come."""
    types = setting.types
    if types.known is None:
        return None
    if isinstance(types, GameTypes):
        return [named_type(setting, {"type": str(number)}) for number in range(1, len(types.known) + 1)]

    def place(values: Values) -> list[float]:
        numbered = ((spec.levels, values[spec.name]) for spec in types.specs)
        return [each[value] if isinstance(each, dict) else (each or []).index(value) for each, value in numbered]

    return [named_type(setting, values) for values in sorted(types.combinations or [], key=place)]


def named_type(setting: Setting, values: Values) -> NamedType:
    """Return a type with its name: its levels and numbers, and the words of the game for it."""
    about, is_vector = type_descriptions(setting), any(isinstance(value, list) for value in values.values())
    words = ", ".join(f"{name} {short(value) if isinstance(value, float) else value}" for name, value in values.items())
    name = words if about is None else f"{words}: {about[int(values['type']) - 1]}"
    return NamedType(values, setting.types.vector(values), "as met last" if is_vector else name, is_vector)


def type_descriptions(setting: Setting) -> tuple[str, ...] | None:
    """Return the game's own description of every known type; None if it has none."""
    game = setting.config.menu.game
    describe = None if game is None or not isinstance(setting.types, GameTypes) else GAMES[game].words.types
    return None if describe is None or setting.game.types is None else describe(setting.game)
