"""Sweeps beside experiments: each arena (game, opponent, horizon) is a run, and its variants are the learners."""

from pathlib import Path

import polars as pl

from firstmover.core.errors import look_up
from firstmover.figures.curves import Curves
from firstmover.figures.stored import StoredRun
from firstmover.runs.sweeps.collect import ARENA, Collected
from firstmover.runs.sweeps.compare import summarise_runs
from firstmover.runs.sweeps.folder import read_folder

SIGNS = {
    "confidence_width": "β",
    "rate_factor": "η ×",
    "regularization": "λ",
    "strategy": "strategy",
    "kernel": "kernel",
}
"""Parameters that variants are told apart by, as they are called."""

MEASURES = {
    "regret": ("cumulative_regret", "time-averaged regret R(t) / t"),
    "rewards": ("cumulative_reward", "time-averaged reward"),
    "entropy": ("entropy", "entropy of p_t"),
}
"""Curves that are kept of a sweep's runs: the column, and what stands at the axis."""


def arenas_of(folder: Path) -> list[StoredRun]:
    """The arenas of a sweep, NAME:1, NAME:2 and so on, played or not."""
    held = read_folder(folder)
    return [
        _described(f"{folder.name}:{number}", held.title, part)
        for number, part in enumerate(held.table.partition_by(*ARENA, maintain_order=True), start=1)
    ]


def _described(name: str, title: str, part: pl.DataFrame) -> StoredRun:
    game, opponent, horizon = part.select(ARENA).row(0)
    rows = part.unique("variant", keep="first", maintain_order=True).iter_rows(named=True)
    about = {row["variant"]: _about(row) for row in rows}
    words = f"{title}: {game}, opponent {opponent}, {horizon} rounds"
    return StoredRun(name, "sweep", words, game, opponent, tuple(about), part["seed"].n_unique(), horizon, about)


def _about(row: dict[str, object]) -> dict[str, str]:
    """The learner of a variant and its parameters, under the names that readers know."""
    told = {sign: f"{row[name]}" for name, sign in SIGNS.items() if row[name] is not None}
    return {"learner": str(row["learner"])} | told


def arena_curves(folder: Path, number: int, plot: str) -> Curves:
    """Means over the seeds that are done; nothing where none is, or only the last round is kept."""
    column, ylabel = look_up("plot", plot, MEASURES)
    found = _arena(folder, number)
    table = found.curves
    if table.is_empty() or found.held.keep == "summary":
        empty = table.select(pl.col("t").cast(pl.Float64)).head(0).to_numpy()
        return Curves(ylabel, (), empty[:, 0], empty.T[:0], empty.T[:0])
    share = pl.col(column) if column == "entropy" else pl.col(column) / pl.col("t")
    return Curves.of(table.with_columns(share.alias("value"), learner="variant"), "value", ylabel)


def arena_table(folder: Path, number: int) -> pl.DataFrame:
    """One row a variant that has runs: R(T), R(T) / T and total reward, with 95 % half-widths over seeds."""
    return summarise_runs(_arena(folder, number).runs).drop(ARENA).rename({"variant": "learner"})


def _arena(folder: Path, number: int) -> Collected:
    return Collected.of(folder, number - 1)
