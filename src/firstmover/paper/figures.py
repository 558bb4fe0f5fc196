"""Figures 1 to 3 of the paper and the figure of other menus: a record of stored runs first, its drawing second."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from firstmover.core.arrays import Matrix, Vector
from firstmover.figures.curves import Curves, Overlay, draw_overlay, published_note, regret_curves
from firstmover.figures.entry import FigureEntry
from firstmover.figures.style import COLOURS, legend_beside, look, ordered, round_axis
from firstmover.games.routing.road_panels import link_ends
from firstmover.paper.experiments import MENUS
from firstmover.paper.menus import menus_of
from firstmover.paper.results import LAST_ROUNDS, PUBLISHED, STRATEGIES_SHOWN, Congestion, Results, published_curves
from firstmover.paper.wildlife import GP_UCB, OURS, wildlife_setup

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure

REGRET_LIMIT = 150.0  # upper end of the regret axis, as in the paper; `none` lies above it
LEAST_SHOWN = 0.01  # lower end of the maps' logarithmic colour scale

_ORDER = ("StackelUCB poly3", "Hedge", "StackelUCB poly4", "Exp3", "shortest", "none", "StackelUCB poly5")
"""A fixed line style for each learner under every preset."""

_RESOLUTION = 200  # points per side of the density image


@dataclass(frozen=True)
class RoutingFigure:
    """Regret; congestion on the roads; the mean total reward of each strategy shown; rows of origin and destination."""

    regret: Overlay
    congestion: Congestion
    rewards: Vector
    ends: tuple[int, int]


def routing_record(results: Results) -> RoutingFigure:
    """Return the record of Figure 1."""
    congestion, preset, curves = results.congestion, results.preset, regret_curves(results.table)
    overlay = Overlay(curves, *published_curves("regret", curves.learners))
    rewards = np.array([results.totals(label).mean() for label in congestion.learners])
    ends = congestion.network.row(preset.origin), congestion.network.row(preset.destination)
    return RoutingFigure(overlay, congestion, rewards, ends)


def draw_routing(record: RoutingFigure, figure: "Figure") -> None:
    """Draw the regret on the left and the three maps on the right, as in the paper."""
    figure.set_layout_engine("none")  # the positions of the panels are fixed: constrained layout takes a second
    draw_regret(record.regret, figure.add_axes((0.065, 0.27, 0.33, 0.64)))
    _legend_below(figure, 0.215, 3, "line and band: ours, mean and 95 %; open marks: published", columnspacing=1.0)
    congestion, printed = record.congestion, PUBLISHED
    for i, (name, title) in enumerate(STRATEGIES_SHOWN.items()):
        ax = figure.add_axes((0.405 + 0.17 * i, 0.2, 0.17, 0.7))
        links = _draw_network(record, i, ax)
        ax.set_title(title, fontsize="medium")
        ax.set_xlabel(
            f"average congestion {congestion.average[i]:.2f}\n(printed: {printed.printed_congestion[name]:.2f})\n"
            f"total reward {record.rewards[i]:,.0f}\n(printed: {printed.printed_reward[name]:,.0f})",
            fontsize="small",
        )
    bar = figure.colorbar(links, cax=figure.add_axes((0.922, 0.28, 0.01, 0.55)))
    bar.set_label("congestion of a link, time-averaged\n(extra time, in free-flow times)", fontsize="small")


def _legend_below(figure: "Figure", x: float, columns: int, title: str, **options: Any) -> None:
    small = {"fontsize": "small", "title_fontsize": "small"}
    figure.legend(title=title, loc="lower center", bbox_to_anchor=(x, 0.0), ncols=columns, **small, **options)


def draw_regret(overlay: Overlay, ax: "Axes") -> None:
    """Draw R(t) / t with bands; learners above the limit are listed at the top."""
    names = overlay.curves.learners
    draw_overlay(overlay, ax, [look(_ORDER.index(name) if name in _ORDER else 7) for name in names])
    ax.set_ylim(0, REGRET_LIMIT)
    above = [f"{n}: {m:.0f}" for n, m in zip(names, overlay.curves.mean.min(axis=1), strict=True) if m > REGRET_LIMIT]
    if above:
        ax.text(0.02, 0.98, f"above the axis: {', '.join(above)}", transform=ax.transAxes, va="top", fontsize="small")


def _draw_network(record: RoutingFigure, strategy: int, ax: "Axes") -> "ScalarMappable":
    """Draw one network: links coloured by congestion, the origin blue and the destination green."""
    network, by_link = record.congestion.network, record.congestion.by_link
    x, y = link_ends(network, gap=0.1)
    links = ax.quiver(
        *(x[:, 0], y[:, 0], x[:, 1] - x[:, 0], y[:, 1] - y[:, 0]),
        np.maximum(by_link[strategy], LEAST_SHOWN),
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
        clim=(LEAST_SHOWN, float(by_link.max())),
    )
    nodes = network.positions
    ax.plot(*nodes.T, "o", markersize=4, color="white", markeredgecolor="0.4", markeredgewidth=0.7, zorder=3)
    for row, colour, shape in zip(record.ends, ("#0072B2", "#009E73"), "oD", strict=True):
        ax.plot(*nodes[row], shape, markersize=8, color=colour, zorder=4)
        ax.annotate(str(network.nodes[row]), nodes[row], (6, 5), textcoords="offset points", fontsize="small")
    ax.set(xticks=[], yticks=[], aspect="equal")
    ax.patch.set_visible(False)
    ax.spines[:].set_visible(False)
    ax.margins(0.08)
    return links


@dataclass(frozen=True)
class PatrolFigure:
    """The three panels of Figure 2: rewards of our algorithm with reference lines, animal density, patrol found.

    `density` is φ on a lattice over the park, the second coordinate along the rows; `coverage` is that of each cell by
    the patrol found, laid out likewise; `found` is the most frequent patrol of the last rounds, and its share of them.
    """

    rewards: Overlay
    references: tuple[tuple[str, float], ...]
    density: Matrix
    coverage: Matrix
    found: tuple[int, float]
    start: tuple[float, float]


def patrol_record(results: Results) -> PatrolFigure:
    """Return the record of Figure 2."""
    preset, notes, setup = results.preset, results.notes, wildlife_setup(results.preset)
    park = setup.poachers.park
    curves = Curves.of(results.runs_of(preset.shown), "reward", "reward of round t")
    counts = np.bincount(results.rounds_of(preset.shown, "action")[:, -LAST_ROUNDS:].ravel())
    patrol = int(np.argmax(counts))
    named = replace(curves, learners=(f"our algorithm, β = {preset.shown_width:g}",))
    first, second = (np.linspace(0, side, _RESOLUTION) for side in park.cells)
    return PatrolFigure(
        Overlay(named, *published_rewards(results, (preset.shown,))),
        (
            ("OPT", float(notes["optimum"])),
            ("Max-Min", float(notes["max_min"])),
            ("Best-offline", float(np.mean(notes["best_offline"]))),
        ),
        park.density_at(first[None, :], second[:, None]),
        setup.game.actions[patrol].reshape(park.cells).T,
        (patrol, float(counts[patrol] / counts.sum())),
        setup.poachers.start,
    )


def published_rewards(results: Results, labels: tuple[str, ...]) -> tuple[Vector, Matrix]:
    """Return the published rewards of these runs and their rounds; NaN where the scales differ."""
    t, rewards = published_curves("reward", labels)
    return t, np.where(results.comparable, rewards, np.nan)


def draw_patrols(record: PatrolFigure, figure: "Figure") -> None:
    """Draw rewards on the left and the park on the right, as in the paper."""
    figure.set_layout_engine("none")  # the positions of the panels are fixed: constrained layout takes a second
    ax = figure.add_axes((0.07, 0.31, 0.33, 0.59))
    for i, (name, value) in enumerate(record.references, start=1):
        ax.axhline(value, label=f"{name} ({value:.3f})", color=COLOURS[i + 3], linestyle=look(i)["linestyle"])
    draw_overlay(record.rewards, ax, [look(0)])
    _legend_below(figure, 0.22, 2, f"line and band: ours, mean and 95 %; {published_note(record.rewards)}")
    rows, columns = record.coverage.shape
    patrol, share = record.found
    panels = [
        (record.density, "YlGnBu", "animal density φ (red: poachers' start)", "φ, as the rangers' reward counts it"),
        (
            record.coverage,
            "Greens",
            f"patrol {patrol}: {100 * share:.0f} % of the last {LAST_ROUNDS} rounds",
            "probability that a cell is covered",
        ),
    ]
    for i, (values, colours, title, label) in enumerate(panels):
        ax = figure.add_axes((0.45 + 0.285 * i, 0.12, 0.185, 0.76))
        least = 0 if values is record.coverage else None
        image = ax.imshow(values, origin="lower", extent=(0, columns, 0, rows), cmap=colours, vmin=least)
        ax.set_title(title, fontsize="medium")
        figure.colorbar(image, cax=ax.inset_axes((1.04, 0.0, 0.05, 1.0))).set_label(label, fontsize="small")
        ax.set(xticks=range(columns + 1), yticks=range(rows + 1), xlabel="first coordinate")
        ax.set_ylabel("" if i else "second coordinate")
        ax.grid(color="0.5", alpha=0.6, linewidth=0.5)
    figure.axes[1].plot(*record.start, "s", color="#D00000", markersize=10, clip_on=False, zorder=5)


@dataclass(frozen=True)
class SweepFigure:
    """Rewards over rounds at every β, of ours and of GP-UCB, and the reward of the best patrol."""

    ours: Overlay
    gp_ucb: Overlay
    optimum: float


def sweep_record(results: Results) -> SweepFigure:
    """Return the record of Figure 3."""
    overlays = []
    for algorithm in (OURS, GP_UCB):
        runs = results.table.filter(pl.col("learner").str.starts_with(f"{algorithm} "))
        curves = Curves.of(runs, "reward", "reward of round t, mean over runs")
        overlays.append(Overlay(curves, *published_rewards(results, curves.learners)))
    return SweepFigure(overlays[0], overlays[1], float(results.notes["optimum"]))


def draw_sweep(record: SweepFigure, figure: "Figure") -> None:
    """Draw two panels on one scale, β from dark to light."""
    figure.set_layout_engine("none")  # the positions of the panels are fixed: constrained layout takes a second
    means = np.concatenate([record.ours.curves.mean.ravel(), record.gp_ucb.curves.mean.ravel(), [record.optimum]])
    margin = 0.08 * (np.ptp(means) or 1.0)
    limits = float(means.min() - margin), float(means.max() + margin)
    for i, (title, overlay) in enumerate({"our algorithm": record.ours, "GP-UCB": record.gp_ucb}.items()):
        ax = figure.add_axes((0.075 + 0.475 * i, 0.3, 0.435, 0.6))
        count = len(overlay.curves.learners)
        ax.axhline(record.optimum, color="black", linestyle="--", label=f"OPT ({record.optimum:.3f})")
        draw_overlay(overlay, ax, [ordered(k, count) for k in range(count)], bands=False)
        ax.set_title(title, fontsize="medium")
        ax.set(ylim=limits, ylabel="" if i else overlay.curves.ylabel)
        ax.tick_params(labelleft=i == 0)
        handles, names = ax.get_legend_handles_labels()
        labels = [names[0], *(f"β = {name.rpartition(' ')[2]}" for name in names[1:])]
        note = f"lines: ours; {published_note(overlay)}"
        _legend_below(figure, 0.29 + 0.475 * i, 5, note, handles=handles, labels=labels)


@dataclass(frozen=True)
class MenusHeld:
    """The number of `menus` on which each of k learners holds the best patrol by round t: (k, T)."""

    learners: tuple[str, ...]
    t: Vector
    held: Matrix
    menus: int

    @classmethod
    def of(cls, menus: pl.DataFrame, rounds: int) -> "MenusHeld":
        """Count in a table with one row per menu and learner and a column `held_from`."""
        t = np.arange(1.0, rounds + 1)
        parts = menus.partition_by("learner", maintain_order=True)
        held = [np.searchsorted(np.sort(part["held_from"].to_numpy()), t, side="right") for part in parts]
        learners = tuple(part["learner"][0] for part in parts)
        return cls(learners, t, np.array(held, dtype=float), menus["menu"].n_unique())


def menus_record(results: Results) -> MenusHeld:
    """Return the record of games on other menus."""
    return MenusHeld.of(menus_of(results.table), int(results.table["t"].max()))  # type: ignore[arg-type]  # rounds are whole numbers


def draw_menus_held(records: Mapping[str, MenusHeld], figure: "Figure") -> None:
    """Draw a panel for each titled record and a step line for each learner; the legend is beside the last panel."""
    axes = figure.subplots(1, len(records), sharey=True, squeeze=False)[0]
    for (title, record), ax in zip(records.items(), axes, strict=True):
        for i, learner in enumerate(record.learners):
            start = 4 + 6 * i  # markers of different lines do not overlap
            ax.plot(record.t, record.held[i], drawstyle="steps-post", label=learner, markevery=(start, 12), **look(i))
        ax.axvline(60, color="0.35", linewidth=1, linestyle=":", label="the paper:\nabout 60 rounds")
        round_axis(ax, record.t)
        ax.set(title=title, ylim=(-0.5, record.menus))
        ax.set_ylabel(f"menus, of {record.menus}, on which the\nbest patrol is held by round t")
        ax.label_outer()
    legend_beside(axes[-1])


def _entry(
    kind: str, summary: str, record: Callable[[Results], Any], draw: "Callable[[Any, Figure], None]", height: float
) -> FigureEntry:
    return FigureEntry(f"{kind}: {summary}", lambda folder: record(Results.read(folder, kind)), draw, (12.0, height))


FIGURE_1 = _entry(
    "routing",
    "regret of each learner, and maps of the congestion that three strategies cause",
    routing_record,
    draw_routing,
    5.0,
)
FIGURE_2 = _entry(
    "wildlife",
    "rewards over rounds with reference rewards, animal density, and the patrol found",
    patrol_record,
    draw_patrols,
    4.2,
)
FIGURE_3 = _entry("wildlife", "rewards over rounds of both algorithms at every β", sweep_record, draw_sweep, 4.6)
MENUS_FIGURE = FigureEntry(
    "menus: by which round each algorithm holds the best patrol on other menus of the park",
    lambda folder: {"": menus_record(Results.read(folder, MENUS))},
    draw_menus_held,
)
