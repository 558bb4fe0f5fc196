"""Presets: the paper's experiments as TOML documents in which every difference between text and program is a switch."""

import json
import tomllib
from importlib.resources import files
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import Field

from firstmover.core.documents import Specification
from firstmover.core.errors import unknown_name

Reading = Literal["paper", "released"]
READINGS: tuple[Reading, ...] = ("paper", "released")
Deviation = Literal["posterior", "with noise"]

Item = TypeVar("Item")
Several = Annotated[tuple[Item, ...], Field(strict=False)]
"""A list in TOML, a tuple in Python, so that presets can be compared and hashed."""


class Preset(Specification):
    """One experiment of the paper under one reading."""

    @classmethod
    def load(cls, game: str, reading: str) -> Self:
        """Return a preset that ships with the package."""
        if reading not in READINGS:
            raise unknown_name("preset", reading, READINGS)
        text = (files("firstmover.paper") / "presets" / f"{game}-{reading}.toml").read_text(encoding="utf-8")
        return cls.read(tomllib.loads(text))

    def stored(self) -> dict[str, Any]:
        """Return the fields as plain JSON, which has no infinite numbers, for a manifest."""
        return dict(json.loads(self.model_dump_json()))

    @classmethod
    def restored(cls, fields: dict[str, Any]) -> Self:
        """Return the preset that a manifest holds."""
        return cls.read({name: float("inf") if value == "Infinity" else value for name, value in fields.items()})
