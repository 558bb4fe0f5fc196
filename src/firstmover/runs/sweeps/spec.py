"""What a sweep is: axes whose every combination is a run, read from TOML."""

import reprlib
from collections import Counter
from collections.abc import Iterator
from itertools import product
from math import prod
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from firstmover.core.documents import Specification, fields_of
from firstmover.core.errors import InvalidInput
from firstmover.kernels import kernel_from
from firstmover.learners import LEARNERS
from firstmover.runs.experiment_spec import MOST_ROUNDS, LearnerSpec, read_seeds
from firstmover.simulation import OPPONENTS

MOST = 10_000
"""Members of a list, and combinations that one entry's lists make."""

SIGNS = {"confidence_width": "β", "rate_factor": "η ×", "regularization": "λ", "strategy": "", "kernel": "kernel"}
"""How a parameter is written where a learner's variants are told apart."""


class LearnerChoice(Specification):
    """A point of the axis of learners: the learner, and the name that tells it from its variants."""

    learner: LearnerSpec
    variant: str


class GameChoice(Specification):
    """A point of the axis of games: its name, its parameters, and the name that tells it from its variants."""

    name: str
    parameters: dict[str, float | int] = Field(default_factory=dict)
    variant: str


class KernelChoice(Specification):
    """A point of the axis of kernels."""

    label: str
    kernel: dict[str, Any]


class SweepSpec(Specification):
    """Learners × kernels × games × opponents × horizons × seeds, without what is left out.

    A list as the value of a learner's or a game's parameter stands for one learner or game for each of its members.

    >>> learner = {"name": "stackelucb", "confidence_width": [0.5, 2.0]}
    >>> spec = SweepSpec.read({"games": ["shore"], "learners": [learner, "exp3"], "horizons": [100], "seeds": 3})
    >>> [choice.variant for choice in spec.learners]
    ['stackelucb β 0.5', 'stackelucb β 2.0', 'exp3']
    """

    title: str = "sweep"
    games: tuple[GameChoice, ...]
    opponents: tuple[str, ...] = ("random",)
    learners: tuple[LearnerChoice, ...]
    kernels: tuple[KernelChoice, ...] = ()
    horizons: tuple[int, ...]
    seeds: tuple[int, ...]
    leave_out: tuple[dict[str, Any], ...] = ()
    keep: Literal["summary", "curves", "rounds"] = "curves"

    @classmethod
    def from_toml(cls, path: Path) -> Self:
        """The sweep that a TOML file describes."""
        return cls.read(fields_of(path, "Sweep"))

    @field_validator("learners", mode="before")
    @classmethod
    def _every_learner(cls, learners: Any) -> Any:
        return tuple(point for entry in _listed("learners", learners) for point in _learners(entry))

    @field_validator("games", mode="before")
    @classmethod
    def _every_game(cls, games: Any) -> Any:
        return tuple(point for entry in _listed("games", games) for point in _games(entry))

    @field_validator("kernels", mode="before")
    @classmethod
    def _every_kernel(cls, kernels: Any) -> Any:
        return tuple(_kernel(entry) for entry in _listed("kernels", kernels))

    @field_validator("opponents", mode="before")
    @classmethod
    def _every_opponent(cls, opponents: Any) -> Any:
        for opponent in (listed := _listed("opponents", opponents)):
            if not isinstance(opponent, str):
                raise InvalidInput(f"opponents has {opponent!r}: give names, such as 'random'.")
            OPPONENTS.resolve(opponent)
        return listed

    @field_validator("horizons", mode="before")
    @classmethod
    def _every_horizon(cls, horizons: Any) -> Any:
        for horizon in (listed := _listed("horizons", horizons)):
            if not isinstance(horizon, int) or isinstance(horizon, bool) or not 1 <= horizon <= MOST_ROUNDS:
                raise InvalidInput(f"horizons has {horizon!r}: give whole numbers from 1 to {MOST_ROUNDS}.")
        return listed

    @field_validator("seeds", mode="before")
    @classmethod
    def _every_seed(cls, seeds: Any) -> Any:
        return read_seeds(seeds)

    @field_validator("leave_out", mode="before")
    @classmethod
    def _every_gap(cls, gaps: Any) -> Any:
        for gap in (listed := _listed("leave_out", gaps)):
            if not isinstance(gap, dict) or not gap:
                raise InvalidInput(f"leave_out has {gap!r}: give tables, such as {{learner = 'exp3', game = 'shore'}}.")
        return listed

    @model_validator(mode="after")
    def _told_apart(self) -> Self:
        axes = {
            "learners": [choice.variant for choice in self.learners],
            "games": [choice.variant for choice in self.games],
            "kernels": [choice.label for choice in self.kernels],
        }
        if self.kernels and not any("kernel" in LEARNERS.takes(choice.learner.kind) for choice in self.learners):
            raise InvalidInput("kernels are given, and no learner here has a kernel: leave them out.")
        for axis, names in axes.items():
            for name, count in Counter(names).items():
                if count > 1:
                    raise InvalidInput(f"{axis} has {name!r} more than once: give each a label of its own.")
        return self


