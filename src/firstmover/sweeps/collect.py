"""All runs of a sweep as one tidy table, finished or not; polars reads it lazily."""

import io
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from firstmover.experiments.store import whole_file
from firstmover.sweeps.folder import read_folder
from firstmover.sweeps.playing import CURVE
from firstmover.sweeps.store import RESULTS, damaged, is_whole, ledger

RUNS, CURVES = "runs.parquet", "curves.parquet"

ARENA = ("game", "opponent", "horizon")
"""What runs have in common that can be compared."""


def collect_runs(folder: Path) -> pl.DataFrame:
    """One row a task: where on the axes it lies, its state, and what it came to.

    `state` is done, failed or missing; regret, time-averaged regret and reward are those of the whole run.
    """
    held = read_folder(folder)
    entries = _entries(folder)
    last = [
        frame.filter(pl.col("t") == pl.col("t").max().over("key")).select(
            "key",
            "stem",
            regret="cumulative_regret",
            time_averaged_regret=pl.col("cumulative_regret") / pl.col("t"),
            reward="cumulative_reward",
        )
        for frame in _scans(folder, entries)
    ]
    results = pl.concat(last).collect() if last else pl.DataFrame(schema=_RESULT)
    table = held.table.join(entries, on="key", how="left", maintain_order="left")
    state = pl.when(pl.col("stem").is_null()).then(pl.lit("missing")).when(pl.col("error").is_null())
    table = table.with_columns(state=state.then(pl.lit("done")).otherwise(pl.lit("failed")))
    return table.join(results, on=("key", "stem"), how="left", maintain_order="left").drop("stem")


_RESULT = {
    "key": pl.String,
    "stem": pl.String,
    "regret": pl.Float64,
    "time_averaged_regret": pl.Float64,
    "reward": pl.Float64,
}


def collect_curves(folder: Path) -> pl.LazyFrame:
    """One row for each round that was kept of a run that is done, with the run's place on the axes."""
    entries = _entries(folder)
    places = read_folder(folder).table.join(entries.select("key", "stem"), on="key")
    scans = _scans(folder, entries) or [pl.LazyFrame(schema=dict.fromkeys(("key", *CURVE, "stem"), pl.Null))]
    return pl.concat(scans).join(places.lazy(), on=("key", "stem")).drop("stem")


def _entries(folder: Path) -> pl.DataFrame:
    rows = [(key, entry.stem, entry.seconds, entry.error) for key, entry in ledger(folder).items()]
    schema = {"key": pl.String, "stem": pl.String, "seconds": pl.Float64, "error": pl.String}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _scans(folder: Path, entries: pl.DataFrame) -> list[pl.LazyFrame]:
    """What is kept of every run, file by file; a file that is damaged is refused before polars reads it."""
    stems = entries.filter(pl.col("error").is_null())["stem"].unique(maintain_order=True).to_list()
    paths = [folder / RESULTS / f"{stem}.parquet" for stem in stems]
    for path in paths:
        if not is_whole(path.with_suffix(".json")):
            raise damaged(path)
    return [pl.scan_parquet(path).select("key", *CURVE, stem=pl.lit(path.stem)) for path in paths]


def collect(folder: Path) -> Sequence[Path]:
    """Write DIR/runs.parquet, and DIR/curves.parquet where more than the summary is kept; the files written."""
    buffer = io.BytesIO()
    collect_runs(folder).write_parquet(buffer)
    with whole_file(folder / RUNS) as file:
        file.write(buffer.getvalue())
    if read_folder(folder).keep == "summary":
        return [folder / RUNS]
    part = folder / f".{CURVES}.part"
    collect_curves(folder).sink_parquet(part)
    part.replace(folder / CURVES)
    return [folder / RUNS, folder / CURVES]
