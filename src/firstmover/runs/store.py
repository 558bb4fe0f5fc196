"""Results on disk: what a folder holds (manifest.json, tasks.parquet) and its results, each file whole or absent.

DIR/results/NAME.parquet holds the tables of some tasks, every row with the key of its task; NAME.json beside it lists
the tasks with their documents, times and errors, and the checksum of the tables. It is written last: tables without it
do not count. Damage is found by the checksum before polars reads, since a damaged file may abort the whole process.
"""

import hashlib
import io
import json
import os
import platform
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl
from pydantic import TypeAdapter, ValidationError

from firstmover.core.errors import InvalidInput
from firstmover.core.files import atomic_file, canonical_json, text_hash
from firstmover.runs.grid import ARENA
from firstmover.runs.task import Task

try:
    import fcntl
except ImportError:  # on Windows two drivers of one folder do the same work twice, with equal results
    fcntl = None  # type: ignore[assignment]

FORMAT = 2
"""Increased when files of an older version can no longer be read as they are."""

MANIFEST, TASKS, RESULTS, LOCK, LOG = "manifest.json", "tasks.parquet", "results", "driver.lock", "log.txt"
OLD_SWEEP = "sweep.json"
"""The manifest of a sweep of format 1, whose experiments had one file per run: LABEL/SEED.parquet."""

KIND = "experiment"
"""The kind of manifest that the document of an experiment or a sweep has."""

_PART = ".part"
_LIBRARIES = ("firstmover", "joblib", "matplotlib", "numpy", "polars", "pydantic", "scikit-learn", "scipy")
_UNREADABLE = (OSError, ValueError, KeyError, TypeError, AttributeError)
"""Raised when a file is not what was written."""


@dataclass(frozen=True)
class Manifest:
    """The description of a folder of results.

    Parameters
    ----------
    kind
        Of experiment.
    title
        Of tables and figures.
    spec
        The document.
    labels
        Of the learners.
    seeds
        Of the runs.
    rounds
        The largest T.
    notes
        On the preparation of runs.
    keep
        What is stored of a run: "summary", "curves" or "rounds".

    Examples
    --------
    >>> from firstmover.runs import Manifest
    >>> Manifest("mine", "A study", {}, labels=("exp3",), seeds=(0, 1), rounds=9).table().height
    2
    """

    kind: str
    title: str
    spec: dict[str, Any]
    labels: tuple[str, ...]
    seeds: tuple[int, ...]
    rounds: int
    notes: dict[str, Any] = field(default_factory=dict)
    keep: str = "rounds"

    def table(self) -> pl.DataFrame:
        """One row per run of every label with every seed."""
        rows = [
            {"key": self.key(label, seed), "learner": label, "variant": label, "seed": seed}
            for label, seed in product(self.labels, self.seeds)
        ]
        place = {"document": pl.col("key"), "game": pl.lit(self.kind), "opponent": pl.lit("")}
        return pl.DataFrame(rows).with_columns(**place, horizon=pl.lit(self.rounds, pl.Int64))

    def key(self, label: str, seed: int) -> str:
        """The name of the result of one run."""
        return text_hash(canonical_json([self.kind, self.spec, label, seed]))


@dataclass(frozen=True, eq=False)
class Record:
    """The result of one task: the table that is kept of it, or its error."""

    key: str
    seconds: float
    table: pl.DataFrame | None = None
    error: str | None = None
    document: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Entry:
    """One task of the ledger: the file of its table, the checksum, the seconds that it took, and its error."""

    path: Path
    sha256: str | None
    seconds: float
    error: str | None


