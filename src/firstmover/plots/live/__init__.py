"""Pictures of a match that is being played: each a record of its journal, drawn by matplotlib or by the page."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from firstmover.contracts import ResponseFunction
from firstmover.errors import look_up
from firstmover.matches.fold import State
from firstmover.matches.setting import Setting
from firstmover.plots.live import park, prices, roads
from firstmover.plots.live.learning import LearningCurves, draw_learning, learning_curves
from firstmover.plots.live.menu import MenuTable, draw_table, menu_table
from firstmover.plots.live.park import ParkMap
from firstmover.plots.live.plain import plain
from firstmover.plots.live.prices import PriceMap
from firstmover.plots.live.roads import RoadMap
from firstmover.plots.live.trace import Known, Trace

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = [
    "LIVE",
    "LearningCurves",
    "LiveEntry",
    "MapRecord",
    "Trace",
    "kind_of",
    "live_named",
    "map_at_once",
    "map_of",
    "plain",
]

MapRecord = RoadMap | ParkMap | PriceMap | MenuTable
"""What a map can be, told apart by its `kind`."""

_DRAW: dict[str, "Callable[[Any, Figure], None]"] = {
    "routing": roads.draw_roads,
    "park": park.draw_park,
    "prices": prices.draw_prices,
    "table": draw_table,
}


def kind_of(setting: Setting) -> str:
    """Which map suits a match: routing, park, prices, or for any other the table.

    >>> kind_of(Setting.of({"menu": {"game": "wildlife"}, "horizon": 10}))
    'park'
    """
    rooms = {"routing": roads.suits, "park": park.suits, "prices": prices.suits}
    return next((kind for kind, suits in rooms.items() if suits(setting)), "table")


def map_of(trace: Trace, *, reveal: bool, respond: ResponseFunction | None = None) -> MapRecord:
    """The map of a match; `reveal` shows the action of a round that waits, `respond` the truth of a simulation."""
    kind = kind_of(trace.state.setting)
    if kind == "routing":
        return roads.road_map(trace, reveal=reveal)
    if kind == "park":
        return park.park_map(trace, reveal=reveal)
    if kind == "prices":
        return prices.price_map(trace, reveal=reveal, respond=respond)
    return menu_table(trace, reveal=reveal)


def map_at_once(state: State, *, reveal: bool) -> tuple[RoadMap | ParkMap | None, bool]:
    """What a map can show before anything is learnt anew, and whether that is all: roads are, the park nearly."""
    kind = kind_of(state.setting)
    if kind == "routing":
        return roads.road_map(Known(state), reveal=reveal), True
    return (park.park_map(Known(state), reveal=reveal) if kind == "park" else None), False


@dataclass(frozen=True)
class LiveEntry:
    """A line of the table: what it shows, its record, which hides what waits, its drawing, its size in inches."""

    summary: str
    record: Callable[[Trace], Any]
    draw: "Callable[[Any, Figure], None]"
    size: tuple[float, float]


LIVE: dict[str, LiveEntry] = {
    "map": LiveEntry(
        "the roads, the park, the demand curves, or the menu, with the last round that was told",
        lambda trace: map_of(trace, reveal=False),
        lambda record, figure: _DRAW[record.kind](record, figure),
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
