"""Results on disk: DIR/manifest.json and DIR/<label>/<seed>.parquet, each file whole or absent.

Beside each run stands its checksum, in the format of the sha256sum command: a reader of Parquet may abort the whole
process on a damaged file, so damage is found before it reads.
"""

import hashlib
import io
import json
import os
import platform
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl

from firstmover.core.errors import InvalidInput
from firstmover.runs.experiment_spec import ExperimentSpec
from firstmover.runs.play_tasks import Task

FORMAT = 1
"""Raised when files of an older version can no longer be read as they are."""

MANIFEST = "manifest.json"
_LIBRARIES = ("firstmover", "matplotlib", "numpy", "polars", "pydantic", "scikit-learn", "scipy")


@dataclass(frozen=True)
class Manifest:
    """What a folder holds: which kind of experiment, its specification, its runs, and what was found on the way."""

    kind: str
    title: str
    spec: dict[str, Any]
    labels: tuple[str, ...]
    seeds: tuple[int, ...]
    rounds: int
    notes: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, spec: ExperimentSpec) -> "Manifest":
        """That of an experiment by specification."""
        labels = tuple(learner.label for learner in spec.learners)
        return cls("experiment", spec.title, spec.model_dump(mode="json"), labels, spec.seeds, spec.rounds)


def claim(folder: Path, manifest: Manifest, renew: bool = False) -> None:
    """Make the folder that of this experiment; results of another are left alone, or replaced if of the same kind."""
    if folder.is_dir() and any(folder.iterdir()):
        if not (folder / MANIFEST).exists():
            raise InvalidInput(f"Folder {str(folder)!r} holds files of its own: choose a new or empty folder.")
        held, runs = read_manifest(folder), _runs(folder)
        if differing := _differing(held, manifest):
            if runs and not (renew and held.kind == manifest.kind):
                raise InvalidInput(
                    f"Folder {str(folder)!r} holds the results of another experiment, which differs in "
                    f"{', '.join(differing)}: give another folder with --out, or remove it."
                )
            _remove(runs, held)
    content = {
        "format": FORMAT,
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(),
        **asdict(manifest),
    }
    with whole_file(folder / MANIFEST) as file:
        file.write(json.dumps(content, indent=2, ensure_ascii=False).encode())


def _differing(held: Manifest, manifest: Manifest) -> list[str]:
    """In what two experiments differ, by name."""
    if held.kind != manifest.kind:
        return ["kind"]
    pairs = {name: (held.spec.get(name), manifest.spec.get(name)) for name in (*held.spec, *manifest.spec)}
    pairs["seeds"] = (held.seeds, manifest.seeds)
    return [name for name, (before, after) in pairs.items() if before != after]


def _runs(folder: Path) -> list[Path]:
    return list(folder.glob("*/*.parquet"))


def _remove(runs: list[Path], held: Manifest) -> None:
    """Remove the runs that a manifest names, so that none of them is ever taken for one of another experiment."""
    for path in runs:
        if path.parent.name in held.labels and path.stem.isdigit() and int(path.stem) in held.seeds:
            path.unlink()
            path.with_suffix(".sha256").unlink(missing_ok=True)
            if not any(path.parent.iterdir()):
                path.parent.rmdir()


def versions() -> dict[str, str]:
    """Python's version and those of the libraries that results depend on."""
    return {"python": platform.python_version()} | {name: version(name) for name in _LIBRARIES}


def save_run(folder: Path, task: Task, table: pl.DataFrame) -> None:
    """Store one finished run in a claimed folder."""
    path, buffer = _path(folder, task.label, task.seed), io.BytesIO()
    table.write_parquet(buffer)
    with whole_file(path) as file:
        file.write(buffer.getvalue())
    with whole_file(path.with_suffix(".sha256")) as file:
        file.write(_checksum(path.name, buffer.getvalue()))


def read_manifest(folder: Path) -> Manifest:
    """What a folder holds."""
    path = folder / MANIFEST
    try:
        content = json.loads(path.read_bytes())
        written = int(content["format"])
    except OSError:
        raise InvalidInput(
            f"Folder {str(folder)!r} has no readable {MANIFEST}: give a folder that firstmover wrote results to."
        ) from None
    except (ValueError, KeyError, TypeError):
        raise InvalidInput(f"{str(path)!r} is not a manifest of firstmover: play the experiment again.") from None
    if written > FORMAT:
        raise InvalidInput(
            f"{str(path)!r} has format {written}, newer than this firstmover's {FORMAT}: update firstmover to read it."
        )
    try:
        return Manifest(
            str(content["kind"]),
            str(content["title"]),
            dict(content["spec"]),
            tuple(map(str, content["labels"])),
            tuple(map(int, content["seeds"])),
            int(content["rounds"]),
            dict(content["notes"]),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InvalidInput(
            f"{str(path)!r} describes no experiment known here ({error}): play the experiment again."
        ) from None


def read(folder: Path, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """All runs of a folder in one table, or some of its columns."""
    held = read_manifest(folder)
    paths = [_path(folder, label, seed) for label in held.labels for seed in held.seeds]
    return pl.concat([_read_run(path, held, columns) for path in paths])


def read_run(folder: Path, label: str, seed: int) -> pl.DataFrame:
    """One run of a folder."""
    return _read_run(_path(folder, label, seed), read_manifest(folder), None)


def _read_run(path: Path, held: Manifest, columns: Sequence[str] | None) -> pl.DataFrame:
    if not path.exists():
        raise InvalidInput(f"Run {str(path)!r} is missing: play the same experiment again to complete it.")
    try:
        content = path.read_bytes()
        if path.with_suffix(".sha256").read_bytes() != _checksum(path.name, content):
            raise OSError("checksum")
        table = pl.read_parquet(content, columns=None if columns is None else list(columns))
    except (OSError, pl.exceptions.PolarsError) as error:
        if isinstance(error, pl.exceptions.ColumnNotFoundError) and held.kind != "experiment":
            raise InvalidInput(
                f"Folder {str(path.parents[1])!r} holds results of kind {held.kind!r}: give one that play or run wrote."
            ) from None
        raise InvalidInput(f"Run {str(path)!r} is broken: play the same experiment again to mend it.") from None
    if len(table) != held.rounds:
        raise InvalidInput(
            f"Run {str(path)!r} has {len(table)} rounds instead of {held.rounds}: play the same experiment again to "
            "mend it."
        )
    return table


def _path(folder: Path, label: str, seed: int) -> Path:
    return folder / label / f"{seed}.parquet"


def _checksum(name: str, content: bytes) -> bytes:
    return f"{hashlib.sha256(content).hexdigest()}  {name}\n".encode()


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """A file that appears under its name only when all of it is on the disk."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with temporary.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        settle(path.parent)
    except OSError as error:
        raise InvalidInput(f"{str(path)!r} cannot be written: {error.strerror}; choose another place.") from None
    finally:
        if temporary.parent.is_dir():
            temporary.unlink(missing_ok=True)


def settle(folder: Path) -> None:
    """Make a rename survive a power cut, where the system lets folders be opened for it."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