def claim(folder: Path, manifest: Manifest, renew: bool = False, table: pl.DataFrame | None = None) -> None:
    """Make the folder that of this experiment; its results so far are kept.

    Parameters
    ----------
    folder
        It is created.
    manifest
        The description.
    renew
        Whether the results of another experiment of the same kind are removed; otherwise they are refused.
    table
        One row per run; None: every label with every seed.

    Raises
    ------
    InvalidInput
        If the folder belongs to something else.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from firstmover.runs import Manifest, claim, read_manifest
    >>> manifest = Manifest("mine", "A study", {}, labels=("exp3",), seeds=(0, 1), rounds=9)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     claim(Path(folder, "results"), manifest)
    ...     read_manifest(Path(folder, "results")).title
    'A study'
    """
    table = manifest.table() if table is None else table
    if check_folder(folder, manifest, table, renew):
        for path in filter(_is_ours, (folder / RESULTS).iterdir()):
            path.unlink()
    make_folder(folder)
    content = {
        "format": FORMAT,
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(),
        "tasks": table.height,
        **asdict(manifest),
    }
    write_table(folder / TASKS, table)
    with atomic_file(folder / MANIFEST) as file:
        file.write(json.dumps(content, indent=2, ensure_ascii=False).encode())


def check_folder(folder: Path, manifest: Manifest, table: pl.DataFrame, renew: bool = False) -> int:
    """Refuse a folder of something else; that of this experiment, or of a part of it, is accepted.

    Returns how many results of another experiment `renew` has to remove.
    """
    if not folder.is_dir():
        if folder.exists():
            raise InvalidInput(f"{str(folder)!r} is a file: choose a folder with --out.")
        return 0
    if not (folder / MANIFEST).exists() and not (folder / OLD_SWEEP).exists():
        ours = {LOCK, TASKS, LOG}  # left by a command that was stopped before it wrote the manifest
        empty = not any((folder / RESULTS).glob("*"))  # results are written after the manifest
        if not all(p.name in ours or p.suffix == _PART or (p.name == RESULTS and empty) for p in folder.iterdir()):
            raise InvalidInput(f"Folder {str(folder)!r} holds other files: choose a new or empty folder with --out.")
        return 0
    held = read_manifest(folder)
    if read_format(folder) < FORMAT:
        raise InvalidInput(
            f"Folder {str(folder)!r} was written by an earlier version of firstmover: choose another folder with "
            "--out, or remove it."
        )
    entries = ledger(folder, is_there)
    done = task_table(folder).filter(pl.col("key").is_in([k for k, entry in entries.items() if entry.error is None]))
    strange = done.join(table, on="document", how="anti").height
    if strange and not (renew and held.kind == manifest.kind):
        raise InvalidInput(
            f"Folder {str(folder)!r} holds the results of another experiment, {held.title!r}: {strange} of its "
            f"{done.height} runs are not in this one; choose another folder with --out, or remove it."
        )
    return strange


def make_folder(folder: Path) -> None:
    """Make the folder of an experiment, if there is none."""
    try:
        (folder / RESULTS).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(
            f"Folder {str(folder)!r} cannot be made: {error.strerror}; choose another with --out."
        ) from None


def versions() -> dict[str, str]:
    """The versions of Python and of the libraries that results depend on."""
    return {"python": platform.python_version()} | {name: version(name) for name in _LIBRARIES}


def write_table(path: Path, table: pl.DataFrame) -> Path:
    """Write a table as Parquet, atomically."""
    buffer = io.BytesIO()
    table.write_parquet(buffer)
    with atomic_file(path) as file:
        file.write(buffer.getvalue())
    return path


def read_format(folder: Path) -> int:
    """The format of the folder's files; refuse a folder without results of firstmover, or of a newer version."""
    return int(_content(folder)["format"])


def _content(folder: Path) -> dict[str, Any]:
    path = folder / (OLD_SWEEP if (folder / OLD_SWEEP).exists() else MANIFEST)
    try:
        content = json.loads(path.read_bytes())
        written = int(content["format"])
    except OSError:
        raise InvalidInput(
            f"Folder {str(folder)!r} has no readable {MANIFEST}: give a folder that firstmover wrote results to."
        ) from None
    except _UNREADABLE:
        raise InvalidInput(f"{str(path)!r} is not a manifest of firstmover: play the experiment again.") from None
    if written > FORMAT:
        raise InvalidInput(
            f"{str(path)!r} has format {written}, newer than this firstmover's {FORMAT}: update firstmover to read it."
        )
    return content


