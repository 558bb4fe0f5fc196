"""Figures of a live match: each is a record made from the journal, drawn by matplotlib or by the web app."""

from firstmover.figures.entry import FigureEntry
from firstmover.figures.live.learning import LearningCurves, draw_learning, learning_curves
from firstmover.figures.live.map_drawing import draw_map
from firstmover.figures.live.maps import map_of
from firstmover.figures.live.report import match_report
from firstmover.figures.live.report_drawing import A4, draw_report
from firstmover.figures.live.serialisation import json_values
from firstmover.figures.live.trace import Trace

__all__ = ["LIVE", "LearningCurves", "Trace", "json_values", "map_of"]

LIVE = {
    "map": FigureEntry(
        "the map of the game, or its menu, with the last reported round",
        lambda trace: map_of(trace, reveal=False),
        draw_map,
        (12.0, 6.0),
    ),
    "learning": FigureEntry(
        "rewards, p_t and its entropy, calibration, and the posterior of every action",
        learning_curves,
        draw_learning,
        (12.0, 7.0),
    ),
    "report": FigureEntry(
        "earnings, what was learnt, the latest rounds and alarms on one page", match_report, draw_report, A4
    ),
}
