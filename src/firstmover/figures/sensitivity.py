"""The dependence of regret on one parameter, β or η, in every arena of a sweep."""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from firstmover.core.arrays import Vector
from firstmover.figures.style import look
from firstmover.runs.grid import ARENA
from firstmover.simulation.intervals import mean_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

AXES = {"confidence_width": "β", "rate_factor": "η, as a multiple of its value in the theorem"}
"""Parameters whose influence is shown, and the names of their axes."""

WIDTH = 38
"""Characters of a panel's title that fit above it in one line."""

_OTHERS = ("learner", "kernel", "strategy", "confidence_width", "rate_factor", "regularization")


@dataclass(frozen=True)
class Line:
    """Mean regret over seeds and half-width of its 95 % interval at each value of a parameter."""

    label: str
    values: Vector
    mean: Vector
    half_width: Vector


@dataclass(frozen=True)
class Sensitivity:
    """The lines of each arena, by its title."""

    parameter: str
    panels: dict[str, tuple[Line, ...]]


def sensitivity(runs: pl.DataFrame, parameter: str) -> Sensitivity:
    """One line for all runs that differ in the parameter and the seed alone; arenas without any are left out."""
    done = runs.filter(pl.col("state") == "done", pl.col(parameter).is_not_null())
    others = [name for name in _OTHERS if name != parameter]
    groups = [g for g in done.partition_by(*ARENA, *others, maintain_order=True) if g[parameter].n_unique() > 1]
    arenas = pl.concat(groups).partition_by(*ARENA) if groups else []
    varied = [name for name in others if any(arena[name].n_unique() > 1 for arena in arenas)]
    panels: dict[str, tuple[Line, ...]] = {}
    for group in groups:
        title = arena_title(group)
        panels[title] = (*panels.get(title, ()), _line(group, parameter, varied))
    return Sensitivity(parameter, panels)


def arena_title(part: pl.DataFrame) -> str:
    """The game, opponent and horizon of an arena."""
    game, opponent, horizon = part.select(ARENA).row(0)
    return f"{game}, {opponent}, {horizon} rounds"


def _line(group: pl.DataFrame, parameter: str, varied: Sequence[str]) -> Line:
    signs = {"confidence_width": "β ", "rate_factor": "η × ", "regularization": "λ "}
    label = ", ".join(f"{signs.get(name, '')}{group[name][0]}" for name in varied) or str(group["learner"][0])
    points = group.sort(parameter).partition_by(parameter, maintain_order=True)
    found = [mean_interval(point["regret"].to_numpy()[:, None]) for point in points]
    values = np.array([point[parameter][0] for point in points])
    return Line(label, values, np.array([mean[0] for mean, _ in found]), np.array([half[0] for _, half in found]))


def draw_sensitivity(record: Sensitivity, figure: "Figure") -> None:
    """A panel for each arena, three in a row; the parameter on a logarithmic axis where it is positive."""
    columns = min(3, len(record.panels))
    axes = figure.subplots(-(-len(record.panels) // columns), columns, squeeze=False).ravel()
    labels = list(dict.fromkeys(line.label for lines in record.panels.values() for line in lines))
    for ax, (title, lines) in zip(axes, record.panels.items(), strict=False):
        for line in lines:
            half = np.where(np.isfinite(line.half_width), line.half_width, 0.0)
            ax.errorbar(line.values, line.mean, yerr=half, capsize=2, **look(labels.index(line.label)))
        _scale(ax, sorted({float(value) for line in lines for value in line.values}))
        ax.set_title(fill(title, WIDTH), fontsize="medium")
        ax.set(xlabel=AXES[record.parameter], ylabel="regret R(T)")
    for ax in axes[len(record.panels) :]:
        ax.set_visible(False)
    handles = [axes[0].plot([], [], **look(i))[0] for i in range(len(labels))]
    figure.legend(handles, labels, loc="outside lower center", ncols=min(5, len(labels)))


def _scale(ax: "Axes", values: list[float]) -> None:
    """A tick at every value."""
    if values[0] > 0:
        ax.set_xscale("log")
        ax.minorticks_off()
    ax.set_xticks(values, [f"{value:g}" for value in values])
