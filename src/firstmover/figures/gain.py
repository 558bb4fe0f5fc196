"""Information gain: of the run, of a greedy choice, an upper bound, and the rate known from the literature."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from firstmover.core.records import Vector
from firstmover.figures.entry import FigureEntry
from firstmover.figures.style import look, round_axis
from firstmover.runs.stored_theory import judged_runs

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class GainFigure:
    """½ log det(I + K_t / λ) for t = 1 … T, and the formula and shape of the rate, if known."""

    learner: str
    t: Vector
    realised: Vector
    greedy: Vector
    upper: Vector
    rate: tuple[str, Vector] | None


def gain_figure(folder: Path) -> GainFigure:
    """Return the record of the first run of the first learner with a model of the responses."""
    judged = judged_runs(folder)[0]
    judgement = judged.judgement
    greedy, rate, t = judgement.greedy, judgement.rate, judgement.t
    return GainFigure(
        f"{judged.label}, seed {judged.seed}",
        t,
        judgement.replay.information_gains,
        greedy.gains,
        greedy.upper,
        None if rate is None else (rate.words, rate.through(t, greedy.gains)),
    )


def draw_gain(record: GainFigure, figure: "Figure") -> None:
    """Draw four lines; the rate is scaled to end where the greedy gain ends."""
    ax = figure.add_subplot()
    every = max(1, len(record.t) // 8)
    ax.plot(record.t, record.upper, label=r"upper bound of $\gamma_t$: greedy / (1 − 1/e)", markevery=every, **look(0))
    ax.plot(record.t, record.greedy, label="greedy choice", markevery=every, **look(1))
    ax.plot(record.t, record.realised, label="this run", markevery=every, **look(2))
    if record.rate is not None:
        words, shape = record.rate
        ax.plot(record.t, shape, label=f"rate {words}, scaled at T", markevery=every, **look(3))
    round_axis(ax, record.t)
    ax.set(ylabel="information gain (nats)", ylim=(0, None))
    ax.legend(title=record.learner, loc="upper left", bbox_to_anchor=(1.0, 1.0))


GAIN = FigureEntry(
    "information gain of one run and of a greedy choice, its upper bound, and the rate of the kernel",
    gain_figure,
    draw_gain,
    first_seed=True,
)
