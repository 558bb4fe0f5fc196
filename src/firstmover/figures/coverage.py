"""Observed against nominal coverage: of boxes over drawn functions, and of predictions in a played game."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from firstmover.core.errors import InvalidInput
from firstmover.figures.entry import FigureEntry
from firstmover.figures.style import look
from firstmover.runs.calibration import KIND, WIDTHS, Coverage, coverages
from firstmover.runs.store import read, read_manifest
from firstmover.runs.stored_theory import JudgedRun, judged_runs
from firstmover.theory import Reliability

if TYPE_CHECKING:
    from matplotlib.figure import Figure


MOST_BANDS = 3
"""The largest number of curves that are drawn with intervals."""


@dataclass(frozen=True)
class CoverageFigure:
    """The coverage at every λ with every width, and the nominal coverage of Lemma 4."""

    found: tuple[Coverage, ...]
    nominal: float


def coverage_figure(folder: Path) -> CoverageFigure:
    """Return the record of a folder that calibrate wrote."""
    manifest = read_manifest(folder)
    if manifest.kind != KIND:
        raise InvalidInput(
            f"Folder {str(folder)!r} holds results of kind {manifest.kind!r}: give one that calibrate wrote."
        )
    return CoverageFigure(tuple(coverages(read(folder))), 1 - manifest.spec["failure_probability"])


def draw_coverage(record: CoverageFigure, figure: "Figure") -> None:
    """Draw a mark with its interval for each λ and width, and the nominal coverage as a line."""
    ax = figure.add_subplot()
    values = list(dict.fromkeys(found.regularization for found in record.found))
    names = {"derived": "Lemma 4, as derived", "printed": "Lemma 4, as printed", "constant": "constant β"}
    for i, width in enumerate(WIDTHS):
        mine = [found for found in record.found if found.width == width]
        places = [values.index(found.regularization) + 0.2 * (i - 1) for found in mine]
        shares = np.array([found.share.value for found in mine])
        ends = np.array([found.share.interval for found in mine]).T
        style = look(i) | {"linestyle": "none"}
        ax.errorbar(places, shares, yerr=np.abs(ends - shares), capsize=3, label=names[width], **style)
    ax.axhline(record.nominal, color="black", linestyle="--", linewidth=1, label=f"nominal: {record.nominal:g}")
    ax.set_xticks(range(len(values)), [f"λ = {value:g}" for value in values])
    ax.set(
        ylabel="share of draws whose box\ncontained b in all rounds", ylim=(-0.04, 1.04), xlim=(-0.5, len(values) - 0.5)
    )
    ax.legend(title="with 95 % intervals", loc="upper left", bbox_to_anchor=(1.0, 1.0))


def reliability_figure(folder: Path) -> dict[str, Reliability]:
    """Return the curve of the first run of every learner with a model of the responses."""
    return reliability_of(judged_runs(folder))


def reliability_of(runs: list[JudgedRun]) -> dict[str, Reliability]:
    """Return the curve of each run."""
    return {f"{judged.label}, seed {judged.seed}": judged.judgement.reliability for judged in runs}


def draw_reliability(record: dict[str, Reliability], figure: "Figure") -> None:
    """Draw observed against nominal coverage; the diagonal is calibrated."""
    ax = figure.add_subplot()
    ax.plot([0, 1], [0, 1], color="0.5", linestyle="--", linewidth=1, label="calibrated")
    for i, (name, curve) in enumerate(record.items()):
        if len(record) <= MOST_BANDS:
            low, high = np.array([share.interval for share in curve.shares]).T
            ax.fill_between(curve.levels, low, high, color=look(i)["color"], alpha=0.15, linewidth=0)
        ax.plot(curve.levels, curve.observed, label=name, **look(i))
    ax.set(xlabel="level of the predicted interval", ylabel="share of responses inside", xlim=(0, 1.02), ylim=(0, 1.02))
    ax.set_aspect("equal")
    ax.legend(
        title="with 95 % intervals" if len(record) <= MOST_BANDS else None, loc="upper left", bbox_to_anchor=(1.0, 1.0)
    )


RELIABILITY = FigureEntry(
    "observed against nominal coverage of predicted intervals",
    reliability_figure,
    draw_reliability,
    first_seed=True,
)
COVERAGE = FigureEntry(
    "coverage of b by confidence boxes, as measured by calibrate, against the nominal coverage",
    coverage_figure,
    draw_coverage,
)
