"""Words in names of columns that tell what the columns are, in a few languages."""

import re
from typing import Literal

Role = Literal["action", "before", "after", "response", "when", "ignored"]

KEYS = ("id", "no", "nr", "number")
"""Words in names of columns that number rows, or name something else by number, as in plan_id."""

CALENDAR = {
    *("mon", "tue", "wed", "thu", "fri", "sat", "sun", "monday", "tuesday", "wednesday", "thursday", "friday"),
    *("saturday", "sunday", "mo", "di", "mi", "do", "fr", "sa", "so", "montag", "dienstag", "mittwoch", "donnerstag"),
    *("freitag", "samstag", "sonntag", "tues", "thur", "thurs"),
}
"""Values that are days of the week."""

COMPOUNDS = ("preis", "temperatur", "wetter", "menge", "absatz", "umsatz", "kosten", "forecast")
"""Last parts of compound words that count as words of their own."""

OUTCOMES = (
    *("found", "finding", "result", "outcome", "strike", "struck", "incident", "landing", "target", "answer", "choice"),
    *("chosen", "response", "reaction", "ergebnis", "fund"),
)
"""Words in names of columns whose values are names of what happened."""

WORDS: dict[Role, tuple[str, ...]] = {
    "when": (
        "hour",
        "date",
        "week",
        "month",
        "year",
        "time",
        "when",
        "datum",
        "tag",
        "woche",
        "day",
        "fecha",
        "jour",
        "round",
    ),
    "response": (
        *("sold", "sales", "units", "quantity", "qty", "volume", "move", "movement", "count", "counts", "visits"),
        *("clicks", "orders", "bookings", "revenue", "profit", "turnover", "congestion", "delay", "minutes", "queue"),
        *("incidents", "poached", "snares", "attacks", "caught", "catch", "seized", "complaints", "conversions"),
        *("impressions", "views", "applicants", "consumption", "verbrauch", "emissions", "cost", "cancellations"),
        *("arrested", "arrests", "removed"),
        *("absatz", "menge", "umsatz", "gewinn", "verkauft", "stück", "ventes", "ventas", "vendus", "vendidos"),
        *OUTCOMES,
    ),
    "action": (
        *("price", "preis", "prix", "precio", "prezzo", "prijs", "fare", "fee", "toll", "plan", "patrol", "patrols"),
        *("route", "discount", "rabatt", "offer", "bid", "wage", "dose", "budget", "action", "tariff", "rangers"),
        *("tarif", "tax", "subsidy", "patrolled", "inspected", "watched", "guarded", "green"),
    ),
    "before": (
        *("weekday", "weekend", "holiday", "season", "promo", "promotion", "deal", "feat", "feature", "advert", "ad"),
        *("campaign", "competitor", "rival", "forecast", "event", "school", "wochentag", "feiertag", "moon", "dow"),
    ),
    "after": (
        *(
            "segment",
            "customer",
            "customers",
            "type",
            "weather",
            "temperature",
            "temperatur",
            "rain",
            "visitors",
            "demand",
            "who",
        ),
        *("kunde", "kunden", "wetter", "group", "gang", "drivers", "traffic"),
    ),
    "ignored": (*KEYS, "invoice", "receipt", "note", "notes", "remark", "comment", "constant"),
}
"""Words in names of columns that tell what they are."""


LIKELY = {"rate", "level", "setting", "amount", "limit", "quota", "sector", "site", "zone", "place", "location"}
"""Words in names of columns that are decisions if no other column is."""

PRODUCTS = {"brand", "product", "item", "sku", "article", "artikel", "marke", "produkt", "produit", "producto"}
"""Words in names of columns that number products."""

PRICES = {"price", "preis", "prix", "precio", "prezzo", "prijs", "fare", "toll", "fee", "rate"}
COSTS = {"cost", "costs", "kosten", "coût", "costo", "coste", "kostprijs", "einkaufspreis", "purchase", "wholesale"}
MARGINS = {"margin", "marge", "margen", "margine", "spanne"}
"""Words in names of prices, of costs of one unit, and of shares of the price that are earned."""


def words_of(name: str) -> set[str]:
    """Return the words of a name in small letters, without numbers and units.

    >>> sorted(words_of("unitsSold_1 (pcs)")), sorted(words_of("logmove"))
    (['sold', 'units'], ['logmove', 'move'])
    """
    spaced = re.sub(r"(?<=[a-zäöüß])(?=[A-Z])", " ", re.sub(r"[\[(].*?[\])]", " ", name))
    found = {word.casefold() for word in re.split(r"[\W\d_]+", spaced) if word}
    found |= {part for word in found for part in COMPOUNDS if word.endswith(part)}
    return found | {word[3:] for word in found if word.startswith("log") and len(word) > 4}
