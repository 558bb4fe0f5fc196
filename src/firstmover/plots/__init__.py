"""Record first, draw second: what a figure shows is a plain value; drawing it needs no more than an axis."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from firstmover.plots.curves import Curves, draw_curves
from firstmover.plots.regret import regret_curves
from firstmover.plots.rewards import reward_curves

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PLOTS", "Curves", "PlotEntry", "draw_curves", "regret_curves", "reward_curves"]


@dataclass(frozen=True)
class PlotEntry:
    """A line of the table: what it shows, which columns of the results it reads, its record and its drawing."""

    summary: str
    columns: tuple[str, ...]
    record: Callable[[pl.DataFrame], Curves]
    draw: "Callable[[Curves, Axes], None]"


PLOTS: dict[str, PlotEntry] = {
    "regret": PlotEntry(
        "time-averaged regret R(t) / t of each learner, with 95 % bands over seeds",
        ("learner", "seed", "t", "time_averaged_regret"),
        regret_curves,
        draw_curves,
    ),
    "rewards": PlotEntry(
        "time-averaged reward of each learner, with 95 % bands over seeds",
        ("learner", "seed", "t", "reward"),
        reward_curves,
        draw_curves,
    ),
}
