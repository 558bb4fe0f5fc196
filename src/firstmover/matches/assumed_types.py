"""The types that are likely in a round, which what is said about its response must assume."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from firstmover.core.arrays import Vector
from firstmover.core.files import canonical_json
from firstmover.matches.observed_rows import ObservedRow
from firstmover.matches.setup import Setting
from firstmover.matches.value_schema import GameTypes, Types, Values

MOST_TYPES = 3
"""Types that are assumed in turn, those that were observed most often."""

QUARTILES = (0.5, 0.25, 0.75)
"""Quantiles of numbers that are assumed in turn where a type has no levels."""


class AssumedType(NamedTuple):
    """A type as it is told, as the learner sees it, and in words; these leave out the context, which is known."""

    values: Values
    vector: Vector
    words: str


def assumed_types(setting: Setting, rows: Sequence[ObservedRow], context: Values | None) -> list[AssumedType]:
    """Return the likeliest types of a round, by the observations in its context or, if there are none, by all.

    Of features that are told after the action, levels are those observed most often, and numbers their medians. If
    there are numbers alone, their quartiles are assumed too. Where a type is a list of numbers, it is the latest one.
    """
    types, known = setting.types, context or {}
    if isinstance(types, GameTypes):
        return _game_types(types, rows)
    if not types.rest.specs:
        return [_assumed(types, known)]
    alike = [row for row in rows if all(row.opponent_type[name] == value for name, value in known.items())]
    told = [{name: row.opponent_type[name] for name in types.rest.names} for row in alike or rows]
    numbers = [spec.name for spec in types.rest.specs if spec.levels is None]
    groups: dict[str, list[Values]] = {}
    for values in told:
        groups.setdefault(canonical_json({n: v for n, v in values.items() if n not in numbers}), []).append(values)
    ordered = sorted(groups.values(), key=len, reverse=True)[:MOST_TYPES]
    if numbers and len(groups) == 1:
        found = [_with_quantiles(ordered[0], numbers, share) for share in QUARTILES]
    else:
        found = [_with_quantiles(group, numbers, QUARTILES[0]) for group in ordered]
    different = {canonical_json(values): values for values in found}
    return [_assumed(types, known | values) for values in different.values()]


def _game_types(types: GameTypes, rows: Sequence[ObservedRow]) -> list[AssumedType]:
    if types.known is None:
        last = rows[-1].opponent_type
        return [AssumedType(last, types.vector(last), "the type as met last")]
    often = Counter(row.opponent_type["type"] for row in rows).most_common(MOST_TYPES)
    return [AssumedType(value, types.vector(value), f"type {name}") for name, _ in often for value in [{"type": name}]]


def _with_quantiles(group: Sequence[Values], numbers: Sequence[str], share: float) -> Values:
    """The levels of a group of types, and a quantile of each number to four digits, as it is shown."""
    quantiles: dict[str, Any] = {
        name: float(f"{np.quantile([values[name] for values in group], share):.4g}") for name in numbers
    }
    return group[0] | quantiles


def _assumed(types: Types, values: Values) -> AssumedType:
    ordered = {name: values[name] for name in types.names}
    words = ", ".join(f"{name} is {_shown(ordered[name])}" for name in types.rest.names)
    return AssumedType(ordered, types.vector(ordered), words)


def _shown(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else repr(value)
