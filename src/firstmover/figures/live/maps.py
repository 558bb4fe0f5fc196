"""The map of a match: plain values of the match for the map of its game."""

from collections.abc import Iterator

import numpy as np

from firstmover.core.contracts import ResponseFunction
from firstmover.core.records import Vector
from firstmover.figures.live.trace import Known, Trace
from firstmover.games import GAMES
from firstmover.games.default_map import default_map
from firstmover.games.map_record import MapRecord
from firstmover.games.match_view import MatchView, Observation, Posterior, Quantity
from firstmover.matches.learner_state import rows_of
from firstmover.matches.setup import Setting
from firstmover.matches.value_schema import GameTypes, Types, Values

MOST_OBSERVED = 300
"""The latest observations of a match that a map shows."""

MOST_TYPES = 50
"""The latest types over which expected rewards are averaged, where all types are known."""


def map_of(known: Known, *, reveal: bool, respond: ResponseFunction | None = None) -> MapRecord | None:
    """Return the map of a match; None if it needs the posterior, which only a `Trace` has.

    `reveal` shows the action of a pending round, `respond` the true responses of a simulation.
    """
    setting = known.state.setting
    game = setting.config.menu.game
    make = default_map if game is None else GAMES[game].map
    return make(_view(known, reveal=reveal, respond=respond))


def _view(known: Known, *, reveal: bool, respond: ResponseFunction | None) -> MatchView:
    setting, shown = known.state.setting, known.shown(reveal=reveal)
    rows = list(_rows(known))
    observed = tuple(
        Observation(round_id, action, setting.types.vector(values), setting.responses.vector(response))
        for round_id, action, values, response in rows
    )
    types = setting.game.types
    if types is None:  # any type may come: the last one stands for them
        types = np.array([seen.opponent_type for seen in observed[-1:]])
    return MatchView(
        game=setting.game,
        menu=setting.menu,
        responses=tuple(Quantity(spec.name, spec.unit) for spec in setting.responses.specs),
        types=types,
        type_names=tuple(type_name(setting, number, each) for number, each in enumerate(types)),
        observed=observed,
        last_type=", ".join(f"{name} {value}" for name, value in rows[-1][2].items()) if rows else "",
        action=None if shown is None else shown.action,
        round_id="" if shown is None else shown.round_id,
        posterior=posterior_of(known) if isinstance(known, Trace) else None,
        respond=respond,
    )


def _rows(known: Known) -> Iterator[tuple[str, int, Values, Values]]:
    """The latest observations, oldest first: round, action, type and response."""
    steps = known.state.steps[-MOST_OBSERVED:]
    rows = [(getattr(step, "round_id", None) or "", *row) for step in steps for row in rows_of(step)]
    return iter(rows[-MOST_OBSERVED:])


def posterior_of(trace: Trace) -> Posterior:
    """Return the fitted model of a match as plain values."""
    setting = trace.state.setting
    types, weights = trace.types_met(MOST_TYPES if setting.game.types is not None else 1)
    width = setting.confidence(trace.belief.information_gain)
    return Posterior(trace.belief.predict, width, trace.strategy, trace.played, types, weights)


def type_name(setting: Setting, number: int, opponent_type: Vector) -> str:
    """Return a known type by its levels, its number, or the words of the game."""
    if isinstance(setting.types, Types):
        combinations = setting.types.combinations
        if combinations is not None:
            return ", ".join(f"{name} {value}" for name, value in combinations[number].items())
        return ", ".join(f"{n} {v:g}" for n, v in zip(setting.types.names, opponent_type, strict=True))
    about = type_descriptions(setting)
    return f"type {number + 1}" if about is None else f"type {number + 1}: {about[number]}"


def type_descriptions(setting: Setting) -> tuple[str, ...] | None:
    """Return the game's own description of every known type; None if it has none."""
    game = setting.config.menu.game
    describe = None if game is None or not isinstance(setting.types, GameTypes) else GAMES[game].words.types
    return None if describe is None or setting.game.types is None else describe(setting.game)
