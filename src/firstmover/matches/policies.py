"""Policies by name, for the told rounds of a match: probabilities of all actions in each of them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from firstmover.core.arrays import Mask, Matrix, Vector
from firstmover.core.errors import InvalidInput, shown, unknown_name
from firstmover.matches.config import sorted_levels
from firstmover.matches.learner_state import rows_of
from firstmover.matches.rounds import MatchRound
from firstmover.matches.state import State

PLAYED, PRESENT, UNIFORM = "played", "present", "uniform"
NAMED = {
    PLAYED: "p_t, as the match played",
    PRESENT: "the actions of the imported history, as often as there, by context; without it, the floor's baseline",
    UNIFORM: "every allowed action equally often",
}
"""Policies that have a name."""

ROUNDING = 1e-6
"""The difference from 1 that probabilities of a round may add up to."""


class ToldRounds(NamedTuple):
    """The told rounds in the order of asks, with p_t (T, n) and the actions that were allowed (T, n)."""

    rounds: list[MatchRound]
    strategies: Matrix
    allowed: Mask


def policy_of(state: State, told: ToldRounds, name: str, policy: object) -> Matrix:
    """Return the probabilities (T, n) of a policy.

    It is a name of `NAMED`, an action by label or index, a table such as {"weekday": {"mon": "2.60", "sun": "3.00"}} of
    actions by the levels of a context, or the probabilities themselves, (n,) or (T, n).
    """
    if isinstance(policy, str) and policy in NAMED and policy not in state.setting.menu.labels:
        return _named(state, told, policy)
    if isinstance(policy, Mapping):
        return _by_context(state, told, name, policy)
    if isinstance(policy, str | int | np.integer):
        return np.broadcast_to(_fixed(state, policy), told.strategies.shape)
    return _probabilities(told, name, policy)


def _fixed(state: State, action: object) -> Vector:
    return np.eye(len(state.setting.menu.labels))[state.setting.menu.index(action)]


def _named(state: State, told: ToldRounds, name: str) -> Matrix:
    if name == PLAYED:
        return told.strategies
    return _allowed(_present(state, told) if name == PRESENT else told.allowed.astype(float), told.allowed)


def _allowed(weights: Matrix, allowed: Mask) -> Matrix:
    """Weights of allowed actions, scaled to 1 in each round; where all of them are 0, equal ones."""
    kept = np.where(allowed, weights, 0.0)
    kept[~kept.any(axis=1)] = 1.0
    kept = np.where(allowed, kept, 0.0)
    return np.asarray(kept / kept.sum(axis=1, keepdims=True), dtype=np.float64)


def _present(state: State, told: ToldRounds) -> Matrix:
    """Frequencies of actions in the imported rows with the round's context, or in all rows if none has it."""
    setting = state.setting
    rows = [row for step in state.steps if not isinstance(step, MatchRound) for row in rows_of(step)]
    n = len(setting.menu.labels)
    if not rows:
        if setting.rules is None or setting.rules.floor is None:
            raise InvalidInput(
                "policy 'present' is unknown: no history was imported, and the match has no floor with a baseline; "
                "import the history, or give an action."
            )
        return np.broadcast_to(np.eye(n)[setting.rules.floor.baseline], (len(told.rounds), n))
    names = setting.context.names
    counts: dict[tuple[Any, ...], Vector] = {}
    for action, opponent_type, _ in rows:
        key = tuple(opponent_type[each] for each in names)
        counts.setdefault(key, np.zeros(n))[action] += 1
    total = np.sum(list(counts.values()), axis=0)
    keys = [tuple((played.context or {}).get(each) for each in names) for played in told.rounds]
    return np.array([counts.get(key, total) for key in keys])


def _by_context(state: State, told: ToldRounds, name: str, table: Mapping[Any, Any]) -> Matrix:
    context = {spec.name: spec for spec in state.setting.context.specs}
    [feature, *more] = table or [""]
    if more or not isinstance(table.get(feature), Mapping):
        raise InvalidInput(
            f"policy {name!r} is {shown(table)}: give one context with the action of each of its levels, such as "
            "{'weekday': {'mon': '2.60'}}."
        )
    if feature not in context:
        raise unknown_name("context", str(feature), context)
    levels, actions = sorted_levels(context[feature]), table[feature]
    if levels is None:
        raise InvalidInput(f"context {feature!r} of policy {name!r} is a number: give probabilities for each round.")
    for level in actions:
        if level not in levels:
            raise unknown_name(f"level of {feature!r}", str(level), levels)
    rows = {level: _fixed(state, action) for level, action in actions.items()}
    missing = {str((played.context or {}).get(feature)) for played in told.rounds} - set(rows)
    if missing:
        raise InvalidInput(f"policy {name!r} has no action at {feature} {min(missing)!r}: give one for each level.")
    return np.array([rows[(played.context or {})[feature]] for played in told.rounds])


def _probabilities(told: ToldRounds, name: str, policy: object) -> Matrix:
    try:
        given = np.asarray(policy, dtype=float)
    except (TypeError, ValueError):
        given = np.empty((0, 0))
    shape = told.strategies.shape
    if given.shape == shape[1:]:
        given = np.broadcast_to(given, shape)
    sums = given.sum(axis=1) if given.shape == shape else np.array([np.nan])
    if not (np.all(np.abs(sums - 1) <= ROUNDING) and np.all(given >= 0)):
        raise InvalidInput(
            f"policy {name!r} is no action, name or table and not probabilities of shape {shape}, each row with the "
            "sum 1: give one of them, with a row for each told round in the order of asks."
        )
    return given
