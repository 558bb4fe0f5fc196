"""The report of the studies: targets, measured values with verdicts, tables and one figure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from firstmover.figures.curves import Curves, draw_curves
from firstmover.figures.files import drawn, save
from firstmover.figures.html_page import Picture, Section
from firstmover.runs.comparison import with_interval
from studies.adversary import summarise_adversary
from studies.arenas import ARENAS
from studies.catalogue import KIND, results_of
from studies.choice import summarise_choice
from studies.drift import WITHOUT, summarise_drift
from studies.growing import summarise_growing
from studies.prices import OURS, summarise_prices
from studies.rationality import summarise_rationality
from studies.routing import RECOMMENDED, summarise_regret
from studies.simplex import reference, summarise_commitments

if TYPE_CHECKING:
    from matplotlib.figure import Figure

TITLE = "Beyond the paper"

WORDS = (
    "Limitations that the paper states or that its reproduction shows, each with a target that was set before the "
    "measurement. Nothing was selected on these seeds and menus. A target is met if the whole 95 % interval meets it, "
    "and met on average if only the mean does."
)

SLOPE = -0.4
"""The target for the slope of log R(T)/T over log T."""

FIRST_ROUND = 10
"""The first round drawn on logarithmic axes: before it, the interval of the regret contains 0."""


@dataclass(frozen=True)
class Aim:
    """A row of the table of targets."""

    measured: str
    target: str
    found: str
    verdict: str


def verdict(mean: float, half_width: float, limit: float) -> str:
    """Return whether a value is at most a limit, with its whole interval or on average.

    >>> verdict(3.0, 0.5, 4.0), verdict(3.8, 0.5, 4.0), verdict(4.1, 0.5, 4.0)
    ('met', 'met on average', 'missed')
    """
    if mean > limit:
        return "missed"
    return "met" if mean + half_width <= limit else "met on average"


def _at_most(measured: str, target: str, value: tuple[float, float], limit: float, unit: str = "") -> Aim:
    return Aim(measured, target, f"{with_interval(*value)}{unit}", verdict(*value, limit))


def _at_least(measured: str, target: str, value: tuple[float, float], limit: float, unit: str = "") -> Aim:
    return Aim(measured, target, f"{with_interval(*value)}{unit}", verdict(-value[0], value[1], -limit))


def _value(row: Mapping[str, float], measure: str, scale: float = 1.0) -> tuple[float, float]:
    return scale * row[measure], scale * row[f"{measure}_half_width"]


def routing_aims(table: pl.DataFrame) -> list[Aim]:
    """Regret of the default learner, alone and beside full information."""
    row = summarise_regret(table).filter(learner=RECOMMENDED).row(0, named=True)
    name = f"routing, R(T)/T, {row['runs']} seeds"
    return [
        _at_most(name, "at most 10", _value(row, "regret"), 10.0),
        _at_most("routing, minus Hedge with full information", "below 0", _value(row, "minus_hedge"), 0.0),
    ]


def adversary_aims(table: pl.DataFrame) -> list[Aim]:
    """The slope against each adversary."""
    rows = summarise_adversary(table).iter_rows(named=True)
    name = "routing, log-log slope, adversary of the "
    return [_at_most(name + row["adversary"], "at most −0.4", (row["slope"], row["half_width"]), SLOPE) for row in rows]


def menus_aims(table: pl.DataFrame, reading: str) -> list[Aim]:
    """From which round the best patrol is held, and on how many menus the reward exceeds GP-UCB's at its best β."""
    found, name = summarise_choice(table), f"park, {reading}"
    median, late, ahead, menus = (found[key] for key in ("held_from_median", "held_from_95", "ahead", "menus"))
    lead = with_interval(found["lead"], found["lead_half_width"])
    enough = verdict(-ahead, 0.0, -menus * 28 / 30)
    return [
        Aim(f"{name}, best patrol held from, median", "round 15", f"round {median:g}", verdict(median, 0.0, 15)),
        Aim(f"{name}, in 95 % of games", "round 35", f"round {late:g}", verdict(late, 0.0, 35)),
        Aim(f"{name}, ahead of GP-UCB at its best β", "28 menus of 30", f"{ahead} of {menus}, by {lead}", enough),
    ]


