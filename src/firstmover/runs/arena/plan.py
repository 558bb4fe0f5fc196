"""The tasks of the arena: every learner on every instance that it can play, with the same seeds."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from time import process_time
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from firstmover.core.arrays import MOST_ROUNDS, as_count
from firstmover.core.errors import InvalidInput, counted
from firstmover.core.files import canonical_json, sources_hash, text_hash
from firstmover.core.plugins import plugin_sources
from firstmover.games.routing.cities import stored_file
from firstmover.games.routing.city_game import BUILT_IN
from firstmover.learners import LEARNERS
from firstmover.runs.arena.contestants import (
    AUTO,
    ENTRANTS,
    HAND,
    check_learner,
    contestant,
    is_told_rewards,
    objection,
)
from firstmover.runs.arena.instances import CITY, Described, Place, described, instance_of
from firstmover.runs.spec import read_seeds
from firstmover.runs.store import Manifest
from firstmover.runs.task import LIBRARIES, PACKAGES, code_hash, file_hashes, kept, table_with_regret
from firstmover.simulation import play_run

KIND = "arena"
"""The kind of manifest of a folder of the arena."""

ROUNDS, SEEDS = 250, 10

QUICK_ROUNDS, QUICK_SEEDS, QUICK_INSTANCES = 100, 3, 1
"""Rounds, seeds, and instances of each family of a quick arena."""


@dataclass(frozen=True)
class ArenaTask:
    """One run of one learner on one instance."""

    place: Place
    learner: str
    seed: int
    rounds: int

    @property
    def label(self) -> str:
        """The learner's name."""
        return self.learner

    @property
    def fields(self) -> dict[str, Any]:
        """The document that decides the result."""
        return self.place._asdict() | {"learner": self.learner, "seed": self.seed, "rounds": self.rounds}

    def play(self) -> pl.DataFrame:
        """Play the run: one row per round, with the range of rewards and the processor time per round.

        The time is that of the game loop: learner and opponent, without what was built and fitted beforehand.
        """
        instance = instance_of(*self.place)
        game, opponent = instance.game, instance.opponent
        learner = contestant(self.learner, *self.place, self.rounds)
        started = process_time()
        run = play_run(game, opponent, learner, self.rounds, self.seed)
        spent = process_time() - started
        assert game.reward_range is not None
        return table_with_regret(game, opponent, run, self.seed, self.label).with_columns(
            reward_range=pl.lit(float(np.ptp(game.reward_range))), cpu_ms=pl.lit(1e3 * spent / self.rounds)
        )

    def kept(self, table: pl.DataFrame) -> pl.DataFrame:
        """The last round, with the range of rewards and the processor time."""
        return pl.concat([kept(table, "summary"), table.select("reward_range", "cpu_ms").tail(1)], how="horizontal")


class LeftOut(NamedTuple):
    """A learner that does not play an instance, and why."""

    learner: str
    family: str
    instance: int
    reason: str


@dataclass(frozen=True, eq=False)
class ArenaPlan:
    """All tasks of an arena, and the learners that are left out of some instances."""

    learners: tuple[str, ...]
    instances: dict[Place, Described]
    rounds: int
    seeds: tuple[int, ...]
    tasks: tuple[ArenaTask, ...]
    left_out: tuple[LeftOut, ...]

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """The names of the results: hashes of all that decides them.

        Plugins decide the results of learners that they added, and of no others: those are kept when a plugin changes.
        """
        own, everything = code_hash(with_plugins=False), code_hash()
        code = {name: own if _is_built_in(name) else everything for name in self.learners}
        data = {place: _data(place) for place in self.instances}
        return tuple(
            text_hash(f"{code[task.learner]}\n{data[task.place]}\n{canonical_json(task.fields)}") for task in self.tasks
        )

    @cached_property
    def table(self) -> pl.DataFrame:
        """One row per task: key, hash of its document, learner and instance."""
        rows = [
            {
                "key": key,
                "document": text_hash(canonical_json(task.fields)),
                "learner": task.learner,
                "variant": task.learner,
                "game": f"{task.place.family} {task.place.instance}",
                "opponent": self.instances[task.place].words,
                "horizon": task.rounds,
                "seed": task.seed,
                **task.place._asdict(),
            }
            for key, task in zip(self.keys, self.tasks, strict=True)
        ]
        return pl.DataFrame(rows)

    @property
    def manifest(self) -> Manifest:
        """The manifest of the folder of its results, with the versions of all code that decides them."""
        title = (
            f"{counted(len(self.learners), 'learner')} on {counted(len(self.instances), 'instance')}, "
            f"{counted(self.rounds, 'round')}, {counted(len(self.seeds), 'seed')}"
        )
        spec = {"learners": self.learners, "instances": list(self.instances)}
        notes = {
            "left_out": [each._asdict() for each in self.left_out],
            "told_rewards": [name for name in self.learners if is_told_rewards(name)],
            "versions": {name: version(name) for name in ("firstmover", *LIBRARIES)},
            "sources": sources_hash(PACKAGES),
            "plugins": {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in plugin_sources()},
        }
        return Manifest(KIND, title, spec, self.learners, self.seeds, self.rounds, notes, keep="summary")


def arena_plan(
    places: Sequence[Place], learners: Sequence[str] = ENTRANTS, rounds: int = ROUNDS, seeds: int = SEEDS
) -> ArenaPlan:
    """Return all tasks of learners on instances; `auto` always plays, since others are compared with it.

    >>> plan = arena_plan([Place("kiosk", 9000)], ["exp3", "single-type"], rounds=9, seeds=2)
    >>> [(task.learner, task.seed) for task in plan.tasks]
    [('auto', 0), ('auto', 1), ('exp3', 0), ('exp3', 1)]
    >>> plan.left_out[0].reason
    'it plays against one known type only'
    """
    rounds, numbers = as_count("rounds", rounds, most=MOST_ROUNDS), read_seeds(seeds)
    names = tuple(dict.fromkeys([AUTO, *learners]))
    for name in names:
        check_learner(name)
    if not places:
        raise InvalidInput("There is no instance to play: name a family or a city.")
    instances = {place: described(place) for place in places}
    tasks: list[ArenaTask] = []
    left_out = []
    for place, (_, game) in instances.items():
        for name in names:
            if reason := objection(name, place.family, game):
                left_out.append(LeftOut(name, *place, reason))
            else:
                tasks += [ArenaTask(place, name, seed, rounds) for seed in numbers]
    return ArenaPlan(names, instances, rounds, numbers, tuple(tasks), tuple(left_out))


def _is_built_in(name: str) -> bool:
    kind = name.partition(":")[0]
    return name == HAND or (kind not in LEARNERS.added and kind not in LEARNERS.packages)


def _data(place: Place) -> str:
    """The hash of the file of an added city; nothing for all other instances."""
    city = place.family.removeprefix(CITY)
    if not place.family.startswith(CITY) or city == BUILT_IN:
        return ""
    return canonical_json(file_hashes({"city": str(stored_file(city))}))
