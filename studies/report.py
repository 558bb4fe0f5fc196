"""The report of the studies: targets, measured values with verdicts, tables and one figure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from firstmover.figures.curves import Curves, draw_curves
from firstmover.figures.files import drawn, save
from firstmover.figures.html_page import Picture, Section
from firstmover.runs.comparison import with_interval
from firstmover.simulation.intervals import mean_interval
from studies import certificates, contexts, floors, fresh, journals, menus, overrides
from studies.adversary import summarise_adversary
from studies.alarms import false_alarms, raised, summarise_alarms
from studies.arena import arena_table, runs_of, summarise_arena, totals
from studies.arenas import ARENAS
from studies.catalogue import KIND, STUDIES, results_of
from studies.choice import summarise_choice
from studies.drift import WITHOUT, summarise_drift
from studies.growing import summarise_growing
from studies.misspecification import misspecified_table, summarise_misspecified
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

    Of one run alone, which has no interval, only the average is known; a mean that is no number was not measured.

    >>> verdict(3.0, 0.5, 4.0), verdict(3.8, 0.5, 4.0), verdict(4.1, 0.5, 4.0), verdict(float("nan"), 0.5, 4.0)
    ('met', 'met on average', 'missed', 'not measured')
    """
    if isnan(mean) or isnan(limit):
        return "not measured"
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


def _share(measured: str, target: str, found: tuple[int, int], least: float, more: str = "") -> Aim:
    """A row for a number of cases out of all, of which a least share is the target."""
    count, total = found
    return Aim(measured, target, f"{count} of {total}{more}", verdict(-count, 0.0, -least * max(total, 1)))


def arena_aims(table: pl.DataFrame) -> list[Aim]:
    """The totals over all instances."""
    found = totals(summarise_arena(runs_of(table)))
    worst = f", largest ratio {found.largest_ratio:.2f}"
    return [
        _share("arena, regret at most 1.25 × hand-tuned", "every instance", found.within, 1.0, worst),
        _share("arena, ahead of StackelUCB with a fitted kernel", "every instance", found.ahead["StackelUCB"], 1.0),
        _share("arena, ahead of Exp3", "every instance", found.ahead["Exp3"], 1.0),
        _share("arena, ahead of Hedge with full information", "two thirds", found.ahead["Hedge"], 2 / 3),
        _share("arena, 86 to 94 % of responses in 90 % bands", "nine tenths", found.calibrated, 0.9),
    ]


def fresh_parks_aims(table: pl.DataFrame) -> list[Aim]:
    """The share of games that hold a good patrol, and the final gap."""
    row = fresh.summarise_parks(table)
    interval = f" ({row['share_low']:.0%} to {row['share_high']:.0%})"
    games = round(row["share"] * row["games"]), int(row["games"])
    return [
        _share("fresh parks, within 0.01 of the best patrol from round 40", "85 % of games", games, 0.85, interval),
        _at_most("fresh parks, final gap", "below 0.01", _value(row, "final"), 0.01),
    ]


def fresh_simplex_aims(table: pl.DataFrame) -> list[Aim]:
    """The share of the gap from uniform to the optimum that is closed."""
    closed = fresh.summarise_simplex(table)["closed"].to_numpy()
    mean, half_width = mean_interval(closed)
    value = 100 * float(mean), 100 * float(half_width)
    above = int((closed > 0).sum()), len(closed)
    return [
        _at_least("fresh parks, whole simplex, rounds 181-200, gap closed", "85 %", value, 85.0, " %"),
        _share("fresh parks, whole simplex, not below uniform", "every park", above, 1.0, f", least {min(closed):.0%}"),
    ]


def fresh_prices_aims(table: pl.DataFrame) -> list[Aim]:
    """The share of the optimum on each price game."""
    rows = fresh.shares_of_optimum(table, ["game", "words"])
    shares = rows["share"].to_numpy()
    enough, least = (int((shares >= 0.9).sum()), len(rows)), f", least {shares.min():.1%}"
    return [_share("fresh prices, adversary, 90 % of the optimum", "every game", enough, 1.0, least)]


