"""Curves over rounds, one for each learner: their record and their drawing."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from firstmover.errors import InvalidInput
from firstmover.intervals import mean_interval
from firstmover.plots.style import look
from firstmover.records import Matrix, Vector

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Curves:
    """Mean over seeds and half-width of its 95 % interval, (k, T) for k learners; NaN where one seed gives none."""

    ylabel: str
    learners: tuple[str, ...]
    t: Vector
    mean: Matrix
    half_width: Matrix

    @classmethod
    def of(cls, table: pl.DataFrame, column: str, ylabel: str) -> "Curves":
        """The curves of one column of the results."""
        runs = table.select("learner", "seed", "t", column).partition_by("learner", "seed", maintain_order=True)
        if len({len(run) for run in runs}) != 1:
            raise InvalidInput("table has runs of different lengths, or none: plot runs of one experiment together.")
        learners = tuple(dict.fromkeys(run["learner"][0] for run in runs))
        bands = [
            mean_interval(np.stack([run[column].to_numpy() for run in runs if run["learner"][0] == learner]))
            for learner in learners
        ]
        mean, half_width = (np.stack(part) for part in zip(*bands, strict=True))
        return cls(ylabel, learners, runs[0]["t"].to_numpy().astype(float), mean, half_width)


def draw_curves(curves: Curves, ax: "Axes") -> None:
    """One line a learner, told apart by colour, dash and marker, and its band."""
    every = max(1, len(curves.t) // 8)
    for i, learner in enumerate(curves.learners):
        style = look(i)
        start = (i * every) // len(curves.learners)  # markers of different lines stand apart
        ax.plot(curves.t, curves.mean[i], label=learner, markevery=(start, every), **style)
        if np.all(np.isfinite(curves.half_width[i])):
            low, high = curves.mean[i] - curves.half_width[i], curves.mean[i] + curves.half_width[i]
            ax.fill_between(curves.t, low, high, color=style["color"], alpha=0.15, linewidth=0)
    ax.set(xlabel="round t", ylabel=curves.ylabel, xlim=(1, max(2, curves.t[-1])))
    ax.legend(title="mean and 95 % band", loc="upper left", bbox_to_anchor=(1.0, 1.0))  # beside, never on, the data