def simplex_aims(table: pl.DataFrame) -> list[Aim]:
    """Rewards of the learner `commitment` in two windows of rounds."""
    row = summarise_commitments(table)
    return [
        _at_least(
            f"whole simplex, rounds {words}, {row['seeds']} seeds", f"at least {limit}", _value(row, window), limit
        )
        for window, words, limit in (("rounds_131_150", "131–150", 0.12), ("rounds_181_200", "181–200", 0.13))
    ]


def search_aims(table: pl.DataFrame) -> list[Aim]:
    """An independent search comes close to the reference and does not exceed it."""
    found, optimum = float(table["found"].max()), table["optimum"][0]  # type: ignore[arg-type]  # a column of numbers
    confirmed = 0.95 * optimum <= found <= optimum + 1e-9
    target = "within 5 % of the reference, never above"
    words = f"{found:.4f} of {optimum:.4f}"
    return [Aim("whole simplex, independent search", target, words, "met" if confirmed else "missed")]


def prices_aims(table: pl.DataFrame, arrival: str) -> list[Aim]:
    """The share of the optimum in hindsight, and the lead over each learner with the same information."""
    summary, name = summarise_prices(table), f"prices, {arrival}"
    ours = summary.filter(learner=OURS).row(0, named=True)
    aims = [_at_least(f"{name}, share of the optimum", "95 %", _value(ours, "share", 100.0), 95.0, " %")]
    for rival in ("GP-MW", "Exp3"):
        best = summary.filter(pl.col("learner").str.starts_with(rival)).sort("share").row(-1, named=True)
        lead = _value(best, "ours_ahead", 100.0)
        aims.append(_at_least(f"{name}, ahead of {best['learner']}", "above 0", lead, 0.0, " points"))
    return aims


def drift_aims(table: pl.DataFrame) -> list[Aim]:
    """Dynamic regret with forgetting as a share of that without, under the same assumption."""
    rows = summarise_drift(table).filter(pl.col("learner").is_in(WITHOUT)).iter_rows(named=True)
    name = "drifting park, {learner}: share of dynamic regret, {runs} menus"
    return [_at_most(name.format(**row), "at most 0.5", _value(row, "share"), 0.5) for row in rows]


AIMS: dict[str, Callable[[pl.DataFrame], list[Aim]]] = {
    "routing": routing_aims,
    "adversary": adversary_aims,
    "menus-paper": lambda table: menus_aims(table, "preset paper"),
    "menus-released": lambda table: menus_aims(table, "preset released"),
    "simplex": simplex_aims,
    "search": search_aims,
    "prices-random": lambda table: prices_aims(table, "random segments"),
    "prices-adversary": lambda table: prices_aims(table, "adaptive adversary"),
    "drift": drift_aims,
}
"""Targets by study; rationality has a table and no target."""


def sections_of(out: Path) -> list[Section]:
    """Draw the figure, and return the sections on all complete studies of a folder."""
    results = results_of(out)
    aims = [aim for name, judge in AIMS.items() if name in results for aim in judge(results[name])]
    tables = [("Targets and measured values", pl.DataFrame(aims))] if aims else []
    pictures = []
    if panels := panels_of(results):
        path = save(drawn(lambda figure: draw_panels(panels, figure), (4.0 * len(panels), 3.6)), out / KIND)[0]
        caption = " ".join(panel.caption for panel in panels)
        pictures.append(Picture(path, caption, caption))
    return [Section("Targets and measured values", (), (*tables, *_details(results)), tuple(pictures))]


