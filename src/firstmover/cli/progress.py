"""How far a command is: a bar on a terminal, a few plain lines elsewhere; on stderr, out of the way of results."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

LINES = 5
"""At most so many lines where there is no terminal."""


@contextmanager
def shown() -> Iterator[Callable[[int, int], None]]:
    """A function to tell the number of finished runs and of all."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield _line
        return
    columns = (TextColumn("playing"), BarColumn(), MofNCompleteColumn(), TextColumn("runs"), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("playing", total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


def _line(done: int, total: int) -> None:
    if done * LINES // total > (done - 1) * LINES // total:
        typer.echo(f"played {done} of {total} runs", err=True)
