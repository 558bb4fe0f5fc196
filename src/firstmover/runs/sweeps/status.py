"""How far a sweep is, for whoever looks in from elsewhere."""

from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from firstmover.runs.sweeps.folder import read_folder
from firstmover.runs.sweeps.locks import is_driven
from firstmover.runs.sweeps.progress import Progress, last_progress
from firstmover.runs.sweeps.store import is_there, ledger


@dataclass(frozen=True)
class Status:
    """The progress of a sweep, whether it runs now, and its errors with how often each came."""

    title: str
    progress: Progress
    runs_now: bool
    errors: tuple[tuple[str, int], ...]


def status_of(folder: Path) -> Status:
    """Counted from what is on the disk; what runs, and how fast, as the driver told it within the last second.

    A result counts if its table is there to its end; whether every byte is as it was written, `Collected` checks.
    """
    held, driven = read_folder(folder), is_driven(folder)
    entries = ledger(folder, is_there)
    mine = [entries[key] for key in held.table["key"] if key in entries]
    errors = Counter(entry.error for entry in mine if entry.error is not None)
    done, failed = len(mine) - errors.total(), errors.total()
    told = last_progress(folder) if driven else None
    running, rate, left = (told.running, told.rate, told.left) if told else (0, None, None)
    progress = Progress(held.table.height, done, failed, running, rate, left)
    return Status(held.title, progress, driven, tuple(errors.most_common()))
