"""Posted prices, and customers who see them."""

from pydantic import Field

from firstmover.core.documents import Specification
from firstmover.games.entry import Demonstration, GameEntry, Template

_HERE = "firstmover.games.prices"


class PricesParameters(Specification):
    """The penalty for each unit of demand above a station's capacity."""

    overload_penalty: float = Field(default=0.5, ge=0, allow_inf_nan=False)


ENTRIES = {
    "prices": GameEntry(
        "post one of 216 price vectors for three charging stations; drivers of 4 segments answer with their demand",
        build=f"{_HERE}.game:prices_game",
        kernel=f"{_HERE}.opponents:KERNEL",
        regularization=0.0004,
        confidence_width=0.2,
        behaviour=f"{_HERE}.opponents:station_behaviour",
        parameters=PricesParameters,
        words=f"{_HERE}.words:WORDS",
        map=f"{_HERE}.map:price_map",
        templates=(Template("pricing", "a daily price; customers choose how much to buy", _HERE),),
        demonstration=Demonstration(
            "prices",
            f"{_HERE}.opponents:station_behaviour",
            changes={
                "title": "Charging prices",
                "menu": {"game": "prices"},
                "responses": [
                    {"name": f"demand {i}", "unit": "hundreds of drivers", "lower": 0.0, "upper": 1.0}
                    for i in (1, 2, 3)
                ],
                "confidence": {"width": 1.0},
            },
        ),
    ),
}