def read_manifest(folder: Path) -> Manifest:
    """Return the manifest of a folder, also of one that was written in format 1.

    Parameters
    ----------
    folder
        Of results.

    Returns
    -------
    Manifest
        The description.

    Raises
    ------
    InvalidInput
        If the folder has no results of firstmover.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from firstmover.runs import Manifest, claim, read_manifest
    >>> manifest = Manifest("mine", "A study", {}, labels=("exp3",), seeds=(0, 1), rounds=9)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     claim(Path(folder, "results"), manifest)
    ...     read_manifest(Path(folder, "results")).seeds
    (0, 1)
    """
    content = _content(folder)
    if (folder / OLD_SWEEP).exists():
        table = task_table(folder)
        labels, seeds = (tuple(table[name].unique(maintain_order=True)) for name in ("variant", "seed"))
        rounds = int(table["horizon"].max())  # type: ignore[arg-type]
        content = {"kind": KIND, "labels": labels, "seeds": seeds, "rounds": rounds, "notes": {}} | content
    try:
        return TypeAdapter(Manifest).validate_python(content)
    except ValidationError:
        raise InvalidInput(
            f"{str(folder / MANIFEST)!r} describes no experiment known here: play the experiment again."
        ) from None


def task_table(folder: Path) -> pl.DataFrame:
    """One row per task of a folder: its key and its place on the axes."""
    content = _content(folder)
    if content["format"] == 1 and "labels" in content:
        held = read_manifest(folder)
        key = pl.format("{}/{}", "learner", "seed")
        spec = {name: pl.lit(str(held.spec.get(name, ""))) for name in ("game", "opponent")}
        return held.table().with_columns(key=key, document=key, **spec)
    try:
        table = pl.read_parquet((folder / TASKS).read_bytes())
        if table.height < content["tasks"]:  # a sweep that grew may have been killed between its two files
            raise OSError
    except (KeyError, OSError, pl.exceptions.PolarsError):
        raise InvalidInput(
            f"{str(folder / TASKS)!r} is missing or damaged: play the experiment into a new folder."
        ) from None
    return table


def arenas(table: pl.DataFrame) -> list[pl.DataFrame]:
    """The tasks of each game, opponent and horizon."""
    return table.partition_by(*ARENA, maintain_order=True)


def save_run(folder: Path, task: Task, table: pl.DataFrame) -> None:
    """Store one finished run in a claimed folder.

    Parameters
    ----------
    folder
        Claimed before.
    task
        The run: its label and its seed count.
    table
        One row per round.

    Raises
    ------
    InvalidInput
        If the folder has no manifest.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from firstmover.runs import ExperimentSpec, Manifest, claim, plan_of, read, save_run
    >>> spec = ExperimentSpec.read({"game": "shore", "rounds": 9, "seeds": 1, "learners": ["exp3"]})
    >>> task = plan_of(spec).tasks[0]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     claim(Path(folder, "results"), Manifest("mine", "A study", {}, labels=("exp3",), seeds=(0,), rounds=9))
    ...     save_run(Path(folder, "results"), task, task.play())
    ...     read(Path(folder, "results")).height
    9
    """
    save_records(folder, [Record(read_manifest(folder).key(task.label, task.seed), 0.0, table)])


def save_records(folder: Path, records: Sequence[Record]) -> None:
    """Store results, each file atomically: first the tables, then their list, without which they do not count."""
    keys = [record.key for record in records]
    stem = keys[0] if len(keys) == 1 else text_hash("\n".join(keys))
    tables = [r.table.select(pl.lit(r.key).alias("key"), pl.all()) for r in records if r.table is not None]
    buffer = io.BytesIO()
    if tables:
        pl.concat(tables, how="diagonal").write_parquet(buffer)
    content = {
        "format": FORMAT,
        "finished": datetime.now(UTC).isoformat(timespec="seconds"),
        "sha256": hashlib.sha256(buffer.getvalue()).hexdigest() if tables else None,
        "tasks": [
            {"key": record.key, "seconds": record.seconds, "error": record.error, "task": record.document}
            for record in records
        ],
    }
    results = folder / RESULTS
    with (
        atomic_file(results / f"{stem}.json") as listed,
        atomic_file(results / f"{stem}.parquet") if tables else nullcontext(io.BytesIO()) as held,
    ):  # the tables are written first: contexts end in reverse order
        held.write(buffer.getvalue())
        listed.write(json.dumps(content, ensure_ascii=False).encode())


