"""How far a sweep is: told to whoever watches, and kept in its folder for those who look in from elsewhere."""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic

PROGRESS, LOG = "progress.json", "log.txt"

EVERY = 30.0
"""Seconds between lines of the log while nothing happens but progress."""


@dataclass(frozen=True)
class Progress:
    """Tasks of a sweep, those done, failed and running, the rate a second, and the seconds left, where known."""

    total: int
    done: int
    failed: int
    running: int
    rate: float | None
    left: float | None

    @property
    def words(self) -> str:
        """One line."""
        rate = "" if self.rate is None else f", {self.rate:.3g} a second"
        left = "" if self.left is None else f", {duration(self.left)} left"
        failed = f", {self.failed} failed" if self.failed else ""
        return f"{self.done} of {self.total} done{failed}, {self.running} running{rate}{left}"


Watch = Callable[[Progress], None]
"""Told how far a sweep is, several times a second."""


def duration(seconds: float) -> str:
    """A time in words.

    >>> duration(3.2), duration(200), duration(9000)
    ('3 s', '3 min', '2.5 h')
    """
    if seconds < 100:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 6000 else f"{seconds / 3600:.1f} h"


class Diary:
    """The log of a sweep and its last progress, in its folder."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._told, self._kept = folder, 0.0, 0.0

    def say(self, words: str) -> None:
        """One line of the log, with the time."""
        with (self._folder / LOG).open("a", encoding="utf-8") as file:
            file.write(f"{datetime.now(UTC).isoformat(timespec='seconds')} {words}\n")

    def keep(self, progress: Progress, now: bool = False) -> None:
        """Keep progress once a second, and in the log from time to time."""
        clock = monotonic()
        if now or clock - self._kept >= 1:
            self._kept = clock
            part = self._folder / f".{PROGRESS}.part"
            part.write_text(json.dumps(asdict(progress)), encoding="utf-8")
            part.replace(self._folder / PROGRESS)
        if now or clock - self._told >= EVERY:
            self._told = clock
            self.say(progress.words)


def last_progress(folder: Path) -> Progress | None:
    """What the driver told last; None before it said anything."""
    try:
        return Progress(**json.loads((folder / PROGRESS).read_bytes()))
    except (OSError, ValueError, TypeError):
        return None
