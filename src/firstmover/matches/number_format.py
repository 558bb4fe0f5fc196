"""Numbers as people write them: decimal commas and points, groups of three digits, currencies and percent signs."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from firstmover.core.errors import InvalidInput

CURRENCIES = {"€": "EUR", "$": "USD", "£": "GBP", "¥": "JPY", "EUR": "EUR", "USD": "USD", "GBP": "GBP", "CHF": "CHF"}
"""Signs and codes of currencies that may be beside a number."""

GAP = "'’ \u00a0\u2009\u202f"
"""Apostrophes and blanks between groups of digits."""

WRITTEN = re.compile(
    r"(?P<before>[^0-9.,]*?)(?P<sign>[+\-−]?)\s*"
    rf"(?P<digits>[0-9][0-9.,{GAP}]*|[.,][0-9]+)(?P<exponent>[eE][+-]?[0-9]+)?(?P<after>[^0-9.,]*)"
)
MARKS = {
    mark: re.compile(rf"(?:[1-9][0-9]{{0,2}}(?:[{other}{GAP}][0-9]{{3}})+|[0-9]*)(?:[{mark}][0-9]*)?")
    for mark, other in ((".", ","), (",", "."))
}
"""Digits with a decimal mark, and with the other sign, blanks or apostrophes between groups of three."""


CACHED = 50_000
"""Different texts whose numbers are kept: tables repeat values, and each is read several times."""


class Cell(NamedTuple):
    """A text in a column of numbers: where it was, the column's name and its unit."""

    place: str
    column: str
    unit: str
    text: str


@dataclass(frozen=True)
class Written:
    """A number as it was written: its value by each decimal mark that fits, and the text beside it."""

    values: Mapping[str, float]
    beside: str

    @classmethod
    @lru_cache(maxsize=CACHED)
    def of(cls, text: str) -> "Written | None":
        """Return the parts of a text; None if it is no number.

        >>> Written.of("1.234,50 €")
        Written(values={',': 1234.5}, beside='€')
        >>> Written.of("1.234")
        Written(values={'.': 1.234, ',': 1234.0}, beside='')
        """
        found = WRITTEN.fullmatch(text.strip())
        if found is None:
            return None
        digits, before = found["digits"].strip(), found["before"].strip()
        minus = before[:1] in ("-", "−") or found["sign"] in ("-", "−")
        beside = before.lstrip("+-−").strip() + found["after"].strip()
        values = {
            mark: float(("-" if minus else "") + _plain(digits, mark) + (found["exponent"] or ""))
            for mark, pattern in MARKS.items()
            if pattern.fullmatch(digits)
        }
        return cls(values, beside) if values else None

    @property
    def ambiguous(self) -> bool:
        """Whether the two marks give different numbers."""
        return len(set(self.values.values())) > 1


def _plain(digits: str, mark: str) -> str:
    """The digits with a point before decimals and without signs between groups."""
    return "".join("." if sign == mark else sign for sign in digits if sign == mark or sign in "0123456789")


def decimal_mark(cells: Iterable[Cell], source: str, usual: str | None, separator: str) -> str:
    """Return the decimal mark that all numbers of a file agree on.

    A number with three digits after its only sign, such as 1.234, does not tell. If none does, it is the usual one; if
    there is none, a point is a decimal point in files with commas between columns, and others are refused.
    """
    told: dict[str, Cell] = {}
    unclear: Cell | None = None
    for cell in cells:
        number = Written.of(cell.text)
        if number is not None and len(number.values) == 1:
            told.setdefault(next(iter(number.values)), cell)
        elif number is not None and number.ambiguous and ("," in cell.text or separator != ","):
            unclear = unclear or cell
    if len(told) == 2:
        point, comma = told["."], told[","]
        raise InvalidInput(
            f"{source} has {point.text!r} in {point.place} and {comma.text!r} in {comma.place}: write all numbers with "
            "the same decimal sign."
        )
    if told or usual:
        return next(iter(told), usual or ".")
    if unclear is not None:
        either = Written.of(unclear.text)
        assert either is not None
        raise InvalidInput(
            f"{source} has {unclear.text!r} in column {unclear.column!r}, {unclear.place}, which may be "
            f"{either.values['.']:g} or {either.values[',']:g}: state its decimal sign with the option decimal, as a "
            "comma or a point."
        )
    return "."


def number_of(cell: Cell, mark: str) -> float | str:
    """Return the number of a cell; its text if it is none, or has another unit beside it than the column.

    12 % is 0.12 unless the unit of the column is %. The sign of a currency is accepted if the column has no unit.

    >>> number_of(Cell("line 2", "sold", "", "12,5 %"), ","), number_of(Cell("line 2", "sold", "EUR", "$ 8"), ".")
    (0.125, '$ 8')
    """
    written = Written.of(cell.text)
    if written is None or mark not in written.values:
        return cell.text
    value, beside, unit = written.values[mark], written.beside, cell.unit.strip()
    currency, own = CURRENCIES.get(beside.upper()), CURRENCIES.get(unit.upper())
    if beside in ("", unit) or (currency is not None and (not unit or currency == own)):
        return value
    return value / 100 if beside == "%" else cell.text


def check_currencies(cells: Iterable[Cell], source: str) -> None:
    """Raise InvalidInput for a column with amounts in two currencies."""
    first: dict[str, tuple[str, Cell]] = {}
    for cell in cells:
        written = Written.of(cell.text)
        currency = None if written is None else CURRENCIES.get(written.beside.upper())
        if currency is None:
            continue
        other, before = first.setdefault(cell.column, (currency, cell))
        if other != currency:
            raise InvalidInput(
                f"{source} has {before.text!r} in {before.place} and {cell.text!r} in {cell.place} of column "
                f"{cell.column!r}: convert all amounts to one currency."
            )
