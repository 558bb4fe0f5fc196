"""The report of a match as a figure of one A4 page."""

from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import shorten, wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from firstmover.core.errors import counted
from firstmover.figures.live.report import MOST_ANSWERS, Report
from firstmover.figures.style import look, round_axis
from firstmover.games.map_record import short

if TYPE_CHECKING:
    from matplotlib.figure import Figure

A4 = (8.27, 11.69)
"""The page in inches."""

LEFT, RIGHT, TOP = 0.08, 0.92, 0.95
"""The margins as shares of the page."""

PLAIN, HEADING = 8.0, 10.0
"""Font sizes in points."""

LETTER = 0.55
"""The width of a letter as a share of the font size; few texts have wider letters on average."""


@dataclass
class _Page:
    """A page that is written from the top; `place` is the share of it that is left below."""

    figure: "Figure"
    place: float = TOP

    def paragraph(self, words: str, most: int, size: float = PLAIN, **look: Any) -> None:
        """Write at most so many lines; what does not fit is cut with an ellipsis."""
        for line in wrap(words, _letters(RIGHT - LEFT, size), max_lines=most, placeholder=" …"):
            self._line([(LEFT, line, "left")], size, **look)

    def heading(self, words: str) -> None:
        self.place -= 0.008
        self.paragraph(words, 1, HEADING, weight="bold")

    def table(self, head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> None:
        """Write one line per row; the first columns are words, the last two numbers."""
        words = len(head) - 2
        share = (RIGHT - LEFT - 0.32) / words
        for number, row in enumerate([head, *rows]):
            cells = [
                (LEFT + i * share, shorten(cell, _letters(share - 0.02, PLAIN), placeholder=" …"), "left")
                for i, cell in enumerate(row[:words])
            ]
            cells += [(RIGHT - 0.16, row[-2], "right"), (RIGHT, row[-1], "right")]
            self._line(cells, PLAIN, color="0.35" if number == 0 else "black")

    def _line(self, cells: list[tuple[float, str, str]], size: float, **look: Any) -> None:
        for left, words, align in cells:
            self.figure.text(left, self.place, words, fontsize=size, ha=align, va="top", **look)
        self.place -= 1.4 * size / 72 / A4[1]


def draw_report(record: Report, figure: "Figure") -> None:
    """Write the report and draw the rewards of its rounds beside the baseline."""
    figure.set_layout_engine("none")  # every line has its place
    page = _Page(figure)
    page.paragraph(record.title, 2, HEADING)
    page.paragraph(record.about, 3)
    page.paragraph(f"{record.counts}.", 2, color="0.35")
    page.heading("Are we winning?")
    for answer in record.earnings.answers[:MOST_ANSWERS]:
        page.paragraph(f"{answer.name.capitalize()}: {answer.value} ({answer.words}).", 2)
    page.paragraph(f"Against the best single action: {' '.join(record.lost)}", 4)
    if record.earnings.rounds > 1:
        _draw_earnings(page, record)
    page.heading("What was learnt")
    if record.best:
        rows = [
            (each.label, short(each.expected), f"{short(each.lower)} to {short(each.upper)}") for each in record.best
        ]
        page.table(("action", "expected to earn", "nine in ten"), rows)
    else:
        page.paragraph(record.best_note, 2)
    page.heading("The latest rounds")
    last = [
        (each.round_id, each.label, short(each.reward), "–" if each.expected is None else short(each.expected))
        for each in record.last
    ]
    page.table(("round", "action", "earned", "expected"), last)
    count = record.alarm_count
    page.heading(f"What needs attention: {counted(count, 'alarm')}" if count else "No alarms")
    for alarm in record.alarms:
        page.paragraph(str(alarm), 3)
    if count > len(record.alarms):
        page.paragraph(f"{counted(count - len(record.alarms), 'further alarm')}: firstmover match status shows all.", 1)
    page.heading("Origin")
    by = "" if record.begun_by is None else f" by {record.begun_by}"
    page.paragraph(f"Begun {record.begun_at}{by}. Event {record.covered} of {record.events} has the hash", 1)
    page.paragraph(record.head, 1, family="monospace")


def _draw_earnings(page: _Page, record: Report) -> None:
    earned, height = record.earnings, 0.17
    page.place -= 0.012
    ax = page.figure.add_axes((LEFT + 0.05, page.place - height, RIGHT - LEFT - 0.05, height))
    page.place -= height + 0.045
    t = np.minimum(earned.rounds, earned.every * np.arange(1.0, len(earned.curve) + 1))
    ax.plot(t, earned.curve, label="earned", **look(0) | {"marker": "none"})
    if earned.baseline is not None:
        name = shorten(earned.baseline.name or "an action at random", 60, placeholder=" …")
        ax.axhline(earned.baseline.expected, label=name, **look(1) | {"marker": "none"})
    round_axis(ax, t)
    ax.set(xlabel="rounds told", ylabel="reward" if earned.every == 1 else f"reward, means of {earned.every}")
    ax.tick_params(labelsize=PLAIN)
    ax.legend(fontsize=PLAIN)


def _letters(share: float, size: float) -> int:
    """The letters of a size that a share of the page's width holds."""
    return int(share * A4[0] * 72 / (LETTER * size))
