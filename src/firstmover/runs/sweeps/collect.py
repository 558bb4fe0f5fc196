"""All runs of a sweep as one tidy table, finished or not; polars reads what is written lazily."""

import io
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from firstmover.runs.experiment_store import whole_file
from firstmover.runs.sweeps.folder import Held, read_folder
from firstmover.runs.sweeps.playing import CURVE
from firstmover.runs.sweeps.store import Entry, ledger, read_results

RUNS, CURVES = "runs.parquet", "curves.parquet"

ARENA = ("game", "opponent", "horizon")
"""What runs have in common that can be compared."""

_KEPT = {"key": pl.String, "t": pl.Int64, **dict.fromkeys(CURVE[1:], pl.Float64)}


@dataclass(frozen=True, eq=False)
class Collected:
    """A sweep so far: `runs` has one row a task, `curves` one for each round that was kept of a run that is done.

    `state` of a task is done, failed or missing; its regret, time-averaged regret and reward are those of the whole
    run. Every row has the run's place on the axes.
    """

    held: Held
    runs: pl.DataFrame
    curves: pl.DataFrame

    @classmethod
    def of(cls, folder: Path, arena: int | None = None) -> "Collected":
        """What a folder holds now, or one of its arenas, counted from 0; a file that is damaged is refused."""
        held = read_folder(folder)
        if arena is not None:
            held = replace(held, table=held.table.partition_by(*ARENA, maintain_order=True)[arena])
        mine = set(held.table["key"])
        entries = {key: entry for key, entry in ledger(folder).items() if key in mine}
        kept = [table.select("key", *CURVE) for table in read_results(folder, entries)]
        curves = pl.concat(kept) if kept else pl.DataFrame(schema=_KEPT)
        runs = _states(held, entries).join(_ends(curves), on="key", how="left", maintain_order="left")
        return cls(held, runs, held.table.join(curves, on="key", maintain_order="left_right"))

    def write(self, folder: Path) -> list[Path]:
        """Write DIR/runs.parquet, and DIR/curves.parquet where more than the summary is kept; the files written."""
        tables = {RUNS: self.runs} if self.held.keep == "summary" else {RUNS: self.runs, CURVES: self.curves}
        return [write_table(folder / name, table) for name, table in tables.items()]


def write_table(path: Path, table: pl.DataFrame) -> Path:
    """Write a table as Parquet, whole or not at all."""
    buffer = io.BytesIO()
    table.write_parquet(buffer)
    with whole_file(path) as file:
        file.write(buffer.getvalue())
    return path


def _states(held: Held, entries: dict[str, Entry]) -> pl.DataFrame:
    rows = [
        (key, "done" if entry.error is None else "failed", entry.seconds, entry.error) for key, entry in entries.items()
    ]
    schema = {"key": pl.String, "state": pl.String, "seconds": pl.Float64, "error": pl.String}
    states = pl.DataFrame(rows, schema=schema, orient="row")
    table = held.table.join(states, on="key", how="left", maintain_order="left")
    return table.with_columns(pl.col("state").fill_null("missing"))


def _ends(curves: pl.DataFrame) -> pl.DataFrame:
    """What each run came to in its last round."""
    return (
        curves.group_by("key")
        .agg(pl.all().sort_by("t").last())
        .select(
            "key",
            regret="cumulative_regret",
            time_averaged_regret=pl.col("cumulative_regret") / pl.col("t"),
            reward="cumulative_reward",
        )
    )
