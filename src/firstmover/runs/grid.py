"""From a document to its tasks: every combination that is not left out, checked before anything is played."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, product
from typing import Any

import polars as pl

from firstmover.core.contracts import Game
from firstmover.core.errors import InvalidInput, unknown_name
from firstmover.core.files import canonical_json, text_hash
from firstmover.learners import LEARNERS
from firstmover.runs.setup import arena_of, game_entry, learner_of
from firstmover.runs.spec import Choice, ExperimentSpec, kind_of
from firstmover.runs.task import SpecTask, code_hash, file_hashes
from firstmover.simulation import OPPONENTS, Opponent

MOST_TASKS = 1_000_000

AXES = ("learner", "variant", "game", "opponent", "kernel", "horizon", "seed", "strategy")
NUMBERS = ("confidence_width", "rate_factor", "regularization")
ARENA = ("game", "opponent", "horizon")
"""Runs with these in common can be compared."""


@dataclass(frozen=True, eq=False)
class Plan:
    """All tasks of an experiment, the names of their results, and where each lies on the axes.

    Parameters
    ----------
    spec
        The experiment.
    tasks
        One per learner, kernel, game, opponent, horizon and seed.
    keys
        The names of their results, by content.
    rows
        Their places on the axes.

    Examples
    --------
    >>> from firstmover.runs import ExperimentSpec, plan_of
    >>> spec = ExperimentSpec.read({"games": ["shore"], "learners": ["exp3"], "horizons": [9], "seeds": 2})
    >>> plan_of(spec).table.select("learner", "game", "horizon", "seed").rows()
    [('exp3', 'shore', 9, 0), ('exp3', 'shore', 9, 1)]
    """

    spec: ExperimentSpec
    tasks: tuple[SpecTask, ...]
    keys: tuple[str, ...]
    rows: tuple[dict[str, Any], ...]

    @cached_property
    def table(self) -> pl.DataFrame:
        """One row per task: key, hash of its document, axes; parameters have names such as game_horizon."""
        extra = sorted({name for row in self.rows for name in row} - {*AXES, *NUMBERS})
        types: dict[str, Any] = dict.fromkeys(AXES, pl.String) | dict.fromkeys(NUMBERS, pl.Float64)
        types |= {"horizon": pl.Int64, "seed": pl.Int64}
        for name in extra:  # numbers where all values are, and text otherwise
            numbers = all(isinstance(row.get(name), int | float | None) for row in self.rows)
            types[name] = pl.Float64 if numbers else pl.String
        table = pl.DataFrame(self.rows, schema=types)
        documents = pl.Series("document", [text_hash(task.document) for task in self.tasks], dtype=pl.String)
        return table.insert_column(0, documents).insert_column(0, pl.Series("key", self.keys, dtype=pl.String))


@dataclass(frozen=True)
class _Setting:
    """A configuration without its horizon and seed."""

    game: Choice
    opponent: Choice
    choice: Choice
    kernel: Choice | None

    @cached_property
    def arena(self) -> dict[str, Any]:
        """The game and the opponent."""
        fields = {
            "game": self.game.name,
            "game_parameters": self.game.parameters,
            "payoffs": self.game.payoffs,
            "opponent": self.opponent.name,
            "opponent_parameters": self.opponent.parameters,
        }
        return {name: value for name, value in fields.items() if value}

    @cached_property
    def files(self) -> str:
        """Hashes of the files that parameters name."""
        opponent = OPPONENTS.resolve(self.opponent.name, self.opponent.parameters)[1]
        return canonical_json(file_hashes(self.game.parameters, dict(opponent), self.choice.parameters))

    @cached_property
    def learner(self) -> dict[str, Any]:
        """The learner with all its parameters: the assumptions of the game where nothing else is given."""
        given = LEARNERS.resolve(self.choice.name, self.choice.parameters)[1].model_dump(mode="json")
        entry = game_entry(self.arena)
        kernel = {"name": self.kernel.name} | self.kernel.parameters if self.kernel else None
        assumed = {
            "strategy": "fixed-rate",
            "rate_factor": 1.0,
            "confidence_width": entry.confidence_width,
            "regularization": entry.regularization,
            "kernel": kernel,
        }
        filled = {name: assumed.get(name) if value is None else value for name, value in given.items()}
        return {"name": kind_of(self.choice)} | filled

    @property
    def variant(self) -> str:
        """The name of the configuration within its game and opponent."""
        return f"{self.choice.variant} {'kernel ' + self.kernel.variant if self.kernel else ''}".strip()

    @property
    def family(self) -> str:
        return f"{self.learner['name']} {self.game.variant} {self.opponent.variant}"

    def row(self, horizon: int, seed: int) -> dict[str, Any]:
        """Where on the axes a run lies."""
        own = {
            name: value for name, value in self.learner.items() if name not in ("name", "kernel", "strategy", *NUMBERS)
        }
        extra = {"game": self.game.parameters, "opponent": self.opponent.parameters, "learner": own}
        return {
            "learner": self.choice.label,
            "variant": self.variant,
            "game": self.game.variant,
            "opponent": self.opponent.variant,
            "kernel": self.kernel.variant if self.kernel else None,
            "horizon": horizon,
            "seed": seed,
            **{name: self.learner.get(name) for name in ("strategy", *NUMBERS)},
            **{
                f"{axis}_{name}": value if isinstance(value, int | float | None) else str(value)
                for axis, parameters in extra.items()
                for name, value in parameters.items()
            },
        }

    def document(self, horizon: int, keep: str) -> dict[str, Any]:
        """Everything that decides the result of a run, but for its seed."""
        return self.arena | {"learner": self.learner, "rounds": horizon, "keep": keep}


def plan_of(spec: ExperimentSpec) -> Plan:
    """Return every task of an experiment; a learner that cannot play is refused.

    Parameters
    ----------
    spec
        The experiment.

    Returns
    -------
    Plan
        The plan.

    Raises
    ------
    InvalidInput
        If a learner cannot play a game, a run is given twice, or no task is left.

    Examples
    --------
    >>> from firstmover.runs import ExperimentSpec, plan_of
    >>> spec = ExperimentSpec.read({"games": ["shore"], "learners": ["hedge", "exp3"], "horizons": [9], "seeds": 3})
    >>> len(plan_of(spec).tasks)
    6
    """
    gaps, used = _gaps(spec), set[int]()
    tasks: list[SpecTask] = []
    rows: list[dict[str, Any]] = []
    files: list[str] = []
    for settings in _arenas(spec):
        arena = None
        for setting in settings:
            places = [setting.row(horizon, seed) for horizon, seed in product(spec.horizons, spec.seeds)]
            holding = [_holding(gaps, row) for row in places]
            used.update(*holding)
            remaining = [row for row, held in zip(places, holding, strict=True) if not held]
            if remaining:
                arena = arena or arena_of(setting.arena)
                tasks += _tasks(setting, remaining, spec.keep, arena)
                rows += remaining
                files += [setting.files] * len(remaining)
    if not tasks:
        raise InvalidInput("leave_out leaves out every task: leave some in.")
    for i, gap in enumerate(gaps):
        if i not in used:
            raise InvalidInput(f"leave_out has {gap!r}, which no task matches: correct it, or remove it.")
    code = code_hash()  # after every name was resolved, so that all plugins are loaded
    keys = [text_hash(f"{code}\n{data}\n{task.document}") for task, data in zip(tasks, files, strict=True)]
    seen: dict[str, dict[str, Any]] = {}
    for key, row in zip(keys, rows, strict=True):
        twin = seen.setdefault(key, row)
        if twin is not row:
            names = " and ".join(repr(f"{each['variant']} in {each['game']}") for each in (twin, row))
            raise InvalidInput(f"{names} are the same run under two names: give it once.")
    return Plan(spec, tuple(tasks), tuple(keys), tuple(rows))


def _arenas(spec: ExperimentSpec) -> Iterator[list[_Setting]]:
    """The configurations of each game and opponent."""
    count = len(spec.games) * len(spec.opponents) * len(spec.learners) * len(spec.horizons) * len(spec.seeds)
    if count * max(1, len(spec.kernels)) > MOST_TASKS:
        raise InvalidInput(f"the axes give more than {MOST_TASKS:,} tasks: divide the sweep into several.")
    for game, opponent in product(spec.games, spec.opponents):
        settings = [
            _Setting(game, opponent, choice, kernel) for choice in spec.learners for kernel in _kernels(choice, spec)
        ]
        for variant, times in Counter(setting.variant for setting in settings).items():
            if times > 1:
                raise InvalidInput(f"{times} learners with their kernels are called {variant!r}: give other labels.")
        yield settings


def _kernels(choice: Choice, spec: ExperimentSpec) -> Sequence[Choice | None]:
    if not spec.kernels or "kernel" not in LEARNERS.takes(kind_of(choice)):
        return [None]
    if choice.parameters.get("kernel") is not None:
        raise InvalidInput(f"learner {choice.label!r} has a kernel of its own beside the axis kernels: give one only.")
    return spec.kernels


def _tasks(
    setting: _Setting, rows: list[dict[str, Any]], keep: str, arena: tuple[Game, Opponent]
) -> Iterator[SpecTask]:
    game, opponent = arena
    try:
        learner_of(setting.document(1, keep), game, opponent, rows[0]["seed"])
    except InvalidInput as error:
        raise InvalidInput(
            f"learner {setting.choice.variant!r} in game {setting.game.variant!r} against "
            f"{setting.opponent.variant!r}: {error}"
        ) from None
    for horizon, neighbours in groupby(rows, lambda row: row["horizon"]):
        fields = setting.document(horizon, keep)
        for row in neighbours:
            document = canonical_json(fields | {"seed": row["seed"]})
            yield SpecTask(document, setting.variant, row["seed"], horizon, setting.family)


def _gaps(spec: ExperimentSpec) -> list[dict[str, list[Any]]]:
    """Combinations that are left out: each names fields and the values at which a run is left out."""
    choices = {"game": spec.games, "opponent": spec.opponents, "learner": spec.learners}
    parameters = {f"{axis}_{name}" for axis, listed in choices.items() for each in listed for name in each.parameters}
    known = [*AXES, *NUMBERS, *sorted(parameters)]
    for name in (name for gap in spec.leave_out for name in gap):
        if name not in known:
            raise unknown_name("field of leave_out", name, known)
    return [{name: v if isinstance(v, list) else [v] for name, v in gap.items()} for gap in spec.leave_out]


def _holding(gaps: Sequence[dict[str, list[Any]]], row: dict[str, Any]) -> list[int]:
    """The positions of the gaps in which a run lies."""
    return [i for i, gap in enumerate(gaps) if all(row.get(name) in values for name, values in gap.items())]
