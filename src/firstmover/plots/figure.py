"""Figures on disk: the one place that needs matplotlib."""

from pathlib import Path

import matplotlib as mpl
import polars as pl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from firstmover.errors import InvalidInput, look_up
from firstmover.plots import PLOTS
from firstmover.plots.style import SETTINGS


def figure_of(plot: str, table: pl.DataFrame, title: str = "") -> Figure:
    """The named plot of a table of results, as a figure of its own."""
    entry = look_up("plot", plot, PLOTS)
    with mpl.rc_context(SETTINGS):
        figure = Figure()
        FigureCanvasAgg(figure)
        ax = figure.add_subplot()
        entry.draw(entry.record(table), ax)
        ax.set_title(title)
    return figure


def save(figure: Figure, path: Path) -> list[Path]:
    """Write a figure as PNG and PDF beside each other, without the date, so that equal results give equal files."""
    stem = path.with_suffix("") if path.suffix in (".png", ".pdf") else path
    paths = [stem.with_name(f"{stem.name}{ending}") for ending in (".png", ".pdf")]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with mpl.rc_context(SETTINGS):
            figure.savefig(paths[0])
            figure.savefig(paths[1], metadata={"CreationDate": None})
    except OSError as error:
        raise InvalidInput(f"Figure {str(path)!r} cannot be written: {error.strerror}; choose another place.") from None
    return paths
