"""Types and responses by name: parsing, range checks, and the vectors that the learner sees."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from math import isfinite
from typing import Any, TypeGuard

import numpy as np

from firstmover.core.arrays import Matrix, Vector, real_number
from firstmover.core.errors import InvalidInput, shown, unknown_name
from firstmover.core.places import Places
from firstmover.core.records import Box
from firstmover.matches.config import LARGEST, ResponseSpec, TypeSpec

CLEAR_NOISE = 0.1
"""Noise of an indicator of a level, small beside the distance of two levels, so that each is read as it was told."""

Values = dict[str, Any]
"""Names to numbers or levels, as they are recorded."""


def one_number(kind: str, name: str, value: object, unit: str = "") -> float:
    """Return a finite number given as a number or as text; a unit beside it is rejected, since it might be wrong."""
    number = real_number(value)
    if isinstance(value, str) and value.isascii() and "_" not in value:  # 3_2 is a typing error for 3.2, not 32
        with suppress(ValueError):
            number = float(value)
    if not isfinite(number):
        if isinstance(value, str) and value == name:
            raise InvalidInput(f"{kind} {name!r} has no value: give it, as in {name}=3.2.", (kind, name))
        found, expected = "empty" if _is_empty(value) else shown(value), f", in {unit}" if unit else ""
        sentence = f"{kind} {name!r} is {found}: give a number alone{expected}, as in {name}=3.2."
        raise InvalidInput(sentence, (kind, name))
    if abs(number) > LARGEST:
        sentence = f"{kind} {name!r} is {number:g}: give the measured value, at most {LARGEST:g} in size."
        raise InvalidInput(sentence, (kind, name))
    return number


def _is_empty(value: object) -> bool:
    return value is None or (isinstance(value, str) and not value)


def _unwrapped(value: object) -> object:
    """The value of an array without axes; a masked one stays as it is."""
    if isinstance(value, np.ndarray) and value.ndim == 0 and not np.ma.is_masked(value):
        return value[()]
    return value


def _named(kind: str, value: object, names: Sequence[str]) -> dict[str, Any]:
    """The value by name: a mapping, a list in the order of the names, or, with one name only, the value itself."""
    value = _unwrapped(value)
    if isinstance(value, Mapping):
        given = {str(name): entry for name, entry in value.items()}
    elif _is_list(value):
        if len(value) != len(names):
            raise InvalidInput(f"{kind} has {len(value)} value(s): give {len(names)}, for {_listed(names)}.", (kind,))
        given = dict(zip(names, value, strict=True))
    elif len(names) == 1:
        given = {names[0]: value}
    else:
        raise InvalidInput(
            f"{kind} is {shown(value)}: give {len(names)} values by name, for {_listed(names)}.", (kind,)
        )
    for name in given:
        if name not in names:
            raise unknown_name(kind, name, names, (kind, name))
    for name in names:
        if name not in given:
            raise InvalidInput(f"{kind} {name!r} is missing: give it, such as {name}=….", (kind, name))
    return {name: _unwrapped(entry) for name, entry in given.items()}


def _is_list(value: object) -> TypeGuard[Sequence[Any]]:
    """Whether a value is several values in order; an array without axes is none, nor are a text and bytes."""
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray | memoryview)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) if len(names) <= 6 else f"{names[0]}, {names[1]}, …, {names[-1]}"


@dataclass(frozen=True)
class Responses:
    """The responses of a match, in the order of the configuration."""

    specs: tuple[ResponseSpec, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(spec.name for spec in self.specs)

    @property
    def levels(self) -> list[str] | None:
        """The levels, if the response is one of some levels; None if responses are numbers."""
        return self.specs[0].levels

    @property
    def logarithms(self) -> list[bool]:
        """Which coordinates of y are logarithms."""
        return [bool(spec.log) for spec in self.specs] if self.levels is None else [False] * len(self.levels)

    @property
    def outputs(self) -> list[tuple[str, str]]:
        """Name and unit of each coordinate of y: the responses, or the chances of the levels."""
        if self.levels is None:
            return [(spec.name, spec.unit) for spec in self.specs]
        return [(level, f"chance of {self.names[0]}") for level in self.levels]

    @property
    def domain(self) -> Box:
        """The box of possible responses, corners of shape (m,)."""
        if self.levels is not None:
            return Box(np.zeros(len(self.levels)), np.ones(len(self.levels)))
        ends = np.array([[spec.lower, spec.upper] for spec in self.specs], dtype=float)
        return Box(*np.where(np.isnan(ends), [-np.inf, np.inf], ends).T)

    @property
    def places(self) -> Places | None:
        """The levels as the unit vectors, which are never misread; None if responses are numbers."""
        if self.levels is None:
            return None
        corners = np.eye(len(self.levels))
        return Places(Box(corners, corners), CLEAR_NOISE)

    def read(self, value: object) -> Values:
        """Return the values to record, from what a user gave."""
        given = _named("response", value, self.names)
        if self.levels is not None:
            return {self.names[0]: _level("response", self.specs[0], given[self.names[0]])}
        return {spec.name: _bounded(spec, given[spec.name]) for spec in self.specs}

    def vector(self, values: Values) -> Vector:
        """y (m,) of recorded values; the indicator of a level."""
        if self.levels is not None:
            return np.array([float(level == values[self.names[0]]) for level in self.levels])
        return np.array([float(values[name]) for name in self.names])


def _bounded(spec: ResponseSpec, value: object) -> float:
    number = one_number("response", spec.name, value, spec.unit)
    low, high = spec.lower, spec.upper
    if (low is not None and number < low) or (high is not None and number > high):
        ends = [f"{word} {end:g}" for word, end in (("from", low), ("up to", high)) if end is not None]
        allowed = " ".join([*ends, spec.unit]).strip()
        raise InvalidInput(
            f"response {spec.name!r} is {number:g}, outside the allowed range ({allowed}): give the measured value, in "
            "that unit.",
            ("response", spec.name),
        )
    return number


@dataclass(frozen=True)
class Types:
    """The features of an opponent by name, each a number or one of some levels; `kind` names them in messages."""

    specs: tuple[TypeSpec, ...]
    kind: str = "type"

    @property
    def names(self) -> tuple[str, ...]:
        """Their names."""
        return tuple(spec.name for spec in self.specs)

    @property
    def combinations(self) -> list[Values] | None:
        """Every combination of levels by name; None if any feature is a free number."""
        if any(spec.levels is None for spec in self.specs):
            return None
        return [dict(zip(self.names, row, strict=True)) for row in product(*[spec.levels or () for spec in self.specs])]

    @property
    def known(self) -> Matrix | None:
        """Θ (q, p), the vectors of all combinations; None if any feature is a free number."""
        return None if self.combinations is None else np.array([self.vector(values) for values in self.combinations])

    def read(self, value: object) -> Values:
        """Return the values to record, from what a user gave."""
        if not self.specs:
            if value is None or (isinstance(value, Mapping) and not value):
                return {}
            when = "before" if self.kind == "context" else "after"
            raise InvalidInput(
                f"{self.kind} is {shown(value)}: no type of this match is known {when} the action; leave it out.",
                (self.kind,),
            )
        given = _named(self.kind, value, self.names)
        return {spec.name: _level(self.kind, spec, given[spec.name]) for spec in self.specs}

    @property
    def context(self) -> "Types":
        """The part that is known before the action."""
        return Types(tuple(spec for spec in self.specs if spec.known), "context")

    @property
    def rest(self) -> "Types":
        """The part that is known after the action."""
        return Types(tuple(spec for spec in self.specs if not spec.known))

    @property
    def columns(self) -> tuple[int, ...]:
        """The numbers of the coordinates of θ that are known before the action."""
        known = [bool(spec.known) for spec in self.specs for _ in self._indicators(spec)]
        return tuple(np.flatnonzero(known).tolist())

    def columns_in(self, later: "Types") -> list[int]:
        """The coordinates of `later`, which has all these features and perhaps more levels, that those of θ became."""
        names = [[f"{spec.name}={level}" for level in self._indicators(spec)] for spec in self.specs]
        now = [f"{spec.name}={level}" for spec in later.specs for level in self._indicators(spec)]
        return [now.index(name) for part in names for name in part]

    @property
    def coordinates(self) -> tuple[str, ...]:
        """The name of the feature that each coordinate of θ belongs to (p,)."""
        return tuple(spec.name for spec in self.specs for _ in self._indicators(spec))

    @property
    def width(self) -> int:
        """p, the number of coordinates of θ."""
        return len(self.coordinates)

    @staticmethod
    def _indicators(spec: TypeSpec) -> Sequence[str]:
        """The levels that have a coordinate of their own; one empty name if the feature is a number."""
        return spec.levels if isinstance(spec.levels, list) else ("",)

    def completed(self, context: Values, value: object) -> Values:
        """Return all values to record: those of the context, and the others that a user gave."""
        if isinstance(value, Mapping) and any(name in value for name in context):
            return self.read(context | dict(value))
        told = context | self.rest.read(value)
        return {name: told[name] for name in self.names}

    def vector(self, values: Values) -> Vector:
        """θ (p,) of recorded values."""
        parts: list[float] = []
        for spec in self.specs:
            value = values[spec.name]
            if isinstance(spec.levels, list):
                parts += [float(level == value) for level in spec.levels]
            else:
                parts.append(float(value if spec.levels is None else spec.levels[value]))
        return np.array(parts)


def _level(kind: str, spec: TypeSpec | ResponseSpec, value: object) -> Any:
    """A number, or one of the levels."""
    field = kind, spec.name
    if spec.levels is None:
        return one_number(kind, spec.name, value, spec.unit)
    if isinstance(value, str) and value == spec.name and value not in spec.levels:
        example = f"{spec.name}={next(iter(spec.levels))}"
        raise InvalidInput(f"{kind} {spec.name!r} has no value: give it, as in {example}.", field)
    if _is_empty(value):
        raise InvalidInput(f"{kind} {spec.name!r} is empty: give one of {_listed(list(spec.levels))}.", field)
    if not isinstance(value, str) or value not in spec.levels:
        raise unknown_name(f"level of {kind} {spec.name!r}", str(value), spec.levels, field)
    return str(value)


@dataclass(frozen=True)
class GameTypes:
    """Types without names: known ones are numbered from 1, others are given as all their numbers."""

    known: Matrix | None

    @property
    def names(self) -> tuple[str, ...]:
        """One name, `type`."""
        return ("type",)

    def read(self, value: object) -> Values:
        """Return the values to record, from what a user gave."""
        entry = _unwrapped(value)
        if isinstance(value, Mapping):
            entry = _named("type", value, self.names)["type"] if value else None
        if self.known is None:
            if not _is_list(entry) or len(entry) == 0:
                sentence = "type of this game is a list of numbers: give all of them, as in [0.1, 2.5, 3]."
                raise InvalidInput(sentence, ("type", "type"))
            return {"type": [one_number("type", "type", number) for number in entry]}
        if _is_empty(entry):
            sentence = "type is missing: give it, such as --type type=1, or, in a file, in a column 'type'."
            raise InvalidInput(sentence, ("type", "type"))
        numbers = [str(i) for i in range(1, len(self.known) + 1)]
        if isinstance(entry, bool) or str(entry) not in numbers:
            raise unknown_name("type", str(entry), numbers, ("type", "type"))
        return {"type": str(entry)}

    def vector(self, values: Values) -> Vector:
        """θ (p,) of recorded values."""
        if self.known is None:
            return np.array(values["type"], dtype=float)
        return self.known[int(values["type"]) - 1]
