"""Units of columns: in brackets after the name, at its end, or beside the numbers."""

import re

from firstmover.matches.number_format import CURRENCIES

BRACKETS = re.compile(r"[\[(]\s*([^\])]+?)\s*[\])](?=\s|$)")
"""Brackets after a word of a column's name, such as price (EUR)."""

UNITS = CURRENCIES | {
    **{name.casefold(): name for name in ("kg", "lb", "oz", "ml", "km", "cm", "mm", "kWh", "MWh", "kW", "MW", "km/h")},
    **{"kmh": "km/h", "pct": "%", "percent": "%", "%": "%", "°c": "°C", "°f": "°F", "celsius": "°C"},
    **{"pcs": "pcs", "pieces": "pieces", "units": "units", "stk": "Stk", "stück": "Stück", "minutes": "min"},
    **{"hours": "h", "litres": "l", "liters": "l", "fahrenheit": "°F"},
}
"""Words at the end of a name that are units, and how they are written."""

UNITS_OF_QUANTITIES = {
    ("temperature", "temp", "temperatur"): {"c": "°C", "f": "°F"},
    ("delay", "time", "duration", "wait", "waiting", "queue"): {"min": "min", "h": "h", "s": "s", "sec": "s"},
    ("distance", "length", "height", "depth"): {"m": "m"},
    ("weight", "mass", "catch"): {"g": "g", "t": "t"},
}
"""Short words that are units only beside the name of a quantity: temp_min is no time."""

NO_UNITS = {
    *("net", "gross", "netto", "brutto", "vat", "incl", "excl", "log", "estimate", "estimated", "forecast", "actual"),
    *("total", "mean", "average", "max", "noon", "today", "yesterday", "old", "new"),
}
"""Words in brackets that describe a column and are no unit."""


def unit_of(name: str) -> str:
    """Return the unit in the name of a column; empty if it has none.

    >>> [unit_of(name) for name in ("price (EUR)", "sold [units]", "temperature_C", "weight kg", "temp_min")]
    ['EUR', 'units', '°C', 'kg', '']
    """
    brackets = BRACKETS.search(name)
    if brackets is not None:
        inner = {word.casefold() for word in re.split(r"[\W\d_]+", brackets[1]) if word}
        return "" if inner & NO_UNITS or brackets[1].isdigit() else brackets[1]
    words = [word.casefold() for word in re.split(r"[\s_]+", name.strip()) if word]
    if len(words) < 2:
        return ""
    last = words[-1]
    for quantities, units in UNITS_OF_QUANTITIES.items():
        if last in units and any(word.endswith(quantities) for word in words[:-1]):
            return units[last]
    return UNITS.get(last.upper(), UNITS.get(last, ""))


def unit_beside(text: str) -> str | None:
    """Return what is beside a number if it keeps the cell from being one: a unit, or the brackets of accounting.

    >>> unit_beside("12 kg"), unit_beside("(12)"), unit_beside("12 rangers"), unit_beside("12 €")
    ('kg', '()', None, None)
    """
    if re.fullmatch(r"\([\d.,]+\)", text):
        return "()"
    found = re.fullmatch(r"[-+]?[\d.,]*\d\s*([^\W\d]{1,8}|°[CF])", text)
    known = {unit for units in UNITS_OF_QUANTITIES.values() for unit in units} | (UNITS.keys() - CURRENCIES.keys())
    return found[1] if found is not None and found[1].casefold() in known else None
