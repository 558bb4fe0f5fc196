"""The one picture language of all figures: told apart without colour, and kind to colour-blind readers."""

from typing import TYPE_CHECKING, Any

from firstmover.records import Vector

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9")
"""Okabe and Ito's palette, without its yellow, which is too pale for lines."""

DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")

SETTINGS: dict[Any, Any] = {
    "axes.grid": True,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "figure.dpi": 150,
    "figure.figsize": (7.6, 4.0),
    "figure.constrained_layout.use": True,
    "font.size": 10,
    "grid.alpha": 0.3,
    "legend.frameon": False,
    "legend.handlelength": 3.5,
    "lines.linewidth": 1.5,
    "lines.markersize": 5,
    "pdf.fonttype": 42,
}
"""matplotlib settings under which every figure is made."""


def look(index: int) -> dict[str, Any]:
    """Colour, dash and marker of a figure's line: the three tables have coprime lengths, so 280 lines all differ."""
    return {
        "color": COLOURS[index % len(COLOURS)],
        "linestyle": DASHES[index % len(DASHES)],
        "marker": MARKERS[index % len(MARKERS)],
    }


def round_axis(ax: "Axes", t: Vector) -> None:
    """Rounds 1 … T along the horizontal axis, with ticks at whole rounds."""
    ax.set(xlabel="round t", xlim=(1, max(2, t[-1])))
    ax.locator_params(axis="x", integer=True)


_VIRIDIS = ("#440154", "#46327e", "#365c8d", "#277f8e", "#1fa187", "#4ac16d", "#86c13f", "#b8b020")
"""matplotlib's viridis, its pale end darkened: ordered in grey, and kind to colour-blind readers."""


def ordered(index: int, count: int) -> dict[str, Any]:
    """The look of line `index` of `count` whose order means something, dark to light."""
    return look(index) | {"color": _VIRIDIS[round(index * (len(_VIRIDIS) - 1) / max(1, count - 1))], "linestyle": "-"}
