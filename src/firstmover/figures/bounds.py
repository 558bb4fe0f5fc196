"""Regret with the terms of its bound, the split of regret in the proof, and the information gain."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from firstmover.beliefs import ConstantWidth
from firstmover.core.arrays import Vector
from firstmover.figures.entry import first_run_entry, run_name
from firstmover.figures.style import legend_beside, plot_lines, round_axis
from firstmover.runs.stored_theory import AnalysedRun
from firstmover.theory import covers, width_used_as_played
from firstmover.theory.bounds import PRINTED_FACTOR, RegretBound, learning_factor

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class BoundFigure:
    """R(t) of one run; the bound with an upper bound of γ_T and with the run's gain; the largest regret.

    `notes` list departures from the theorem's premises, and whether the boxes contained b.
    """

    learner: str
    regret: Vector
    bound: RegretBound
    realised_bound: RegretBound
    most: Vector
    reward_lipschitz: float
    notes: tuple[str, ...]


def bound_of(analysed: AnalysedRun) -> BoundFigure:
    """Return the record of one run."""
    analysis, premises = analysed.analysis, analysed.analysis.premises
    return BoundFigure(
        run_name(analysed),
        analysis.loss.cumulative,
        analysis.bound,
        analysis.realised_bound,
        premises.reward_width * analysis.t,
        premises.reward_lipschitz,
        tuple(_notes(analysed)),
    )


def _notes(analysed: AnalysedRun) -> list[str]:
    """The premises of the theorem that do not hold, and the number of rounds whose box contained b."""
    analysis, notes = analysed.analysis, []
    confidence, premises = analysis.learner.confidence, analysis.premises
    if isinstance(confidence, ConstantWidth):
        notes.append(f"β = {confidence.value:g} is a constant, not Lemma 4's: a guarantee only while boxes contain b.")
    if not premises.as_in_the_paper:
        factor = learning_factor(premises.kernel_bound, premises.regularization)
        notes.append(
            f"λ = {premises.regularization:g} is below max k = {premises.kernel_bound:.3g}: factor {factor:.3g} in the "
            f"last term, not the printed {PRINTED_FACTOR:g}."
        )
    inside = covers(width_used_as_played(analysis.learner, analysis.run, analysed.stage.opponent.respond))
    missed = f"No guarantee for this run: boxes missed b in {np.sum(~inside)} of {len(inside)} rounds."
    return [*notes, f"Boxes contained b in all {len(inside)} rounds." if inside.all() else missed]


def draw_bound(record: BoundFigure, figure: "Figure") -> None:
    """Draw on a logarithmic scale: the bound is a worst case, many times the regret."""
    ax, (t, theorem) = figure.add_subplot(), (record.bound.t, record.bound.name)
    plot_lines(ax, t, {f"{theorem}, upper bound of γ_T": record.bound.total})
    terms = {f"    of which {name}": term for name, term in record.bound.terms.items()}
    plot_lines(ax, t, terms, first=2, linewidth=1, alpha=0.8)
    plot_lines(ax, t, {f"{theorem}, gain of this run": record.realised_bound.total}, first=1)
    ax.plot(t, record.most, color="0.5", linewidth=1, label="largest possible regret")
    shown = np.where(record.regret > 0, record.regret, np.nan)  # regret at or below 0 has no logarithm
    where = "" if np.all(record.regret > 0) else ", where above 0" if np.any(record.regret > 0) else ": never above 0"
    ax.plot(t, shown, color="black", linewidth=2.5, label=f"regret R(t){where}")
    round_axis(ax, t)
    ax.set(ylabel="regret up to round t", yscale="log")
    legend_beside(ax, f"{record.learner}\n$L_r$ ≈ {record.reward_lipschitz:.3g}, estimated")
    figure.supxlabel("\n".join(record.notes), x=0.01, ha="left", fontsize="small")


@dataclass(frozen=True)
class RunLines:
    """Lines over the rounds of one run, by label, and its regret R(t), if it is drawn with them."""

    learner: str
    ylabel: str
    t: Vector
    lines: dict[str, Vector]
    regret: Vector | None = None


def split_of(analysed: AnalysedRun) -> RunLines:
    """R_1(t), R_2(t), their sum, and R(t), which is below it while boxes contain b."""
    split = analysed.analysis.split
    lines = {
        "R₁ + R₂": split.weights + split.optimism,
        "R₁: regret of the weights": split.weights,
        "R₂: excess of optimistic rewards": split.optimism,
    }
    return RunLines(run_name(analysed), "regret up to round t", analysed.analysis.t, lines, split.regret)


def gain_of(analysed: AnalysedRun) -> RunLines:
    """½ log det(I + K_t / λ) of one run, of a greedy choice, its upper bound, and the rate of the kernel, if known.

    The rate is scaled to end where the greedy gain ends.
    """
    analysis = analysed.analysis
    greedy, rate, t = analysis.greedy, analysis.rate, analysis.t
    lines = {
        "upper bound of γ_t: greedy / (1 − 1/e)": greedy.upper,
        "greedy choice": greedy.gains,
        "this run": analysis.replay.information_gains,
    }
    if rate is not None:
        lines[f"rate {rate.words}, scaled at T"] = rate.through(t, greedy.gains)
    return RunLines(run_name(analysed), "information gain (nats)", t, lines)


def draw_lines(record: RunLines, figure: "Figure") -> None:
    """Draw the lines, and the regret in black."""
    ax = figure.add_subplot()
    plot_lines(ax, record.t, record.lines)
    if record.regret is None:
        ax.set_ylim(0, None)
    else:
        ax.plot(record.t, record.regret, color="black", linewidth=2.5, label="regret R(t)")
        ax.axhline(0.0, color="0.5", linewidth=0.8)
    round_axis(ax, record.t)
    ax.set_ylabel(record.ylabel)
    legend_beside(ax, record.learner)


BOUND = first_run_entry("regret of one run with the terms of the theorem's bound", bound_of, draw_bound, (7.6, 4.6))
SPLIT = first_run_entry("regret of one run split as in the proof, R1 and R2", split_of, draw_lines)
GAIN = first_run_entry(
    "information gain of one run and of a greedy choice, its upper bound, and the rate of the kernel",
    gain_of,
    draw_lines,
)
