"""The one drawing of map records by matplotlib."""

from typing import TYPE_CHECKING, Any

import numpy as np

from firstmover.figures.style import COLOURS, colour_map
from firstmover.games.map_record import Axis, Band, Cells, Layer, Lines, MapRecord, Panel, Points, Scale

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MARKERS = {"circle": "o", "diamond": "D", "triangle": "^", "triangle-down": "v", "cross": "P"}
POINTS_PER_PIXEL = 0.72


def draw_map(record: MapRecord, figure: "Figure") -> None:
    """Draw one row per group of panels, with one legend and one colour bar per scale."""
    groups: dict[str, list[Panel]] = {}
    for panel in record.panels:
        groups.setdefault(panel.group, []).append(panel)
    columns = max((len(panels) for panels in groups.values()), default=1)
    axes = figure.subplots(max(1, len(groups)), columns, squeeze=False)
    bars: dict[str, tuple[Scale, list[Axes]]] = {}
    for panels, row in zip(groups.values(), axes, strict=False):
        for panel, ax in zip(panels, row, strict=False):
            _draw_panel(panel, ax, first=ax is row[0])
            for layer in panel.layers:
                if isinstance(layer, Lines | Cells) and layer.scale is not None:
                    bars.setdefault(layer.scale.name, (layer.scale, []))[1].append(ax)
        for ax in row[len(panels) :]:
            ax.axis("off")
    for scale, used in bars.values():
        bar = figure.colorbar(_mappable(scale), ax=used, shrink=0.7)
        bar.set_label(f"{scale.label} {scale.low_label} … {scale.high_label}", fontsize="small")
    keys = {label: handle for ax in axes.flat for handle, label in zip(*ax.get_legend_handles_labels(), strict=True)}
    note = "\n".join(filter(None, (record.title, record.note)))
    if keys:  # with the note as its title: a label of the figure would be drawn over the legend
        style: dict[str, Any] = {"ncols": 4, "fontsize": "small", "title": note, "title_fontsize": "x-small"}
        figure.legend(list(keys.values()), list(keys), loc="outside lower center", **style)
    else:
        figure.supxlabel(note, fontsize="x-small")


def _draw_panel(panel: Panel, ax: "Axes", *, first: bool) -> None:
    ax.grid(visible=False)
    for order, layer in enumerate(panel.layers):
        if isinstance(layer, Lines) and not len(layer.y):
            continue
        _DRAW[type(layer)](layer, ax, 2 + 0.01 * order)
        if isinstance(layer, Lines) and layer.arrows:
            points = next((i for i, other in enumerate(panel.layers) if isinstance(other, Points)), len(panel.layers))
            _draw_arrows(layer, ax, 2 + 0.01 * points - 0.005)  # above the lines, below the points
    small = "medium" if not panel.group else "small"
    ax.set_title("\n".join(filter(None, (panel.title, panel.subtitle))), fontsize=small, wrap=True)
    ax.set(xlim=(panel.x.low, panel.x.high), ylim=(panel.y.low, panel.y.high))
    _draw_axis(panel.x, ax.xaxis, panel.x.label)
    _draw_axis(panel.y, ax.yaxis, panel.y.label if first or not panel.group else "")
    if not panel.y.ticks:
        ax.spines[:].set_visible(False)
    data = (panel.x.high - panel.x.low) / (panel.y.high - panel.y.low)
    if abs(data * panel.size[1] / panel.size[0] - 1) < 1e-6:  # pixels are square: a plan of a place
        ax.set_aspect("equal")


def _draw_axis(axis: Axis, drawn: Any, label: str) -> None:
    drawn.set_ticks(axis.ticks)
    drawn.set_label_text(label, fontsize="small")
    drawn.grid(visible=axis.rules)


