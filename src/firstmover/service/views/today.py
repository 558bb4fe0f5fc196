"""What to do today, as one record: the action as a sheet, what answer is expected, and how the match is doing."""

from typing import Annotated, Any

import numpy as np
from fastapi import APIRouter, Query

from firstmover.core.numerics import one_thread
from firstmover.core.records import Box, Vector
from firstmover.matches.commands import asked_round, chosen_round
from firstmover.matches.health import health_of
from firstmover.matches.learner_state import Learning, rows_of
from firstmover.matches.rounds import MatchRound
from firstmover.matches.state import State
from firstmover.matches.value_schema import GameTypes, Values
from firstmover.service.context import Caller, Flag, Live
from firstmover.service.routes.answers import refusals
from firstmover.service.views.sheets import sheet_of

router = APIRouter(tags=["views"])

MOST_TYPES = 12
"""Kinds of opponents that an expectation is shown for, of those that are known beforehand."""

MET_TYPES = 3
"""The same where any kind may come: those that were met last."""

MOST_POINTS = 2000
"""Responses of a box at which the reward is looked at for its smallest value."""


@router.get("/matches/{match}/views/today", responses=refusals())
async def show_today(
    live: Live,
    caller: Caller,
    wanted: Annotated[str | None, Query(alias="round", max_length=80)] = None,
    brief: Annotated[Flag, Query(description="Only what to do, at once, even before all is learnt anew.")] = False,
) -> dict[str, Any]:
    """What to do today, what to expect of it, and how the match is doing."""
    return await live.run(lambda match: today(match.state(), reveal=caller == "owner", wanted=wanted, brief=brief))


def today(state: State, *, reveal: bool, wanted: str | None = None, brief: bool = False) -> dict[str, Any]:
    """The record of the page's first view; unless `reveal`, nothing in it depends on an action that waits.

    `wanted` names one of the rounds that wait; without it, the one that was asked last. What needs the learner, which
    takes seconds to be built anew after many rounds, is left out of a `brief` record.
    """
    played = _waiting(state, wanted) if reveal else None
    record = {
        "title": f"Round {played.round_id}" if played else "Today",
        "round": None if played is None else _decision(state, played),
        "pending": list(state.pending),
        "sheet": None if played is None or played.action is None else sheet_of(state.setting, played.action),
        "last": _last(state),
    }
    return record if brief else record | _learnt(state, played)


def _learnt(state: State, played: MatchRound | None) -> dict[str, Any]:
    """What to expect, and how the match is doing."""
    health = health_of(state)
    action = None if played is None else played.action
    expected, note = ([], "") if action is None else _expected(state, action)
    return {
        "expected": expected,
        "expected_note": note,
        "nominal": health.nominal,
        "status_lines": health.lines(),
    }


def _waiting(state: State, wanted: str | None) -> MatchRound | None:
    if wanted is not None and asked_round(state, wanted).status == "pending":
        return state.rounds[wanted]
    return state.rounds[chosen_round(state, None)] if state.pending else None


def _decision(state: State, played: MatchRound) -> dict[str, Any]:
    menu = state.setting.menu
    assert played.action is not None
    return {
        "round_id": played.round_id,
        "action": played.action,
        "label": menu.labels[played.action],
        "features": menu.described(played.action),
        "probability": played.probability,
    }


def _last(state: State) -> dict[str, Any] | None:
    """The round that was closed last."""
    last = state.closed_last
    return None if last is None else state.shown(state.rounds[last], hide_pending=True).as_dict()


def _expected(state: State, action: int) -> tuple[list[dict[str, Any]], str]:
    """For each kind of opponent the response μ with its band μ ± β √(σ² + λ), and the rewards in that band."""
    with one_thread():
        learning = state.learning
        types, note = _types(state)
        return [
            {"opponent_type": _short(entry), "words": words, **_answer(learning, action, entry)}
            for entry, words in types
        ], note


