"""The FIGURES table, which plugins extend: a plain record first, its drawing second.

`figure_of("regret", folder)` returns a matplotlib figure and `save` writes it; `FIGURES` lists what can be drawn.
"""

from importlib import import_module
from typing import Any

from firstmover.core.registry import Table
from firstmover.figures.entry import FigureEntry

FIGURES: Table[FigureEntry] = Table(
    "figure",
    {
        "regret": "firstmover.figures.curves:REGRET",
        "rewards": "firstmover.figures.curves:REWARDS",
        "entropy": "firstmover.figures.curves:ENTROPY",
        "bound": "firstmover.figures.bounds:BOUND",
        "split": "firstmover.figures.bounds:SPLIT",
        "gain": "firstmover.figures.bounds:GAIN",
        "band": "firstmover.figures.coverage:BAND",
        "reliability": "firstmover.figures.coverage:RELIABILITY",
        "coverage": "firstmover.figures.coverage:COVERAGE",
        "demand": "firstmover.figures.demand:DEMAND",
        "figure-1": "firstmover.paper.figures:FIGURE_1",
        "figure-2": "firstmover.paper.figures:FIGURE_2",
        "figure-3": "firstmover.paper.figures:FIGURE_3",
        "menus": "firstmover.paper.figures:MENUS_FIGURE",
    },
)
"""Figures of a folder of results, by name; installed packages add theirs through the group `firstmover.figures`."""

_NAMES = {"curves": "Curves draw_curves entropy_curves regret_curves reward_curves", "files": "drawn figure_of save"}
_MODULE_OF = {name: f"{__name__}.{module}" for module, names in _NAMES.items() for name in names.split()}

__all__ = sorted(["FIGURES", "FigureEntry", *_MODULE_OF])  # noqa: PLE0605 - a list of strings


def __getattr__(name: str) -> Any:
    """Import a public name on first use: matplotlib and polars are slow to import."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_MODULE_OF[name]), name)