def _draw_lines(layer: Lines, ax: "Axes", order: float) -> None:
    from matplotlib.collections import LineCollection  # noqa: PLC0415 - records need no matplotlib

    lines = [np.column_stack(each) for each in zip(np.broadcast_to(layer.x, layer.y.shape), layer.y, strict=True)]
    style: dict[str, Any] = {
        "colors": _mappable(layer.scale).to_rgba(layer.values) if layer.scale else _colour(layer.colour),
        "linewidths": POINTS_PER_PIXEL * np.broadcast_to(layer.width, len(layer.y)),
        "alpha": np.broadcast_to(layer.opacity, len(layer.y)),
        "linestyles": "--" if layer.dashed else "-",
        "label": layer.legend or None,
    }
    ax.add_collection(LineCollection(lines, zorder=order, **style))


def _draw_arrows(layer: Lines, ax: "Axes", order: float) -> None:
    x = np.broadcast_to(layer.x, layer.y.shape)
    head = {"arrowstyle": "-|>", "color": _colour(layer.colour), "mutation_scale": 12}
    for start, end in zip(np.stack([x[:, 0], layer.y[:, 0]], 1), np.stack([x[:, -1], layer.y[:, -1]], 1), strict=True):
        middle, step = (start + end) / 2, 0.05 * (end - start)
        ax.annotate("", tuple(middle + step), tuple(middle - step), arrowprops=head, zorder=order)


def _draw_points(layer: Points, ax: "Axes", order: float) -> None:
    if layer.shape:
        style: dict[str, Any] = {
            "marker": MARKERS[layer.shape],
            "ms": 2 * POINTS_PER_PIXEL * layer.size,
            "mfc": _colour(layer.fill),
            "mec": _colour(layer.edge),
            "mew": POINTS_PER_PIXEL * layer.edge_width,
            "alpha": layer.opacity,
            "in_layout": len(layer.x) > 0,  # matplotlib lays out an empty line as if it stood at the origin
        }
        ax.plot(layer.x, layer.y, ls="none", zorder=order, clip_on=False, label=layer.legend or None, **style)
    colour = "black" if layer.shape else _colour(layer.fill)
    for x, y, text in zip(layer.x, layer.y, layer.texts, strict=False):
        ax.annotate(text, (x, y), ha="center", va="center", fontsize=6, color=colour, zorder=order + 0.001)


def _draw_band(layer: Band, ax: "Axes", order: float) -> None:
    style: dict[str, Any] = {"color": _colour(layer.colour), "alpha": 0.2, "linewidth": 0, "zorder": order}
    ax.fill_between(layer.x, layer.lower, layer.upper, label=layer.legend, **style)


def _draw_cells(layer: Cells, ax: "Axes", _order: float) -> None:
    if layer.scale is None:
        return
    limits: dict[str, Any] = {"vmin": layer.scale.low, "vmax": layer.scale.high}
    ax.imshow(layer.values, origin="lower", extent=(*layer.x, *layer.y), cmap=colour_map(layer.scale.name), **limits)
    rows, columns = layer.values.shape
    width, height = (layer.x[1] - layer.x[0]) / columns, (layer.y[1] - layer.y[0]) / rows
    for i, text in enumerate(layer.texts):
        row, column = divmod(i, columns)
        colour = "white" if layer.values[row, column] > 0.6 * layer.scale.high else "0.2"
        at = (layer.x[0] + (column + 0.05) * width, layer.y[0] + (row + 0.07) * height)
        ax.text(*at, text, fontsize=6, color=colour)


_DRAW: dict[type[Layer], Any] = {Lines: _draw_lines, Points: _draw_points, Band: _draw_band, Cells: _draw_cells}


def _colour(name: str) -> str:
    """The colour of a name of the palette on a light ground."""
    palette, _, number = name.partition("-")
    if palette == "line":
        return COLOURS[int(number)]
    return {"ink": "black", "soft": "0.5", "ground": "white", "casing": "0.6"}.get(name, name)


def _mappable(scale: Scale) -> Any:
    from matplotlib.cm import ScalarMappable  # noqa: PLC0415 - records need no matplotlib
    from matplotlib.colors import Normalize  # noqa: PLC0415 - as above

    return ScalarMappable(Normalize(scale.low, scale.high), colour_map(scale.name))
