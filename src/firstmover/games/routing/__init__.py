"""Routing games: vehicles through a road network, and road users who react to them."""

from firstmover.games.entry import Demonstration, GameEntry, Template

_SIOUX_FALLS = Template("sioux-falls", "41 plans through the roads of Sioux Falls, drawn on their map", __name__)

ENTRIES = {
    "routing": GameEntry(
        "Sioux Falls: route 300 units by 41 plans while drivers re-route; a new demand every round",
        build="firstmover.games.routing.game:sioux_falls_game",
        kernel="firstmover.games.routing.opponents:KERNEL",
        regularization=25.0,
        confidence_width=0.5,
        behaviour="firstmover.games.routing.opponents:sioux_falls_behaviour",
        words="firstmover.games.routing.words:WORDS",
        map="firstmover.games.routing.map:road_map",
        templates=(
            _SIOUX_FALLS,
            Template("routing", "plans through a network; congestion is measured afterwards", __name__),
        ),
        demonstration=Demonstration("sioux-falls", "firstmover.games.routing.opponents:share_behaviour", _SIOUX_FALLS),
    ),
    "city": GameEntry(
        "roads of a city with drivers in equilibrium: tolls, a fleet, closures or a signal, against the time of trips",
        build="firstmover.games.routing.city_game:city_game",
        kernel="firstmover.games.routing.city_game:KERNEL",
        regularization=0.1,
        behaviour="firstmover.games.routing.city_game:city_behaviour",
        parameters="firstmover.games.routing.city_game:CityParameters",
        shorthand="city",
        words="firstmover.games.routing.city_game:WORDS",
        map="firstmover.games.routing.city_map:city_map",
    ),
}
