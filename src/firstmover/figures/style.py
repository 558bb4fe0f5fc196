"""The common style of all figures: legible without colour and for colour-blind readers."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from firstmover.core.arrays import Vector

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import LinearSegmentedColormap

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9")
"""The palette of Okabe and Ito without yellow, which is too pale for lines."""

COLOURS_ON_DARK = ("#4DA3DB", "#F08A4B", "#2FC79A", "#E3A3C8", "#F2F2F2", "#F0B73F", "#8CD0F5")
"""The same on a dark background, with a contrast of at least 4.5."""

DASHES = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)))
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")

WEB_DASHES = ("solid", "dash", "dashdot", "dot", "10px,2px,2px,2px,2px,2px")
WEB_MARKERS = ("circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "x", "triangle-left")
"""The same dashes and markers by their names in the web page's charts."""

SCALES = {
    "congestion": ("#9bdcae", "#a9d67c", "#d3cc5f", "#f0b840", "#f59331", "#ec5f2b", "#d42a23", "#a80f1d", "#6e0014"),
    "change": ("#00544c", "#1f8279", "#5fb3a8", "#a5d5cd", "#c9d0d4", "#f3c29c", "#ee8a4c", "#cf4d17", "#8f2403"),
    "density": ("#ffffd9", "#edf8b1", "#c6e9b4", "#7ecdbb", "#40b5c4", "#1d90c0", "#225da8", "#243392", "#081d58"),
    "coverage": ("#f7fcf5", "#e5f5e0", "#c7e9c0", "#a0d99b", "#73c476", "#40aa5d", "#228a44", "#006c2c", "#00441b"),
    "strikes": ("#fffaf4", "#feead2", "#fdd3a8", "#fdb27b", "#fb8d4c", "#f06a20", "#d94801", "#a83703", "#7f2704"),
}
"""Colour scales of maps on a light ground. `change` diverges from its middle; the others go from light to dark, also in
grey: traffic from green to dark red, and ColorBrewer's YlGnBu, Greens and Oranges.
"""

SCALES_ON_DARK = {
    "congestion": ("#2f5d45", "#4f6b35", "#7a6f2a", "#a3701f", "#c9691f", "#e85f2a", "#ff5a3c", "#ff6a5a", "#ff756b"),
    "change": ("#93ead9", "#52c9b6", "#34998b", "#2f6a62", "#434b54", "#7d5134", "#b8652c", "#f0833a", "#ffb27d"),
    "density": ("#10202b", "#11303f", "#124354", "#135a69", "#16747c", "#28908c", "#4dad97", "#86c8a3", "#c9e3b4"),
    "coverage": ("#17211b", "#1a3122", "#1c432b", "#1e5836", "#227043", "#2f8a53", "#4ea668", "#7cc38b", "#b3deb8"),
    "strikes": ("#1f1813", "#38220f", "#53290b", "#70320a", "#8f3e0d", "#b04f17", "#d06a2f", "#ec8f57", "#ffbf94"),
}
"""The same on a dark ground, from dark to light: what means little recedes into the ground."""

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
"""The matplotlib settings of every figure."""


def look(index: int) -> dict[str, Any]:
    """Return colour, dash and marker of a line; the tables have coprime lengths, so 280 lines differ."""
    return {
        "color": COLOURS[index % len(COLOURS)],
        "linestyle": DASHES[index % len(DASHES)],
        "marker": MARKERS[index % len(MARKERS)],
    }


def round_axis(ax: "Axes", t: Vector) -> None:
    """Label the horizontal axis with rounds 1 … T, ticks at whole rounds."""
    ax.set(xlabel="round t", xlim=(1, max(2, t[-1])))
    ax.locator_params(axis="x", integer=True)


def plot_lines(ax: "Axes", t: Vector, lines: Mapping[str, Vector], first: int = 0, **changes: Any) -> None:
    """Draw lines over rounds by label, with about eight markers each; `first` is the index of the first look."""
    for index, (label, values) in enumerate(lines.items(), start=first):
        ax.plot(t, values, label=label, markevery=max(1, len(t) // 8), **look(index) | changes)


def legend_beside(ax: "Axes", title: str | None = None) -> None:
    """Draw the legend to the right of the axes."""
    ax.legend(title=title, loc="upper left", bbox_to_anchor=(1.0, 1.0))


_VIRIDIS = ("#440154", "#46327e", "#365c8d", "#277f8e", "#1fa187", "#4ac16d", "#86c13f", "#b8b020")
"""matplotlib's viridis with its pale end darkened."""


def ordered(index: int, count: int) -> dict[str, Any]:
    """Return the look of line `index` of `count` ordered lines, dark to light."""
    return look(index) | {"color": _VIRIDIS[round(index * (len(_VIRIDIS) - 1) / max(1, count - 1))], "linestyle": "-"}


def colour_map(name: str) -> "LinearSegmentedColormap":
    """Return a colour scale of maps for matplotlib."""
    from matplotlib.colors import LinearSegmentedColormap  # noqa: PLC0415 - the web page needs only the colours

    return LinearSegmentedColormap.from_list(name, SCALES[name])


def stylesheet() -> str:
    """Return the same colours as CSS custom properties of the web page: --line-0, --dash-0, --congestion-0 ….

    On a dark background lines are lighter, and the colour scales of maps go from dark to light.

    >>> stylesheet().splitlines()[1].strip()
    '--line-0: #0072B2;'
    """
    table = {"line": COLOURS, "ordered": _VIRIDIS, "dash": WEB_DASHES, "marker": WEB_MARKERS, **SCALES}
    dark = "\n    ".join(_properties({"line": COLOURS_ON_DARK, **SCALES_ON_DARK}))
    return (
        ":root {\n  " + "\n  ".join(_properties(table)) + "\n}\n"
        f"@media (prefers-color-scheme: dark) {{\n  :root:not([data-theme=light]) {{\n    {dark}\n  }}\n}}\n"
        f":root[data-theme=dark] {{\n    {dark}\n}}\n"
    )


def _properties(table: Mapping[str, tuple[str, ...]]) -> list[str]:
    return [f"--{name}-{i}: {colour};" for name, colours in table.items() for i, colour in enumerate(colours)]
