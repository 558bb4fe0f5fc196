"""Cards, bars and curves for notebooks: small records, drawn as HTML and SVG text.

The text has no script and loads nothing. It is drawn in the colour of the text around it, on no background, so that it
can be read on light and dark pages.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

from firstmover.core.arrays import Vector

ACCENT = "#3b8ed0"
"""A blue with a contrast of at least 3 to white and to the dark grounds of notebooks."""

MOST_BARS = 8
"""Actions that are drawn, the most probable ones."""

LEAST_SHARE = 0.0005
"""Smaller probabilities would be shown as 0.0 %."""

MOST_POINTS = 300
"""Points of a curve that are drawn, equally spaced ones of more."""

WIDTH, HEIGHT, BAR = 420, 110, 18
LEFT, RIGHT, TOP, BOTTOM = 64, 8, 8, 18
"""Sizes and margins of pictures in pixels."""


def text(value: object) -> str:
    r"""Return a value as text of HTML: escaped, and without characters that no page can show.

    >>> text("<script>'\x00\ud800")
    '&lt;script&gt;&#x27;��'
    """
    return escape("".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in str(value)))


def number(value: float) -> str:
    """Return four digits of a number; a dash where there is none.

    >>> number(0.123456), number(float("nan")), number(-3)
    ('0.1235', '–', '-3')
    """
    return "–" if np.isnan(value) else f"{value:.4g}"


def card(title: str, rows: Mapping[str, str], *pictures: str) -> str:
    """Return a box with a title, a table of names and values, and pictures below it."""
    cells = "".join(
        '<tr style="background:transparent">'
        f'<td style="text-align:left;padding:1px 12px 1px 0;opacity:.7;white-space:nowrap">{text(name)}</td>'
        f'<td style="text-align:left;padding:1px 0;overflow-wrap:anywhere">{text(value)}</td></tr>'
        for name, value in rows.items()
    )
    table = (
        f'<table style="border-collapse:collapse;margin:4px 0;border:0;font-size:inherit">{cells}</table>'
        if rows
        else ""
    )
    return (
        '<div style="display:inline-block;min-width:260px;max-width:460px;padding:8px 12px;margin:2px 0;'
        f'border:1px solid rgba(128,128,128,.5);border-radius:6px;font-size:13px;line-height:1.4">'
        f'<div style="font-weight:600;overflow-wrap:anywhere">{text(title)}</div>{table}{"".join(pictures)}</div>'
    )


def html_table(title: str, columns: Mapping[str, list[str]]) -> str:
    """Return a table with a title: columns of text by name, all of the same length."""
    cell = '<t{0} style="text-align:left;padding:2px 14px 2px 0;white-space:nowrap;background:transparent">{1}</t{0}>'
    rows = [
        f"<tr>{''.join(cell.format('d', text(v)) for v in row)}</tr>" for row in zip(*columns.values(), strict=True)
    ]
    head = "".join(cell.format("h", text(name)) for name in columns)
    return (
        f'<div style="font-weight:600">{text(title)}</div>'
        '<table style="border-collapse:collapse;border:0;font-size:13px">'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(rows)}</tbody></table>"
    )


@dataclass(frozen=True)
class Bars:
    """Shares of one by label, the largest first, and how many further ones have the rest, if it is not negligible."""

    labels: tuple[str, ...]
    shares: Vector
    others: int

    @classmethod
    def of(cls, strategy: Vector, labels: "tuple[str, ...] | None" = None) -> "Bars":
        """Return the most probable actions of a strategy (n,); equal ones in the order of the menu.

        >>> Bars.of(np.array([0.2, 0.5, 0.3, 0.0])).labels
        ('action 1', 'action 2', 'action 0')
        """
        order = np.argsort(-strategy, kind="stable")
        shown = [i for i in order[:MOST_BARS].tolist() if strategy[i] >= LEAST_SHARE]
        names = tuple(f"action {i}" if labels is None else labels[i] for i in shown)
        further = int(np.sum(strategy > 0)) - len(shown)
        return cls(names, strategy[shown], further if 1 - strategy[shown].sum() >= LEAST_SHARE else 0)

    def draw(self) -> str:
        """Return the picture."""
        longest = max([*self.shares, 1e-300])
        room, height = WIDTH - 2 * RIGHT - 160, BAR * (len(self.labels) + (self.others > 0))
        marks = []
        for i, (label, share) in enumerate(zip(self.labels, self.shares, strict=True)):
            y, width = BAR * i, room * share / longest
            marks.append(_words(0, y + 13, label if len(label) <= 16 else f"{label[:15]}…"))
            marks.append(f'<rect x="106" y="{y + 3}" width="{width:.1f}" height="12" fill="{ACCENT}"/>')
            marks.append(_words(110 + width, y + 13, f"{share:.1%}"))
        if self.others:
            rest = 1 - float(self.shares.sum())
            marks.append(_words(0, BAR * len(self.labels) + 13, f"{self.others} further: {rest:.1%}", faint=True))
        return _svg(height, marks)


@dataclass(frozen=True, eq=False)
class Curve:
    """Values over x, with a band around them or as separate marks; values that are not finite are left out."""

    title: str
    x: Vector
    y: Vector
    lower: Vector | None = None
    upper: Vector | None = None
    marks: bool = False

    @property
    def drawn(self) -> NDArray[np.float64]:
        """The rows x, lower, y, upper of the finite points that are drawn (4, k)."""
        ends = [self.y if end is None else end for end in (self.lower, self.upper)]
        rows = np.array([self.x, ends[0], self.y, ends[1]], dtype=float)
        rows = rows[:, np.isfinite(rows).all(axis=0)]
        count = rows.shape[1]
        return rows if count <= MOST_POINTS else rows[:, np.linspace(0, count - 1, MOST_POINTS).round().astype(int)]

    def draw(self) -> str:
        """Return the picture: the ends of both axes are labelled."""
        x, lower, y, upper = self.drawn
        if not len(x):
            return _svg(BAR, [_words(0, 13, f"{self.title}: no values yet", faint=True)])
        low, high = float(lower.min()), float(upper.max())
        across = LEFT + (WIDTH - LEFT - RIGHT) * _unit(x, float(x.min()), float(x.max()))
        heights = [TOP + (HEIGHT - TOP - BOTTOM) * (1 - _unit(values, low, high)) for values in (lower, y, upper)]
        marks = [f'<path d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}" fill="none" stroke="currentColor" '
                 'stroke-opacity=".4"/>']  # fmt: skip
        if self.lower is not None:
            band = _points(across, heights[0]) + " " + _points(across[::-1], heights[2][::-1])
            marks.append(f'<polygon points="{band}" fill="{ACCENT}" fill-opacity=".25"/>')
        if self.marks or len(x) == 1:
            dots = zip(across, heights[1], strict=True)
            marks += [f'<circle cx="{cx:.1f}" cy="{cy:.1f}" r="2" fill="{ACCENT}"/>' for cx, cy in dots]
        else:
            points = _points(across, heights[1])
            marks.append(f'<polyline points="{points}" fill="none" stroke="{ACCENT}" stroke-width="1.8"/>')
        marks.append(_words(LEFT - 5, TOP + 8, number(high), anchor="end"))
        marks.append(_words(LEFT - 5, HEIGHT - BOTTOM, number(low), anchor="end") if high > low else "")
        marks.append(_words(LEFT, HEIGHT - 4, number(float(x.min()))))
        marks.append(_words(WIDTH - RIGHT, HEIGHT - 4, number(float(x.max())), anchor="end"))
        marks.append(_words((LEFT + WIDTH) / 2, HEIGHT - 4, self.title, faint=True, anchor="middle"))
        return _svg(HEIGHT, marks)


def draw_menu(values: Vector) -> str:
    """Return the picture of a menu of one feature: a tick per action on the line from the smallest to the largest."""
    low, high = float(values.min()), float(values.max())
    shown = Curve("", values, values).drawn[0]
    places = RIGHT + (WIDTH - 2 * RIGHT) * _unit(shown, low, high)
    ticks = "".join(f"M{x:.1f} 4V16" for x in places)
    marks = [
        f'<path d="M{RIGHT} 10H{WIDTH - RIGHT}" stroke="currentColor" stroke-opacity=".4" fill="none"/>',
        f'<path d="{ticks}" stroke="{ACCENT}" stroke-width="1.8" fill="none"/>',
        _words(RIGHT, 30, number(low)),
        _words(WIDTH - RIGHT, 30, number(high), anchor="end") if high > low else "",
    ]
    return _svg(34, marks)


def _unit(values: Vector, low: float, high: float) -> Vector:
    """Scale to [0, 1]; one half where all are equal. Halves first: a difference of large numbers may overflow."""
    span = high / 2 - low / 2
    return (values / 2 - low / 2) / span if span > 0 else np.full(len(values), 0.5)


def _points(x: Vector, y: Vector) -> str:
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))


def _words(x: float, y: float, words: str, *, faint: bool = False, anchor: str = "start") -> str:
    opacity = ' fill-opacity=".7"' if faint else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="currentColor"{opacity}>{text(words)}</text>'


def _svg(height: int, marks: list[str]) -> str:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}" '
        'style="display:block;max-width:100%;margin:4px 0;background:transparent" font-size="11" '
        f'font-family="sans-serif">{"".join(marks)}</svg>'
    )
