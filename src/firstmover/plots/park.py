"""Figure 2: what rangers earn round by round, where the animals are, and the patrol that was found."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from firstmover.experiments.published import published
from firstmover.experiments.results import Results
from firstmover.experiments.wildlife import OURS, wildlife_scene
from firstmover.games.park import Park
from firstmover.plots.curves import Curves, Overlay, draw_overlay, published_note
from firstmover.plots.style import COLOURS, look
from firstmover.records import Matrix

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.cm import ScalarMappable
    from matplotlib.figure import Figure

LAST_ROUNDS = 10
"""How many rounds at the end say what a run has found."""

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
        Of each cell by the patrol found, that most played in the last rounds of all runs, laid out as the density.
    found
        That patrol's number, and its share of these rounds.
    start
        Where the poachers set out.
    """

    rewards: Overlay
    references: tuple[tuple[str, float], ...]
    density: Matrix
    coverage: Matrix
    found: tuple[int, float]
    start: tuple[float, float]


def patrol_figure(folder: Path) -> PatrolFigure:
    """The record of a folder's runs."""
    results = Results.read(folder, "wildlife")
    preset, notes = results.preset, results.manifest.notes
    label = f"{OURS} {preset.shown_width:g}"
    runs = results.table.filter(learner=label)
    curves = replace(
        Curves.of(runs, "reward", "reward of round t"), learners=(f"our algorithm, β = {preset.shown_width:g}",)
    )
    last = np.bincount(results.rounds_of(label, "action")[:, -LAST_ROUNDS:].ravel())
    patrol = int(np.argmax(last))
    scene = wildlife_scene(preset)
    return PatrolFigure(
        Overlay(curves, published().t, published_rewards(results, (label,))),
        (
            ("OPT", float(notes["optimum"])),
            ("Max-Min", float(notes["max_min"])),
            ("Best-offline", float(np.mean(notes["best_offline"]))),
        ),
        _density(scene.poachers.park),
        scene.game.actions[patrol].reshape(scene.poachers.park.cells).T,
        (patrol, float(last[patrol] / last.sum())),
        scene.poachers.start,
    )


def published_rewards(results: Results, labels: tuple[str, ...]) -> Matrix:
    """The published rewards of these runs: NaN where rangers count another density, which scales all rewards."""
    same = np.isclose(float(results.manifest.notes["optimum"]), published().references["OPT"], atol=1e-4)
    return np.where(same, published().curves("reward", labels), np.nan)


def _density(park: Park) -> Matrix:
    first, second = (np.linspace(0, side, _FINE) for side in park.cells)
    return park.density_at(first[None, :], second[:, None])


def draw_patrols(record: PatrolFigure, figure: "Figure") -> None:
    """Rewards on the left, the park on the right, as in the paper."""
    figure.set_layout_engine("none")  # the panels' places are known: searching for them takes a second
    _draw_rewards(record, figure.add_axes((0.07, 0.31, 0.33, 0.59)))
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


def _draw_rewards(record: PatrolFigure, ax: "Axes") -> None:
    for i, (name, value) in enumerate(record.references, start=1):
        ax.axhline(value, label=f"{name} ({value:.3f})", color=COLOURS[i + 3], linestyle=look(i)["linestyle"])
    draw_overlay(record.rewards, ax, [look(0)])


def _draw_density(record: PatrolFigure, ax: "Axes") -> None:
    sides = record.coverage.shape[1], record.coverage.shape[0]
    picture = ax.imshow(record.density, origin="lower", extent=(0, sides[0], 0, sides[1]), cmap="YlGnBu")
    ax.plot(*record.start, marker="s", color="#D00000", markersize=10, clip_on=False, zorder=5, linestyle="none")
    ax.set_title("animal density φ (red: poachers' start)", fontsize="medium")
    _scale(picture, ax, "φ, as the rangers' reward counts it")
    _cells(ax, sides)


def _draw_coverage(record: PatrolFigure, ax: "Axes") -> None:
    rows, columns = record.coverage.shape
    picture = ax.imshow(record.coverage, origin="lower", extent=(0, columns, 0, rows), cmap="Greens", vmin=0)
    patrol, share = record.found
    ax.set_title(f"patrol {patrol}: {100 * share:.0f} % of the last {LAST_ROUNDS} rounds", fontsize="medium")
    _scale(picture, ax, "probability that a cell is covered")
    _cells(ax, (columns, rows))
    ax.set_ylabel("")


def _scale(picture: "ScalarMappable", ax: "Axes", label: str) -> None:
    bar = ax.figure.colorbar(picture, cax=ax.inset_axes((1.04, 0.0, 0.05, 1.0)))
    bar.set_label(label, fontsize="small")


def _cells(ax: "Axes", sides: tuple[int, int]) -> None:
    ax.set(
        xticks=range(sides[0] + 1), yticks=range(sides[1] + 1), xlabel="first coordinate", ylabel="second coordinate"
    )
    ax.grid(color="0.5", alpha=0.6, linewidth=0.5)
