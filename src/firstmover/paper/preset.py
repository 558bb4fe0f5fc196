"""Presets of the paper's experiments, one TOML document each, and the runs that a preset describes.

Every difference between the paper's text and the program that its authors released is a field of a preset.
"""

import json
import tomllib
from abc import ABC, abstractmethod
from dataclasses import dataclass
from importlib.resources import files
from typing import Annotated, Any, ClassVar, Generic, Literal, Self, TypeVar

import polars as pl
from pydantic import Field

from firstmover.beliefs.fitting import Fit
from firstmover.beliefs.noisy import WithNoise
from firstmover.core.contracts import Belief
from firstmover.core.documents import Specification
from firstmover.core.errors import unknown_name
from firstmover.core.records import Feedback
from firstmover.runs import Task
from firstmover.runs.setup import Stage
from firstmover.runs.task import table_with_regret
from firstmover.simulation.loop import play_run

READINGS = ("paper", "released")

OFFLINE_SEED = 0  # seed of the points to which hyperparameters are fitted

Item = TypeVar("Item")
Several = Annotated[tuple[Item, ...], Field(strict=False)]
"""A list in TOML, a tuple in Python, so that presets can be compared and hashed."""


def packaged(name: str) -> dict[str, Any]:
    """Return a TOML document that ships with the package."""
    return tomllib.loads((files("firstmover.paper") / name).read_text(encoding="utf-8"))


class Preset(Specification, ABC):
    """One experiment of the paper under one reading."""

    game: ClassVar[str]
    title: ClassVar[str]
    rounds: int
    noise_std: float
    offline_points: int
    deviation: Literal["posterior", "with noise"]
    first_observation: bool

    @classmethod
    def load(cls, reading: str) -> Self:
        """Return a preset that ships with the package."""
        if reading not in READINGS:
            raise unknown_name("preset", reading, READINGS)
        return cls.read(packaged(f"presets/{cls.game}-{reading}.toml"))

    def stored(self) -> dict[str, Any]:
        """Return the fields as plain JSON, which has no infinite numbers, for a manifest."""
        return dict(json.loads(self.model_dump_json()))

    @classmethod
    def restored(cls, fields: dict[str, Any]) -> Self:
        """Return the preset that a manifest holds."""
        return cls.read({name: float("inf") if value == "Infinity" else value for name, value in fields.items()})

    @abstractmethod
    def tasks(self, seeds: int) -> tuple[list[Task], dict[str, Any]]:
        """Return a task for every label and seed, and notes for the manifest."""

    def first_belief(self, prior: Belief, first: Feedback, noise_std: float) -> Belief:
        """Return the belief before round 1: the released program has one observation, and adds the noise to σ."""
        if self.first_observation:
            prior = prior.condition(first.action, first.opponent_type, first.response)
        return prior if self.deviation == "posterior" else WithNoise(prior, noise_std**2)


AnyPreset = TypeVar("AnyPreset", bound=Preset)


@dataclass(frozen=True)
class PaperTask(ABC, Generic[AnyPreset]):
    """One run of one learner under a preset; each game defines its stage."""

    preset: AnyPreset
    label: str
    seed: int

    @property
    def rounds(self) -> int:
        """T."""
        return self.preset.rounds

    @property
    def stream(self) -> int:
        """The seed of the random streams of actions, types and noise."""
        return self.seed

    @abstractmethod
    def stage(self) -> Stage:
        """Return the game, the opponent and the learner before round 1."""

    def play(self) -> pl.DataFrame:
        """Play the run and compute its regret: one row per round."""
        stage = self.stage()
        run = play_run(stage.game, stage.opponent, stage.learner, self.rounds, self.stream)
        return table_with_regret(stage.game, stage.opponent, run, self.seed, self.label)


def fit_notes(fits: dict[str, Fit]) -> dict[str, dict[str, Any]]:
    """Return fitted kernels and their log marginal likelihoods for a manifest."""
    return {name: {"kernel": str(fit.kernel), "log_likelihood": fit.log_likelihood} for name, fit in fits.items()}
