"""Figures 2 and 3, rewards in the park and the patrol found, and the figure of other menus."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from firstmover.core.records import Matrix, Vector
from firstmover.figures.curves import Curves, Overlay, draw_overlay, published_note
from firstmover.figures.entry import FigureEntry
from firstmover.figures.style import COLOURS, look, ordered, round_axis
from firstmover.games.wildlife.park import Park
from firstmover.paper.experiments import MENUS
from firstmover.paper.menus import COLUMNS, menus_of
from firstmover.paper.published import published
from firstmover.paper.results import Results
from firstmover.paper.wildlife import GP_UCB, OURS, wildlife_setup

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure

LAST_ROUNDS = 10
"""The number of rounds at the end of a run that show what it has found."""

MENU_COLUMNS = (*COLUMNS, "menu")

_RESOLUTION = 200  # points per side of the density image


@dataclass(frozen=True)
class PatrolFigure:
    """The three panels of Figure 2.

    Parameters
    ----------
    rewards
        Of our algorithm at the β shown.
    references
        The names and rewards of OPT, Max-Min and Best-offline.
    density
        φ on a lattice over the park, the second coordinate down the rows.
    coverage
        Of each cell by the patrol found, the most frequent of the last rounds of all runs, laid out as the density.
    found
        The index of that patrol, and its share of these rounds.
    start
        The poachers' starting point.
    """

    rewards: Overlay
    references: tuple[tuple[str, float], ...]
    density: Matrix
    coverage: Matrix
    found: tuple[int, float]
    start: tuple[float, float]


def patrol_figure(folder: Path) -> PatrolFigure:
    """Return the record of a folder's runs."""
    return patrol_record(Results.read(folder, "wildlife"))


def patrol_record(results: Results) -> PatrolFigure:
    """Return the record of these runs."""
    preset, notes = results.preset, results.manifest.notes
    label, setup = f"{OURS} {preset.shown_width:g}", wildlife_setup(preset)
    curves = Curves.of(results.table.filter(learner=label), "reward", "reward of round t")
    counts = np.bincount(results.rounds_of(label, "action")[:, -LAST_ROUNDS:].ravel())
    patrol = int(np.argmax(counts))
    references = {
        "OPT": notes["optimum"],
        "Max-Min": notes["max_min"],
        "Best-offline": np.mean(notes["best_offline"]),
    }
    named = replace(curves, learners=(f"our algorithm, β = {preset.shown_width:g}",))
    return PatrolFigure(
        Overlay(named, published().t, published_rewards(results, (label,))),
        tuple((name, float(value)) for name, value in references.items()),
        _density(setup.poachers.park),
        setup.game.actions[patrol].reshape(setup.poachers.park.cells).T,
        (patrol, float(counts[patrol] / counts.sum())),
        setup.poachers.start,
    )


def comparable(results: Results) -> bool:
    """Return whether rewards have the scale of the published ones, which depends on the rangers' density."""
    return bool(np.isclose(float(results.manifest.notes["optimum"]), published().references["OPT"], atol=1e-4))


def published_rewards(results: Results, labels: tuple[str, ...]) -> Matrix:
    """Return the published rewards of these runs; NaN where the scales differ."""
    return np.where(comparable(results), published().curves("reward", labels), np.nan)


def _density(park: Park) -> Matrix:
    first, second = (np.linspace(0, side, _RESOLUTION) for side in park.cells)
    return park.density_at(first[None, :], second[:, None])


def draw_patrols(record: PatrolFigure, figure: "Figure") -> None:
    """Draw rewards on the left and the park on the right, as in the paper."""
    figure.set_layout_engine("none")  # the positions of the panels are fixed: constrained layout takes a second
    ax = figure.add_axes((0.07, 0.31, 0.33, 0.59))
    for i, (name, value) in enumerate(record.references, start=1):
        ax.axhline(value, label=f"{name} ({value:.3f})", color=COLOURS[i + 3], linestyle=look(i)["linestyle"])
    draw_overlay(record.rewards, ax, [look(0)])
    figure.legend(
        title=f"line and band: ours, mean and 95 %; {published_note(record.rewards)}",
        loc="lower center",
        bbox_to_anchor=(0.22, 0.0),
        fontsize="small",
        title_fontsize="small",
        ncols=2,
    )
    _draw_density(record, figure.add_axes((0.45, 0.12, 0.185, 0.76)))
    _draw_coverage(record, figure.add_axes((0.735, 0.12, 0.185, 0.76)))


def _draw_density(record: PatrolFigure, ax: "Axes") -> None:
    sides = record.coverage.shape[1], record.coverage.shape[0]
    image = ax.imshow(record.density, origin="lower", extent=(0, sides[0], 0, sides[1]), cmap="YlGnBu")
    ax.plot(*record.start, marker="s", color="#D00000", markersize=10, clip_on=False, zorder=5, linestyle="none")
    ax.set_title("animal density φ (red: poachers' start)", fontsize="medium")
    _colour_bar(image, ax, "φ, as the rangers' reward counts it")
    _cells(ax, sides)


def _draw_coverage(record: PatrolFigure, ax: "Axes") -> None:
    rows, columns = record.coverage.shape
    image = ax.imshow(record.coverage, origin="lower", extent=(0, columns, 0, rows), cmap="Greens", vmin=0)
    patrol, share = record.found
    ax.set_title(f"patrol {patrol}: {100 * share:.0f} % of the last {LAST_ROUNDS} rounds", fontsize="medium")
    _colour_bar(image, ax, "probability that a cell is covered")
    _cells(ax, (columns, rows))
    ax.set_ylabel("")


