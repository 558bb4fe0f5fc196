"""The results of an arena: one record of all tables and versions, and its text."""

import json
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from firstmover.core.errors import InvalidInput
from firstmover.core.files import atomic_file
from firstmover.runs.arena.contestants import AUTO
from firstmover.runs.arena.plan import KIND
from firstmover.runs.arena.ranking import PLACE, VERDICTS, by_instance, changes, summarise
from firstmover.runs.comparison import markdown, with_interval, with_states
from firstmover.runs.store import Manifest, ledger, read_manifest, read_results, task_table, write_table
from firstmover.simulation.intervals import mean_interval

TEXT, RECORD, RUNS = "arena.md", "arena.json", "runs.parquet"

_KEPT = {"key": pl.String, "t": pl.Int64, **dict.fromkeys(("cumulative_regret", "reward_range", "cpu_ms"), pl.Float64)}


def arena_runs(folder: Path) -> pl.DataFrame:
    """Return one row per run of a folder; `regret` is R(T) / T in percent of the range of rewards."""
    _manifest(folder)
    table, entries = task_table(folder), ledger(folder)
    mine = {key: entries[key] for key in table["key"] if key in entries}
    parts = [part.select(*_KEPT) for part in read_results(mine)]
    regret = 100 * pl.col("cumulative_regret") / pl.col("t") / pl.col("reward_range")
    results = pl.concat([pl.DataFrame(schema=_KEPT), *parts]).select("key", "cpu_ms", regret=regret)
    found = with_states(table, mine).join(results, on="key", how="left", maintain_order="left")
    named = {"words": "opponent", "rounds": "horizon"}
    return found.select(*PLACE, "learner", "seed", "state", "error", "regret", "cpu_ms", **named)


def arena_record(folder: Path, runs: pl.DataFrame | None = None) -> dict[str, Any]:
    """Return all tables of a folder with the versions of the code that gave them; no date."""
    manifest, runs = _manifest(folder), arena_runs(folder) if runs is None else runs
    table = by_instance(runs)
    if table.is_empty():
        raise InvalidInput(f"Folder {str(folder)!r} has no learner whose runs on an instance are done: play the rest.")
    words = runs.select(*PLACE, "words").unique(maintain_order=True)
    tables = {"overall": summarise(table), "families": summarise(table, "family"), "instances": table}
    return {
        "title": manifest.title,
        "rounds": manifest.rounds,
        "seeds": list(manifest.seeds),
        **{name: each.fill_nan(None).to_dicts() for name, each in tables.items()},
        "words": words.to_dicts(),
        "unfinished": _unfinished(runs),
        **manifest.notes,
    }


def arena_text(record: dict[str, Any]) -> str:
    """Return the record as Markdown: learners overall and by family, who is left out where, and versions."""
    told = set(record["told_rewards"])
    seeds = len(record["seeds"])
    lines = [
        f"# Arena: {record['title']}",
        "",
        "Regret is R(T) / T in percent of the range of rewards. Mean rank, regret, and its difference to that of "
        "`auto` are means over instances, with 95 % intervals over instances, or over seeds if there is one instance. "
        "A learner is better or worse than `auto` on an instance if the 95 % interval of the difference over "
        f"{seeds} paired seeds excludes 0. CPU time is that of a round, the opponent's part included.",
    ]
    if told:
        lines += ["", f"† is told the rewards of all actions after each round: {', '.join(sorted(told))}."]
    lines += ["", _table(record["overall"], told), "", "## By family", "", _table(record["families"], told)]
    notes = [*_left_out(record["left_out"]), *record["unfinished"]]
    if notes:
        lines += ["", "## Left out", "", "Ranks are among the learners that play an instance.", "", *notes]
    versions = ", ".join(f"{name} {number}" for name, number in record["versions"].items())
    lines += ["", "## Versions", "", f"{versions}; sources {record['sources'][:12]}"]
    lines += [f"- plugin {name} {digest[:12]}" for name, digest in record["plugins"].items()]
    return "\n".join(lines) + "\n"


