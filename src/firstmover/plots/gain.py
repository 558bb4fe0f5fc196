"""Information gained: by the run, by a greedy choice, what it cannot exceed, and the rate of the literature."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from firstmover.experiments.judged import judged_runs
from firstmover.plots.style import look, round_axis
from firstmover.records import Vector

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class GainFigure:
    """½ log det(I + K_t / λ) for t = 1 … T, and the rate's words and shape where one is known."""

    learner: str
    t: Vector
    realised: Vector
    greedy: Vector
    upper: Vector
    rate: tuple[str, Vector] | None


def gain_figure(folder: Path) -> GainFigure:
    """The record of the first learner of a folder that learns responses, in its first run."""
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
    """Four lines; the rate is scaled to end where the greedy gain ends."""
    ax = figure.add_subplot()
    every = max(1, len(record.t) // 8)
    ax.plot(record.t, record.upper, label=r"$\gamma_t$ is at most: greedy / (1 − 1/e)", markevery=every, **look(0))
    ax.plot(record.t, record.greedy, label="greedy choice", markevery=every, **look(1))
    ax.plot(record.t, record.realised, label="this run", markevery=every, **look(2))
    if record.rate is not None:
        words, shape = record.rate
        ax.plot(record.t, shape, label=f"rate {words}, to scale at T", markevery=every, **look(3))
    round_axis(ax, record.t)
    ax.set(ylabel="information gain (nats)", ylim=(0, None))
    ax.legend(title=record.learner, loc="upper left", bbox_to_anchor=(1.0, 1.0))
