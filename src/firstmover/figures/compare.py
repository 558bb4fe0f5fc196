"""Stored runs side by side: which there are, their curves in a limited number of points, and their summary."""

from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from firstmover.core.errors import InvalidInput, look_up
from firstmover.figures.curves import Curves
from firstmover.runs import Collected, read_manifest, summarise_runs
from firstmover.runs.grid import ARENA
from firstmover.runs.store import KIND, arenas, task_table

MOST_POINTS = 500
"""Rounds of a curve that are sent; of more, every second, third and so on, and always the last."""

MEASURES = {
    "regret": ("cumulative_regret", "time-averaged regret R(t) / t"),
    "rewards": ("cumulative_reward", "time-averaged reward"),
    "entropy": ("entropy", "entropy of p_t"),
}
"""Curves: the column, and the label of the axis."""

SIGNS = {
    "confidence_width": "β",
    "rate_factor": "η ×",
    "regularization": "λ",
    "strategy": "strategy",
    "kernel": "kernel",
}
"""Parameters of variants, under the names that readers know."""


@dataclass(frozen=True)
class StoredRun:
    """Runs of one game, opponent and horizon; `learners` names their curves.

    `about` gives the learner of each curve and, where it comes from a sweep, the learner's parameters.
    """

    name: str
    kind: str
    title: str
    game: str
    opponent: str
    learners: tuple[str, ...]
    seeds: int
    rounds: int
    about: dict[str, dict[str, str]] = field(default_factory=dict)


def stored_runs(folder: Path) -> list[StoredRun]:
    """The experiments in the folders below one, by name: NAME, or NAME:1, NAME:2 and so on for several arenas."""
    found: list[StoredRun] = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        with suppress(InvalidInput):
            if path.is_dir() and (manifest := read_manifest(path)).kind == KIND:
                parts = arenas(task_table(path))
                found += [
                    _described(f"{path.name}:{i}" if len(parts) > 1 else path.name, manifest.title, part, len(parts))
                    for i, part in enumerate(parts, start=1)
                ]
    return found


def _described(name: str, title: str, part: pl.DataFrame, count: int) -> StoredRun:
    game, opponent, horizon = part.select(ARENA).row(0)
    about = {
        row["variant"]: {"learner": str(row["learner"])}
        | {sign: f"{row[name]}" for name, sign in SIGNS.items() if row.get(name) is not None}
        for row in part.unique("variant", keep="first", maintain_order=True).iter_rows(named=True)
    }
    kind, words = KIND, title
    if count > 1:
        kind, words = "sweep", f"{title}: {game}, opponent {opponent}, {horizon} rounds"
    return StoredRun(name, kind, words, game, opponent, tuple(about), part["seed"].n_unique(), horizon, about)


def _collected(folder: Path) -> Collected:
    """The results of a folder with one arena, or of FOLDER:NUMBER."""
    name, colon, number = folder.name.rpartition(":")
    if folder.is_dir() or not (colon and number.isdigit()):
        return Collected.of(folder)
    return Collected.of(folder.with_name(name), int(number) - 1)


def compared_curves(folder: Path, plot: str) -> Curves:
    """Means over the seeds that are done, thinned; empty where none is done, or only the last round is kept."""
    column, ylabel = look_up("plot", plot, MEASURES)
    found = _collected(folder)
    if found.curves.is_empty() or found.manifest.keep == "summary":
        return Curves(ylabel, (), np.zeros(0), np.zeros((0, 0)), np.zeros((0, 0)))
    value = pl.col(column) if column == "entropy" else pl.col(column) / pl.col("t")
    return thinned(Curves.of(found.curves.with_columns(value.alias("value"), learner="variant"), "value", ylabel))


def thinned(curves: Curves, most: int = MOST_POINTS) -> Curves:
    """At most so many rounds of curves, evenly spread, including the first and the last.

    >>> rows = np.arange(10.0)[None]
    >>> thinned(Curves("", ("a",), np.arange(1.0, 11.0), rows, rows), most=4).t
    array([ 1.,  4.,  7., 10.])
    """
    rounds = len(curves.t)
    if rounds <= most:
        return curves
    kept = np.unique(np.round(np.linspace(0, rounds - 1, most)).astype(int))
    return replace(curves, t=curves.t[kept], mean=curves.mean[:, kept], half_width=curves.half_width[:, kept])


def compared_table(folder: Path) -> pl.DataFrame:
    """One row per learner: R(T), R(T) / T and total reward, with 95 % half-widths over seeds."""
    return summarise_runs(_collected(folder).runs).drop(ARENA).rename({"variant": "learner"})


def curves_record(folder: Path, plot: str) -> dict[str, Any]:
    """The curves of a folder or arena as plain values."""
    return {"plot": plot, **vars(compared_curves(folder, plot))}
