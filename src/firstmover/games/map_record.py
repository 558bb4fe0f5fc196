"""A map as plain values: panels of marks on two axes, which any renderer can draw without knowing the game.

Colours are names of the palette of all figures, which has a light and a dark scheme: `line-0`, `line-1`, …, `ink` for
text, `soft` for axes, `ground` for the background of a map, `casing` for the edge of a road, and `none`.

`rows` links marks to rows of the panel's table: pointing at one highlights the other, and the tooltip shows the cells
of the row.
"""

from dataclasses import dataclass
from math import floor, log10

import numpy as np
from numpy.typing import ArrayLike, NDArray

from firstmover.core.arrays import Matrix, Vector

Cell = str | float | None
"""An entry of a table; None is shown as a dash."""


@dataclass(frozen=True)
class Scale:
    """A colour scale of the style sheet from low to high, with labels for its ends."""

    name: str
    label: str
    low: float
    high: float
    low_label: str
    high_label: str


@dataclass(frozen=True)
class Lines:
    """n polylines of k points: x (k,) or (n, k), y (n, k).

    With `values` (n,) and a scale, each line has its own colour. `width` and `opacity` are one number or one per line.
    `arrows` adds an arrow in the middle.
    """

    x: NDArray[np.float64]
    y: Matrix
    colour: str = "line-0"
    width: float | Vector = 2.0
    opacity: float | Vector = 1.0
    dashed: bool = False
    arrows: bool = False
    scale: Scale | None = None
    values: Vector | None = None
    rows: tuple[int, ...] = ()
    legend: str = ""
    mark: str = "lines"


@dataclass(frozen=True)
class Points:
    """Markers at x (n,) and y (n,): circle, diamond, triangle, triangle-down, cross or none, with `texts` on them."""

    x: Vector
    y: Vector
    shape: str = "circle"
    size: float = 6.0
    fill: str = "line-0"
    edge: str = "none"
    edge_width: float = 1.0
    opacity: float = 1.0
    texts: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    legend: str = ""
    mark: str = "points"


@dataclass(frozen=True)
class Band:
    """The area between two curves over x (k,)."""

    x: Vector
    lower: Vector
    upper: Vector
    colour: str = "line-0"
    legend: str = ""
    mark: str = "band"


@dataclass(frozen=True)
class Cells:
    """A lattice of coloured cells, values (n, m) with the first line at the bottom, over a rectangle.

    `texts` and `rows` have one entry per cell, line by line. Without a scale cells are not drawn, only linked to rows.
    """

    values: Matrix
    x: tuple[float, float]
    y: tuple[float, float]
    scale: Scale | None = None
    texts: tuple[str, ...] = ()
    rows: tuple[int, ...] = ()
    mark: str = "cells"


Layer = Lines | Points | Band | Cells


@dataclass(frozen=True)
class Axis:
    """A range with its label and ticks; without ticks no axis is drawn. `rules` draws a line at every tick."""

    low: float
    high: float
    label: str = ""
    ticks: tuple[float, ...] = ()
    rules: bool = False


@dataclass(frozen=True)
class MapTable:
    """The numbers of a panel as an accessible table; `highlighted` is a row."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    percent: tuple[str, ...] = ()
    highlighted: int | None = None
    always_open: bool = False


@dataclass(frozen=True)
class Panel:
    """One picture: layers, the first at the bottom, on two axes.

    `summary` describes the panel for screen readers. `size` is the usual width and height of the plotting area in
    pixels; with `stretch` the width is the smallest one, and there is no zoom. Panels of one `group` are drawn side by
    side under this heading. Panels with a `tab` are alternatives: a screen shows those of one tab, the first one first.
    """

    title: str
    x: Axis
    y: Axis
    layers: tuple[Layer, ...]
    table: MapTable
    summary: str
    size: tuple[float, float]
    subtitle: str = ""
    group: str = ""
    stretch: bool = False
    tab: str = ""


@dataclass(frozen=True)
class Choice:
    """What a map shows of several options, by the name of the query parameter that chooses another."""

    name: str
    options: tuple[str, ...]
    chosen: str


@dataclass(frozen=True)
class MapRecord:
    """Panels with a heading and a note; `terms` are words of the theory that it uses, for a glossary.

    A `partial` record shows more once the posterior has been computed.
    """

    heading: str
    panels: tuple[Panel, ...]
    note: str = ""
    title: str = ""
    terms: tuple[str, ...] = ()
    choices: tuple[Choice, ...] = ()
    partial: bool = False


def nice_axis(values: ArrayLike, label: str = "", *, rules: bool = False) -> Axis:
    """An axis that holds all finite values with a small margin, and about four round ticks.

    >>> nice_axis([0.0, 1.0], "share")
    Axis(low=-0.04, high=1.04, label='share', ticks=(0.0, 0.5, 1.0), rules=False)
    """
    numbers = np.asarray(values, dtype=float)
    finite = numbers[np.isfinite(numbers)]
    low, high = (float(finite.min()), float(finite.max())) if finite.size else (0.0, 1.0)
    margin = 0.04 * (high - low or 1.0)
    low, high = low - margin, high + margin
    rough = (high - low) / 4
    unit = 10.0 ** floor(log10(rough))
    step = next(factor * unit for factor in (1, 2, 5, 10) if factor * unit >= rough * (1 - 1e-9))
    ticks = np.arange(np.ceil(low / step), np.floor(high / step) + 1) * step + 0.0
    return Axis(low, high, label, tuple(float(f"{tick:.6g}") for tick in ticks), rules)


def short(number: float) -> str:
    """A number with at most four significant digits.

    >>> short(12345.678), short(-0.25), short(float("nan"))
    ('12,350', '−0.25', '–')
    """
    return f"{float(f'{number:.4g}'):,.10g}".replace("-", "−") if np.isfinite(number) else "–"


def percent(share: float) -> str:
    """A probability as a percentage.

    >>> percent(0.1234), percent(1.0), percent(0.0003)
    ('12.3 %', '100 %', 'below 0.1 %')
    """
    if 0 < share < 0.001:
        return "below 0.1 %"
    return f"{100 * share:.{0 if share == 0 or share >= 0.9995 else 1}f} %"


def finite(number: float) -> float | None:
    """A number as a cell of a table: None where it is not known."""
    return float(number) if np.isfinite(number) else None
