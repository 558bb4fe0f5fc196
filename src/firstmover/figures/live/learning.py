"""Learning curves of a match: rewards, p_t, calibration, the posterior of every action, and regret in simulations."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from firstmover.core.records import Matrix, Vector
from firstmover.figures.live.maps import posterior_of
from firstmover.figures.live.trace import Series, Trace
from firstmover.figures.style import look, round_axis
from firstmover.theory.coverage import reliability_curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_ACTIONS = 8
"""Actions whose p_t is drawn: the likeliest over time and now."""

MOST_KNOWN = 600
"""Actions whose σ is drawn: the likeliest now."""


@dataclass(frozen=True)
class Likeliest:
    """p_t of a few actions (k, points)."""

    labels: tuple[str, ...]
    p: Matrix


@dataclass(frozen=True)
class Calibration:
    """Levels of predicted intervals, the share of responses inside each with its 95 % interval, and their number."""

    levels: Vector
    shares: Vector
    lower: Vector
    upper: Vector
    counts: int


@dataclass(frozen=True)
class Known:
    """σ and the expected reward of actions, and how often each was played."""

    labels: tuple[str, ...]
    std: Vector
    mean: Vector
    played: NDArray[np.intp]


@dataclass(frozen=True)
class LearningCurves:
    """Curves over the told rounds of a match, in the order of the tells.

    Parameters
    ----------
    t, every
        The first round of each point, and the number of rounds that it stands for.
    reward, optimistic_reward
        Means over the rounds of a point: the reward, and r̃ of the same action just before the tell.
    average_reward, average_optimistic_reward
        Means over all rounds so far.
    entropy, largest_entropy
        Of p_t in nats, at the first round of each point; log n.
    regret
        R(t) / t at the last round of each point; None unless the match is a simulation.
    """

    t: NDArray[np.intp]
    every: int
    rounds: int
    reward: Vector
    optimistic_reward: Vector
    average_reward: Vector
    average_optimistic_reward: Vector
    entropy: Vector
    largest_entropy: float
    likeliest: Likeliest
    calibration: Calibration
    known: Known
    regret: Vector | None


def learning_curves(trace: Trace) -> LearningCurves:
    """Return the record after the last event; nothing in it depends on the action of a pending round."""
    series, labels = trace.series, trace.state.setting.menu.labels
    rounds = len(series.reward)
    starts = np.arange(0, rounds, series.every)
    ends = np.minimum(starts + series.every, rounds)
    reward, average_reward = _means(series.reward, starts, ends)
    optimistic_reward, average_optimistic_reward = _means(series.optimistic, starts, ends)
    regret = np.array(series.regret)[ends - 1] / ends if trace.truth is not None and rounds else None
    return LearningCurves(
        t=starts + 1,
        every=series.every,
        rounds=rounds,
        reward=reward,
        optimistic_reward=optimistic_reward,
        average_reward=average_reward,
        average_optimistic_reward=average_optimistic_reward,
        entropy=np.array(series.entropy)[starts],
        largest_entropy=float(np.log(len(labels))),
        likeliest=_likeliest(series, labels),
        calibration=_calibration(series),
        known=_known(trace),
        regret=regret,
    )


def _means(values: list[float], starts: NDArray[np.intp], ends: NDArray[np.intp]) -> tuple[Vector, Vector]:
    """Means over the rounds of each point, and over all rounds up to it."""
    sums = np.concatenate([[0.0], np.cumsum(values)])
    return (sums[ends] - sums[starts]) / (ends - starts), sums[ends] / ends


def _likeliest(series: Series, labels: tuple[str, ...]) -> Likeliest:
    if not series.strategies:
        return Likeliest((), np.empty((0, 0)))
    strategies = np.array(series.strategies)
    score = strategies.mean(axis=0) + strategies[-1]
    top = np.argsort(-score, kind="stable")[:MOST_ACTIONS]
    return Likeliest(tuple(labels[i] for i in top), strategies[:, top].T)


def _calibration(series: Series) -> Calibration:
    if not series.errors:
        nothing: Vector = np.empty(0)
        return Calibration(nothing, nothing, nothing, nothing, 0)
    errors = np.array(series.errors)
    found = reliability_curve(errors)
    ends = np.array([share.interval for share in found.shares])
    return Calibration(found.levels, found.observed, ends[:, 0], ends[:, 1], errors.size)


def _known(trace: Trace) -> Known:
    labels = trace.state.setting.menu.labels
    kept = np.sort(np.argsort(-trace.strategy, kind="stable")[:MOST_KNOWN])
    mean, std = posterior_of(trace).expected_rewards(trace.state.setting.game)
    return Known(tuple(labels[i] for i in kept), std[kept], mean[kept], trace.played[kept])


def draw_learning(record: LearningCurves, figure: "Figure") -> None:
    """Draw six panels, or five where the regret is not known."""
    axes = figure.subplots(2, 3).ravel()
    draws = [_draw_rewards, _draw_likeliest, _draw_entropy, _draw_calibration, _draw_known, _draw_regret]
    for draw, ax in zip(draws, axes, strict=True):
        if record.rounds:
            draw(record, ax)
        else:
            ax.text(0.5, 0.5, "no round has been told yet", ha="center", transform=ax.transAxes)


def _draw_rewards(record: LearningCurves, ax: "Axes") -> None:
    dots = look(4) | {"linestyle": "none", "ms": 2, "alpha": 0.4}
    each = "each round" if record.every == 1 else f"means of {record.every} rounds"
    ax.plot(record.t, record.reward, label=each, **dots)
    ax.plot(record.t, record.average_reward, label="average so far", **look(0) | {"marker": "none"})
    ax.plot(record.t, record.average_optimistic_reward, label="average, optimistic", **look(1) | {"marker": "none"})
    _finish(record, ax, "reward")
    ax.legend(fontsize="x-small")


def _draw_likeliest(record: LearningCurves, ax: "Axes") -> None:
    for i, (label, p) in enumerate(zip(record.likeliest.labels, record.likeliest.p, strict=True)):
        ax.plot(record.t, p, label=label, markevery=max(1, len(p) // 6), **look(i) | {"ms": 3})
    _finish(record, ax, "p_t of an action\n(names below)")
    ax.set_ylim(-0.02, 1.02)
    ax.figure.legend(*ax.get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize="x-small")


def _draw_entropy(record: LearningCurves, ax: "Axes") -> None:
    ax.axhline(record.largest_entropy, color="0.5", linestyle="--", linewidth=1, label="all actions equally likely")
    ax.plot(record.t, record.entropy, label="p_t", **look(0) | {"marker": "none"})
    _finish(record, ax, "entropy of p_t (nats)")
    ax.set_ylim(bottom=0)
    ax.legend(fontsize="x-small")


def _draw_calibration(record: LearningCurves, ax: "Axes") -> None:
    found = record.calibration
    ax.plot([0, 1], [0, 1], color="0.5", linestyle="--", linewidth=1, label="calibrated")
    ax.fill_between(found.levels, found.lower, found.upper, color=look(0)["color"], alpha=0.15, linewidth=0)
    ax.plot(found.levels, found.shares, label=f"{found.counts} responses", **look(0))
    ax.set(xlabel="level of the predicted interval", ylabel="share of responses inside", xlim=(0, 1), ylim=(0, 1))
    ax.legend(fontsize="x-small")


def _draw_known(record: LearningCurves, ax: "Axes") -> None:
    known = record.known
    never = known.played == 0
    for name, rows, style in (("never played", never, look(1)), ("played", ~never, look(0))):
        ax.plot(known.mean[rows], known.std[rows], label=name, **style | {"linestyle": "none", "ms": 4})
    ax.set(xlabel="expected reward", ylabel="σ of the response")
    ax.set_ylim(bottom=0)
    ax.legend(fontsize="x-small")


def _draw_regret(record: LearningCurves, ax: "Axes") -> None:
    if record.regret is None:
        ax.axis("off")
        return
    ax.plot(record.t, record.regret, **look(0) | {"marker": "none"})
    _finish(record, ax, "time-averaged regret R(t) / t")


def _finish(record: LearningCurves, ax: "Axes", ylabel: str) -> None:
    round_axis(ax, record.t.astype(float))
    ax.set(xlabel="rounds told", ylabel=ylabel)
