"""Figures on disk: the one place that needs matplotlib."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from warnings import catch_warnings, filterwarnings

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from firstmover.errors import InvalidInput, look_up
from firstmover.experiments.store import read_manifest
from firstmover.plots import PLOTS
from firstmover.plots.live import LiveEntry
from firstmover.plots.style import SETTINGS

UNSEEN = r"Glyph .* missing from|Matplotlib currently does not support"
"""What matplotlib warns of when no font has a name's letters: boxes stand for them, and the figure is whole."""


def figure_of(plot: str, folder: Path) -> Figure:
    """The named plot of a folder of results, as a figure of its own."""
    entry = look_up("plot", plot, PLOTS)
    record, manifest = entry.record(folder), read_manifest(folder)
    only = f"; seed {manifest.seeds[0]} is drawn" if entry.first_seed and len(manifest.seeds) > 1 else ""
    return drawn(lambda figure: entry.draw(record, figure), entry.size, manifest.title + only)


def live_figure(entry: LiveEntry, record: Any, title: str) -> Figure:
    """A picture of a match that is being played."""
    return drawn(lambda figure: entry.draw(record, figure), entry.size, title)


def drawn(draw: Callable[[Figure], None], size: tuple[float, float], title: str = "", *, math: bool = True) -> Figure:
    """What a function draws, in the style of all figures; without math the names in it may have dollar signs."""
    with mpl.rc_context(SETTINGS | {"text.parse_math": math}):
        figure = Figure(figsize=size)
        FigureCanvasAgg(figure)
        draw(figure)
        figure.suptitle(title, fontsize="medium", parse_math=False)
    return figure


def save(figure: Figure, path: Path) -> list[Path]:
    """Write a figure as PNG and PDF beside each other, without the date, so that equal results give equal files."""
    known = path.suffix in (".png", ".pdf")
    if path.suffix[1:2].isalpha() and not known:  # the 5 of β = 0.5 names no format
        raise InvalidInput(f"Figure {str(path)!r} ends in {path.suffix}: let it end in .png, .pdf or nothing.")
    stem = path.with_suffix("") if known else path
    paths = [stem.with_name(f"{stem.name}{ending}") for ending in (".png", ".pdf")]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with mpl.rc_context(SETTINGS), catch_warnings():
            filterwarnings("ignore", UNSEEN, UserWarning)
            figure.savefig(paths[0])
            figure.set_layout_engine("none")  # everything stands where it should: no second search
            figure.savefig(paths[1], metadata={"CreationDate": None})
    except OSError as error:
        raise InvalidInput(f"Figure {str(path)!r} cannot be written: {error.strerror}; choose another place.") from None
    return paths
