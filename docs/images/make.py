"""Draw docs/images/regret.png: five learners on the shore, against an adversary who observes their strategies.

Run from the project's root: `python docs/images/make.py`. Equal seeds give equal curves.
"""

from dataclasses import dataclass
from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from firstmover import GAMES, LEARNERS, ConstantWidth, Setup, play_run, regret, true_rewards
from firstmover.core.arrays import Matrix
from firstmover.simulation import opponent_for

ROUNDS, SEEDS = 500, 10
PICTURE = Path(__file__).with_name("regret.png")


@dataclass(frozen=True)
class Line:
    """The construction and the look of a learner; colours of Okabe and Ito (2008), dashes for printing in grey."""

    label: str
    learner: str
    strategy: str
    colour: str
    dashes: str | tuple[int, tuple[int, ...]]
    label_lift: int = 0


LINES = [
    Line("follow the leader\n(StackelUCB, deterministic)", "stackelucb", "follow-the-leader", "#CC79A7", ":"),
    Line("Exp3", "exp3", "fixed-rate", "#E69F00", "--"),
    Line("auto (nothing to set)", "auto", "fixed-rate", "#009E73", "-.", label_lift=20),
    Line("StackelUCB (kernel given)", "stackelucb", "fixed-rate", "#0072B2", "-", label_lift=7),
    Line("Hedge (full information)", "hedge", "fixed-rate", "#000000", (0, (5, 1, 1, 1)), label_lift=-6),
]


def curves(line: Line) -> Matrix:
    """Return the time-averaged regret, one row per seed (SEEDS, ROUNDS)."""
    shore = GAMES["shore"]
    game = shore.build()
    opponent = opponent_for("shore", game, "adversary")
    rewards = true_rewards(game, opponent.respond)
    confidence = ConstantWidth(shore.confidence_width)
    setup = Setup(game, shore.kernel, shore.regularization, confidence, line.strategy, ROUNDS, true_rewards=rewards)
    learner = LEARNERS[line.learner].build(setup)
    runs = (play_run(game, opponent, learner, ROUNDS, seed) for seed in range(SEEDS))
    return np.stack([regret(run, rewards).time_averaged for run in runs])


def draw() -> Figure:
    """Draw the mean over the seeds with a band of one standard deviation."""
    figure = Figure(figsize=(7.5, 4.2), layout="constrained")
    axes = figure.subplots()
    t = np.arange(1, ROUNDS + 1)
    for line in LINES:
        rows = curves(line)
        mean, deviation = rows.mean(axis=0), rows.std(axis=0)
        axes.fill_between(t, mean - deviation, mean + deviation, color=line.colour, alpha=0.15, linewidth=0)
        axes.plot(t, mean, color=line.colour, linestyle=line.dashes, linewidth=2)
        axes.annotate(line.label, (ROUNDS, mean[-1]), (6, line.label_lift), textcoords="offset points", va="center")
    axes.set(xlabel="round t", ylabel="time-averaged regret R(t) / t", xlim=(1, ROUNDS), ylim=(0, None))
    axes.set_title(f"The shore game against an adaptive adversary, {SEEDS} seeds", loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    return figure


if __name__ == "__main__":
    mpl.rcParams["font.size"] = 11
    draw().savefig(PICTURE, dpi=150)
