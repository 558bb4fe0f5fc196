"""Pictures of a match that is being played: each a record of its journal, drawn by matplotlib or by the page."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from firstmover.core.errors import look_up
from firstmover.figures.live.draw_map import draw_map
from firstmover.figures.live.learning import LearningCurves, draw_learning, learning_curves
from firstmover.figures.live.maps import map_of
from firstmover.figures.live.plain import plain
from firstmover.figures.live.trace import Trace

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "LIVE",
    "LearningCurves",
    "LiveEntry",
    "Trace",
    "live_named",
    "map_of",
    "plain",
]


@dataclass(frozen=True)
class LiveEntry:
    """A line of the table: what it shows, its record, which hides what waits, its drawing, its size in inches."""

    summary: str
    record: Callable[[Trace], Any]
    draw: "Callable[[Any, Figure], None]"
    size: tuple[float, float]


LIVE: dict[str, LiveEntry] = {
    "map": LiveEntry(
        "the map of the game, or its menu, with the last reported round",
        lambda trace: map_of(trace, reveal=False),
        draw_map,
        (12.0, 6.0),
    ),
    "learning": LiveEntry(
        "rewards, p_t and its entropy, calibration, and what is known of every action",
        learning_curves,
        draw_learning,
        (12.0, 7.0),
    ),
}


def live_named(name: str) -> LiveEntry:
    """The line of the table, or the refusal that names all there is to choose from."""
    return look_up("picture", name, LIVE)