def _colour_bar(image: "ScalarMappable", ax: "Axes", label: str) -> None:
    bar = ax.figure.colorbar(image, cax=ax.inset_axes((1.04, 0.0, 0.05, 1.0)))
    bar.set_label(label, fontsize="small")


def _cells(ax: "Axes", sides: tuple[int, int]) -> None:
    ticks = [range(side + 1) for side in sides]
    ax.set(xticks=ticks[0], yticks=ticks[1], xlabel="first coordinate", ylabel="second coordinate")
    ax.grid(color="0.5", alpha=0.6, linewidth=0.5)


FIGURE_2 = FigureEntry(
    "wildlife: rewards over rounds with reference rewards, animal density, and the patrol found",
    patrol_figure,
    draw_patrols,
    (12.0, 4.2),
)


@dataclass(frozen=True)
class SweepFigure:
    """Rewards over rounds at every β, of ours and of GP-UCB, and the reward of the best patrol."""

    ours: Overlay
    gp_ucb: Overlay
    optimum: float


def sweep_figure(folder: Path) -> SweepFigure:
    """Return the record of a folder's runs."""
    return sweep_record(Results.read(folder, "wildlife"))


def sweep_record(results: Results) -> SweepFigure:
    """Return the record of these runs."""
    ours, gp_ucb = (_overlay(results, algorithm) for algorithm in (OURS, GP_UCB))
    return SweepFigure(ours, gp_ucb, float(results.manifest.notes["optimum"]))


def _overlay(results: Results, algorithm: str) -> Overlay:
    runs = results.table.filter(pl.col("learner").str.starts_with(f"{algorithm} "))
    curves = Curves.of(runs, "reward", "reward of round t, mean over runs")
    return Overlay(curves, published().t, published_rewards(results, curves.learners))


def draw_sweep(record: SweepFigure, figure: "Figure") -> None:
    """Draw two panels on one scale, β from dark to light."""
    figure.set_layout_engine("none")  # the positions of the panels are fixed: constrained layout takes a second
    for i, (title, overlay) in enumerate({"our algorithm": record.ours, "GP-UCB": record.gp_ucb}.items()):
        ax = figure.add_axes((0.075 + 0.475 * i, 0.3, 0.435, 0.6))
        count = len(overlay.curves.learners)
        ax.axhline(record.optimum, color="black", linestyle="--", label=f"OPT ({record.optimum:.3f})")
        draw_overlay(overlay, ax, [ordered(k, count) for k in range(count)], bands=False)
        ax.set_title(title, fontsize="medium")
        ax.set(ylim=_limits(record), ylabel="" if i else overlay.curves.ylabel)
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


def _limits(record: SweepFigure) -> tuple[float, float]:
    """Limits of both panels, with a margin above and below."""
    means = np.concatenate([record.ours.curves.mean.ravel(), record.gp_ucb.curves.mean.ravel(), [record.optimum]])
    margin = 0.08 * (np.ptp(means) or 1.0)
    return float(means.min() - margin), float(means.max() + margin)


FIGURE_3 = FigureEntry(
    "wildlife: rewards over rounds of both algorithms at every β",
    sweep_figure,
    draw_sweep,
    (12.0, 4.6),
)


@dataclass(frozen=True)
class MenusHeld:
    """The number of `menus` on which each of k learners holds the best patrol by round t: (k, T)."""

    learners: tuple[str, ...]
    t: Vector
    held: Matrix
    menus: int
    claimed_round: int

    @classmethod
    def of(cls, menus: pl.DataFrame, rounds: int, claimed_round: int = 60) -> "MenusHeld":
        """Count in a table with one row per menu and learner and a column `held_from`.

        >>> table = pl.DataFrame({"learner": ["a"] * 3, "menu": [0, 1, 2], "held_from": [2.0, 4.0, 2.0]})
        >>> MenusHeld.of(table, rounds=3).held
        array([[0., 2., 2.]])
        """
        t = np.arange(1.0, rounds + 1)
        parts = menus.partition_by("learner", maintain_order=True)
        held = [np.searchsorted(np.sort(part["held_from"].to_numpy()), t, side="right") for part in parts]
        learners = tuple(part["learner"][0] for part in parts)
        return cls(learners, t, np.array(held, dtype=float), menus["menu"].n_unique(), claimed_round)


def menus_record(table: pl.DataFrame) -> MenusHeld:
    """Return the record of games on other menus."""
    return MenusHeld.of(menus_of(table), int(table["t"].max()))  # type: ignore[arg-type]  # rounds are whole numbers


def draw_menus_held(records: Mapping[str, MenusHeld], axes: "Sequence[Axes]") -> None:
    """Draw a panel for each titled record and a step line for each learner; the legend is beside the last panel."""
    for (title, record), ax in zip(records.items(), axes, strict=True):
        for i, learner in enumerate(record.learners):
            start = 4 + 6 * i  # markers of different lines do not overlap
            ax.plot(record.t, record.held[i], drawstyle="steps-post", label=learner, markevery=(start, 12), **look(i))
        claim = f"the paper:\nabout {record.claimed_round} rounds"
        ax.axvline(record.claimed_round, color="0.35", linewidth=1, linestyle=":", label=claim)
        round_axis(ax, record.t)
        ax.set(title=title, ylim=(-0.5, record.menus))
        ax.set_ylabel(f"menus, of {record.menus}, on which the\nbest patrol is held by round t")
        ax.label_outer()
    axes[-1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))


MENUS_FIGURE = FigureEntry(
    "menus: by which round each algorithm holds the best patrol on other menus of the park",
    lambda folder: {"": menus_record(Results.read(folder, MENUS, MENU_COLUMNS).table)},
    lambda records, figure: draw_menus_held(records, [figure.add_subplot()]),
)
