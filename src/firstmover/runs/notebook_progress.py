"""The progress of tasks in a notebook: one line with a bar below the cell, which goes when all tasks are done."""

import sys
from time import monotonic
from typing import TYPE_CHECKING, Any

from firstmover.core.html_repr import text

if TYPE_CHECKING:
    from firstmover.runs.pool import Progress, Watch

PATIENCE = 1.0
"""Seconds before the bar is shown: what is quicker needs none."""


def in_notebook() -> bool:
    """Return whether this process is the kernel of a notebook."""
    shell = sys.modules.get("IPython") and sys.modules["IPython"].get_ipython()
    return type(shell).__name__ == "ZMQInteractiveShell"


def default_watch() -> "Watch":
    """Return a bar in a notebook, and elsewhere a function that shows nothing."""
    return NotebookBar() if in_notebook() else lambda _: None


class NotebookBar:
    """Shows the progress that it is called with."""

    def __init__(self, patience: float = PATIENCE) -> None:
        self._patience, self._started = patience, monotonic()
        self._handle: Any = None

    def __call__(self, progress: "Progress") -> None:
        """Show the bar, or take it away after the last task."""
        ended = progress.done + progress.failed == progress.total
        if self._handle is None and (ended or monotonic() - self._started < self._patience):
            return
        from IPython.display import HTML, display  # noqa: PLC0415 - there is one in a notebook

        shown = HTML("" if ended else bar_html(progress))  # type: ignore[no-untyped-call]
        if self._handle is None:
            self._handle = display(shown, display_id=True)  # type: ignore[no-untyped-call]
        else:
            self._handle.update(shown)


def bar_html(progress: "Progress") -> str:
    """Return the line with its bar.

    >>> from firstmover.runs.pool import Progress
    >>> bar_html(Progress(8, 2))
    '<div><progress value="2" max="8"></progress> 2 of 8 done</div>'
    """
    done = progress.done + progress.failed
    return f'<div><progress value="{done}" max="{progress.total}"></progress> {text(progress.words)}</div>'
