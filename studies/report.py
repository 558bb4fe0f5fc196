"""Beyond the paper: what was aimed at, what the stored runs came to, and whether that is enough."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from firstmover.figures.files import drawn, save
from firstmover.figures.html_page import Picture, Section
from firstmover.runs.comparison import with_interval
from studies.adversary import summarise_adversary
from studies.arenas import ARENAS
from studies.choice import summarise_choice
from studies.drift import WITHOUT, summarise_drift
from studies.figures import beyond_panels, draw_beyond
from studies.growing import summarise_growing
from studies.prices import OURS, summarise_prices
from studies.rationality import summarise_rationality
from studies.routing import RECOMMENDED, summarise_regret
from studies.simplex import summarise_commitments
from studies.studies import BEYOND, beyond_results

WORDS = (
    "Limits that the paper states or that its reproduction shows, each with what was aimed at before it was measured. "
    "Seeds and menus are fresh: nothing was chosen on them. A figure meets its aim when its whole 95 % interval does; "
    "on average, when only its mean does."
)


@dataclass(frozen=True)
class Aim:
    """A line of the table: what is measured, what it should be, what it is, and a verdict."""

    measured: str
    aim: str
    found: str
    verdict: str


def verdict(mean: float, half_width: float, limit: float) -> str:
    """Whether a figure stays at or below a limit, surely or on average.

    >>> verdict(3.0, 0.5, 4.0), verdict(3.8, 0.5, 4.0), verdict(4.1, 0.5, 4.0)
    ('met', 'met on average', 'missed')
    """
    if mean > limit:
        return "missed"
    return "met" if mean + half_width <= limit else "met on average"


def _at_least(mean: float, half_width: float, limit: float) -> str:
    return verdict(-mean, half_width, -limit)


def routing_aims(table: pl.DataFrame) -> list[Aim]:
    """Regret of the recommended learner, alone and beside full information."""
    row = summarise_regret(table).filter(learner=RECOMMENDED).row(0, named=True)
    regret, less = (row["regret"], row["half_width"]), (row["minus_hedge"], row["minus_hedge_half_width"])
    seeds = table["seed"].n_unique()
    return [
        Aim(f"routing, R(T)/T, {seeds} seeds", "at most 10", with_interval(*regret), verdict(*regret, 10.0)),
        Aim("routing, less that of Hedge with full information", "below 0", with_interval(*less), verdict(*less, 0.0)),
    ]


def adversary_aims(table: pl.DataFrame) -> list[Aim]:
    """The slope against each adversary."""
    return [
        Aim(
            f"routing, log-log slope, adversary of the {row['adversary']}",
            "at most −0.4",
            with_interval(row["slope"], row["half_width"]),
            verdict(row["slope"], row["half_width"], -0.4),
        )
        for row in summarise_adversary(table).iter_rows(named=True)
    ]


def menus_aims(table: pl.DataFrame, reading: str) -> list[Aim]:
    """When the best patrol is held, and on how many menus more is earned than by GP-UCB at its best β."""
    found, name = summarise_choice(table), f"park, {reading}"
    median, late, ahead = found["held_from_median"], found["held_from_95"], found["ahead"]
    least = found["menus"] * 28 / 30
    return [
        Aim(f"{name}, best patrol held from, median", "round 15", f"round {median:g}", verdict(median, 0.0, 15)),
        Aim(f"{name}, in 95 % of games", "round 35", f"round {late:g}", verdict(late, 0.0, 35)),
        Aim(
            f"{name}, ahead of GP-UCB at its best β",
            "28 menus of 30",
            f"{ahead} of {found['menus']}, by {with_interval(found['lead'], found['lead_half_width'])}",
            _at_least(ahead, 0.0, least),
        ),
    ]


def simplex_aims(table: pl.DataFrame) -> list[Aim]:
    """What the learner of commitments earns in two windows."""
    row = summarise_commitments(table)
    aims = []
    for window, limit in (("rounds_131_150", 0.12), ("rounds_181_200", 0.13)):
        figure = row[window], row[f"{window}_half_width"]
        name = f"whole simplex, {window.replace('_', ' ', 1).replace('_', '–')}, {row['seeds']} seeds"
        aims.append(Aim(name, f"at least {limit}", with_interval(*figure), _at_least(*figure, limit)))
    return aims


def search_aims(table: pl.DataFrame) -> list[Aim]:
    """Whether a search that knows nothing of the reference comes close to it, and not above."""
    found, optimum = table["found"].max(), table["optimum"][0]
    assert isinstance(found, float)
    confirmed = 0.95 * optimum <= found <= optimum + 1e-9
    words = f"{found:.4f} of {optimum:.4f}"
    aim = "within 5 % of the reference, never above"
    return [Aim("whole simplex, independent search", aim, words, "met" if confirmed else "missed")]


def prices_aims(table: pl.DataFrame, arrival: str) -> list[Aim]:
    """The share of the optimum in hindsight, and the lead over each learner that knows no more."""
    summary, name = summarise_prices(table), f"prices, {arrival}"
    ours = summary.filter(learner=OURS).row(0, named=True)
    share = 100 * ours["share"], 100 * ours["share_half_width"]
    aims = [Aim(f"{name}, share of the optimum", "95 %", f"{with_interval(*share)} %", _at_least(*share, 95.0))]
    for rival in ("GP-MW", "Exp3"):
        rows = summary.filter(pl.col("learner").str.starts_with(rival)).sort("share")
        best = rows.row(-1, named=True)
        lead = 100 * best["ours_ahead"], 100 * best["ours_ahead_half_width"]
        words = f"{with_interval(*lead)} points"
        aims.append(Aim(f"{name}, ahead of {best['learner']}", "above 0", words, _at_least(*lead, 0.0)))
    return aims


def drift_aims(table: pl.DataFrame) -> list[Aim]:
    """Dynamic regret with forgetting as a share of that without, the same assumed in both."""
    aims = []
    for row in summarise_drift(table).filter(pl.col("learner").is_in(WITHOUT)).iter_rows(named=True):
        share = row["share"], row["share_half_width"]
        name = f"drifting park, {row['learner']}: share of dynamic regret left, {row['menus']} menus"
        aims.append(Aim(name, "at most 0.5", with_interval(*share), verdict(*share, 0.5)))
    return aims


AIMS: dict[str, Callable[[pl.DataFrame], list[Aim]]] = {
    "routing": routing_aims,
    "adversary": adversary_aims,
    "menus-paper": lambda table: menus_aims(table, "preset paper"),
    "menus-released": lambda table: menus_aims(table, "preset released"),
    "simplex": simplex_aims,
    "search": search_aims,
    "prices-random": lambda table: prices_aims(table, "segments by chance"),
    "prices-adversary": lambda table: prices_aims(table, "adaptive adversary"),
    "drift": drift_aims,
}
"""By study; rationality has a table and no figure to reach."""


def beyond_section(out: Path) -> Section | None:
    """The chapter of all studies that stand in a folder; None where there is none."""
    results = beyond_results(out)
    if not results:
        return None
    aims = [aim for name, judge in AIMS.items() if name in results for aim in judge(results[name])]
    tables = [("Aims and figures", pl.DataFrame(aims))] if aims else []
    pictures = []
    if panels := beyond_panels(results):
        path = save(drawn(lambda figure: draw_beyond(panels, figure), (4.0 * len(panels), 3.6)), out / BEYOND)[0]
        caption = " ".join(panel.words for panel in panels)
        pictures.append(Picture(path, caption, caption))
    tables += _details(results)
    return Section("Beyond the paper: aims and figures", (WORDS,), tuple(tables), tuple(pictures))


def _details(results: Mapping[str, pl.DataFrame]) -> list[tuple[str, pl.DataFrame]]:
    tables = []
    if "routing" in results:
        rows = summarise_regret(results["routing"])
        words = {"regret": ("R(T)/T", "half_width"), "minus_hedge": ("less Hedge", "minus_hedge_half_width")}
        tables.append(("Routing, T = 100", shown(rows, ["learner"], words)))
    for arrival in ("random", "adversary"):
        if (name := f"prices-{arrival}") in results:
            rows = summarise_prices(results[name])
            words = {c: (c.replace("_", " "), f"{c}_half_width") for c in ("share", "ours_ahead")}
            tables.append((f"Prices, opponent {arrival}", shown(rows, ["learner"], words)))
    if "growing" in results:
        rows = summarise_growing(results["growing"])
        words = {c: (c.replace("_", " "), f"{c}_half_width") for c in ("reward", "last_40", "best", "members")}
        tables.append(("A menu that grows, poachers of three camps", shown(rows, ["order", "learner"], words)))
    for arena in ARENAS:
        if (name := f"rationality-{arena}") in results:
            tables.append((f"Falling rationality, {arena}: reward of a round", rationality_table(results[name])))
    return tables


def shown(rows: pl.DataFrame, keys: Sequence[str], words: Mapping[str, tuple[str, str]]) -> pl.DataFrame:
    """Keys as they are, and each figure with its half-width in one cell, under the name in words."""
    cells = {
        title: [with_interval(*pair) for pair in rows.select(figure, half).iter_rows()]
        for figure, (title, half) in words.items()
    }
    return pl.DataFrame({**{key: rows[key] for key in keys}, **cells})


def rationality_table(table: pl.DataFrame) -> pl.DataFrame:
    """One row a behaviour, one column a learner: all rounds, then the last 20."""
    rows = []
    for (behaviour,), part in summarise_rationality(table).group_by("behaviour", maintain_order=True):
        cells = {
            row["learner"]: f"{with_interval(row['reward'], row['reward_half_width'])}; {row['last_20']:.3f}"
            for row in part.iter_rows(named=True)
        }
        rows.append({"opponents": str(behaviour), "optimum": f"{part['optimum'][0]:.3f}", **cells})
    return pl.DataFrame(rows)