def fresh_template_aims(table: pl.DataFrame) -> list[Aim]:
    """The share of the best fixed price's earnings."""
    row = fresh.shares_of_optimum(table, ["game"]).row(0, named=True)
    value = _value(row, "share", 100.0)
    return [_at_least("template with temperature, of the best fixed price", "80 %", value, 80.0, " %")]


def fresh_outliers_aims(table: pl.DataFrame) -> list[Aim]:
    """Regret with mistakes over that without, and without mistakes over that of a belief without robust weights."""
    rows, aims = fresh.summarise_outliers(table), []
    for column, words, limit in (
        ("with_mistakes", "1 % of responses × 10⁶, regret over that without", 1.2),
        ("robustness", "no outliers, regret over that without robust weights", 1.05),
    ):
        logs = rows[column].log().to_numpy()
        mean = float(np.exp(logs.mean()))
        found = f"{mean:.3f} in the geometric mean of {len(logs)} instances, largest {np.exp(logs.max()):.3f}"
        aims.append(Aim(words, f"at most {limit}", found, verdict(mean, 0.0, limit)))
    return aims


def fresh_alarms_aims(table: pl.DataFrame) -> list[Aim]:
    """Healthy runs with a false alarm, and scenarios with theirs."""
    count, runs = false_alarms(table)
    found = f"{count} of {runs}"
    return [
        Aim("alarms in healthy runs", "at most 2 of 100", found, verdict(count, 0.0, runs / 50)),
        _share("alarms in scenarios made for them", "every scenario", raised(table), 1.0),
    ]


def misspecification_aims(table: pl.DataFrame) -> list[Aim]:
    """Cells that neither work nor raise an alarm."""
    cells = summarise_misspecified(table)
    count = int(cells["silent"].sum())
    return [
        Aim("wrong assumptions and data, silent cells", "none", f"{count} of {len(cells)}", verdict(count, 0.0, 0.0))
    ]


def fresh_hints_aims(table: pl.DataFrame) -> list[Aim]:
    """The last 100 of 300 rounds beside the best price per segment and the best single price."""
    rows = {row["label"]: row for row in contexts.last_rounds(table).iter_rows(named=True)}
    return [
        _at_least(
            "segment known, share of its best price", "at least 0.95", _value(rows["segment known"], "of_type"), 0.95
        ),
        *(
            _at_least(
                f"{label}, relative to the best single price", "at least 1.08", _value(rows[label], "single"), 1.08
            )
            for label in ("hint", "hint, partner")
        ),
    ]


def fresh_kiosks_aims(table: pl.DataFrame) -> list[Aim]:
    """One learner with the weekday as context beside seven learners."""
    ratio = contexts.ahead(table, *contexts.KIOSKS)
    return [_at_least("kiosk by weekday, relative to seven learners, 60 rounds", "at least 1", ratio, 1.0)]


def fresh_contexts_aims(table: pl.DataFrame) -> list[Aim]:
    """Regret with a context that says nothing, and the policy regret beside its bound."""
    share = contexts.share_of_bound(table, "groups, adversary")
    return [
        *(
            _at_most(
                f"regret with a context that says nothing, {order}",
                "at most 1.1 × without",
                contexts.relative(table, "cumulative_regret", f"label, {order}", f"none, {order}"),
                1.1,
            )
            for order in ("random", "adversary")
        ),
        Aim("largest policy regret / bound without learning", "at most 1", f"{share:.3f}", verdict(share, 0.0, 1.0)),
    ]


def fresh_closures_aims(table: pl.DataFrame) -> list[Aim]:
    """Regret against the best ranking, relative to the open game."""
    ratio = contexts.relative(table, "ranking_regret", *contexts.CLOSURES)
    return [_at_most("regret with a fifth of the actions closed", "at most 1.2 × open", ratio, 1.2)]


def fresh_floors_aims(table: pl.DataFrame) -> list[Aim]:
    """Rounds below the floor, and the regret relative to that of the free learner."""
    return [
        _at_most("rounds below 0.95 of the baseline", "at most 0.05", floors.share_below(table, "floor"), 0.05),
        _at_most("regret with a floor", "at most 1.5 × free", floors.regret_ratio(table, "floor"), 1.5),
    ]