def _details(results: Mapping[str, pl.DataFrame]) -> list[tuple[str, pl.DataFrame]]:
    tables = []
    if "routing" in results:
        rows = shown(summarise_regret(results["routing"]), ["learner"], ["regret", "minus_hedge"])
        tables.append(("Routing, T = 100", rows.rename({"regret": "R(T)/T"})))
    for arrival in ("random", "adversary"):
        if (name := f"prices-{arrival}") in results:
            rows = shown(summarise_prices(results[name]), ["learner"], ["share", "ours_ahead"])
            tables.append((f"Prices, opponent {arrival}", rows))
    if "growing" in results:
        rows = summarise_growing(results["growing"])
        measures = ["reward", "last_40", "best", "members"]
        tables.append(("A growing menu, poachers from three camps", shown(rows, ["order", "learner"], measures)))
    for arena in ARENAS:
        if (name := f"rationality-{arena}") in results:
            caption = f"Decreasing rationality, {arena}: reward per round; that of the last 20 rounds"
            tables.append((caption, rationality_table(results[name])))
    return tables


def shown(rows: pl.DataFrame, keys: Sequence[str], measures: Sequence[str]) -> pl.DataFrame:
    """Return keys unchanged, and each measure with its half-width in one cell."""
    cells = {
        measure.replace("_", " "): [with_interval(*_value(row, measure)) for row in rows.iter_rows(named=True)]
        for measure in measures
    }
    return pl.DataFrame({**{key: rows[key] for key in keys}, **cells})


def rationality_table(table: pl.DataFrame) -> pl.DataFrame:
    """One row per behaviour, one column per learner: all rounds, then the last 20."""
    rows = []
    for (behaviour,), part in summarise_rationality(table).group_by("behaviour", maintain_order=True):
        cells = {
            row["learner"]: f"{with_interval(*_value(row, 'reward'))}; {row['last_20']:.3f}"
            for row in part.iter_rows(named=True)
        }
        rows.append({"opponents": str(behaviour), "optimum": f"{part['optimum'][0]:.3f}", **cells})
    return pl.DataFrame(rows)


@dataclass(frozen=True)
class Panel:
    """Curves with a title; a level to compare with, or logarithmic axes with a line of the target slope."""

    title: str
    caption: str
    curves: Curves
    level: float | None = None
    logarithmic: bool = False


def panels_of(results: Mapping[str, pl.DataFrame]) -> list[Panel]:
    """Return the panels of the studies that were played."""
    panels = []
    if "simplex" in results:
        table = results["simplex"].with_columns(learner=pl.lit("commitment"))
        caption = "Whole simplex: reward of round t; dotted: the best mixture."
        curves = Curves.of(table, "reward", "reward of round t")
        panels.append(Panel("Whole simplex", caption, curves, reference().reward))
    if "drift" in results:
        curves = Curves.of(results["drift"].rename({"menu": "seed"}), "dynamic_regret", "dynamic regret")
        caption = "A camp that moves: regret against the best patrol of each round."
        panels.append(Panel("A camp that moves", caption, curves))
    if "adversary" in results:
        table = results["adversary"].rename({"adversary": "learner"}).filter(pl.col("t") >= FIRST_ROUND)
        caption = "Adversaries: regret of routing; dashed: the target slope −0.4."
        curves = Curves.of(table, "time_averaged_regret", "R(t) / t")
        panels.append(Panel("Adversaries", caption, curves, logarithmic=True))
    return panels


def draw_panels(panels: list[Panel], figure: "Figure") -> None:
    """Draw the panels side by side."""
    for panel, ax in zip(panels, figure.subplots(1, len(panels), squeeze=False)[0], strict=True):
        draw_curves(panel.curves, ax)
        if panel.level is not None:
            ax.axhline(panel.level, color="0.35", linewidth=1, linestyle=":")
        if panel.logarithmic:
            t, start = panel.curves.t, panel.curves.mean[0, 0]
            ax.plot(t, start * (t / t[0]) ** SLOPE, color="0.35", linewidth=1, linestyle="--")
            ax.set(xscale="log", yscale="log")
        ax.set_title(panel.title)
        ax.legend(loc="best")