def _short(entry: Values) -> Values:
    """Values by name, without lists of numbers that nobody reads."""
    return {name: value for name, value in entry.items() if not isinstance(value, list)}


def _words(entry: Values) -> str:
    return ", ".join(f"{name} {value}" for name, value in entry.items())


def _types(state: State) -> tuple[list[tuple[Values, str]], str]:
    """Kinds of opponents with words for each, and a note where not all are there."""
    known = _known(state)
    if known is not None:
        note = f"{MOST_TYPES} of {len(known)} kinds of opponents are shown." if len(known) > MOST_TYPES else ""
        return [(entry, _words(entry) if len(known) > 1 else "expected") for entry in known[:MOST_TYPES]], note
    met: dict[str, Values] = {}
    for step in reversed(state.steps):
        for row in reversed(rows_of(step)):
            met.setdefault(repr(row[1]), row[1])
        if len(met) >= MET_TYPES:
            break
    entries = list(met.values())[:MET_TYPES]
    ages = ("as met last", "as met before", "as met before that")
    words = [
        age if isinstance(next(iter(entry.values())), list) else f"{_words(entry)}, {age}"
        for entry, age in zip(entries, ages, strict=False)
    ]
    none = "" if entries else "No opponent was met yet: what to expect shows after the first round that is told."
    return list(zip(entries, words, strict=True)), none


def _known(state: State) -> list[Values] | None:
    """All kinds of opponents, where they are known; levels with numbers from the smallest to the largest."""
    types = state.setting.types
    if types.known is None:
        return None
    if isinstance(types, GameTypes):
        return [{"type": str(i)} for i in range(1, len(types.known) + 1)]
    found = types.combinations or []
    places = [list(spec.levels or ()) for spec in types.specs]
    scales = [spec.levels if isinstance(spec.levels, dict) else {} for spec in types.specs]

    def place(values: Values) -> list[float]:
        return [
            scale.get(values[name], levels.index(values[name]))
            for name, levels, scale in zip(types.names, places, scales, strict=True)
        ]

    return sorted(found, key=place)


def _answer(learning: Learning, action: int, entry: Values) -> dict[str, Any]:
    setting, belief = learning.setting, learning.belief
    prediction = belief.predict(setting.types.vector(entry))
    width = setting.confidence(belief.information_gain)
    reach = width * np.sqrt(prediction.std[action] ** 2 + setting.regularization)
    domain, mean = setting.game.response_domain, prediction.mean[action]
    box = Box(mean - reach, mean + reach).within(domain)
    inside = np.clip(mean, domain.lower, domain.upper)
    responses = [
        {"name": spec.name, "unit": spec.unit, "mean": float(m), "lower": float(low), "upper": float(high)}
        for spec, m, low, high in zip(setting.responses.specs, inside, box.lower, box.upper, strict=True)
    ]
    return {"responses": responses, "reward": _rewards(learning, action, inside, box)}


def _rewards(learning: Learning, action: int, mean: Vector, box: Box) -> dict[str, float | None]:
    """r at the mean, and its smallest and largest value in the box: the largest as the learner has it, Eq. (6)."""
    game = learning.setting.game
    x = game.actions[[action]]
    points = _lattice(box)
    seen = None if points is None else game.reward(np.repeat(x, len(points), axis=0), points)
    best = game.reward.best_in_box(x, Box(box.lower[None], box.upper[None]))
    return {
        "mean": float(game.reward(x, mean[None])[0]),
        "lower": None if seen is None else float(np.min(seen)),
        "upper": float(best[0]),
    }


def _lattice(box: Box) -> np.ndarray[Any, np.dtype[np.float64]] | None:
    """Points of a box (k, m) with all its corners; None where even the corners are too many."""
    m = len(box.lower)
    steps = min(21, int(MOST_POINTS ** (1 / m)))
    if steps < 2:
        return None
    axes = np.meshgrid(*np.linspace(box.lower, box.upper, steps).T, indexing="ij")
    return np.stack([axis.ravel() for axis in axes], axis=1)
