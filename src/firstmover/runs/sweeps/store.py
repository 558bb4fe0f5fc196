"""Results on disk: DIR/results/NAME.parquet with NAME.json beside it, each file whole or absent.

A pair holds what one batch came to. The manifest says which tasks it holds, by key and document, and the checksum of
the table; it comes last, and what has no manifest does not exist. NAME is the hash of the keys.
"""

import hashlib
import io
import json
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from firstmover.core.errors import InvalidInput
from firstmover.runs.experiment_store import settle
from firstmover.runs.sweeps.tasks import SweepTask

FORMAT = 1
"""Raised when files of an older version can no longer be read as they are."""

RESULTS = "results"
PARQUET = b"PAR1"
"""What every Parquet file ends with."""
_PART = ".part"


@dataclass(frozen=True, eq=False)
class Record:
    """What became of one task: the table that is kept of it, or the error that it raised."""

    task: SweepTask
    seconds: float
    table: pl.DataFrame | None = None
    error: str | None = None


@dataclass(frozen=True)
class Entry:
    """One task of the ledger: the stem of its files, their table's checksum, how long it took, and its error."""

    stem: str
    sha256: str | None
    seconds: float
    error: str | None


def save_batch(folder: Path, records: Sequence[Record]) -> None:
    """Store what a batch came to: write, flush to the disk, rename; then the same for its manifest."""
    stem = hashlib.sha256("\n".join(record.task.key for record in records).encode()).hexdigest()
    content = _parquet(records)
    manifest = {
        "format": FORMAT,
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "sha256": None if content is None else hashlib.sha256(content).hexdigest(),
        "tasks": [_line(record) for record in records],
    }
    files = {} if content is None else {f"{stem}.parquet": content}
    _write_all(folder / RESULTS, files | {f"{stem}.json": json.dumps(manifest, ensure_ascii=False).encode()})


def _line(record: Record) -> dict[str, Any]:
    document = json.loads(record.task.document)
    return {"key": record.task.key, "seconds": record.seconds, "error": record.error, "task": document}


def _parquet(records: Sequence[Record]) -> bytes | None:
    """The tables of a batch under each other, with the key of its task in every row."""
    kept = [(record.task.key, record.table) for record in records if record.table is not None]
    if not kept:
        return None
    keys = pl.Series([key for key, _ in kept]).gather(
        np.repeat(np.arange(len(kept)), [len(table) for _, table in kept])
    )
    buffer = io.BytesIO()
    rows = pl.concat([table for _, table in kept], how="diagonal")  # the very table of a player, where there is one
    rows.select(keys.alias("key"), pl.all()).write_parquet(buffer)
    return buffer.getvalue()


def _write_all(folder: Path, files: dict[str, bytes]) -> None:
    """Write files that appear under their names, in this order, only when all of them are on the disk."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            with (folder / f".{name}.{os.getpid()}{_PART}").open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        for name in files:
            (folder / f".{name}.{os.getpid()}{_PART}").replace(folder / name)
        settle(folder)
    except OSError as error:
        raise InvalidInput(f"{str(folder)!r} cannot be written to: {error.strerror}; make room there.") from None


def ledger(folder: Path, counts: Callable[[Path], bool] | None = None) -> dict[str, Entry]:
    """Every task that has a result or an error, by its key; a result counts more than an error.

    `counts` says of a manifest whether it does, such as `is_whole`; without it a damaged one is refused.
    """
    found: dict[str, Entry] = {}
    for path in sorted((folder / RESULTS).glob("*.json")):
        if counts is not None and not counts(path):
            continue
        try:
            entries = _entries(path)
        except InvalidInput:
            raise
        except _UNREADABLE:
            raise damaged(path) from None
        for key, entry in entries:
            if key not in found or found[key].error is not None:
                found[key] = entry
    return found


_UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError)
"""What reading a file raises that is not what was written."""


def _entries(path: Path) -> list[tuple[str, Entry]]:
    """The tasks that a manifest names."""
    manifest = json.loads(path.read_bytes())
    if (written := int(manifest["format"])) > FORMAT:
        raise InvalidInput(f"{str(path)!r} has format {written}, newer than this firstmover's {FORMAT}: update it.")
    digest = manifest["sha256"]
    return [
        (line["key"], Entry(path.stem, digest, float(line["seconds"]), line["error"])) for line in manifest["tasks"]
    ]


def damaged(path: Path) -> InvalidInput:
    """The refusal of a file that is not what was written."""
    return InvalidInput(f"{str(path)!r} is damaged: run the sweep again, which removes it and plays its tasks anew.")


def read_results(folder: Path, entries: dict[str, Entry]) -> Iterator[pl.DataFrame]:
    """What is kept of every task that is done, file by file; damage is found before polars reads."""
    files: dict[tuple[str, str | None], list[str]] = {}
    for key, entry in entries.items():
        if entry.error is None:
            files.setdefault((entry.stem, entry.sha256), []).append(key)
    for (stem, digest), keys in files.items():
        path = folder / RESULTS / f"{stem}.parquet"
        try:
            content = path.read_bytes()
        except OSError:
            raise damaged(path) from None
        if hashlib.sha256(content).hexdigest() != digest:
            raise damaged(path)
        yield pl.read_parquet(content).filter(pl.col("key").is_in(keys))


def is_whole(path: Path) -> bool:
    """Whether a manifest can be read and its table is what was written."""
    return _holds(path, lambda table, digest: hashlib.sha256(table.read_bytes()).hexdigest() == digest)


def is_there(path: Path) -> bool:
    """Whether a manifest can be read and its table is there to its end: quick, since nothing is hashed."""
    return _holds(path, lambda table, _: _ends(table))


def _ends(table: Path) -> bool:
    with table.open("rb") as file:
        file.seek(-len(PARQUET), os.SEEK_END)
        return file.read() == PARQUET


def _holds(path: Path, check: Callable[[Path, str], bool]) -> bool:
    """Whether a manifest can be read and its table, where it has one, passes a check against the digest."""
    try:
        digest = next((entry.sha256 for _, entry in _entries(path)), None)
        return digest is None or check(path.with_suffix(".parquet"), digest)
    except InvalidInput:  # nothing of a newer version is ever removed
        raise
    except _UNREADABLE:
        return False


def tidy_up(folder: Path) -> int:
    """Remove what killed workers left behind and what was damaged since, and say how many manifests that were.

    Only for a driver that knows that nobody is at work in the folder.
    """
    results = folder / RESULTS
    broken = [path for path in results.glob("*.json") if not is_whole(path)]
    manifests = {path.stem for path in results.glob("*.json")} - {path.stem for path in broken}
    unnamed = (path for path in results.glob("*.parquet") if path.stem not in manifests)
    _remove([*broken, *unnamed, *results.glob(f".*{_PART}")])
    return len(broken)


def _remove(paths: Iterable[Path]) -> None:
    for path in paths:
        path.unlink(missing_ok=True)
