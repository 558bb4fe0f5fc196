"""Regret with the terms of its bound, and the split of regret in the proof."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from firstmover.beliefs import ConstantWidth
from firstmover.core.contracts import ConfidenceWidth
from firstmover.core.records import Vector
from firstmover.figures.entry import FigureEntry
from firstmover.figures.style import look, round_axis
from firstmover.runs.stored_theory import JudgedRun, judged_runs
from firstmover.theory import Premises, covers, width_used_as_played
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
    judgement = judged.judgement
    bound = judgement.bound
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
        (*_departures(judgement.learner.confidence, judgement.premises), _boxes(judged)),
    )


def _departures(confidence: ConfidenceWidth, premises: Premises) -> list[str]:
    """The premises of the theorem that do not hold."""
    notes = []
    if isinstance(confidence, ConstantWidth):
        notes.append(f"β = {confidence.value:g} is a constant, not Lemma 4's: a guarantee only while boxes contain b.")
    if not premises.as_in_the_paper:
        factor = learning_factor(premises.kernel_bound, premises.regularization)
        notes.append(
            f"λ = {premises.regularization:g} is below max k = {premises.kernel_bound:.3g}: factor {factor:.3g} in the "
            f"last term, not the printed {PRINTED_FACTOR:g}."
        )
    return notes


def _boxes(judged: JudgedRun) -> str:
    judgement = judged.judgement
    inside = covers(width_used_as_played(judgement.learner, judgement.run, judged.stage.opponent.respond))
    if inside.all():
        return f"Boxes contained b in all {len(inside)} rounds."
    return f"No guarantee for this run: boxes missed b in {np.sum(~inside)} of {len(inside)} rounds."


def draw_bound(record: BoundFigure, figure: "Figure") -> None:
    """Draw on a logarithmic scale: the bound is a worst case, many times the regret."""
    ax = figure.add_subplot()
    every = max(1, len(record.t) // 8)
    ax.plot(record.t, record.bound, label=rf"{record.theorem}, upper bound of $\gamma_T$", markevery=every, **look(0))
    for i, (name, term) in enumerate(record.terms.items(), start=2):
        ax.plot(record.t, term, label=f"    of which {name}", markevery=every, linewidth=1, alpha=0.8, **look(i))
    ax.plot(record.t, record.realised_bound, label=f"{record.theorem}, gain of this run", markevery=every, **look(1))
    ax.plot(record.t, record.most, color="0.5", linewidth=1, label="largest possible regret")
    shown = np.where(record.regret > 0, record.regret, np.nan)  # regret at or below 0 has no logarithm
    where = "" if np.all(record.regret > 0) else ", where above 0" if np.any(record.regret > 0) else ": never above 0"
    ax.plot(record.t, shown, color="black", linewidth=2.5, label=f"regret R(t){where}")
    round_axis(ax, record.t)
    ax.set(ylabel="regret up to round t", yscale="log")
    title = f"{record.learner}\n$L_r$ ≈ {record.reward_lipschitz:.3g}, estimated"
    ax.legend(title=title, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    figure.supxlabel("\n".join(record.notes), x=0.01, ha="left", fontsize="small")


@dataclass(frozen=True)
class SplitFigure:
    """R(t), R_1(t) and R_2(t) of one run."""

    learner: str
    t: Vector
    regret: Vector
    weights: Vector
    optimism: Vector


def split_figure(folder: Path) -> SplitFigure:
    """Return the record of the first run of the first learner with a model of the responses."""
    return split_of(judged_runs(folder)[0])


def split_of(judged: JudgedRun) -> SplitFigure:
    """Return the record of one run."""
    split = judged.judgement.split
    learner = f"{judged.label}, seed {judged.seed}"
    return SplitFigure(learner, judged.judgement.t, split.regret, split.weights, split.optimism)


def draw_split(record: SplitFigure, figure: "Figure") -> None:
    """Draw the two parts, their sum, and the regret, which is below it while boxes contain b."""
    ax = figure.add_subplot()
    every = max(1, len(record.t) // 8)
    total = record.weights + record.optimism
    ax.plot(record.t, total, label="R₁ + R₂", markevery=every, **look(0))
    ax.plot(record.t, record.weights, label="R₁: regret of the weights", markevery=every, **look(1))
    ax.plot(record.t, record.optimism, label="R₂: excess of optimistic rewards", markevery=every, **look(2))
    ax.plot(record.t, record.regret, color="black", linewidth=2.5, label="regret R(t)")
    ax.axhline(0.0, color="0.5", linewidth=0.8)
    round_axis(ax, record.t)
    ax.set_ylabel("regret up to round t")
    ax.legend(title=record.learner, loc="upper left", bbox_to_anchor=(1.0, 1.0))


BOUND = FigureEntry(
    "regret of one run with the terms of the theorem's bound", bound_figure, draw_bound, (7.6, 4.6), first_seed=True
)
SPLIT = FigureEntry("regret of one run split as in the proof, R1 and R2", split_figure, draw_split, first_seed=True)
