"""FigureEntry: an entry of the FIGURES table in `figures/__init__.py` (results) or of LIVE (matches)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from firstmover.runs.stored_theory import AnalysedRun


@dataclass(frozen=True)
class FigureEntry:
    """A figure by name: its record, and the drawing of the record.

    Parameters
    ----------
    summary
        One line for people.
    record
        A folder of results (FIGURES), or the trace of a match without pending actions (LIVE), to a plain record.
    draw
        The record and a matplotlib figure to its drawing.
    size
        In inches.
    first_seed
        Whether of several seeds only the first is drawn.

    Examples
    --------
    >>> from firstmover.figures import FIGURES
    >>> FIGURES["regret"].size
    (7.6, 4.0)
    """

    summary: str
    record: Callable[[Any], Any]
    draw: "Callable[[Any, Figure], None]"
    size: tuple[float, float] = (7.6, 4.0)
    first_seed: bool = False


def first_run_entry(
    summary: str,
    record_of: "Callable[[AnalysedRun], Any]",
    draw: "Callable[[Any, Figure], None]",
    size: tuple[float, float] = (7.6, 4.0),
) -> FigureEntry:
    """Return the entry of a figure of the first run of the first learner with a model of the responses."""
    from firstmover.runs.stored_theory import analysed_runs  # noqa: PLC0415 - plugins of figures need no theory

    return FigureEntry(summary, lambda folder: record_of(analysed_runs(folder)[0]), draw, size, first_seed=True)


def run_name(analysed: "AnalysedRun") -> str:
    """Return the label and the seed of a run."""
    return f"{analysed.label}, seed {analysed.seed}"
