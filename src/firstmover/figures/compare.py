"""Stored runs side by side: which there are, their curves in at most so many points, and the numbers below them."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from firstmover.core.errors import InvalidInput, look_up
from firstmover.figures.arenas import arena_curves, arena_table, arenas_of
from firstmover.figures.curves import Curves, entropy_curves, regret_curves, reward_curves
from firstmover.figures.stored import StoredRun
from firstmover.runs.experiment_store import MANIFEST, Manifest, read, read_manifest
from firstmover.runs.summary import COLUMNS, summarise
from firstmover.runs.sweeps.folder import SWEEP

MOST_POINTS = 500
"""Rounds of a curve that are sent; with more, every second, third and so on, and always the last."""

COMPARED = {
    "regret": (regret_curves, ("learner", "seed", "t", "time_averaged_regret")),
    "rewards": (reward_curves, ("learner", "seed", "t", "reward")),
    "entropy": (entropy_curves, ("learner", "seed", "t", "entropy")),
}
"""Curves that experiments can be compared by: their record, and what it reads of the results."""

KIND = "experiment"
"""The kind of manifest whose runs can be compared; sweeps have no manifest."""


def stored_runs(folder: Path) -> list[StoredRun]:
    """Experiments and arenas of sweeps in the folders below one, by name; folders of anything else are passed over."""
    found: list[StoredRun] = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        with suppress(InvalidInput):
            if (path / MANIFEST).is_file():
                manifest = read_manifest(path)
                found += [_described(path.name, manifest)] if manifest.kind == KIND else []
            elif (path / SWEEP).is_file():
                found += arenas_of(path)
    return found


def _described(name: str, manifest: Manifest) -> StoredRun:
    spec = manifest.spec
    return StoredRun(
        name,
        manifest.kind,
        manifest.title,
        str(spec.get("game", "")),
        str(spec.get("opponent", "")),
        manifest.labels,
        len(manifest.seeds),
        manifest.rounds,
        {label: {"learner": label} for label in manifest.labels},
    )


def _arena(folder: Path) -> tuple[Path, int] | None:
    """The sweep and the number of an arena FOLDER:NUMBER; None for the folder of an experiment."""
    name, _, number = folder.name.rpartition(":")
    return None if (folder / MANIFEST).is_file() or not number.isdigit() else (folder.with_name(name), int(number))


def compared_curves(folder: Path, plot: str) -> Curves:
    """The curves of a folder or arena, thinned."""
    if (arena := _arena(folder)) is not None:
        return arena_curves(*arena, plot)
    record, columns = look_up("plot", plot, COMPARED)
    return thinned(record(read(folder, columns)))


def thinned(curves: Curves, most: int = MOST_POINTS) -> Curves:
    """At most so many rounds of curves, evenly spread, the first and the last among them.

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
    """One row a learner: R(T), R(T) / T and total reward, with 95 % half-widths over seeds."""
    if (arena := _arena(folder)) is not None:
        return arena_table(*arena)
    return summarise(read(folder, COLUMNS))


def curves_record(folder: Path, plot: str) -> dict[str, Any]:
    """The curves with the words that go with them."""
    curves = compared_curves(folder, plot)
    return {
        "plot": plot,
        "ylabel": curves.ylabel,
        "learners": curves.learners,
        "t": curves.t,
        "mean": curves.mean,
        "half_width": curves.half_width,
    }
