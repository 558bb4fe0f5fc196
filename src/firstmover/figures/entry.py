"""FigureEntry: an entry of the FIGURES table in `figures/__init__.py` (results) or of LIVE (matches)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from firstmover.runs.stored_theory import AnalysedRun


@dataclass(frozen=True)
class FigureEntry:
    """A figure by name: a summary, its record, its drawing, its size in inches.

    The record is made from a folder of results (FIGURES), or from the trace of a match, without pending actions (LIVE).
    `first_seed` says that of several seeds only the first is drawn.
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