def ledger(folder: Path, counts: Callable[[Entry], bool] | None = None) -> dict[str, Entry]:
    """Every task that has a result or an error, by its key; a result takes precedence over an error.

    `counts` decides whether the file of an entry counts, such as `is_whole`; without it a damaged list is refused.
    """
    found: dict[str, Entry] = {}
    for path in sorted(filter(_is_ours, (folder / RESULTS).glob("*.json"))):
        entries = _listed(path, counts or (lambda _: True))
        if entries is None and counts is None:
            raise _damaged(path)
        for key, entry in (entries or {}).items():
            if key not in found or found[key].error is not None:
                found[key] = entry
    return found or _old_runs(folder)


def _old_runs(folder: Path) -> dict[str, Entry]:
    """The runs of an experiment of format 1."""
    found = {}
    for path in folder.glob("*/*.sha256"):
        table, digest = path.with_suffix(".parquet"), path.read_text("utf-8").partition(" ")[0]
        if table.exists():
            found[f"{path.parent.name}/{path.stem}"] = Entry(table, digest, 0.0, None)
    return found


def _listed(path: Path, counts: Callable[[Entry], bool]) -> dict[str, Entry] | None:
    """The tasks that a list of results names; None if it is damaged, or its tables do not count."""
    try:
        content, table = json.loads(path.read_bytes()), path.with_suffix(".parquet")
        if (written := int(content["format"])) > FORMAT:
            raise InvalidInput(f"{str(path)!r} has format {written}, newer than this firstmover's {FORMAT}: update it.")
        digest = content["sha256"]
        whole = digest is None or counts(Entry(table, digest, 0.0, None))
        lines = [(line["key"], float(line["seconds"]), line["error"]) for line in content["tasks"]]
    except InvalidInput:  # nothing of a newer version is ever removed
        raise
    except _UNREADABLE:
        return None
    return {key: Entry(table, digest, seconds, error) for key, seconds, error in lines} if whole else None


def _damaged(path: Path) -> InvalidInput:
    return InvalidInput(f"{str(path)!r} is damaged: play the same experiment again to replace it.")


def read_results(entries: Mapping[str, Entry], columns: Sequence[str] | None = None) -> Iterator[pl.DataFrame]:
    """The tables of tasks that are done, file by file, with the key of its task in every row."""
    files: dict[tuple[Path, str | None], list[str]] = {}
    for key, entry in entries.items():
        if entry.error is None:
            files.setdefault((entry.path, entry.sha256), []).append(key)
    for (path, digest), keys in files.items():
        try:
            content = path.read_bytes()
        except OSError:
            content = b""
        if hashlib.sha256(content).hexdigest() != digest:
            raise _damaged(path)
        held = pl.read_parquet_schema(io.BytesIO(content))
        wanted = None if columns is None else [name for name in held if name in ("key", "learner", "seed", *columns)]
        table = pl.read_parquet(content, columns=wanted)
        yield table.filter(pl.col("key").is_in(keys)) if "key" in held else table.with_columns(key=pl.lit(keys[0]))


