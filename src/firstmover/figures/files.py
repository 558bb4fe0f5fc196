"""Draw and save figures: the one module that imports matplotlib."""

from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from warnings import catch_warnings, filterwarnings

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from firstmover.core.errors import InvalidInput
from firstmover.figures import FIGURES
from firstmover.figures.style import SETTINGS
from firstmover.runs.store import read_manifest

MISSING_GLYPHS = r"Glyph .* missing from|Matplotlib currently does not support"
"""Warnings of matplotlib about names with letters that no font has: it draws boxes for them."""


class ReturnedFigure(Figure):
    """A figure that a notebook shows if it is the value of a cell, without pyplot."""

    def _repr_png_(self) -> bytes:
        with mpl.rc_context(SETTINGS), catch_warnings():
            filterwarnings("ignore", MISSING_GLYPHS, UserWarning)
            picture = BytesIO()
            self.savefig(picture, format="png", dpi=100)
        return picture.getvalue()


def figure_of(name: str, folder: Path) -> Figure:
    """Return the named figure of a folder of results.

    Parameters
    ----------
    name
        In FIGURES.
    folder
        Of results.

    Returns
    -------
    Figure
        A matplotlib figure.

    Raises
    ------
    InvalidInput
        If the name is unknown, or the folder does not have the results.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from firstmover.figures import figure_of
    >>> from firstmover.runs import ExperimentSpec, plan_of, run_sweep
    >>> spec = ExperimentSpec.read({"game": "shore", "rounds": 9, "seeds": 2, "learners": ["exp3"]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = run_sweep(plan_of(spec), Path(folder, "results"), workers=1)
    ...     figure = figure_of("regret", Path(folder, "results"))
    >>> figure.get_suptitle()
    'shore, opponent random, 9 rounds, 2 seeds'
    """
    entry = FIGURES.find(name)
    record, manifest = entry.record(folder), read_manifest(folder)
    only = f"; seed {manifest.seeds[0]} is drawn" if entry.first_seed and len(manifest.seeds) > 1 else ""
    return drawn(lambda figure: entry.draw(record, figure), entry.size, manifest.title + only)


def drawn(draw: Callable[[Figure], None], size: tuple[float, float], title: str = "") -> Figure:
    """Return a new figure with what `draw` draws, in the common style; a $ in a name is a $, and no formula.

    Parameters
    ----------
    draw
        Draws on a matplotlib figure.
    size
        In inches.
    title
        Above the figure.

    Returns
    -------
    Figure
        The figure.

    Examples
    --------
    >>> from firstmover.figures import drawn
    >>> len(drawn(lambda figure: figure.add_subplot(), size=(4.0, 3.0)).axes)
    1
    """
    with mpl.rc_context(SETTINGS | {"text.parse_math": False}):
        figure = ReturnedFigure(figsize=size)
        FigureCanvasAgg(figure)
        draw(figure)
        figure.suptitle(title, fontsize="medium")
        for axis in (axis for ax in figure.axes for axis in (ax.xaxis, ax.yaxis) if axis.get_scale() == "log"):
            for label in axis.get_ticklabels(which="both"):  # powers of ten are formulas
                label.set_parse_math(True)
    return figure


def save_png(figure: Figure, path: Path) -> Path:
    """Write a figure as PNG for a page that embeds it."""
    with mpl.rc_context(SETTINGS), catch_warnings():
        filterwarnings("ignore", MISSING_GLYPHS, UserWarning)
        figure.savefig(path)
    return path


def save(figure: Figure, path: Path) -> list[Path]:
    """Write a figure as PNG and PDF, without the date, so that equal results give equal files.

    Parameters
    ----------
    figure
        A matplotlib figure.
    path
        The file, with the ending .png, .pdf or none.

    Returns
    -------
    list[Path]
        The two files.

    Raises
    ------
    InvalidInput
        If the path has another ending, or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from firstmover.figures import drawn, save
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in save(drawn(lambda figure: figure.add_subplot(), (4.0, 3.0)), Path(folder, "empty"))]
    ['empty.png', 'empty.pdf']
    """
    known = path.suffix in (".png", ".pdf")
    if path.suffix[1:2].isalpha() and not known:  # the 5 of β = 0.5 is no format
        raise InvalidInput(f"Figure {str(path)!r} ends in {path.suffix}: let it end in .png, .pdf or nothing.")
    stem = path.with_suffix("") if known else path
    paths = [stem.with_name(f"{stem.name}{ending}") for ending in (".png", ".pdf")]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        save_png(figure, paths[0])
        with mpl.rc_context(SETTINGS), catch_warnings():
            filterwarnings("ignore", MISSING_GLYPHS, UserWarning)
            figure.set_layout_engine("none")  # the layout is known: do not compute it again
            figure.savefig(paths[1], metadata={"CreationDate": None})
    except OSError as error:
        raise InvalidInput(f"Figure {str(path)!r} cannot be written: {error.strerror}; choose another place.") from None
    return paths
