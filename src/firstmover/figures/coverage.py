"""Coverage: of b by the last confidence band, by boxes over drawn functions, and of responses by predictions."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from firstmover.core.errors import InvalidInput
from firstmover.figures.entry import FigureEntry, first_run_entry, run_name
from firstmover.figures.style import legend_beside, look
from firstmover.games.default_map import Curve
from firstmover.runs.calibration import KIND, Coverage, coverages
from firstmover.runs.store import read, read_manifest
from firstmover.runs.stored_theory import AnalysedRun, analysed_runs
from firstmover.simulation import responses_of
from firstmover.theory import Reliability
from firstmover.theory.replay import beliefs_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_BANDS = 3
"""The largest number of curves that are drawn with intervals."""

MOST_PANELS = 3
"""The largest number of types with a panel, the most frequent ones."""


@dataclass(frozen=True)
class CoverageFigure:
    """The coverage at every λ with every width, and the nominal coverage of theory."""

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
    names = {"sum": "Lemma 4, as derived", "printed": "Lemma 4, as printed", "constant": "constant β"}
    widths = list(dict.fromkeys(found.width for found in record.found))
    for i, width in enumerate(widths):
        mine = [found for found in record.found if found.width == width]
        places = [values.index(found.regularization) + 0.2 * (i - (len(widths) - 1) / 2) for found in mine]
        shares = np.array([found.share.value for found in mine])
        ends = np.array([found.share.interval for found in mine]).T
        style = look(i) | {"linestyle": "none"}
        ax.errorbar(places, shares, yerr=np.abs(ends - shares), capsize=3, label=names.get(width, width), **style)
    ax.axhline(record.nominal, color="black", linestyle="--", linewidth=1, label=f"nominal: {record.nominal:g}")
    ax.set_xticks(range(len(values)), [f"λ = {value:g}" for value in values])
    ax.set(
        ylabel="share of draws whose box\ncontained b in all rounds", ylim=(-0.04, 1.04), xlim=(-0.5, len(values) - 0.5)
    )
    legend_beside(ax, "with 95 % intervals")


def reliability_of(runs: list[AnalysedRun]) -> dict[str, Reliability]:
    """Return the observed coverage of each run by level."""
    return {run_name(analysed): analysed.analysis.reliability for analysed in runs}


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
    legend_beside(ax, "with 95 % intervals" if len(record) <= MOST_BANDS else None)


@dataclass(frozen=True)
class BandFigure:
    """The learner, its β after the last round, and b with its box, not clipped to the domain, at each type."""

    learner: str
    confidence_width: float
    curves: tuple[Curve, ...]


def band_of(analysed: AnalysedRun) -> BandFigure:
    """Return the record of one run, at the most frequent types."""
    run, learner, stage = analysed.analysis.run, analysed.analysis.learner, analysed.stage
    game = stage.game
    if game.actions.shape[1] != 1 or game.n_outputs != 1:
        raise InvalidInput(
            f"game {game.name!r} has {game.actions.shape[1]} features of an action and {game.n_outputs} outputs: the "
            "band needs one of each."
        )
    types, counts = np.unique(run.opponent_types, axis=0, return_counts=True)
    *_, last = beliefs_of(learner.belief, run)
    width = learner.confidence(last.information_gain)
    order = np.argsort(game.actions[:, 0])
    curves = []
    for opponent_type in types[np.sort(np.argsort(-counts, kind="stable")[:MOST_PANELS])]:
        prediction = last.predict(opponent_type)
        mean, reach = prediction.mean[order, 0], width * prediction.std[order]
        truth = responses_of(game, stage.opponent.respond, opponent_type)[order, 0]
        met = np.all(run.opponent_types == opponent_type, axis=1)
        words = "θ = " + ", ".join(f"{number:g}" for number in opponent_type)
        seen = game.actions[run.actions[met], 0], run.responses[met, 0]
        curves.append(Curve(words, game.actions[order, 0], truth, mean, mean - reach, mean + reach, *seen))
    return BandFigure(run_name(analysed), width, tuple(curves))


def draw_band(record: BandFigure, figure: "Figure") -> None:
    """Draw a panel per type."""
    axes = figure.subplots(1, len(record.curves), sharey=True, squeeze=False)[0]
    for curve, ax in zip(record.curves, axes, strict=True):
        ax.fill_between(curve.x, curve.lower, curve.upper, color="#56B4E9", alpha=0.3, linewidth=0, label="box")
        ax.plot(curve.x, curve.mean, label="mean", **look(0) | {"marker": "none"})
        ax.plot(curve.x, curve.true, label="true b", **look(1) | {"marker": "none"})
        ax.plot(curve.seen_x, curve.seen, "k.", markersize=3, alpha=0.5, label="responses")
        inside = np.sum((curve.lower <= curve.true) & (curve.true <= curve.upper))
        ax.set_title(f"{curve.title}: b inside at {inside} of {len(curve.x)}", fontsize="medium")
        ax.set_xlabel("action x")
    axes[0].set_ylabel("response y")
    legend_beside(axes[-1], f"{record.learner}\nβ = {record.confidence_width:.3g}")


RELIABILITY = FigureEntry(
    "observed against nominal coverage of predicted intervals",
    lambda folder: reliability_of(analysed_runs(folder)),
    draw_reliability,
    first_seed=True,
)
COVERAGE = FigureEntry(
    "coverage of b by confidence boxes, as measured by calibrate, against the nominal coverage",
    coverage_figure,
    draw_coverage,
)
BAND = first_run_entry(
    "posterior of b after one run: mean, box, true b and responses, for one-dimensional games",
    band_of,
    draw_band,
    (9.6, 3.6),
)
