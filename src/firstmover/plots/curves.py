"""Curves over rounds, one for each learner: their record and their drawing."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from firstmover.errors import InvalidInput
from firstmover.intervals import mean_interval
from firstmover.plots.style import look, round_axis
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


@dataclass(frozen=True)
class Overlay:
    """Our curves, and the published values of the same learners (k, rounds) at a few rounds; NaN where none exist."""

    curves: Curves
    t: Vector
    published: Matrix


def draw_curves(curves: Curves, ax: "Axes") -> None:
    """One line a learner, told apart by colour, dash and marker, and its band."""
    every = max(1, len(curves.t) // 8)
    for i, learner in enumerate(curves.learners):
        start = (i * every) // len(curves.learners)  # markers of different lines stand apart
        ax.plot(curves.t, curves.mean[i], label=learner, markevery=(start, every), **look(i))
        draw_band(curves, i, ax, look(i)["color"])
    round_axis(ax, curves.t)
    ax.set_ylabel(curves.ylabel)
    ax.legend(title="mean and 95 % band", loc="upper left", bbox_to_anchor=(1.0, 1.0))  # beside, never on, the data


def draw_band(curves: Curves, i: int, ax: "Axes", colour: str) -> None:
    """The 95 % band of one learner, where there is one."""
    if np.all(np.isfinite(curves.half_width[i])):
        low, high = curves.mean[i] - curves.half_width[i], curves.mean[i] + curves.half_width[i]
        ax.fill_between(curves.t, low, high, color=colour, alpha=0.15, linewidth=0)


def draw_overlay(overlay: Overlay, ax: "Axes", looks: Sequence[dict[str, Any]], *, bands: bool = True) -> None:
    """Our means as lines with their bands, published values as open marks of the same colour."""
    curves = overlay.curves
    for i, (learner, style) in enumerate(zip(curves.learners, looks, strict=True)):
        line = style | {"marker": "none"}
        mark = style | {"linestyle": "none", "markerfacecolor": "none", "clip_on": False}
        ax.plot(curves.t, curves.mean[i], **line)
        ax.plot(overlay.t, overlay.published[i], **mark)
        ax.plot([], [], label=learner, **style | {"markerfacecolor": "none"})  # the legend's line with a mark
        if bands:
            draw_band(curves, i, ax, style["color"])
    round_axis(ax, curves.t)
    ax.set_ylabel(curves.ylabel)


def published_note(overlay: Overlay) -> str:
    """What the legend says of the open marks."""
    return "open marks: published" if np.isfinite(overlay.published).any() else "published rewards: on another scale"
