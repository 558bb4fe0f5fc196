"""Presets: the paper's experiments as TOML files in which every difference of reading is a named switch."""

import json
import tomllib
from importlib.resources import files
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import Field

from firstmover.errors import unknown_name
from firstmover.specification import Specification

Reading = Literal["paper", "released"]
READINGS: tuple[Reading, ...] = ("paper", "released")
Deviation = Literal["posterior", "with noise"]

Item = TypeVar("Item")
Several = Annotated[tuple[Item, ...], Field(strict=False)]
"""A list in TOML, a tuple here, so that presets can be compared and hashed."""


class Preset(Specification):
    """One experiment of the paper under one reading."""

    @classmethod
    def load(cls, game: str, reading: str) -> Self:
        """The preset that ships with the package."""
        if reading not in READINGS:
            raise unknown_name("preset", reading, READINGS)
        text = (files("firstmover.experiments") / "presets" / f"{game}-{reading}.toml").read_text(encoding="utf-8")
        return cls.read(tomllib.loads(text))

    def stored(self) -> dict[str, Any]:
        """The fields as a manifest keeps them: plain JSON, which has no infinite numbers."""
        return dict(json.loads(self.model_dump_json()))

    @classmethod
    def restored(cls, fields: dict[str, Any]) -> Self:
        """The preset that a manifest keeps."""
        return cls.read({name: float("inf") if value == "Infinity" else value for name, value in fields.items()})