def read(folder: Path, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """Return all runs of a folder with one game, opponent and horizon in one table.

    Parameters
    ----------
    folder
        Of results.
    columns
        Those that are wanted; None: all.

    Returns
    -------
    pl.DataFrame
        One row per learner, seed and round that was kept.

    Raises
    ------
    InvalidInput
        If a run is missing or damaged, a column is not there, or the folder has several games, opponents or horizons.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from firstmover.runs import ExperimentSpec, plan_of, read, run_sweep
    >>> spec = ExperimentSpec.read({"game": "shore", "rounds": 9, "seeds": 2, "learners": ["exp3"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = run_sweep(plan_of(spec), Path(folder, "results"), workers=1)
    ...     table = read(Path(folder, "results"), ["learner", "t", "reward"])
    >>> table.shape
    (18, 3)
    """
    held, table = read_manifest(folder), task_table(folder)
    if len(arenas(table)) > 1:
        raise InvalidInput(
            f"Folder {str(folder)!r} holds {len(arenas(table))} games, opponents or horizons: see them with "
            f"firstmover sweep report {folder}."
        )
    wanted, entries = set(table["key"]), ledger(folder)
    found = read_results({key: entry for key, entry in entries.items() if key in wanted}, columns)
    runs = {key[0]: part for each in found for key, part in each.partition_by("key", as_dict=True).items()}
    parts = []
    for row in table.iter_rows(named=True):
        if (run := runs.get(row["key"])) is None:
            raise InvalidInput(
                f"The run of {row['variant']!r} with seed {row['seed']} in {str(folder)!r} is missing or failed: play "
                "the same experiment again to complete it."
            )
        if "learner" not in run.columns and held.kind == KIND:
            place = pl.lit(row["variant"]).alias("learner"), pl.lit(row["seed"], pl.Int64).alias("seed")
            run = run.select(*place, pl.all())
        parts.append(run.drop("key"))
    try:
        return pl.concat(parts if columns is None else [part.select(columns) for part in parts])
    except pl.exceptions.ColumnNotFoundError:
        kept = f" of which it keeps {held.keep!r}" if held.kind == KIND else ""
        raise InvalidInput(
            f"Folder {str(folder)!r} holds results of kind {held.kind!r}{kept}: give one that play or run "
            "wrote with all rounds (keep = 'rounds')."
        ) from None


def read_document(folder: Path, key: str) -> dict[str, Any]:
    """The document of a task that has a result."""
    entry = ledger(folder)[key]
    content = json.loads(entry.path.with_suffix(".json").read_bytes())
    return next(line["task"] for line in content["tasks"] if line["key"] == key)


def is_whole(entry: Entry) -> bool:
    """Return whether the tables are what was written."""
    return hashlib.sha256(entry.path.read_bytes()).hexdigest() == entry.sha256


def is_there(entry: Entry) -> bool:
    """Return whether the tables end as Parquet does: fast, nothing is hashed."""
    with entry.path.open("rb") as file:
        file.seek(-4, os.SEEK_END)
        return file.read() == b"PAR1"


def _is_ours(path: Path) -> bool:
    """Return whether a file has the name of a result, a hash: other files in the folder are the user's."""
    return re.fullmatch(r"[0-9a-f]{64}", path.stem) is not None


def tidy_up(folder: Path) -> int:
    """Remove files of killed processes and damaged results, and return how many lists of results were damaged.

    Only for the one driver of a folder.
    """
    results = folder / RESULTS
    broken = [path for path in results.glob("*.json") if _is_ours(path) and _listed(path, is_whole) is None]
    listed = {path.stem for path in results.glob("*.json")} - {path.stem for path in broken}
    unlisted = (path for path in results.glob("*.parquet") if _is_ours(path) and path.stem not in listed)
    for path in [*broken, *unlisted, *results.glob(f".*{_PART}")]:
        path.unlink(missing_ok=True)
    return len(broken)


@contextmanager
def driving(folder: Path) -> Iterator[None]:
    """Be the one driver of a folder; the lock ends with the process."""
    handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        if not any(_lock(handle, exclusive=True, pause=pause) for pause in (0, 0.1, 0.1, 0.1)):  # is_driven may hold it
            raise InvalidInput(
                f"The experiment in folder {str(folder)!r} is running already: wait for it, or stop it first."
            )
        yield
    finally:
        os.close(handle)


def is_driven(folder: Path) -> bool:
    """Return whether a driver is at work now; needs no permission to write."""
    if not (folder / LOCK).exists():
        return False
    handle = os.open(folder / LOCK, os.O_RDONLY)
    try:
        return not _lock(handle, exclusive=False)
    finally:
        os.close(handle)


def _lock(handle: int, exclusive: bool, pause: float = 0) -> bool:
    """Return False if another process holds the lock; file systems without locks always give it."""
    time.sleep(pause)
    try:
        if fcntl is not None:
            fcntl.flock(handle, fcntl.LOCK_NB | (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH))
    except BlockingIOError:
        return False
    except OSError:  # this file system has no locks
        pass
    return True
