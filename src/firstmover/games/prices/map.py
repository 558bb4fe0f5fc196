"""Demand over the price of each station."""

from firstmover.games.default_map import curve_map
from firstmover.games.map_record import MapRecord
from firstmover.games.match_view import MatchView


def price_map(view: MatchView) -> MapRecord | None:
    """The demand at a station over a price, its own unless another is chosen, the others as in the action shown."""
    return curve_map(view, "Responses over prices", own=True)
