"""Curves over rounds, one per learner, with 95 % bands over seeds."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.errors import InvalidInput
from firstmover.figures.entry import FigureEntry
from firstmover.figures.style import legend_beside, look, round_axis
from firstmover.runs.store import read
from firstmover.simulation.intervals import mean_interval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Curves:
    """Curves over rounds, one per learner, with 95 % bands over seeds.

    Parameters
    ----------
    ylabel
        Of the axis.
    learners
        k labels.
    t
        The rounds (T,).
    mean
        Over seeds (k, T).
    half_width
        Of the 95 % interval (k, T); NaN where there is one seed.

    Examples
    --------
    >>> from firstmover import compare
    >>> from firstmover.figures import regret_curves
    >>> regret_curves(compare("shore", "random", ["exp3"], rounds=9, seeds=2).rounds).mean.shape
    (1, 9)
    """

    ylabel: str
    learners: tuple[str, ...]
    t: Vector
    mean: Matrix
    half_width: Matrix

    @classmethod
    def of(cls, table: pl.DataFrame, column: str, ylabel: str) -> "Curves":
        """Return the curves of one column of the results.

        Parameters
        ----------
        table
            Rounds, as `run_experiment` returns them.
        column
            The column to draw.
        ylabel
            Of the axis.

        Returns
        -------
        Curves
            The curves.

        Raises
        ------
        InvalidInput
            If runs have different lengths.
        """
        runs = table.select("learner", "seed", "t", column).partition_by("learner", "seed", maintain_order=True)
        if len({len(run) for run in runs}) != 1:
            raise InvalidInput("table has runs of different lengths, or none: plot runs of one experiment together.")
        learners = tuple(dict.fromkeys(run["learner"][0] for run in runs))
        bands = [
            mean_interval(np.stack([run[column].to_numpy() for run in runs if run["learner"][0] == learner]))
            for learner in learners
        ]
        mean, half_width = (np.stack(part) for part in zip(*bands, strict=True))
        return cls(ylabel, learners, runs[0]["t"].to_numpy().astype(float), mean, half_width)


@dataclass(frozen=True)
class Overlay:
    """Our curves and published values of the same learners (k, rounds) at some rounds; NaN where there are none."""

    curves: Curves
    t: Vector
    published: Matrix


def draw_curves(curves: Curves, ax: "Axes") -> None:
    """Draw a line per learner, distinguished by colour, dash and marker, and its band.

    Parameters
    ----------
    curves
        The record.
    ax
        Matplotlib axes.

    Examples
    --------
    >>> import numpy as np
    >>> from matplotlib.figure import Figure
    >>> from firstmover.figures import Curves, draw_curves
    >>> axes = Figure().add_subplot()
    >>> draw_curves(Curves("regret", ("exp3",), np.arange(1.0, 4.0), np.ones((1, 3)), np.zeros((1, 3))), axes)
    >>> axes.get_ylabel()
    'regret'
    """
    every = max(1, len(curves.t) // 8)
    for i, learner in enumerate(curves.learners):
        start = (i * every) // len(curves.learners)  # markers of different lines do not overlap
        ax.plot(curves.t, curves.mean[i], label=learner, markevery=(start, every), **look(i))
        draw_band(curves, i, ax, look(i)["color"])
    round_axis(ax, curves.t)
    ax.set_ylabel(curves.ylabel)
    legend_beside(ax, "mean and 95 % band")


def draw_in(curves: Curves, figure: "Figure") -> None:
    """Draw the curves in the only axes of a figure."""
    draw_curves(curves, figure.add_subplot())


def draw_band(curves: Curves, i: int, ax: "Axes", colour: str) -> None:
    """Draw the 95 % band of one learner, if there is one."""
    if np.all(np.isfinite(curves.half_width[i])):
        low, high = curves.mean[i] - curves.half_width[i], curves.mean[i] + curves.half_width[i]
        ax.fill_between(curves.t, low, high, color=colour, alpha=0.15, linewidth=0)


def draw_overlay(overlay: Overlay, ax: "Axes", looks: Sequence[dict[str, Any]], *, bands: bool = True) -> None:
    """Draw our means as lines with bands, and published values as open marks of the same colour."""
    curves = overlay.curves
    for i, (learner, style) in enumerate(zip(curves.learners, looks, strict=True)):
        line = style | {"marker": "none"}
        mark = style | {"linestyle": "none", "markerfacecolor": "none", "clip_on": False}
        ax.plot(curves.t, curves.mean[i], **line)
        ax.plot(overlay.t, overlay.published[i], **mark)
        ax.plot([], [], label=learner, **style | {"markerfacecolor": "none"})  # the legend entry: a line with a mark
        if bands:
            draw_band(curves, i, ax, style["color"])
    round_axis(ax, curves.t)
    ax.set_ylabel(curves.ylabel)


def published_note(overlay: Overlay) -> str:
    """Return the legend's note on the open marks."""
    return "open marks: published" if np.isfinite(overlay.published).any() else "published rewards: on another scale"


