"""From axes to tasks: every combination that is not left out, refused at once if it cannot play."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby, product
from pathlib import Path
from typing import Any

import polars as pl

from firstmover.core.contracts import Game
from firstmover.core.errors import InvalidInput, unknown_name
from firstmover.games import game_named, tables_named
from firstmover.learners import LEARNERS
from firstmover.runs.experiment_spec import ExperimentSpec, LearnerSpec
from firstmover.runs.setup import learner_for, scene
from firstmover.runs.sweeps.spec import GameChoice, KernelChoice, LearnerChoice, SweepSpec
from firstmover.runs.sweeps.tasks import SweepTask, canonical
from firstmover.simulation import Opponent

MOST_TASKS = 1_000_000

AXES = ("learner", "variant", "game", "opponent", "kernel", "horizon", "seed", "strategy")
NUMBERS = ("confidence_width", "rate_factor", "regularization")


@dataclass(frozen=True, eq=False)
class Plan:
    """All tasks of a sweep, and the table that says of each where on the axes it lies."""

    title: str
    keep: str
    tasks: tuple[SweepTask, ...]
    rows: tuple[dict[str, Any], ...]

    @cached_property
    def table(self) -> pl.DataFrame:
        """One row a task, in order; parameters of games have names that begin with game_."""
        extra = sorted({name for row in self.rows for name in row} - {*AXES, *NUMBERS})
        types: dict[str, Any] = dict.fromkeys(AXES, pl.String) | dict.fromkeys((*NUMBERS, *extra), pl.Float64)
        types |= {"horizon": pl.Int64, "seed": pl.Int64}
        table = pl.DataFrame(self.rows, schema=types)
        return table.insert_column(0, pl.Series("key", [task.key for task in self.tasks], dtype=pl.String))


def experiment_of(document: Mapping[str, Any], seeds: Sequence[int]) -> ExperimentSpec:
    """The experiment of the run that a document describes, with these seeds."""
    fields = {name: document.get(name) for name in ("game", "game_parameters", "payoffs", "opponent", "rounds")}
    return ExperimentSpec.read(fields | {"seeds": list(seeds), "learners": [document["learner"]]})


@dataclass(frozen=True)
class _Setting:
    """A configuration without its horizon and seed."""

    game: GameChoice
    opponent: str
    choice: LearnerChoice
    kernel: KernelChoice | None
    payoffs: Any
    script: str | None

    @cached_property
    def learner(self) -> dict[str, Any]:
        """All that the learner reads, the game's assumptions where nothing else is given."""
        spec, entry = self.choice.learner, game_named(self.game.name)
        reads = LEARNERS.takes(spec.kind)
        values = {
            "strategy": spec.strategy,
            "rate_factor": spec.rate_factor or 1.0,
            "confidence_width": entry.confidence_width if spec.confidence_width is None else spec.confidence_width,
            "regularization": spec.regularization or entry.regularization,
            "kernel": self.kernel.kernel if self.kernel else spec.kernel,
        }
        return {"name": spec.name} | {name: value for name, value in values.items() if name in reads}

    @property
    def variant(self) -> str:
        """What tells it from other configurations of its game and opponent."""
        return f"{self.choice.variant} {'kernel ' + self.kernel.label if self.kernel else ''}".strip()

    def experiment(self, rounds: int, seed: int) -> ExperimentSpec:
        """The run of a seed as an experiment of its own."""
        return experiment_of(self.document(rounds, "summary"), [seed])

    def row(self, horizon: int, seed: int) -> dict[str, Any]:
        """Where on the axes a run lies."""
        kernel = self.kernel.label if self.kernel else None
        return {
            "learner": self.choice.learner.label,
            "variant": self.variant,
            "game": self.game.variant,
            "opponent": self.opponent,
            "kernel": kernel,
            "horizon": horizon,
            "seed": seed,
            **{name: self.learner.get(name) for name in ("strategy", *NUMBERS)},
            **{f"game_{name}": float(value) for name, value in self.game.parameters.items()},
        }

    def document(self, horizon: int, keep: str) -> dict[str, Any]:
        """All that decides what a run gives, but for its seed."""
        fields = {
            "game": self.game.name,
            "game_parameters": self.game.parameters or None,
            "payoffs": self.payoffs,
            "opponent": self.opponent,
            "script_sha256": self.script,
            "learner": self.learner,
            "rounds": horizon,
            "keep": keep,
        }
        return {name: value for name, value in fields.items() if value is not None}


def plan_of(spec: SweepSpec) -> Plan:
    """Every task of a sweep; a learner that cannot play is refused before anything is played.

    >>> spec = SweepSpec.read({"games": ["shore"], "learners": ["hedge", "exp3"], "horizons": [9, 99], "seeds": 3})
    >>> len(plan_of(spec).tasks)
    12
    """
    gaps = _Gaps.of(spec)
    tasks: list[SweepTask] = []
    rows: list[dict[str, Any]] = []
    for settings in _arenas(spec):
        stage = None
        for setting in settings:
            places = [setting.row(horizon, seed) for horizon, seed in product(spec.horizons, spec.seeds)]
            kept = [row for row in places if not gaps.hold(row)]
            if kept:
                stage = stage or scene(setting.experiment(1, spec.seeds[0]))
                tasks += _tasks(setting, kept, spec.keep, stage)
                rows += kept
    gaps.check(len(tasks))
    _check_twins(tasks, rows)
    return Plan(spec.title, spec.keep, tuple(tasks), tuple(rows))


