"""The progress of a command: a bar on a terminal, plain lines elsewhere; on stderr, apart from results."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn
from rich.progress import Progress as Bar

if TYPE_CHECKING:
    from firstmover.runs.pool import Progress, Watch

EVERY = 10.0
"""Seconds between plain lines."""


@contextmanager
def shown(title: str = "playing") -> "Iterator[Watch]":
    """A function that shows the progress that it is called with."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Lines()
        return
    more = TextColumn("{task.fields[more]}", markup=False)
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), more)
    with Bar(*columns, console=console, transient=True) as bar:
        task = bar.add_task(title, total=None, more="")

        def watch(progress: "Progress") -> None:
            more = progress.words.partition(" done")[2].removeprefix(", ")
            bar.update(task, completed=progress.done + progress.failed, total=progress.total, more=more)

        yield watch


class _Lines:
    """A line at the end, and every few seconds before."""

    def __init__(self) -> None:
        self._last, self._ended = monotonic(), False

    def __call__(self, progress: "Progress") -> None:
        ended = progress.done + progress.failed == progress.total
        if not self._ended and (ended or monotonic() - self._last >= EVERY):
            self._last, self._ended = monotonic(), ended
            typer.echo(progress.words, err=True)
