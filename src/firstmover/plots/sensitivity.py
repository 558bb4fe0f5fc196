"""How regret depends on one parameter, β or η, in every arena of a sweep."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from firstmover.intervals import mean_interval
from firstmover.plots.style import look
from firstmover.records import Vector
from firstmover.sweeps.collect import ARENA

if TYPE_CHECKING:
    from matplotlib.figure import Figure

AXES = {"confidence_width": "β", "rate_factor": "η, as a multiple of its value in the theorem"}
"""Parameters whose influence is shown, and how their axis is called."""

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
    panels: dict[str, tuple[Line, ...]] = {}
    done = runs.filter(pl.col("state") == "done", pl.col(parameter).is_not_null())
    others = [name for name in _OTHERS if name != parameter]
    for part in done.partition_by(*ARENA, maintain_order=True):
        groups = [g for g in part.partition_by(*others, maintain_order=True) if g[parameter].n_unique() > 1]
        told = [name for name in others if pl.concat(groups)[name].n_unique() > 1] if groups else []
        if groups:
            panels[arena_title(part)] = tuple(_line(group, parameter, told) for group in groups)
    return Sensitivity(parameter, panels)


def arena_title(part: pl.DataFrame) -> str:
    """What the runs of an arena have in common."""
    game, opponent, horizon = part.select(ARENA).row(0)
    return f"{game}, {opponent}, {horizon} rounds"


def _line(group: pl.DataFrame, parameter: str, told: Sequence[str]) -> Line:
    signs = {"confidence_width": "β ", "rate_factor": "η × ", "regularization": "λ "}
    label = ", ".join(f"{signs.get(name, '')}{group[name][0]}" for name in told) or str(group["learner"][0])
    points = group.sort(parameter).partition_by(parameter, maintain_order=True)
    found = [mean_interval(point["regret"].to_numpy()[:, None]) for point in points]
    values = np.array([point[parameter][0] for point in points])
    return Line(label, values, np.array([mean[0] for mean, _ in found]), np.array([half[0] for _, half in found]))


def draw_sensitivity(record: Sensitivity, figure: "Figure") -> None:
    """A panel for each arena, three in a row; the parameter on a logarithmic axis where it is positive."""
    columns = min(3, len(record.panels))
    axes = figure.subplots(-(-len(record.panels) // columns), columns, squeeze=False).ravel()
    for ax, (title, lines) in zip(axes, record.panels.items(), strict=False):
        for i, line in enumerate(lines):
            half = np.where(np.isfinite(line.half_width), line.half_width, 0.0)
            ax.errorbar(line.values, line.mean, yerr=half, label=line.label, capsize=2, **look(i))
        if all(np.all(line.values > 0) for line in lines):
            ax.set_xscale("log")
            ticks = sorted({float(value) for line in lines for value in line.values})
            ax.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
            ax.minorticks_off()
        ax.set_title(title, fontsize="medium")
        ax.set(xlabel=AXES[record.parameter], ylabel="regret R(T)")
        ax.legend(fontsize="small")
    for ax in axes[len(record.panels) :]:
        ax.set_visible(False)
