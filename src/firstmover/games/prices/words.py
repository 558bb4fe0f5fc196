"""Price lists and segments of customers in words."""

from firstmover.core.contracts import Game
from firstmover.core.records import Vector
from firstmover.games.menu import Menu
from firstmover.games.words import Sheet, SheetRow, Words


def _labels(game: Game) -> tuple[str, ...]:
    return tuple(" / ".join(f"{price:.2f}" for price in row) for row in game.actions)


def _features(game: Game) -> tuple[str, ...]:
    return tuple(f"price {i + 1}" for i in range(game.actions.shape[1]))


def segment_words(segment: Vector) -> str:
    """A segment θ = (place, price aversion, size in hundreds)."""
    return "at {:g}, price aversion {:g}, {:g} drivers".format(*segment * (1, 1, 100))


def _types(game: Game) -> tuple[str, ...]:
    return tuple(map(segment_words, () if game.types is None else game.types))


def price_sheet(menu: Menu, action: int, _units: tuple[str, ...]) -> Sheet:
    """The price at each station."""
    prices = menu.actions[action]
    rows = tuple(SheetRow(f"Station {i}", f"{price:.2f}", "€/kWh") for i, price in enumerate(prices, 1))
    posted = ", ".join(f"€{price:.2f} at station {i}" for i, price in enumerate(prices, 1))
    return Sheet(f"Post {posted}", rows, "Prices are per kilowatt-hour.")


WORDS = Words(labels=_labels, features=_features, types=_types, sheet=price_sheet)
