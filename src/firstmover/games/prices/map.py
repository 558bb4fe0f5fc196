"""Demand over the price of each station."""

from firstmover.games.default_map import curve_map
from firstmover.games.map_record import MapRecord
from firstmover.games.match_view import MatchView


def price_map(view: MatchView) -> MapRecord | None:
    """The demand at each station over its own price, the other prices as in the action shown."""
    return curve_map(view, [(j, j) for j in range(len(view.menu.features))], "Responses over prices")
