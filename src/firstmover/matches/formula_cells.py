"""Texts in exported tables that a spreadsheet would run as a formula, and the same texts read again."""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
"""The beginning of a text that is a formula, or looks like an escaped one; the wide signs are run in East Asia."""

NUMBER = re.compile(r"[+\-][0-9]+([.,][0-9]*)?([eE][+\-]?[0-9]+)?")
"""A text that is a number with its sign, and no formula."""


def escaped(text: str) -> str:
    """Return a text with an apostrophe before it if a spreadsheet would run it; numbers stay as they are.

    >>> [escaped(text) for text in ("=A1", "-3.5", "@home", "'=A1", "north")]
    ["'=A1", '-3.5', "'@home", "''=A1", 'north']
    """
    return f"'{text}" if FORMULA.match(text) and not NUMBER.fullmatch(text) else text


def unescaped(text: str) -> str:
    """Return the text that `escaped` wrote.

    >>> [unescaped(text) for text in ("'=A1", "''=A1", "-3.5", "'north'")]
    ['=A1', "'=A1", '-3.5', "'north'"]
    """
    return text[1:] if text.startswith("'") and FORMULA.match(text) else text


def csv_bytes(table: "pl.DataFrame") -> bytes:
    """Return a table as CSV, without formulas."""
    import polars as pl

    return table.with_columns(pl.col(pl.String).map_elements(escaped, return_dtype=pl.String)).write_csv().encode()