def regret_curves(table: pl.DataFrame) -> Curves:
    """Return R(t) / t of each learner, as in the paper's Figure 1.

    Parameters
    ----------
    table
        Rounds, as `run_experiment` returns them.

    Returns
    -------
    Curves
        The curves.

    Raises
    ------
    InvalidInput
        If runs have different lengths.

    Examples
    --------
    >>> from firstmover import compare
    >>> from firstmover.figures import regret_curves
    >>> regret_curves(compare("shore", "random", ["exp3"], rounds=9, seeds=2).rounds).learners
    ('exp3',)
    """
    return Curves.of(table, "time_averaged_regret", "time-averaged regret R(t) / t\n(reward per round)")


def reward_curves(table: pl.DataFrame) -> Curves:
    """Return Σ_{s≤t} r(x_s, b(x_s, θ_s)) / t of each learner.

    Parameters
    ----------
    table
        Rounds, as `run_experiment` returns them.

    Returns
    -------
    Curves
        The curves.

    Raises
    ------
    InvalidInput
        If runs have different lengths.

    Examples
    --------
    >>> from firstmover import compare
    >>> from firstmover.figures import reward_curves
    >>> reward_curves(compare("shore", "random", ["exp3"], rounds=9, seeds=2).rounds).t[-1].item()
    9.0
    """
    averaged = pl.col("reward").cum_sum().over("learner", "seed") / pl.col("t")
    return Curves.of(table.with_columns(averaged=averaged), "averaged", "time-averaged reward\n(reward per round)")


def entropy_curves(table: pl.DataFrame) -> Curves:
    """Return −Σ_x p_t[x] log p_t[x] of each learner.

    Parameters
    ----------
    table
        Rounds, as `run_experiment` returns them.

    Returns
    -------
    Curves
        The curves.

    Raises
    ------
    InvalidInput
        If runs have different lengths.

    Examples
    --------
    >>> from firstmover import compare
    >>> from firstmover.figures import entropy_curves
    >>> entropy_curves(compare("shore", "random", ["exp3"], rounds=9, seeds=2).rounds).mean[0, 0].round(4).item()
    3.1781
    """
    return Curves.of(table, "entropy", "entropy of $p_t$ (nats)")


def _entry(summary: str, column: str, curves: Callable[[pl.DataFrame], Curves]) -> FigureEntry:
    return FigureEntry(
        f"{summary} of each learner, with 95 % bands over seeds",
        lambda folder: curves(read(folder, ("learner", "seed", "t", column))),
        draw_in,
    )


REGRET = _entry("time-averaged regret R(t) / t", "time_averaged_regret", regret_curves)
REWARDS = _entry("time-averaged reward", "reward", reward_curves)
ENTROPY = _entry("entropy of the strategy p_t", "entropy", entropy_curves)