def _check_twins(tasks: list[SweepTask], rows: list[dict[str, Any]]) -> None:
    """Refuse runs that only their labels tell apart."""
    seen: dict[str, dict[str, Any]] = {}
    for task, row in zip(tasks, rows, strict=True):
        twin = seen.setdefault(task.key, row)
        if twin is not row:
            names = " and ".join(repr(f"{each['variant']} in {each['game']}") for each in (twin, row))
            raise InvalidInput(f"{names} are the same run under two names: give it once.")


def _arenas(spec: SweepSpec) -> Iterator[list[_Setting]]:
    """The configurations of each game and opponent, which share a scene."""
    count = len(spec.games) * len(spec.opponents) * len(spec.learners) * len(spec.horizons) * len(spec.seeds)
    if count * max(1, len(spec.kernels)) > MOST_TASKS:
        raise InvalidInput(f"the axes give more than {MOST_TASKS:,} tasks: divide the sweep into several.")
    scripts = {opponent: _script(opponent) for opponent in spec.opponents}
    for game, opponent in product(spec.games, spec.opponents):
        game_named(game.name)
        tables = tables_named(game.name)
        payoffs = None if tables is None else [tables.leader.tolist(), *(table.tolist() for table in tables.followers)]
        settings = [
            _Setting(game, opponent, choice, kernel, payoffs, scripts[opponent])
            for choice in spec.learners
            for kernel in _kernels(choice.learner, spec)
        ]
        for variant, times in Counter(setting.variant for setting in settings).items():
            if times > 1:
                raise InvalidInput(f"{times} learners with their kernels are called {variant!r}: give other labels.")
        yield settings


def _kernels(learner: LearnerSpec, spec: SweepSpec) -> Sequence[KernelChoice | None]:
    if not spec.kernels or "kernel" not in LEARNERS.takes(learner.kind):
        return [None]
    if learner.kernel is not None:
        raise InvalidInput(f"learner {learner.label!r} has a kernel of its own beside the axis kernels: give one only.")
    return spec.kernels


def _script(opponent: str) -> str | None:
    """The hash of the file of types, which decides as much as its name does."""
    kind, _, path = opponent.partition(":")
    if kind != "script":
        return None
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError as error:
        raise InvalidInput(f"opponent {opponent!r} cannot be read: {error.strerror}.") from None


def _tasks(
    setting: _Setting, rows: list[dict[str, Any]], keep: str, stage: tuple[Game, Opponent]
) -> Iterator[SweepTask]:
    game, opponent = stage
    experiment = setting.experiment(1, rows[0]["seed"])
    try:
        learner_for(experiment, experiment.learners[0], game, opponent, rows[0]["seed"])
    except InvalidInput as error:
        raise InvalidInput(
            f"learner {setting.choice.variant!r} in game {setting.game.variant!r} against {setting.opponent!r}: {error}"
        ) from None
    family = f"{setting.choice.learner.kind} {setting.game.variant} {setting.opponent}"
    for horizon, neighbours in groupby(rows, lambda row: row["horizon"]):
        fields = setting.document(horizon, keep)
        for row in neighbours:
            yield SweepTask(canonical(fields | {"seed": row["seed"]}), horizon, family)


@dataclass(frozen=True)
class _Gaps:
    """What is left out: each gap names fields and the values at which a run lies in it."""

    gaps: list[dict[str, list[Any]]]
    used: list[int]

    @classmethod
    def of(cls, spec: SweepSpec) -> "_Gaps":
        parameters = {f"game_{name}" for choice in spec.games for name in choice.parameters}
        known = [*AXES, *NUMBERS, *sorted(parameters)]
        for name in (name for gap in spec.leave_out for name in gap):
            if name not in known:
                raise unknown_name("field of leave_out", name, known)
        gaps = [{name: v if isinstance(v, list) else [v] for name, v in gap.items()} for gap in spec.leave_out]
        return cls(gaps, [0] * len(gaps))

    def hold(self, row: dict[str, Any]) -> bool:
        """Whether a run lies in one of them."""
        inside = [all(row.get(name) in values for name, values in gap.items()) for gap in self.gaps]
        for i, yes in enumerate(inside):
            self.used[i] += yes
        return any(inside)

    def check(self, tasks: int) -> None:
        """Refuse a gap that no run lies in, and gaps that leave nothing."""
        if not tasks:
            raise InvalidInput("leave_out leaves out every task: leave some in.")
        for gap, used in zip(self.gaps, self.used, strict=True):
            if not used:
                raise InvalidInput(f"leave_out has {gap!r}, which no task matches: correct it, or remove it.")
