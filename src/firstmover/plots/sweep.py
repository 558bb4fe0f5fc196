"""Figure 3: how both algorithms fare in the park at every β."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from firstmover.experiments.published import published
from firstmover.experiments.results import Results
from firstmover.experiments.wildlife import GP_UCB, OURS
from firstmover.plots.curves import Curves, Overlay, draw_overlay, published_note
from firstmover.plots.park import published_rewards
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
    return Overlay(curves, published().t, published_rewards(results, curves.learners))


def draw_sweep(record: SweepFigure, figure: "Figure") -> None:
    """Two panels on one scale, β from dark to light."""
    figure.set_layout_engine("none")  # the panels' places are known: searching for them takes a second
    overlays = {"our algorithm": record.ours, "GP-UCB": record.gp_ucb}
    for i, (title, overlay) in enumerate(overlays.items()):
        ax = figure.add_axes((0.075 + 0.475 * i, 0.3, 0.435, 0.6))
        count = len(overlay.curves.learners)
        ax.axhline(record.optimum, color="black", linestyle="--", label=f"OPT ({record.optimum:.3f})")
        draw_overlay(overlay, ax, [ordered(k, count) for k in range(count)], bands=False)
        ax.set_title(title, fontsize="medium")
        ax.set(ylim=_scale(record), ylabel="" if i else overlay.curves.ylabel)
        ax.tick_params(labelleft=i == 0)
        handles, names = ax.get_legend_handles_labels()
        figure.legend(
            handles,
            [names[0], *(f"β = {name.rpartition(' ')[2]}" for name in names[1:])],
            title=f"lines: ours; {published_note(overlay)}",
            loc="lower center",
            bbox_to_anchor=(0.29 + 0.475 * i, 0.0),
            ncols=5,
            fontsize="small",
            title_fontsize="small",
        )


def _scale(record: SweepFigure) -> tuple[float, float]:
    """One for both panels, with room above and below."""
    means = np.concatenate([record.ours.curves.mean.ravel(), record.gp_ucb.curves.mean.ravel(), [record.optimum]])
    margin = 0.08 * (np.ptp(means) or 1.0)
    return float(means.min() - margin), float(means.max() + margin)