def _listed(axis: str, value: Any) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple) or not value:
        raise InvalidInput(f"{axis} is {reprlib.repr(value)}: give a list of one or more.")
    _check_length(axis, len(value))
    for member in value:
        if list(value).count(member) > 1:
            raise InvalidInput(f"{axis} has {reprlib.repr(member)} more than once: give it once.")
    return tuple(value)


def _check_length(axis: str, count: int) -> None:
    if count > MOST:
        raise InvalidInput(f"{axis} has {count:,} members: give at most {MOST:,}, or divide the sweep into several.")


def _spread(axis: str, entry: dict[str, Any]) -> Iterator[tuple[dict[str, Any], str]]:
    """One entry for each combination of its lists' members, with what tells it from the others."""
    lists = {name: _listed(f"{name} in {axis}", value) for name, value in entry.items() if _is_axis(name, value)}
    _check_length(f"{entry['name']!r} in {axis}", prod(map(len, lists.values())))
    for values in product(*lists.values()):
        chosen = dict(zip(lists, values, strict=True))
        told = [f"{SIGNS.get(name, name)} {_word(value)}".strip() for name, value in chosen.items()]
        yield entry | chosen, " ".join(told)


def _is_axis(name: str, value: Any) -> bool:
    return isinstance(value, list) and name != "label"


def _word(value: Any) -> str:
    return " ".join(map(str, value.values())) if isinstance(value, dict) else str(value)


def _table(axis: str, entry: Any) -> dict[str, Any]:
    """An entry of an axis; a bare name is one without parameters."""
    entry = {"name": entry} if isinstance(entry, str) else entry
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        raise InvalidInput(f"{axis} has {reprlib.repr(entry)}: give a name, or a table with a name.")
    return entry


def _learners(entry: Any) -> Iterator[dict[str, Any]]:
    entry = _table("learners", entry)
    for fields, told in _spread("learners", entry):
        learner = LearnerSpec.read(fields)
        unread = [name for name in fields if name not in ("name", "label", *LEARNERS.takes(learner.kind))]
        if unread:
            raise InvalidInput(f"learner {learner.name!r} has no use for {unread[0]}: leave it out.")
        yield {"learner": learner, "variant": f"{learner.label} {told}".strip()}


def _games(entry: Any) -> Iterator[dict[str, Any]]:
    entry = _table("games", entry)
    for fields, told in _spread("games", entry):
        parameters = {name: value for name, value in fields.items() if name not in ("name", "label")}
        label = fields.get("label", fields["name"])
        if not isinstance(label, str):
            raise InvalidInput(f"label of game {fields['name']!r} is {label!r}: give a text.")
        for name, value in parameters.items():
            if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 2**53:
                shown = reprlib.repr(value)
                raise InvalidInput(f"{name} of game {fields['name']!r} is {shown}: give a finite number below 2^53.")
        yield {"name": fields["name"], "parameters": parameters, "variant": f"{label} {told}".strip()}


def _kernel(entry: Any) -> dict[str, Any]:
    fields = dict(_table("kernels", entry))
    label = fields.pop("label", _word(fields))
    kernel_from(fields)
    return {"label": label, "kernel": fields}
