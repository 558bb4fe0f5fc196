"""Posted prices, and customers who see them."""

from firstmover.games.entry import Demonstration, GameEntry, Template

ENTRIES = {
    "prices": GameEntry(
        "post one of 216 price vectors for three charging stations; drivers of 4 segments answer with their demand",
        build="firstmover.games.prices.game:prices_game",
        kernel="firstmover.games.prices.opponents:KERNEL",
        regularization=0.0004,
        confidence_width=0.2,
        behaviour="firstmover.games.prices.opponents:station_behaviour",
        parameters="firstmover.games.prices.game:PricesParameters",
        words="firstmover.games.prices.words:WORDS",
        map="firstmover.games.prices.map:price_map",
        templates=(Template("pricing", "a daily price; customers choose how much to buy", __name__),),
        demonstration=Demonstration(
            "prices",
            "firstmover.games.prices.opponents:steady_behaviour",
            changes={
                "title": "Charging prices",
                "menu": {"game": "prices"},
                "responses": [
                    {"name": f"demand {i}", "unit": "hundreds of drivers", "lower": 0.0, "upper": 1.0}
                    for i in (1, 2, 3)
                ],
            },
        ),
    ),
}
