"""Learning curves of a match: rewards, p_t, calibration, the posterior of every action, and regret in simulations."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from firstmover.core.arrays import Matrix, Vector
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
    """Means over the rounds of each point, and over all rounds up to it, without those of no finite value."""
    finite = np.isfinite(values)
    sums = np.concatenate([[0.0], np.cumsum(np.where(finite, values, 0.0))])
    counts = np.concatenate([[0], np.cumsum(finite)])
    with np.errstate(invalid="ignore"):  # no finite value yet: NaN
        return (sums[ends] - sums[starts]) / (counts[ends] - counts[starts]), sums[ends] / counts[ends]


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
    kept = np.sort(np.argsort(-trace.told_strategy, kind="stable")[:MOST_KNOWN])
    mean, std = posterior_of(trace, reveal=False).expected_rewards(trace.state.setting.game)
    return Known(tuple(labels[i] for i in kept), std[kept], mean[kept], trace.played[kept])


def draw_learning(record: LearningCurves, figure: "Figure") -> None:
    """Draw six panels, or five where the regret is not known."""
    rewards, likeliest, entropy, calibration, known, regret = axes = figure.subplots(2, 3).ravel()
    if not record.rounds:
        for ax in axes:
            ax.text(0.5, 0.5, "no round has been told yet", ha="center", transform=ax.transAxes)
        return
    first, second = (look(i) | {"marker": "none"} for i in (0, 1))
    each = "each round" if record.every == 1 else f"means of {record.every} rounds"
    rewards.plot(record.t, record.reward, label=each, **look(4) | {"linestyle": "none", "ms": 2, "alpha": 0.4})
    rewards.plot(record.t, record.average_reward, label="average so far", **first)
    rewards.plot(record.t, record.average_optimistic_reward, label="average, optimistic", **second)
    for i, (label, p) in enumerate(zip(record.likeliest.labels, record.likeliest.p, strict=True)):
        likeliest.plot(record.t, p, label=label, markevery=max(1, len(p) // 6), **look(i) | {"ms": 3})
    likeliest.set_ylim(-0.02, 1.02)
    figure.legend(*likeliest.get_legend_handles_labels(), loc="outside lower center", ncols=3, fontsize="x-small")
    even = {"color": "0.5", "linestyle": "--", "linewidth": 1}
    entropy.axhline(record.largest_entropy, label="all actions equally likely", **even)
    entropy.plot(record.t, record.entropy, label="p_t", **first)
    entropy.set_ylim(bottom=0)
    if record.regret is None:
        regret.axis("off")
    else:
        regret.plot(record.t, record.regret, **first)
    names = ("reward", "p_t of an action\n(names below)", "entropy of p_t (nats)", "time-averaged regret R(t) / t")
    for ax, ylabel in zip((rewards, likeliest, entropy, regret), names, strict=True):
        round_axis(ax, record.t.astype(float))
        ax.set(xlabel="rounds told", ylabel=ylabel)
    _draw_posterior(record, calibration, known)
    for ax in (rewards, entropy, calibration, known):
        ax.legend(fontsize="x-small")


def _draw_posterior(record: LearningCurves, calibration: "Axes", known: "Axes") -> None:
    """Draw the observed coverage of predictions, and σ over the expected reward of each action."""
    found = record.calibration
    calibration.plot([0, 1], [0, 1], color="0.5", linestyle="--", linewidth=1, label="calibrated")
    calibration.fill_between(found.levels, found.lower, found.upper, color=look(0)["color"], alpha=0.15, linewidth=0)
    calibration.plot(found.levels, found.shares, label=f"{found.counts} responses", **look(0))
    names = {"xlabel": "level of the predicted interval", "ylabel": "share of responses inside"}
    calibration.set(xlim=(0, 1), ylim=(0, 1), **names)
    never = record.known.played == 0
    for name, rows, style in (("never played", never, look(1)), ("played", ~never, look(0))):
        mean, std = record.known.mean[rows], record.known.std[rows]
        known.plot(mean, std, label=name, **style | {"linestyle": "none", "ms": 4})
    known.set(xlabel="expected reward", ylabel="σ of the response")
    known.set_ylim(bottom=0)
