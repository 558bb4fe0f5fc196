"""The report of a sweep: the best learner of each arena, paired tests, regret curves, sensitivity to β and η."""

from functools import partial
from pathlib import Path

import polars as pl

from firstmover.figures.curves import Curves, draw_in
from firstmover.figures.files import drawn, save
from firstmover.figures.html_page import Picture, Section, page_of
from firstmover.figures.sensitivity import AXES, arena_title, draw_sensitivity, sensitivity
from firstmover.runs import Collected, Status, best_of_arenas, compare_runs, status_of, summarise_runs, wins_of
from firstmover.runs.comparison import as_text
from firstmover.runs.grid import ARENA
from firstmover.runs.store import versions

MOST_LINES = 8
"""Variants of an arena whose curves are drawn: those of least regret."""

BEST = (
    "The variant of least mean regret in each arena: a game, an opponent and a horizon. Differences are significant by "
    "a paired t-test on the seeds that both have played, corrected by Holm's method for all comparisons of the arena, "
    "at 5 %."
)
WINS = "How often each variant has less regret than another in the same arena, by the same comparisons."


def sweep_report(folder: Path) -> str:
    """The page of what is done so far; its figures are written to DIR/figures."""
    status, found = status_of(folder), Collected.of(folder)
    summary, pairs = summarise_runs(found.runs), compare_runs(found.runs)
    progress, state = status.progress, "It runs now: what follows is what is done so far." if status.runs_now else ""
    lead = (
        f"{progress.done} of {progress.total} runs are done, {progress.failed} failed. {state}",
        "Regret R(T) is what the best fixed action in hindsight would have earned more; less is better. "
        "± is the 95 % interval over seeds.",
    )
    sections = []
    if not summary.is_empty():
        sections = [
            Section("Best of each game", (BEST,), (("Least regret", best_table(best_of_arenas(summary, pairs))),)),
            Section("Table of wins", (WINS,), (("Comparisons", wins_of(summary, pairs).cast(pl.String)),)),
            *_curves(folder, found, summary),
            *_sensitivities(folder, found.runs),
            Section("Every variant", tables=(("Mean over seeds with its 95 % interval", summary_table(summary)),)),
        ]
    return page_of(status.title, lead, [], [*sections, _making(status)])


def summary_table(summary: pl.DataFrame) -> pl.DataFrame:
    """Every variant in every arena, as text, least regret first."""
    return _arenas(summary.sort(*ARENA, "regret", maintain_order=True)).select(
        *ARENA, "variant", pl.col("seeds").cast(pl.String), "regret R(T)", "R(T) / T", "total reward"
    )


def best_table(best: pl.DataFrame) -> pl.DataFrame:
    """The best variant of each arena, as text, and those that are not significantly different."""
    alike = pl.when(pl.col("variants") == 1).then(pl.lit("–")).when(pl.col("not_different").list.len() == 0)
    names = pl.col("not_different").list.head(3).list.join(", ")
    more = pl.col("not_different").list.len().cast(pl.Int64) - 3  # lengths are unsigned: 1 − 3 would be four billion
    listed = pl.when(more > 0).then(pl.format("{} and {} more", names, more)).otherwise(names)
    return _arenas(best).select(
        *ARENA,
        pl.col("variant").alias("least regret"),
        "regret R(T)",
        alike.then(pl.lit("none of them")).otherwise(listed).alias("not significantly different"),
    )


def _arenas(table: pl.DataFrame) -> pl.DataFrame:
    return as_text(table).with_columns(pl.col("horizon").cast(pl.String))


def _curves(folder: Path, found: Collected, summary: pl.DataFrame) -> list[Section]:
    if found.manifest.keep == "summary":
        return []
    pictures = []
    for number, part in enumerate(summary.partition_by(*ARENA, maintain_order=True)):
        best = part.sort("regret", maintain_order=True)["variant"].head(MOST_LINES).to_list()
        place, title = dict(zip(ARENA, part.select(ARENA).row(0), strict=True)), arena_title(part)
        rows = found.curves.filter(pl.col("variant").is_in(best), **place).sort("variant", "seed", "t")
        rows = rows.with_columns(learner="variant", average=pl.col("cumulative_regret") / pl.col("t"))
        curves = Curves.of(rows, "average", "time-averaged regret R(t) / t")
        figure = drawn(partial(draw_in, curves), (9.0, 4.0), title)
        path = save(figure, folder / "figures" / f"regret-{number}")[0]
        left = f"; {len(part) - MOST_LINES} variants of more regret are not drawn" if len(part) > MOST_LINES else ""
        pictures.append(Picture(path, f"time-averaged regret over rounds: {title}", f"{title}{left}."))
    words = (
        f"Mean of R(t) / t over seeds, with 95 % bands; of many variants the {MOST_LINES} of least regret are drawn."
    )
    return [Section("Regret curves", (words,), pictures=tuple(pictures))]


def _sensitivities(folder: Path, runs: pl.DataFrame) -> list[Section]:
    pictures = []
    for parameter, name in AXES.items():
        record = sensitivity(runs, parameter)
        if record.panels:
            rows = -(-len(record.panels) // 3)
            size = (3.6 * min(3, len(record.panels)) + 0.6, 3.2 * rows + 0.5)
            figure = drawn(partial(draw_sensitivity, record), size)
            caption = f"Mean regret over seeds against {name}, with 95 % intervals."
            pictures.append(Picture(save(figure, folder / "figures" / parameter)[0], caption, caption))
    return [Section("Sensitivity to β and η", pictures=tuple(pictures))] if pictures else []


def _making(status: Status) -> Section:
    facts = versions() | {f"failed {count} times": error for error, count in status.errors}
    table = pl.DataFrame({"": list(facts), "value": list(facts.values())})
    words = "Every run is stored beside this page, under the hash of what it is; firstmover sweep collect joins them."
    return Section("How this was made", (words,), (("Versions, and what was raised", table),))
