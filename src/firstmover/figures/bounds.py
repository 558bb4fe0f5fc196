"""Regret with the terms of its bound, the split of regret in the proof, and the information gain."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from firstmover.beliefs import ConstantWidth
from firstmover.core.records import Vector
from firstmover.figures.entry import FigureEntry
from firstmover.figures.style import legend_beside, plot_lines, round_axis
from firstmover.runs.stored_theory import JudgedRun, judged_runs
from firstmover.theory import covers, width_used_as_played
from firstmover.theory.bounds import PRINTED_FACTOR, learning_factor

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class BoundFigure:
    """R(t) of one run; the bound with an upper bound of γ_T and with the run's gain; its terms; the largest regret.

    `notes` list departures from the theorem's premises, and whether the boxes contained b.
    """

    learner: str
    theorem: str
    t: Vector
    regret: Vector
    bound: Vector
    realised_bound: Vector
    terms: dict[str, Vector]
    most: Vector
    reward_lipschitz: float
    notes: tuple[str, ...]


def bound_figure(folder: Path) -> BoundFigure:
    """Return the record of the first run of the first learner with a model of the responses."""
    return bound_of(judged_runs(folder)[0])


def bound_of(judged: JudgedRun) -> BoundFigure:
    """Return the record of one run."""
    judgement, bound = judged.judgement, judged.judgement.bound
    return BoundFigure(
        f"{judged.label}, seed {judged.seed}",
        bound.name,
        bound.t,
        judgement.loss.cumulative,
        bound.total,
        judgement.realised_bound.total,
        bound.terms,
        judgement.premises.reward_width * bound.t,
        judgement.premises.reward_lipschitz,
        tuple(_notes(judged)),
    )


def _notes(judged: JudgedRun) -> list[str]:
    """The premises of the theorem that do not hold, and the number of rounds whose box contained b."""
    judgement, notes = judged.judgement, []
    confidence, premises = judgement.learner.confidence, judgement.premises
    if isinstance(confidence, ConstantWidth):
        notes.append(f"β = {confidence.value:g} is a constant, not Lemma 4's: a guarantee only while boxes contain b.")
    if not premises.as_in_the_paper:
        factor = learning_factor(premises.kernel_bound, premises.regularization)
        notes.append(
            f"λ = {premises.regularization:g} is below max k = {premises.kernel_bound:.3g}: factor {factor:.3g} in the "
            f"last term, not the printed {PRINTED_FACTOR:g}."
        )
    inside = covers(width_used_as_played(judgement.learner, judgement.run, judged.stage.opponent.respond))
    missed = f"No guarantee for this run: boxes missed b in {np.sum(~inside)} of {len(inside)} rounds."
    return [*notes, f"Boxes contained b in all {len(inside)} rounds." if inside.all() else missed]


def draw_bound(record: BoundFigure, figure: "Figure") -> None:
    """Draw on a logarithmic scale: the bound is a worst case, many times the regret."""
    ax = figure.add_subplot()
    plot_lines(ax, record.t, {rf"{record.theorem}, upper bound of $\gamma_T$": record.bound})
    terms = {f"    of which {name}": term for name, term in record.terms.items()}
    plot_lines(ax, record.t, terms, first=2, linewidth=1, alpha=0.8)
    plot_lines(ax, record.t, {f"{record.theorem}, gain of this run": record.realised_bound}, first=1)
    ax.plot(record.t, record.most, color="0.5", linewidth=1, label="largest possible regret")
    shown = np.where(record.regret > 0, record.regret, np.nan)  # regret at or below 0 has no logarithm
    where = "" if np.all(record.regret > 0) else ", where above 0" if np.any(record.regret > 0) else ": never above 0"
    ax.plot(record.t, shown, color="black", linewidth=2.5, label=f"regret R(t){where}")
    round_axis(ax, record.t)
    ax.set(ylabel="regret up to round t", yscale="log")
    legend_beside(ax, f"{record.learner}\n$L_r$ ≈ {record.reward_lipschitz:.3g}, estimated")
    figure.supxlabel("\n".join(record.notes), x=0.01, ha="left", fontsize="small")


@dataclass(frozen=True)
class SplitFigure:
    """R(t), R_1(t) and R_2(t) of one run."""

    learner: str
    t: Vector
    regret: Vector
    weights: Vector
    optimism: Vector


def split_of(judged: JudgedRun) -> SplitFigure:
    """Return the record of one run."""
    split, learner = judged.judgement.split, f"{judged.label}, seed {judged.seed}"
    return SplitFigure(learner, judged.judgement.t, split.regret, split.weights, split.optimism)


def draw_split(record: SplitFigure, figure: "Figure") -> None:
    """Draw the two parts, their sum, and the regret, which is below it while boxes contain b."""
    ax = figure.add_subplot()
    lines = {
        "R₁ + R₂": record.weights + record.optimism,
        "R₁: regret of the weights": record.weights,
        "R₂: excess of optimistic rewards": record.optimism,
    }
    plot_lines(ax, record.t, lines)
    ax.plot(record.t, record.regret, color="black", linewidth=2.5, label="regret R(t)")
    ax.axhline(0.0, color="0.5", linewidth=0.8)
    round_axis(ax, record.t)
    ax.set_ylabel("regret up to round t")
    legend_beside(ax, record.learner)


@dataclass(frozen=True)
class GainFigure:
    """½ log det(I + K_t / λ) for t = 1 … T of one run, by label."""

    learner: str
    t: Vector
    lines: dict[str, Vector]


def gain_figure(folder: Path) -> GainFigure:
    """Return the gain of the first run, of a greedy choice, its upper bound, and the rate of the kernel, if known.

    The rate is scaled to end where the greedy gain ends.
    """
    judged = judged_runs(folder)[0]
    judgement = judged.judgement
    greedy, rate, t = judgement.greedy, judgement.rate, judgement.t
    lines = {
        r"upper bound of $\gamma_t$: greedy / (1 − 1/e)": greedy.upper,
        "greedy choice": greedy.gains,
        "this run": judgement.replay.information_gains,
    }
    if rate is not None:
        lines[f"rate {rate.words}, scaled at T"] = rate.through(t, greedy.gains)
    return GainFigure(f"{judged.label}, seed {judged.seed}", t, lines)


def draw_gain(record: GainFigure, figure: "Figure") -> None:
    """Draw one line per gain."""
    ax = figure.add_subplot()
    plot_lines(ax, record.t, record.lines)
    round_axis(ax, record.t)
    ax.set(ylabel="information gain (nats)", ylim=(0, None))
    legend_beside(ax, record.learner)


BOUND = FigureEntry(
    "regret of one run with the terms of the theorem's bound", bound_figure, draw_bound, (7.6, 4.6), first_seed=True
)
SPLIT = FigureEntry(
    "regret of one run split as in the proof, R1 and R2",
    lambda folder: split_of(judged_runs(folder)[0]),
    draw_split,
    first_seed=True,
)
GAIN = FigureEntry(
    "information gain of one run and of a greedy choice, its upper bound, and the rate of the kernel",
    gain_figure,
    draw_gain,
    first_seed=True,
)
