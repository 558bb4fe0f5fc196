"""Tables with commas, as people and spreadsheets write them: what is odd is named, not guessed."""

import csv
from io import StringIO

from firstmover.errors import InvalidInput, shown

Rows = list[list[str | None]]


def read_csv(content: bytes, source: str) -> tuple[list[str], Rows]:
    r"""Names of columns and rows of values, None where nothing stands; blank lines are passed over.

    >>> read_csv(b"action,sold\nlow,3\n\nhigh,\n", "file 'x.csv'")
    (['action', 'sold'], [['low', '3'], ['high', None]])
    """
    lines = csv.reader(StringIO(content.decode("utf-8-sig"), newline=""), strict=True)
    try:
        header, *rows = [line for line in lines if any(cell.strip() for cell in line)] or [[]]
    except csv.Error:
        raise InvalidInput(
            f"{source} has a quotation mark too many or too few, in line {lines.line_num} or before: mend it there."
        ) from None
    _check(header, rows, source)
    return header, [[cell or None for cell in row] for row in rows]


def _check(header: list[str], rows: list[list[str]], source: str) -> None:
    if not header:
        raise InvalidInput(f"{source} is empty: give a line with the names of its columns, and rows below it.")
    twice = next((name for name in header if header.count(name) > 1), None)
    if twice is not None:
        raise InvalidInput(f"{source} has the column {shown(twice)} twice: give it once.")
    wrong = next((i for i, row in enumerate(rows, start=1) if len(row) != len(header)), None)
    if wrong is not None:
        raise InvalidInput(
            f"{source} has {len(rows[wrong - 1])} values in row {wrong}, under {len(header)} columns: give one for "
            "each, with quotation marks around a value that has a comma."
        )