def write_report(folder: Path) -> dict[str, Any]:
    """Write arena.md, arena.json and runs.parquet to a folder, and return the record."""
    runs = arena_runs(folder)
    record = arena_record(folder, runs)
    with atomic_file(folder / TEXT) as file:
        file.write(arena_text(record).encode())
    with atomic_file(folder / RECORD) as file:
        file.write(json.dumps(record, indent=1, ensure_ascii=False).encode())
    write_table(folder / RUNS, runs)
    return record


def compare_arenas(first: Path, second: Path) -> str:
    """Return the change from one folder to another of every learner, on the instances that both have, as Markdown."""
    sizes = [(manifest.rounds, manifest.seeds) for manifest in map(_manifest, (first, second))]
    if sizes[0] != sizes[1]:
        words = [f"{rounds} rounds with seeds {seeds[0]} to {seeds[-1]}" for rounds, seeds in sizes]
        raise InvalidInput(f"The folders have {words[0]} and {words[1]}: compare arenas of the same rounds and seeds.")
    table = changes(arena_runs(first), arena_runs(second))
    if table.is_empty():
        raise InvalidInput(f"Folders {str(first)!r} and {str(second)!r} have no learner and instance in common.")
    rows = []
    for part in table.partition_by("learner", maintain_order=True):
        means = part.select("before", "after").to_numpy().mean(axis=0)
        mean, half_width = mean_interval(part.select("difference").to_numpy())
        rows.append(
            {
                "learner": part["learner"][0],
                "instances": str(len(part)),
                "regret before": f"{means[0]:.3g}",
                "after": f"{means[1]:.3g}",
                "after − before": with_interval(float(mean[0]), float(half_width[0])),
                " / ".join(VERDICTS): _counts({name: int((part["verdict"] == name).sum()) for name in VERDICTS}),
            }
        )
    return markdown(pl.DataFrame(rows))


def _manifest(folder: Path) -> Manifest:
    manifest = read_manifest(folder)
    if manifest.kind != KIND:
        raise InvalidInput(f"Folder {str(folder)!r} holds {manifest.title!r} and no arena: give a folder of an arena.")
    return manifest


def _table(rows: list[dict[str, Any]], told: set[str]) -> str:
    """Rows of a summary as text."""
    return markdown(
        pl.DataFrame(
            [
                ({"family": row["family"]} if "family" in row else {})
                | {
                    "learner": f"{row['learner']} †" if row["learner"] in told else row["learner"],
                    "instances": str(row["instances"]),
                    "mean rank": _words(row, "rank"),
                    "regret, %": _words(row, "regret"),
                    "− auto": "" if row["learner"] == AUTO else _words(row, "difference"),
                    " / ".join(VERDICTS): "" if row["learner"] == AUTO else _counts(row),
                    "CPU ms": f"{row['cpu_ms']:.2g}",
                }
                for row in rows
            ]
        )
    )


def _words(row: dict[str, Any], measure: str) -> str:
    half_width = row[f"{measure}_half_width"]
    return "" if row[measure] is None else with_interval(row[measure], np.nan if half_width is None else half_width)


def _counts(row: dict[str, Any]) -> str:
    return " / ".join(str(row[verdict]) for verdict in VERDICTS)


def _left_out(rows: list[dict[str, Any]]) -> Iterator[str]:
    """One line for each learner and reason, with the number of instances of each family."""

    def cause(row: dict[str, Any]) -> tuple[str, str]:
        return row["learner"], row["reason"]

    for (learner, reason), group in groupby(sorted(rows, key=cause), cause):
        families = [row["family"] for row in group]
        where = ", ".join(f"{family} ({families.count(family)})" for family in dict.fromkeys(families))
        yield f"- {learner}: {where}: {reason}."


def _unfinished(runs: pl.DataFrame) -> list[str]:
    """One line for each learner and instance with runs that failed or are missing."""
    lines = []
    for part in runs.partition_by(*PLACE, "learner", maintain_order=True):
        failed, missing = (part.filter(state=state) for state in ("failed", "missing"))
        place = f"- {part['learner'][0]}: {part['family'][0]} {part['instance'][0]}"
        if len(failed):
            lines.append(f"{place}: {len(failed)} of {len(part)} runs failed: {failed['error'][0]}")
        elif len(missing):
            lines.append(f"{place}: {len(missing)} of {len(part)} runs are missing.")
    return lines
