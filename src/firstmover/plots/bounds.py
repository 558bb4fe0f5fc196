"""Regret with the bound above it, term by term, and the split of the proof."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from firstmover.experiments.judged import JudgedRun, judged_runs
from firstmover.plots.style import look
from firstmover.records import Vector

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class BoundFigure:
    """R(t) of one run; the bound with γ_T from above and with the gain of the run; its terms; what no run can lose."""

    learner: str
    theorem: str
    t: Vector
    regret: Vector
    bound: Vector
    realised_bound: Vector
    terms: dict[str, Vector]
    most: Vector
    reward_lipschitz: float


def bound_figure(folder: Path) -> BoundFigure:
    """The record of the first learner of a folder that learns responses, in its first run."""
    return bound_of(judged_runs(folder)[0])


def bound_of(judged: JudgedRun) -> BoundFigure:
    """The record of one run."""
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
    )


def draw_bound(record: BoundFigure, figure: "Figure") -> None:
    """On a logarithmic scale: the bound is a worst case, many times what was lost."""
    ax = figure.add_subplot()
    every = max(1, len(record.t) // 8)
    ax.plot(record.t, record.bound, label=f"{record.theorem}, γ_T from above", markevery=every, **look(0))
    ax.plot(record.t, record.realised_bound, label="the same, gain of this run", markevery=every, **look(1))
    for i, (name, term) in enumerate(record.terms.items(), start=2):
        ax.plot(record.t, term, label=f"its term: {name}", markevery=every, linewidth=1, alpha=0.8, **look(i))
    ax.plot(record.t, record.most, color="0.5", linewidth=1, label="most that can be lost")
    shown = np.where(record.regret > 0, record.regret, np.nan)  # no logarithm where nothing was lost
    ax.plot(record.t, shown, color="black", linewidth=2.5, label="regret R(t)")
    ax.set(xlabel="round t", ylabel="reward lost up to round t", xlim=(1, max(2, record.t[-1])), yscale="log")
    title = f"{record.learner}\nL_r ≈ {record.reward_lipschitz:.3g}, estimated"
    ax.legend(title=title, loc="upper left", bbox_to_anchor=(1.0, 1.0))


@dataclass(frozen=True)
class SplitFigure:
    """R(t), R_1(t) and R_2(t) of one run."""

    learner: str
    t: Vector
    regret: Vector
    weights: Vector
    optimism: Vector


def split_figure(folder: Path) -> SplitFigure:
    """The record of the first learner of a folder that learns responses, in its first run."""
    return split_of(judged_runs(folder)[0])


def split_of(judged: JudgedRun) -> SplitFigure:
    """The record of one run."""
    split = judged.judgement.split
    learner = f"{judged.label}, seed {judged.seed}"
    return SplitFigure(learner, judged.judgement.t, split.regret, split.weights, split.optimism)


def draw_split(record: SplitFigure, figure: "Figure") -> None:
    """Two parts, their sum, and the regret below it while boxes hold b."""
    ax = figure.add_subplot()
    every = max(1, len(record.t) // 8)
    total = record.weights + record.optimism
    ax.plot(record.t, total, label="R₁ + R₂", markevery=every, **look(0))
    ax.plot(record.t, record.weights, label="R₁: lost by the weights", markevery=every, **look(1))
    ax.plot(record.t, record.optimism, label="R₂: hoped for in vain", markevery=every, **look(2))
    ax.plot(record.t, record.regret, color="black", linewidth=2.5, label="regret R(t)")
    ax.axhline(0.0, color="0.5", linewidth=0.8)
    ax.set(xlabel="round t", ylabel="reward lost up to round t", xlim=(1, max(2, record.t[-1])))
    ax.legend(title=record.learner, loc="upper left", bbox_to_anchor=(1.0, 1.0))
