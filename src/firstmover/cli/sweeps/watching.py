"""How far a sweep is: a live table on a terminal, plain lines elsewhere; on stderr, out of the way of results."""

from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from firstmover.runs.sweeps.progress import Progress, Watch

EVERY = 10.0
"""Seconds between plain lines."""


@contextmanager
def watched(title: str) -> "Iterator[Watch]":
    """A function to tell the progress to."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Lines().tell
        return
    with Live(console=console, refresh_per_second=4) as live:
        yield lambda progress: live.update(table_of(title, progress))


def table_of(title: str, progress: "Progress") -> Table:
    """One row of figures, and a bar beneath."""
    from rich.progress_bar import ProgressBar

    from firstmover.runs.sweeps.progress import duration

    table = Table(title=Text(title, style="table.title"), title_justify="left", expand=False)
    cells = {
        "tasks": str(progress.total),
        "done": str(progress.done),
        "running": str(progress.running),
        "failed": f"[red]{progress.failed}[/red]" if progress.failed else "0",
        "a second": "–" if progress.rate is None else f"{progress.rate:.3g}",
        "time left": "–" if progress.left is None else duration(progress.left),
    }
    table.add_column("", width=18)
    for name in cells:
        table.add_column(name, justify="right")
    bar = ProgressBar(total=progress.total, completed=progress.done + progress.failed, width=18)
    table.add_row(bar, *cells.values())
    return table


class _Lines:
    """A line at the beginning, at the end, and every few seconds between."""

    def __init__(self) -> None:
        self._last = float("-inf")

    def tell(self, progress: "Progress") -> None:
        over = progress.done + progress.failed == progress.total
        if (over or monotonic() - self._last >= EVERY) and self._last < float("inf"):
            self._last = float("inf") if over else monotonic()
            typer.echo(progress.words, err=True)
