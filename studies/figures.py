"""Beyond the paper: rewards over the whole simplex, dynamic regret under drift, regret against adversaries."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from firstmover.figures.curves import Curves, draw_curves
from studies.simplex import reference

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SLOPE = -0.4
"""Of time-averaged regret over the horizon, both as logarithms: what is aimed at."""


FIRST_ROUND = 10
"""From which regret against adversaries is drawn: before, its interval reaches below 0, which has no logarithm."""


@dataclass(frozen=True)
class Panel:
    """Curves with a title; a level to compare with, or logarithmic axes with a line of the slope aimed at."""

    title: str
    words: str
    curves: Curves
    level: float | None = None
    logarithmic: bool = False


def beyond_panels(results: Mapping[str, pl.DataFrame]) -> list[Panel]:
    """The panels of those studies that were played."""
    panels = []
    if "simplex" in results:
        table = results["simplex"].with_columns(learner=pl.lit("commitment"))
        words = "Whole simplex: reward of a round, dotted the best mixture of all."
        panels.append(
            Panel("Whole simplex", words, Curves.of(table, "reward", "reward of a round"), reference().reward)
        )
    if "drift" in results:
        curves = Curves.of(results["drift"].rename({"menu": "seed"}), "dynamic_regret", "dynamic regret")
        words = "A camp that moves: regret against the best patrol of each round."
        panels.append(Panel("A camp that moves", words, curves))
    if "adversary" in results:
        table = results["adversary"].rename({"adversary": "learner"}).filter(pl.col("t") >= FIRST_ROUND)
        words = "Adversaries: regret of routing, dashed the slope −0.4 that was aimed at."
        curves = Curves.of(table, "time_averaged_regret", "R(t) / t")
        panels.append(Panel("Adversaries", words, curves, logarithmic=True))
    return panels


def draw_beyond(panels: list[Panel], figure: "Figure") -> None:
    """One panel beside the other."""
    for panel, ax in zip(panels, figure.subplots(1, len(panels), squeeze=False)[0], strict=True):
        draw_curves(panel.curves, ax)
        if panel.level is not None:
            ax.axhline(panel.level, color="0.35", linewidth=1, linestyle=":")
        if panel.logarithmic:
            t, start = panel.curves.t, panel.curves.mean[0, 0]
            ax.plot(t, start * (t / t[0]) ** SLOPE, color="0.35", linewidth=1, linestyle="--")
            ax.set(xscale="log", yscale="log")
        ax.set_title(panel.title)
        ax.legend(loc="best")