def fresh_changes_aims(table: pl.DataFrame) -> list[Aim]:
    """Regret and costs of changes, relative to those of the free learner."""
    ratio = floors.regret_ratio(table, "change cost", measure="with_costs")
    return [_at_most("regret and costs with the rule of changes", "at most 1 × free", ratio, 1.0)]


def fresh_menus_aims(table: pl.DataFrame) -> list[Aim]:
    """How often the new best action is found and kept, and the regret beside two learners without a change."""
    kept = menus.runs_of(table).filter(menu=menus.CHANGED)["kept"]
    always = menus.kept_share(table, menus.ALWAYS)[0]
    return [
        _share(
            "a changed menu: the new best action found in 20 rounds and kept",
            "at least 90 %",
            (int(kept.sum()), len(kept)),
            0.9,
            f"; {always:.0%} if it was there all along",
        ),
        *(
            _at_most(f"regret after the change relative to {name}", f"at most {limit} ×", ratio, limit)
            for name, limit, ratio in (
                ("a fresh learner", 1.0, menus.regret_ratio(table, menus.FRESH)),
                ("the new menu all along", 1.1, menus.regret_ratio(table, menus.ALWAYS)),
            )
        ),
    ]


def fresh_overrides_aims(table: pl.DataFrame) -> list[Aim]:
    """The error of the belief where advice was replaced, relative to where it was followed."""
    aims = []
    for advice in overrides.LABELS[1:]:
        ratio, low, high = overrides.error_ratio(table, advice)
        found = f"{ratio:.3f} ({low:.3f} to {high:.3f})"
        name = f"error of the belief, 30 % overridden, {advice}"
        aims.append(Aim(name, "at most 1.05 × followed", found, verdict(ratio, high - ratio, 1.05)))
    return aims


def fresh_certificates_aims(table: pl.DataFrame) -> list[Aim]:
    """How many certificates hold, and how far they lie above the regret."""
    kinds = {"proved": "proved", certificates.LASTING: "auto"}
    aims = [
        _share(f"certificates that hold, {name}", "at least 90 %", certificates.holding(table, name), 0.9)
        for name in kinds.values()
    ]
    for kind in kinds:
        ratio, game = certificates.largest_median(table, kind)
        found = f"{ratio:.2f} on {game}, the largest"
        aims.append(Aim(f"bound / regret in the median, {kind}", "at most 3", found, verdict(ratio, 0.0, 3.0)))
    return aims


def fresh_journals_aims(table: pl.DataFrame) -> list[Aim]:
    """Coverage of 95 % intervals in each journal, and their width beside that of inverse propensity."""
    covered, narrower = table["covered"].to_numpy(), table["narrower"].to_numpy()
    wide, slow = (int(np.sum(covered >= 0.93)), len(table)), table["seconds"].to_numpy()
    return [
        _share(
            "journals, 95 % intervals cover 93 % of policies", "every one", wide, 1.0, f", least {covered.min():.3f}"
        ),
        _share(
            "journals, 5 × narrower than inverse propensity", "every one", (int(np.sum(narrower >= 5)), len(table)), 1.0
        ),
        Aim("1,000 policies in 1,000 rounds", "below 60 s", f"{slow.max():.1f} s", verdict(slow.max(), 0.0, 60.0)),
    ]


def fresh_cost_aims(table: pl.DataFrame) -> list[Aim]:
    """Mean and longest time of a round."""
    aims = []
    for row in fresh.summarise_cost(table).iter_rows(named=True):
        mean, longest = row["milliseconds"], row["longest"]
        aims += [
            Aim(f"{row['game']}, round on average", "below 10 ms", f"{mean:.2f} ms", verdict(mean, 0.0, 10.0)),
            Aim(f"{row['game']}, longest of 500 rounds", "below 0.3 s", f"{longest:.3f} s", verdict(longest, 0.0, 0.3)),
        ]
    return aims


