"""Figures of a live match: each is a record made from the journal, drawn by matplotlib or by the web app."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from firstmover.core.errors import look_up
from firstmover.figures.live.learning import LearningCurves, draw_learning, learning_curves
from firstmover.figures.live.map_drawing import draw_map
from firstmover.figures.live.maps import map_of
from firstmover.figures.live.serialisation import json_values
from firstmover.figures.live.trace import Trace

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "LIVE",
    "LearningCurves",
    "LiveEntry",
    "Trace",
    "json_values",
    "live_named",
    "map_of",
]


@dataclass(frozen=True)
class LiveEntry:
    """An entry of LIVE: one line for people, the record (without pending actions), its drawing, its size in inches."""

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
        "rewards, p_t and its entropy, calibration, and the posterior of every action",
        learning_curves,
        draw_learning,
        (12.0, 7.0),
    ),
}


def live_named(name: str) -> LiveEntry:
    """Return an entry of LIVE, or raise an error that names all of them."""
    return look_up("picture", name, LIVE)
