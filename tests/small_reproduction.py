"""The whole reproduction, made small: few rounds, patrols, β and menus, so that it takes seconds."""

from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from firstmover.cli import app
from firstmover.paper import experiments
from firstmover.paper.preset import Preset

SMALL: dict[str, dict[str, Any]] = {
    "routing": {"rounds": 12, "offline_points": 20, "range_pairs": 100},
    "wildlife": {
        "rounds": 12,
        "offline_points": 20,
        "history_points": 30,
        "mixed_patrols": 30,
        "widths": (0.1, 1.0),
        "reward_widths": (3.0,),
    },
}


def make_small(patch: pytest.MonkeyPatch) -> None:
    """Let every preset be a small one, and the study of menus have two."""
    load = Preset.load.__func__  # type: ignore[attr-defined]  # a class method's own function

    def load_small(cls: type[Preset], reading: str) -> Preset:
        loaded: Preset = load(cls, reading)
        return loaded.model_copy(update=SMALL[cls.game])

    patch.setattr(Preset, "load", classmethod(load_small))
    patch.setattr(experiments, "OTHER_MENUS", (0, 1))


def reproduce_small(out: Path, *arguments: str) -> Result:
    """What the command does and says."""
    with pytest.MonkeyPatch.context() as patch:
        make_small(patch)
        return CliRunner().invoke(app, ["reproduce", *arguments, "--out", str(out)])
