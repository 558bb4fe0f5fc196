"""Figure 1: regret on Sioux Falls, and where the roads are full under three strategies."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from firstmover.experiments.congestion import STRATEGIES_SHOWN, Congestion, congestion_of
from firstmover.experiments.published import published
from firstmover.experiments.results import Results
from firstmover.games.network import Indices, Network
from firstmover.plots.curves import Overlay, draw_overlay
from firstmover.plots.regret import regret_curves
from firstmover.plots.style import look
from firstmover.records import Matrix, Vector

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure

REGRET_LIMIT = 150.0
"""The top of the regret's axis, as in the paper: routing nothing lies above it."""

LEAST_SHOWN = 0.01
"""Where the maps' logarithmic colours begin: less looks the same."""

_ORDER = ("StackelUCB poly3", "Hedge", "StackelUCB poly4", "Exp3", "shortest", "none", "StackelUCB poly5")
"""Each learner looks the same under every preset."""

_TITLES = {"shortest": "100 % by shortest route", "none": "0 % routed", "StackelUCB": "StackelUCB"}
_ASIDE, _GAP = 0.05, 0.1  # how far links keep from the straight line and from their nodes, in typical lengths


@dataclass(frozen=True)
class Maps:
    """The roads, as arrows from (E, 2) to (E, 2), and the time-averaged congestion of each under each strategy."""

    congestion: Congestion
    starts: Matrix
    ends: Matrix
    nodes: Matrix
    labels: Indices
    origin: int
    destination: int


@dataclass(frozen=True)
class RoutingFigure:
    """Both halves of the figure, and the total reward of each strategy on the maps."""

    regret: Overlay
    maps: Maps
    rewards: Vector


def routing_figure(folder: Path) -> RoutingFigure:
    """The record of a folder's runs."""
    results = Results.read(folder, "routing")
    curves = regret_curves(results.table)
    overlay = Overlay(curves, published().t, published().curves("regret", curves.learners))
    congestion = congestion_of(folder)
    rewards = np.array([results.totals(label).mean() for label in congestion.learners])
    return RoutingFigure(overlay, _maps(results, congestion), rewards)


def _maps(results: Results, congestion: Congestion) -> Maps:
    network, preset = congestion.network, results.preset
    starts, ends = arrows(network)
    rows = network.row(preset.origin), network.row(preset.destination)
    return Maps(congestion, starts, ends, network.positions, network.nodes, *rows)


def arrows(network: Network) -> tuple[Matrix, Matrix]:
    """Links drawn a little to the right of the straight line, so that both directions of a road show."""
    tail, head = network.positions[network.tails], network.positions[network.heads]
    along = head - tail
    unit = along / np.linalg.norm(along, axis=1, keepdims=True)
    typical = np.median(np.linalg.norm(along, axis=1))
    aside = _ASIDE * typical * np.stack([unit[:, 1], -unit[:, 0]], axis=1)
    gap = _GAP * typical * unit
    return tail + aside + gap, head + aside - gap


def draw_routing(record: RoutingFigure, figure: "Figure") -> None:
    """Regret on the left, the three maps on the right, as in the paper."""
    figure.set_layout_engine("none")  # the panels' places are known: searching for them takes a second
    draw_regret(record.regret, figure.add_axes((0.065, 0.27, 0.33, 0.64)))
    figure.legend(
        title="line and band: ours, mean and 95 %; open marks: published",
        loc="lower center",
        bbox_to_anchor=(0.215, 0.0),
        fontsize="small",
        title_fontsize="small",
        ncols=3,
        columnspacing=1.0,
    )
    _draw_maps(record, figure)


def draw_regret(overlay: Overlay, ax: "Axes") -> None:
    """R(t) / t with bands; what lies above the limit is named at the top."""
    names = overlay.curves.learners
    draw_overlay(overlay, ax, [look(_ORDER.index(name) if name in _ORDER else 7) for name in names])
    ax.set_ylim(0, REGRET_LIMIT)
    above = [f"{n}: {m:.0f}" for n, m in zip(names, overlay.curves.mean.min(axis=1), strict=True) if m > REGRET_LIMIT]
    if above:
        ax.text(0.02, 0.98, f"above the axis: {', '.join(above)}", transform=ax.transAxes, va="top", fontsize="small")


def _draw_maps(record: RoutingFigure, figure: "Figure") -> None:
    congestion = record.maps.congestion
    printed = published()
    for i, name in enumerate(STRATEGIES_SHOWN):
        ax = figure.add_axes((0.405 + 0.17 * i, 0.2, 0.17, 0.7))
        arrows = draw_map(record.maps, congestion.by_link[i], float(congestion.by_link.max()), ax)
        ax.set_title(_TITLES[name], fontsize="medium")
        ax.set_xlabel(
            f"average congestion {congestion.average[i]:.2f}\n(printed: {printed.printed_congestion[name]:.2f})\n"
            f"total reward {record.rewards[i]:,.0f}\n(printed: {printed.printed_reward[name]:,.0f})",
            fontsize="small",
        )
    bar = figure.colorbar(arrows, cax=figure.add_axes((0.922, 0.28, 0.01, 0.55)))
    bar.set_label("congestion of a link, time-averaged\n(extra time, in free-flow times)", fontsize="small")


def draw_map(maps: Maps, by_link: Vector, largest: float, ax: "Axes") -> "ScalarMappable":
    """One network: links coloured by congestion, the origin blue and the destination green."""
    along = maps.ends - maps.starts
    arrows = ax.quiver(
        *maps.starts.T,
        *along.T,
        np.maximum(by_link, LEAST_SHOWN),
        angles="xy",
        scale_units="xy",
        scale=1,
        width=0.02,
        headwidth=1.8,
        headlength=2,
        headaxislength=2,
        cmap="YlOrRd",
        edgecolor="0.45",
        linewidth=0.3,
        norm="log",
        clim=(LEAST_SHOWN, largest),
    )
    ax.plot(*maps.nodes.T, "o", markersize=4, color="white", markeredgecolor="0.4", markeredgewidth=0.7, zorder=3)
    for row, colour, shape in ((maps.origin, "#0072B2", "o"), (maps.destination, "#009E73", "D")):
        ax.plot(*maps.nodes[row], shape, markersize=8, color=colour, zorder=4)
        ax.annotate(str(maps.labels[row]), maps.nodes[row], (6, 5), textcoords="offset points", fontsize="small")
    ax.set(xticks=[], yticks=[], aspect="equal")
    ax.patch.set_visible(False)
    ax.spines[:].set_visible(False)
    ax.margins(0.08)
    return arrows
