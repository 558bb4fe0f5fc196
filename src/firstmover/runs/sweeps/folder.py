"""The folder of a sweep: DIR/sweep.json says what it is, DIR/tasks.parquet which runs it consists of."""

import io
import json
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import polars as pl

from firstmover.core.errors import InvalidInput
from firstmover.runs.experiment_store import versions, whole_file
from firstmover.runs.sweeps.grid import Plan
from firstmover.runs.sweeps.locks import LOCKS
from firstmover.runs.sweeps.progress import LOG
from firstmover.runs.sweeps.store import FORMAT
from firstmover.runs.sweeps.tasks import this_version

SWEEP, TASKS = "sweep.json", "tasks.parquet"


@dataclass(frozen=True, eq=False)
class Held:
    """What a folder is for: its title, what is kept of a run, the version that plays it, and its table of tasks."""

    title: str
    keep: str
    version: str
    table: pl.DataFrame


def check_folder(folder: Path, plan: Plan) -> None:
    """Refuse a folder of something else; that of this sweep, or of one that this one continues, is welcome."""
    if not folder.is_dir():
        if folder.exists():
            raise InvalidInput(f"{str(folder)!r} is a file: choose a folder with --out.")
        return
    if not (folder / SWEEP).exists():
        if not all(_of_a_beginning(path) for path in folder.iterdir()):
            raise InvalidInput(
                f"Folder {str(folder)!r} holds files of its own: choose a new or empty folder with --out."
            )
        return
    held = read_folder(folder)
    if held.version != this_version():
        raise InvalidInput(
            f"Folder {str(folder)!r} holds a sweep of firstmover {held.version}, whose runs do not mix with those of "
            f"{this_version()}: choose another folder with --out."
        )
    strange = held.table.join(plan.table, on="key", how="anti").height
    if strange:
        raise InvalidInput(
            f"Folder {str(folder)!r} holds another sweep, {held.title!r}: {strange} of its {held.table.height} tasks "
            "are not in this one; choose another folder with --out."
        )


def _of_a_beginning(path: Path) -> bool:
    """Whether a sweep that was stopped before it had its name, by a kill or a full disk, left a file there."""
    return path.name in (*LOCKS, TASKS, LOG) or (path.name.startswith(f".{SWEEP}.") and path.suffix == ".part")


def make_folder(folder: Path) -> None:
    """Make the folder, if there is none."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(
            f"Folder {str(folder)!r} cannot be made: {error.strerror}; choose another with --out."
        ) from None


def claim_folder(folder: Path, plan: Plan, document: dict[str, Any]) -> None:
    """Make the folder that of this sweep; `document` is its specification as its user wrote it."""
    check_folder(folder, plan)
    buffer = io.BytesIO()
    plan.table.write_parquet(buffer)
    content = {
        "format": FORMAT,
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": versions(),
        "title": plan.title,
        "keep": plan.keep,
        "tasks": len(plan.tasks),
        "spec": document,
    }
    with whole_file(folder / TASKS) as file:
        file.write(buffer.getvalue())
    with whole_file(folder / SWEEP) as file:
        file.write(json.dumps(content, indent=2, ensure_ascii=False).encode())


def read_folder(folder: Path) -> Held:
    """What a folder is for, refused if it is not that of a sweep."""
    path = folder / SWEEP
    try:
        content = json.loads(path.read_bytes())
        written, title, keep = int(content["format"]), str(content["title"]), str(content["keep"])
        version, count = str(content["versions"]["firstmover"]), int(content["tasks"])
    except OSError:
        raise InvalidInput(f"Folder {str(folder)!r} has no {SWEEP}: give a folder of firstmover sweep run.") from None
    except (ValueError, KeyError, TypeError):
        raise InvalidInput(f"{str(path)!r} is not what firstmover wrote: run the sweep into a new folder.") from None
    if written > FORMAT:
        raise InvalidInput(f"{str(path)!r} has format {written}, newer than this firstmover's {FORMAT}: update it.")
    try:
        table = pl.read_parquet((folder / TASKS).read_bytes())
    except (OSError, pl.exceptions.PolarsError):
        table = pl.DataFrame()
    if table.height < count:  # a sweep that was continued may have been killed between its two files
        raise InvalidInput(f"{str(folder / TASKS)!r} is missing or damaged: run the sweep into a new folder.")
    return Held(title, keep, version, table)
