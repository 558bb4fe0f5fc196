"""Routing games: vehicles through a road network, and road users who react to them."""

from firstmover.games.entry import Demonstration, GameEntry, Template

_HERE = "firstmover.games.routing"
_SIOUX_FALLS = Template("sioux-falls", "41 plans through the roads of Sioux Falls, drawn on their map", _HERE)

ENTRIES = {
    "routing": GameEntry(
        "Sioux Falls: route 300 units by 41 plans while drivers re-route; a new demand every round",
        build=f"{_HERE}.game:sioux_falls_game",
        kernel=f"{_HERE}.opponents:KERNEL",
        regularization=25.0,
        confidence_width=0.5,
        behaviour=f"{_HERE}.opponents:sioux_falls_behaviour",
        words=f"{_HERE}.words:WORDS",
        map=f"{_HERE}.map:road_map",
        templates=(
            _SIOUX_FALLS,
            Template("routing", "plans through a network; congestion is measured afterwards", _HERE),
        ),
        demonstration=Demonstration("sioux-falls", f"{_HERE}.opponents:share_behaviour", _SIOUX_FALLS),
    ),
}
