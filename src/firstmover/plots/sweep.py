"""Figure 3: how both algorithms fare in the park at every β."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from firstmover.experiments.published import published
from firstmover.experiments.results import Results
from firstmover.experiments.wildlife import GP_UCB, OURS
from firstmover.plots.curves import Curves, Overlay, draw_overlay
from firstmover.plots.style import ordered

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class SweepFigure:
    """Rewards over rounds at every β, of ours and of GP-UCB, and what the best patrol earns."""

    ours: Overlay
    gp_ucb: Overlay
    optimum: float


def sweep_figure(folder: Path) -> SweepFigure:
    """The record of a folder's runs."""
    results = Results.read(folder, "wildlife")
    ours, gp_ucb = (_overlay(results, algorithm) for algorithm in (OURS, GP_UCB))
    return SweepFigure(ours, gp_ucb, float(results.manifest.notes["optimum"]))


def _overlay(results: Results, algorithm: str) -> Overlay:
    runs = results.table.filter(pl.col("learner").str.starts_with(f"{algorithm} "))
    curves = Curves.of(runs, "reward", "reward of round t, mean over runs")
    return Overlay(curves, published().t, published().curves("reward", curves.learners))


def draw_sweep(record: SweepFigure, figure: "Figure") -> None:
    """Two panels on one scale, β from dark to light."""
    axes = figure.subplots(1, 2, sharey=True)
    for ax, overlay, title in zip(axes, (record.ours, record.gp_ucb), ("our algorithm", "GP-UCB"), strict=True):
        looks: list[dict[str, Any]] = [
            ordered(i, len(overlay.curves.learners)) for i in range(len(overlay.curves.learners))
        ]
        ax.axhline(record.optimum, color="black", linestyle="--", label=f"OPT ({record.optimum:.3f})")
        draw_overlay(overlay, ax, looks, bands=False)
        ax.set_title(title, fontsize="medium")
        handles, names = ax.get_legend_handles_labels()
        ax.legend(
            handles,
            [names[0], *(f"β = {name.rpartition(' ')[2]}" for name in names[1:])],
            title="lines: ours; open marks: published",
            loc="upper center",
            bbox_to_anchor=(0.5, -0.15),
            ncols=5,
            fontsize="small",
            title_fontsize="small",
        )
    axes[1].set_ylabel("")
    means = np.concatenate([record.ours.curves.mean.ravel(), record.gp_ucb.curves.mean.ravel(), [record.optimum]])
    axes[0].set_ylim(*_padded(float(means.min()), float(means.max())))


def _padded(low: float, high: float) -> tuple[float, float]:
    margin = 0.08 * (high - low or 1.0)
    return low - margin, high + margin
