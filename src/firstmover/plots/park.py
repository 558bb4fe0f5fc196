"""Figure 2: what rangers earn round by round, where the animals are, and the patrol that was found."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from firstmover.experiments.published import published
from firstmover.experiments.results import Results
from firstmover.experiments.wildlife import OURS, wildlife_scene
from firstmover.games.park import Park
from firstmover.plots.curves import Curves, Overlay, draw_overlay
from firstmover.plots.style import COLOURS, look
from firstmover.records import Matrix

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_FINE = 200  # points a side of the density's picture


@dataclass(frozen=True)
class PatrolFigure:
    """The three panels.

    Parameters
    ----------
    rewards
        Of the algorithm at the β shown.
    references
        OPT, Max-Min and Best-offline: a name and a reward each.
    density
        φ on a lattice over the park (fine, fine), the second coordinate down the rows.
    coverage
        Of each cell by the patrol that most runs end with, laid out as the density.
    found
        That patrol's number, and in how many of all runs it is the last one played.
    start
        Where the poachers set out.
    """

    rewards: Overlay
    references: tuple[tuple[str, float], ...]
    density: Matrix
    coverage: Matrix
    found: tuple[int, int, int]
    start: tuple[float, float]


def patrol_figure(folder: Path) -> PatrolFigure:
    """The record of a folder's runs."""
    results = Results.read(folder, "wildlife")
    preset, notes = results.preset, results.manifest.notes
    label = f"{OURS} {preset.shown_width:g}"
    runs = results.table.filter(learner=label)
    curves = Curves.of(runs, "reward", "reward of round t")
    last = np.bincount(results.rounds_of(label, "action")[:, -1])
    patrol = int(np.argmax(last))
    scene = wildlife_scene(preset)
    return PatrolFigure(
        Overlay(curves, published().t, published().curves("reward", curves.learners)),
        (
            ("OPT", float(notes["optimum"])),
            ("Max-Min", float(notes["max_min"])),
            ("Best-offline", float(np.mean(notes["best_offline"]))),
        ),
        _density(scene.poachers.park),
        scene.game.actions[patrol].reshape(scene.poachers.park.cells).T,
        (patrol, int(last[patrol]), len(results.manifest.seeds)),
        scene.poachers.start,
    )


def _density(park: Park) -> Matrix:
    first, second = (np.linspace(0, side, _FINE) for side in park.cells)
    return park.density_at(first[None, :], second[:, None])


def draw_patrols(record: PatrolFigure, figure: "Figure") -> None:
    """Rewards on the left, the park on the right, as in the paper."""
    left, middle, right = figure.subplots(1, 3, width_ratios=(1.5, 1, 1))
    _draw_rewards(record, left)
    _draw_density(record, middle)
    _draw_coverage(record, right)


def _draw_rewards(record: PatrolFigure, ax: "Axes") -> None:
    for i, (name, value) in enumerate(record.references, start=1):
        ax.axhline(value, label=f"{name} ({value:.3f})", color=COLOURS[i + 3], linestyle=look(i)["linestyle"])
    draw_overlay(record.rewards, ax, [look(0)])
    ax.legend(
        title="line and band: ours, mean and 95 %; open marks: published",
        loc="lower center",
        bbox_to_anchor=(0.5, 1.0),
        ncols=2,
        fontsize="small",
        title_fontsize="small",
    )


def _draw_density(record: PatrolFigure, ax: "Axes") -> None:
    sides = record.coverage.shape[1], record.coverage.shape[0]
    picture = ax.imshow(record.density, origin="lower", extent=(0, sides[0], 0, sides[1]), cmap="YlGnBu")
    ax.plot(*record.start, marker="s", color="#D00000", markersize=10, clip_on=False, zorder=5, linestyle="none")
    ax.set_title("animal density φ; red square: poachers' start", fontsize="medium")
    ax.figure.colorbar(picture, ax=ax, shrink=0.8).set_label("φ, as the rangers' reward counts it", fontsize="small")
    _cells(ax, sides)


def _draw_coverage(record: PatrolFigure, ax: "Axes") -> None:
    rows, columns = record.coverage.shape
    picture = ax.imshow(record.coverage, origin="lower", extent=(0, columns, 0, rows), cmap="Greens", vmin=0)
    patrol, times, runs = record.found
    ax.set_title(f"patrol {patrol}, the last of {times} in {runs} runs", fontsize="medium")
    ax.figure.colorbar(picture, ax=ax, shrink=0.8).set_label("probability that a cell is covered", fontsize="small")
    _cells(ax, (columns, rows))


def _cells(ax: "Axes", sides: tuple[int, int]) -> None:
    ax.set(xticks=range(sides[0] + 1), yticks=range(sides[1] + 1), xlabel="first coordinate", ylabel="second coordinate")
    ax.grid(color="0.5", alpha=0.6, linewidth=0.5)
