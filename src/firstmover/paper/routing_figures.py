"""Figure 1: regret on Sioux Falls, and the congestion of each link under three strategies."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from numpy.typing import NDArray

from firstmover.core.records import Matrix, Vector
from firstmover.figures.curves import Overlay, draw_overlay, regret_curves
from firstmover.figures.entry import FigureEntry
from firstmover.figures.style import look
from firstmover.games.routing.map import arrows
from firstmover.games.routing.network import Indices, Network
from firstmover.paper.published import published
from firstmover.paper.results import COLUMNS, Results
from firstmover.paper.routing import RoutingSetup, routing_setup, shortest_plan

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure

ROUTING_COLUMNS = (*COLUMNS, "opponent_type")

STRATEGIES_SHOWN = {"shortest": "100 % by shortest route", "none": "0 % routed", "StackelUCB": "StackelUCB"}
"""The columns of the paper's table, in its order, with their titles."""

REGRET_LIMIT = 150.0
"""The upper end of the regret axis, as in the paper; `none` lies above it."""

LEAST_SHOWN = 0.01
"""The lower end of the maps' logarithmic colour scale."""

_ORDER = ("StackelUCB poly3", "Hedge", "StackelUCB poly4", "Exp3", "shortest", "none", "StackelUCB poly5")
"""A fixed line style for each learner under every preset."""


@dataclass(frozen=True)
class Congestion:
    """Time-averaged congestion over all runs.

    Parameters
    ----------
    network
        The roads.
    learners
        The label of the runs of each of `STRATEGIES_SHOWN`.
    by_link
        Of each link (3, E), users responding to each strategy.
    average
        The mean over the links (3,).
    users_kept
        The same mean of each run (3, seeds) if users respond to StackelUCB's plans whatever the operator plays: the
        printed row was computed in this way, from one run.
    """

    network: Network
    learners: tuple[str, ...]
    by_link: Matrix
    average: Vector
    users_kept: Matrix


def congestion_of(results: Results) -> Congestion:
    """Compute the congestion of stored runs, which include the column `opponent_type`."""
    setup = routing_setup(results.preset)
    ours = next(label for label in results.manifest.labels if label.startswith("StackelUCB"))
    learners = ("shortest", "none", ours)
    rounds = [_actions_and_demands(results.table, label) for label in learners]
    by_round = [link_congestion(setup, actions, demands) for actions, demands in rounds]
    by_link = np.stack([congestion.mean(axis=0) for congestion in by_round])
    fixed = (shortest_plan(setup.plans), 0)
    kept = [_users_kept(setup, rounds[2][0], by_round[2], action) for action in fixed] + [by_round[2].mean(axis=1)]
    users_kept = np.stack(kept).reshape(3, results.seeds, -1).mean(axis=2)
    return Congestion(setup.users.network, learners, by_link, by_link.mean(axis=1), users_kept)


def link_congestion(setup: RoutingSetup, actions: NDArray[np.int64], demands: Matrix) -> Matrix:
    """c_e(z) of each round (T, E), computed plan by plan."""
    congestion = np.empty((len(actions), setup.users.network.n_links))
    for action in np.unique(actions):
        chosen = actions == action
        congestion[chosen] = setup.users.congestion_batch(setup.game.actions[[action]], demands[chosen])[:, 0]
    return congestion


def _actions_and_demands(table: pl.DataFrame, label: str) -> tuple[NDArray[np.int64], Matrix]:
    """The plans (T,) and demands (T, p) of all runs of a learner."""
    runs = table.filter(pl.col("learner") == label)
    return runs["action"].to_numpy(), runs["opponent_type"].explode().to_numpy().reshape(len(runs), -1)


def _users_kept(setup: RoutingSetup, actions: NDArray[np.int64], congestion: Matrix, other: int) -> Vector:
    """The average congestion of each round (T,) with another plan and the same routes of the users: z − x + x'."""
    plans = setup.game.actions / setup.users.network.capacity
    loads = (congestion / 0.15) ** 0.25 - plans[actions] + plans[other]
    return np.asarray(np.mean(0.15 * loads**4, axis=1))


@dataclass(frozen=True)
class Maps:
    """The roads as arrows from (E, 2) to (E, 2), and the time-averaged congestion of each under each strategy."""

    congestion: Congestion
    starts: Matrix
    ends: Matrix
    nodes: Matrix
    labels: Indices
    origin: int
    destination: int


@dataclass(frozen=True)
class RoutingFigure:
    """Both halves of the figure, and the mean total reward of each strategy on the maps."""

    regret: Overlay
    maps: Maps
    rewards: Vector


def routing_figure(folder: Path) -> RoutingFigure:
    """Return the record of a folder's runs."""
    results = Results.read(folder, "routing", ROUTING_COLUMNS)
    return routing_record(results, congestion_of(results))


def routing_record(results: Results, congestion: Congestion) -> RoutingFigure:
    """Return the record of runs whose congestion is known."""
    network, preset = congestion.network, results.preset
    curves = regret_curves(results.table)
    overlay = Overlay(curves, published().t, published().curves("regret", curves.learners))
    rows = network.row(preset.origin), network.row(preset.destination)
    maps = Maps(congestion, *arrows(network), network.positions, network.nodes, *rows)
    return RoutingFigure(overlay, maps, np.array([results.totals(label).mean() for label in congestion.learners]))


def draw_routing(record: RoutingFigure, figure: "Figure") -> None:
    """Draw the regret on the left and the three maps on the right, as in the paper."""
    figure.set_layout_engine("none")  # the positions of the panels are fixed: constrained layout takes a second
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
    """Draw R(t) / t with bands; learners above the limit are listed at the top."""
    names = overlay.curves.learners
    draw_overlay(overlay, ax, [look(_ORDER.index(name) if name in _ORDER else 7) for name in names])
    ax.set_ylim(0, REGRET_LIMIT)
    above = [f"{n}: {m:.0f}" for n, m in zip(names, overlay.curves.mean.min(axis=1), strict=True) if m > REGRET_LIMIT]
    if above:
        ax.text(0.02, 0.98, f"above the axis: {', '.join(above)}", transform=ax.transAxes, va="top", fontsize="small")


def _draw_maps(record: RoutingFigure, figure: "Figure") -> None:
    congestion = record.maps.congestion
    printed = published()
    for i, (name, title) in enumerate(STRATEGIES_SHOWN.items()):
        ax = figure.add_axes((0.405 + 0.17 * i, 0.2, 0.17, 0.7))
        arrows = draw_map(record.maps, congestion.by_link[i], float(congestion.by_link.max()), ax)
        ax.set_title(title, fontsize="medium")
        ax.set_xlabel(
            f"average congestion {congestion.average[i]:.2f}\n(printed: {printed.printed_congestion[name]:.2f})\n"
            f"total reward {record.rewards[i]:,.0f}\n(printed: {printed.printed_reward[name]:,.0f})",
            fontsize="small",
        )
    bar = figure.colorbar(arrows, cax=figure.add_axes((0.922, 0.28, 0.01, 0.55)))
    bar.set_label("congestion of a link, time-averaged\n(extra time, in free-flow times)", fontsize="small")


def draw_map(maps: Maps, by_link: Vector, largest: float, ax: "Axes") -> "ScalarMappable":
    """Draw one network: links coloured by congestion, the origin blue and the destination green."""
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


FIGURE_1 = FigureEntry(
    "routing: regret of each learner, and maps of the congestion that three strategies cause",
    routing_figure,
    draw_routing,
    (12.0, 5.0),
)