AIMS: dict[str, Callable[[pl.DataFrame], list[Aim]]] = {
    "arena": arena_aims,
    "fresh-parks": fresh_parks_aims,
    "fresh-simplex": fresh_simplex_aims,
    "fresh-prices": fresh_prices_aims,
    "fresh-template": fresh_template_aims,
    "fresh-outliers": fresh_outliers_aims,
    "fresh-alarms": fresh_alarms_aims,
    "misspecification": misspecification_aims,
    "fresh-hints": fresh_hints_aims,
    "fresh-kiosks": fresh_kiosks_aims,
    "fresh-contexts": fresh_contexts_aims,
    "fresh-closures": fresh_closures_aims,
    "fresh-floors": fresh_floors_aims,
    "fresh-changes": fresh_changes_aims,
    "fresh-menus": fresh_menus_aims,
    "fresh-overrides": fresh_overrides_aims,
    "fresh-certificates": fresh_certificates_aims,
    "fresh-journals": fresh_journals_aims,
    "fresh-cost": fresh_cost_aims,
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


def _floor_tables(results: Mapping[str, pl.DataFrame]) -> list[tuple[str, pl.DataFrame]]:
    """One table for each study of rules, by family."""
    return [
        (
            f"{STUDIES[name].title}; regrets in units of the baseline's",
            shown(floors.summarise_floors(results[name]), ["family", "label"], floors.MEASURES),
        )
        for name in ("fresh-floors", "fresh-changes")
        if name in results
    ]


def _details(results: Mapping[str, pl.DataFrame]) -> list[tuple[str, pl.DataFrame]]:
    tables = _details_of_changes(results)
    if "fresh-certificates" in results:
        rows = certificates.summarise_certificates(results["fresh-certificates"])
        tables.append(
            (STUDIES["fresh-certificates"].title, rows.with_columns(pl.selectors.float().round(3)).cast(pl.String))
        )
    if "arena" in results:
        summary = summarise_arena(runs_of(results["arena"]))
        tables.append(("The arena: R(T)/T of every learner, and auto beside others", arena_table(summary)))
    if "fresh-simplex" in results:
        rows = fresh.summarise_simplex(results["fresh-simplex"])
        tables.append(
            ("The whole simplex of fresh parks", rows.with_columns(pl.selectors.float().round(3)).cast(pl.String))
        )
    if "fresh-prices" in results:
        rows = shown(fresh.shares_of_optimum(results["fresh-prices"], ["game", "words"]), ["game", "words"], ["share"])
        tables.append(("Fresh price games, share of the optimum", rows.cast(pl.String)))
    if "fresh-outliers" in results:
        rows = fresh.summarise_outliers(results["fresh-outliers"])
        tables.append(
            ("Responses typed wrongly", rows.with_columns(pl.selectors.float().round_sig_figs(3)).cast(pl.String))
        )
    tables += _floor_tables(results)
    if "fresh-alarms" in results and len(rows := summarise_alarms(results["fresh-alarms"])):
        tables.append(("Alarms and their first rounds", rows.cast(pl.String)))
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


def _details_of_changes(results: Mapping[str, pl.DataFrame]) -> list[tuple[str, pl.DataFrame]]:
    """Tables of menus that change, of actions that are not the advised ones, and of wrong assumptions and data."""
    tables = []
    if "misspecification" in results:
        tables.append((STUDIES["misspecification"].title, misspecified_table(results["misspecification"])))
    if "fresh-menus" in results:
        rows = menus.summarise_menus(results["fresh-menus"])
        caption = "A changed menu: shares of games, and regret after the change in ranges of the reward"
        tables.append((caption, shown(rows, ["family", "menu", "runs"], ["found", "kept", "regret"]).cast(pl.String)))
    if "fresh-overrides" in results:
        rows = overrides.summarise_overrides(results["fresh-overrides"])
        tables.append(
            ("Overrides: error of the belief", rows.with_columns(pl.selectors.float().round(3)).cast(pl.String))
        )
    if "fresh-journals" in results:
        rows = journals.summarise_journals(results["fresh-journals"])
        caption = "A thousand policies from one journal: coverage, widths and errors relative to the model's"
        tables.append((caption, rows.with_columns(pl.selectors.float().round_sig_figs(3)).cast(pl.String)))
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
