"""Price lists and segments of customers in words."""

from firstmover.core.arrays import Vector
from firstmover.games.menu import Menu
from firstmover.games.words import Sheet, SheetRow, Words


def segment_words(segment: Vector) -> str:
    """A segment θ = (place, price aversion, size in hundreds)."""
    return "at {:g}, price aversion {:g}, {:g} drivers".format(*segment * (1, 1, 100))


def price_sheet(menu: Menu, action: int, _units: tuple[str, ...]) -> Sheet:
    """The price at each station."""
    prices = menu.actions[action]
    rows = tuple(SheetRow(f"Station {i}", f"{price:.2f}", "€/kWh") for i, price in enumerate(prices, 1))
    posted = ", ".join(f"€{price:.2f} at station {i}" for i, price in enumerate(prices, 1))
    return Sheet(f"Post {posted}", rows, "Prices are per kilowatt-hour.")


WORDS = Words(
    labels=lambda game: tuple(" / ".join(f"{price:.2f}" for price in row) for row in game.actions),
    features=lambda game: tuple(f"price {i + 1}" for i in range(game.actions.shape[1])),
    types=lambda game: tuple(map(segment_words, () if game.types is None else game.types)),
    sheet=price_sheet,
)
