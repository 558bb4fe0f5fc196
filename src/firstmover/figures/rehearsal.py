"""The report of a rehearsal: one page by the three questions of its reader, with pictures."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import wrap
from typing import TYPE_CHECKING, Literal

import numpy as np
import polars as pl

from firstmover.core.arrays import Matrix, Vector
from firstmover.core.errors import counted
from firstmover.figures.html_page import Picture, Section, page_of
from firstmover.figures.style import COLOURS, look
from firstmover.matches import Rehearsal
from firstmover.matches import rehearsal_report as words
from firstmover.simulation.gains import RANGE, Gain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH = 5.2
"""Inches: the text of a picture is legible when it is as wide as a telephone."""

WRAP = 26
"""Characters per line of a name beside a picture; two lines at most."""

MARKER_OF_ONE = "o"
"""A season of one round is a point, since there is no line."""

UNITS = ((1e9, "billions"), (1e6, "millions"), (1e3, "thousands"))
FROM, UP_TO = 10.0, 1e6
"""An axis is in a unit if its largest number is between so many of it."""

POLICIES = {"oracle": "best of every round", "best single action": "best single action"}
"""Short names of policies in pictures; others are those of the report."""


@dataclass(frozen=True)
class TotalGains:
    """The total gain after each round, by label: quantiles 5, 50 and 95 % over seasons (3, T)."""

    curves: dict[str, Matrix]


@dataclass(frozen=True)
class Earnings:
    """Earnings per round by policy: means (k,), 95 % intervals of the means and ranges of nine in ten seasons (k, 2).

    What a policy earns is the present earnings and its mean gain in the seasons that it has played; with a floor, what
    the match earns without one and the mean difference in the seasons of both.
    """

    labels: tuple[str, ...]
    mean: Vector
    interval: Matrix
    range: Matrix


@dataclass(frozen=True)
class Chances:
    """Chances of being behind after some rounds, without and with a floor (2, h), and 95 % intervals (2, h, 2).

    They are not a number where too few seasons were played.
    """

    rounds: tuple[int, ...]
    share: Matrix
    interval: np.ndarray


@dataclass(frozen=True)
class Errors:
    """Errors of forecasts as shares of that of a constant (3, m): of the model, the constant, the round before."""

    names: tuple[str, ...]
    share: Matrix


def total_gains(rehearsal: Rehearsal) -> TotalGains:
    """Return the gains of the match without and with a floor."""
    return TotalGains({_label(each): each.curve() for each in (rehearsal.match, rehearsal.floored_in_all)})


def earnings(rehearsal: Rehearsal) -> Earnings:
    """Return the earnings of all policies, those of now first."""
    present = float(rehearsal.match.present.mean())
    gains = _policies(rehearsal)
    shares = [[0.0] * 5, *(_relative(gain) for gain in gains)]
    values = present + abs(present) * np.array(shares)
    return Earnings((words.NOW, *map(_label, gains)), values[:, 0], values[:, 1:3], values[:, 3:])


def chances(rehearsal: Rehearsal) -> Chances:
    """Return the chances of being behind after the horizons of the match."""
    rounds = rehearsal.match.horizons
    both = [(rehearsal.match, h) for h in rounds], [(words.with_floor(rehearsal, h), h) for h in rounds]
    share = [[np.nan if gain is None else gain.worse_after(h) for gain, h in row] for row in both]
    none = (np.nan, np.nan)
    interval = [[none if gain is None else gain.worse_interval(h) for gain, h in row] for row in both]
    return Chances(rounds, np.array(share, dtype=float), np.array(interval))


def forecast_errors(rehearsal: Rehearsal) -> Errors:
    """Return the errors of held-out forecasts."""
    held = rehearsal.held_out
    return Errors(held.names, np.stack([held.error, held.constant, held.last]) / held.constant)


def _policies(rehearsal: Rehearsal) -> list[Gain]:
    return [rehearsal.match, rehearsal.floored_in_all, *rehearsal.others, rehearsal.oracle]


def _relative(gain: Gain) -> list[float]:
    """The mean of the relative gain, its 95 % interval, and the range of nine in ten seasons."""
    mean = float(gain.relative.mean())
    return [mean, *(gain.interval or (mean, mean)), *np.quantile(gain.relative, RANGE)]


def _label(gain: Gain) -> str:
    return POLICIES.get(gain.name) or words.NAMES.get(gain.name, gain.name)


def _wrapped(name: str) -> str:
    r"""A name in at most two lines.

    >>> _wrapped("units sold of all brands in all shops of the region").split("\n")
    ['units sold of all brands', 'in all shops of the…']
    """
    first, *rest = wrap(name, WRAP - 1) or [name]
    return "\n".join([first, *rest[:1]]) + ("…" if len(rest) > 1 else "")


def draw_total_gains(record: TotalGains, figure: "Figure") -> None:
    """Draw the median season of each policy with the band of nine in ten."""
    ax = figure.add_subplot()
    for i, (label, curve) in enumerate(record.curves.items()):
        t = np.arange(1, curve.shape[1] + 1)
        style = look(i) | {"marker": MARKER_OF_ONE if len(t) == 1 else "none"}
        ax.fill_between(t, curve[0], curve[2], color=style["color"], alpha=0.15, linewidth=0)
        ax.plot(t, curve[1], label=label, **style)
    ax.axhline(0, color="black", linewidth=1, label=words.NOW)
    ax.set(xlabel="round", xlim=(1, max(2, len(t))))
    ax.locator_params(axis="x", integer=True)
    _plain_numbers(ax, "y", "total gain so far")
    _legend_above(ax)


def draw_earnings(record: Earnings, figure: "Figure") -> None:
    """Draw a point per policy, with its 95 % interval, and a thin line for nine in ten seasons."""
    ax = figure.add_subplot()
    y = np.arange(len(record.labels))
    ax.axvline(record.mean[0], color="black", linewidth=1)
    for i, mean in enumerate(record.mean):
        colour = "black" if i == 0 else COLOURS[0] if i <= 2 else COLOURS[1]
        ax.plot(record.range[i], [y[i]] * 2, color=colour, linewidth=1)
        ax.plot(record.interval[i], [y[i]] * 2, color=colour, linewidth=4, alpha=0.5, solid_capstyle="butt")
        ax.plot([mean], [y[i]], color=colour, marker="o" if i <= 2 else "s", linestyle="none")
    ax.set_yticks(y, [_wrapped(label) for label in record.labels])
    ax.set(ylim=(len(y) - 0.5, -0.5))
    _plain_numbers(ax, "x", "earnings per round")


def draw_chances(record: Chances, figure: "Figure") -> None:
    """Draw a bar per horizon without and with a floor, with 95 % intervals."""
    ax = figure.add_subplot()
    x = np.arange(len(record.rounds))
    for i, (label, hatch) in enumerate((("without a floor", ""), ("with a floor", "//"))):
        place, share, interval = x + 0.4 * (i - 0.5), record.share[i], record.interval[i]
        ax.bar(place, 100 * share, 0.36, label=label, color=COLOURS[i], hatch=hatch, edgecolor="white")
        ax.vlines(place, 100 * interval[:, 0], 100 * interval[:, 1], color="black", linewidth=1)
        for at, value in zip(place, share, strict=True):
            if np.isnan(value):
                continue
            ax.annotate(words.percent(value), (at, 100 * value), (3, 2), textcoords="offset points")
    ax.set_xticks(x, [f"after {counted(rounds, 'round')}" for rounds in record.rounds])
    ax.set(ylabel=f"chance of being behind\n{words.NOW}, %", ylim=(0, max(20.0, 115 * np.nanmax(record.interval))))
    ax.set_xlim(-0.6, len(x) - 0.4)
    ax.grid(visible=False, axis="x")
    _legend_above(ax)


def draw_errors(record: Errors, figure: "Figure") -> None:
    """Draw the three errors of each response as bars."""
    ax = figure.add_subplot()
    y = np.arange(len(record.names))
    labels = ("this model", "the mean so far", "the round before")
    for i, (label, hatch) in enumerate(zip(labels, ("", "//", ".."), strict=True)):
        bars = ax.barh(y + 0.26 * (i - 1), 100 * record.share[i], 0.24, label=label, hatch=hatch, edgecolor="white")
        for bar in bars:
            bar.set_facecolor((COLOURS[0], "#9aa3ab", COLOURS[1])[i])
    ax.set_yticks(y, [_wrapped(name) for name in record.names])
    ax.set(xlabel="error, % of that of the mean so far", ylim=(len(y) - 0.5, -0.5))
    ax.grid(visible=False, axis="y")
    _legend_above(ax, columns=3)


def _plain_numbers(ax: "Axes", axis: Literal["x", "y"], label: str) -> None:
    """Label an axis, with numbers as the report writes them; large ones are counted in thousands or more."""
    largest = max(map(abs, getattr(ax, f"get_{axis}lim")()))
    size, unit = next(
        ((size, f" ({unit})") for size, unit in UNITS if size * FROM <= largest < size * UP_TO), (1.0, "")
    )
    chosen = getattr(ax, f"{axis}axis")
    chosen.set_major_formatter(lambda value, _: words.plain(value / size))
    chosen.set_label_text(label + unit)
    ax.locator_params(axis=axis, nbins=4)


def _legend_above(ax: "Axes", columns: int = 2) -> None:
    """Draw the legend above the axes, from the left edge of the figure."""
    handles, labels = ax.get_legend_handles_labels()
    figure = ax.get_figure()
    assert figure is not None
    figure.legend(handles, labels, loc="outside upper left", ncols=columns, handlelength=2.2, columnspacing=1.2)


def rehearsal_page(rehearsal: Rehearsal) -> str:
    """Return the page: the headline, then a section for each of the three questions."""
    with TemporaryDirectory() as folder:
        return page_of(
            f"Rehearsal: {rehearsal.title}",
            (words.headline(rehearsal),),
            [],
            [*_sections(rehearsal, Path(folder)), _making(rehearsal)],
        )


def _sections(rehearsal: Rehearsal, folder: Path) -> list[Section]:
    m, seasons = len(rehearsal.held_out.names), len(rehearsal.match.earned)
    whole = counted(len(rehearsal.floored.earned), "season")
    errors, gains, earned, behind = (
        forecast_errors(rehearsal),
        total_gains(rehearsal),
        earnings(rehearsal),
        chances(rehearsal),
    )
    work = _picture(
        folder / "errors",
        lambda figure: draw_errors(errors, figure),
        1.5 + 0.62 * m,
        "errors of forecasts of this model, of the mean so far and of the round before",
        "Errors of forecasts of rounds that the model had not seen: shorter bars are better.",
    )
    total = _picture(
        folder / "gains",
        lambda figure: draw_total_gains(gains, figure),
        3.4,
        "total gain over the present policy by round, with and without a floor",
        f"Total gain over {words.NOW}: the median of {counted(seasons, 'season')}. Nine in ten lie in the shaded "
        f"bands. What a floor changes is the mean of {whole}.",
    )
    policies = _picture(
        folder / "earnings",
        lambda figure: draw_earnings(earned, figure),
        3.6,
        "earnings per round of each policy with intervals",
        "Earnings per round: mean, its 95 % interval (thick) and nine in ten seasons (thin), each compared with "
        f"{words.NOW} in the same seasons.",
    )
    risk = _picture(
        folder / "chances",
        lambda figure: draw_chances(behind, figure),
        3.2,
        f"chance of being behind {words.NOW}, with and without a floor",
        f"Share of seasons in which firstmover has earned less in total than {words.NOW}; black lines are 95 % "
        "intervals.",
    )
    return [
        Section(words.WORK, tuple(words.can_it_work(rehearsal)), (_forecasts(rehearsal),), (work,)),
        Section(words.EARN, tuple(words.what_it_earns(rehearsal)), (_earned(rehearsal, earned),), (total, policies)),
        Section(words.TRUST, (*words.may_i_trust(rehearsal), words.ASSUMPTIONS), (), (risk,)),
    ]


def _picture(path: Path, draw: "Callable[[Figure], None]", height: float, alternative: str, caption: str) -> Picture:
    from firstmover.figures.files import drawn, save_png  # noqa: PLC0415 - matplotlib is slow to import

    figure = drawn(draw, (WIDTH, height))
    return Picture(save_png(figure, path.with_suffix(".png")), alternative, caption, narrow=True)


def _forecasts(rehearsal: Rehearsal) -> tuple[str, pl.DataFrame]:
    held = rehearsal.held_out
    table = {
        "response": list(held.names),
        "error": [words.plain(e) for e in held.error],
        "mean so far": [words.plain(e) for e in held.constant],
        "round before": [words.plain(e) for e in held.last],
        "in 80 % bands": [words.percent(c) for c in held.covered[0]],
        "in 90 % bands": [words.percent(c) for c in held.covered[1]],
    }
    return "Root mean squared errors of forecasts, and the share of responses inside of their bands", pl.DataFrame(
        table
    )


def _earned(rehearsal: Rehearsal, record: Earnings) -> tuple[str, pl.DataFrame]:
    present = float(record.mean[0])
    gains = _policies(rehearsal)
    table = {
        "policy": list(record.labels),
        "per round": [words.plain(value) for value in record.mean],
        "gain": ["–", *(words.signed(float(gain.relative.mean()), present) for gain in gains)],
        "nine in ten seasons": [
            "–",
            *(_range(np.quantile(gain.relative, RANGE), present) for gain in gains),
        ],
        "seasons": [
            str(len(gain.earned))
            for gain in (rehearsal.match, rehearsal.match, rehearsal.floored, *rehearsal.others, rehearsal.oracle)
        ],
    }
    return f"Earnings per round, and gains over {words.NOW}", pl.DataFrame(table)


def _range(ends: Vector, present: float) -> str:
    """The ends of a range, kept on one line."""
    low, high = ends.tolist()
    if low == high:
        return "–"
    return f"{words.signed(low, present)} to {words.signed(high, present)}".replace(" ", "\u00a0")


def _making(rehearsal: Rehearsal) -> Section:
    facts = {
        "table": rehearsal.source,
        "rounds of the table": f"{rehearsal.rounds_used} used, {rehearsal.left_out} left out",
        "learner": rehearsal.learner,
        "model of the opponent": rehearsal.model,
        "simulated": f"{counted(len(rehearsal.match.earned), 'season')} of {counted(rehearsal.match.rounds, 'round')}",
        "floor": f"{words.percent(rehearsal.at_least)} of what {rehearsal.baseline!r} earns",
    }
    return Section(
        "How this was made", (), (("Settings", pl.DataFrame({"": list(facts), "value": list(facts.values())})),)
    )
