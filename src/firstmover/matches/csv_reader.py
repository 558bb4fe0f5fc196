"""CSV files as spreadsheets of all countries write them: their encodings, separators, blank lines and columns."""

import csv
import re
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any

from firstmover.core.errors import InvalidInput, counted, shown

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar"}
"""Signs between columns, and what error messages call them."""

CONTROL = re.compile(r"[\x00-\x08\x0e-\x1f]")
"""Signs that no text has."""

SAVING = "open it and save the table as CSV (in Excel: File, Save As, CSV UTF-8)"
"""The remedy for files of other programs."""

SIGNATURES = {
    b"PK\x03\x04": "an Excel workbook or another zip archive",
    bytes.fromhex("d0cf11e0"): "an Excel workbook of an old version",
    b"%PDF": "a PDF file",
    b"<": "a web page",
    b"[{": "a JSON file",
    b'{"': "a JSON file",
}
"""First bytes of files that are no table, whatever their name."""


@dataclass(frozen=True)
class Table:
    """Columns by name and rows of cells, None where one is empty; `places` say where each row was, such as line 3.

    `separator` is the sign between the columns of a CSV file.
    """

    source: str
    names: Sequence[str]
    rows: Sequence[Sequence[Any]]
    places: Sequence[str]
    separator: str = ""

    def column(self, name: str) -> list[Any]:
        """The cells of one column."""
        place = list(self.names).index(name)
        return [row[place] for row in self.rows]


def decoded(content: bytes, source: str) -> str:
    r"""Return the text of a file: by its byte-order mark, else in UTF-8, else in Windows-1252, which has Latin-1 in it.

    >>> decoded("Zürich".encode("latin-1"), "file 'x.csv'"), decoded("Zürich".encode("utf-16-le"), "file 'x.csv'")
    ('Zürich', 'Zürich')
    """
    other = next((what for start, what in SIGNATURES.items() if content.lstrip()[:4].startswith(start)), None)
    if other is not None:
        raise InvalidInput(f"{source} is {other}: {SAVING}.")
    odd, even = content[1:400:2].count(0), content[:400:2].count(0)  # Latin letters in UTF-16 have one byte 0 each
    if content.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
        encodings = ["utf-16"]
    elif odd != even:
        encodings = ["utf-16-le" if odd > even else "utf-16-be"]
    else:
        encodings = ["utf-8-sig"] if content.startswith(BOM_UTF8) else ["utf-8", "cp1252"]
    for encoding in encodings:
        try:
            text = content.decode(encoding)
        except UnicodeDecodeError:
            continue
        if not CONTROL.search(text):
            return text
    raise InvalidInput(f"{source} is no text: give a CSV file in UTF-8.")


def read_csv(content: bytes | str, source: str) -> Table:
    r"""Return the table of a CSV file, with the sign between columns that splits its first line into most names.

    Blank lines, and the line sep=; that some spreadsheets begin with, are skipped; so are columns without a name that
    are empty throughout.

    >>> read_csv(b"action;sold\nlow; 3\n\nhigh;\n", "file 'x.csv'")
    Table(source="file 'x.csv'", names=['action', 'sold'], rows=[['low', '3'], ['high', None]],
        places=['line 2', 'line 4'], separator=';')
    """
    text = decoded(content, source) if isinstance(content, bytes) else content.removeprefix("\ufeff")
    told = re.match(r"sep=([\t;,|])\r?\n", text)
    separator = told[1] if told else max(SEPARATORS, key=lambda sign: len(_cells(text.lstrip("\r\n"), sign)))
    reader = csv.reader(StringIO(text, newline=""), delimiter=separator, strict=True)
    lines: list[tuple[int, list[Any]]] = []
    number = 1
    try:
        for row in reader:
            cells = [cell.strip() or None for cell in row]
            if any(cells) and not (told and number == 1):
                lines.append((number, cells))
            number = reader.line_num + 1
    except csv.Error:
        raise InvalidInput(
            f"{source} has a quotation mark too many or too few, in line {reader.line_num} or before: correct it there."
        ) from None
    if not lines:
        raise InvalidInput(f"{source} is empty: give a line with the names of its columns, and rows below it.")
    (_, header), *rows = lines
    while header and header[-1] is None:
        header.pop()
    names = [re.sub(r"\s*[\r\n]+\s*", " ", name or f"column {number}") for number, name in enumerate(header, start=1)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InvalidInput(f"{source} has the column {shown(twice)} twice: give it once.")
    for number, row in rows:
        while len(row) > len(names) and row[-1] is None:
            row.pop()
        if len(row) >= 3 * len(names):
            raise InvalidInput(
                f"{source} begins with {shown(names[0])} in line {lines[0][0]}, and has {len(row)} values in line "
                f"{number}: if that is a title, delete it, so that the names of the columns come first."
            )
        if len(row) != len(names):
            raise InvalidInput(
                f"{source} has {counted(len(row), 'value')} in line {number}, under {counted(len(names), 'column')}: "
                f"give one for each, with quotation marks around a value that has a {SEPARATORS[separator]}."
            )
    places = [f"line {number}" for number, _ in rows]
    return Table(source, names, [row for _, row in rows], places, separator)


def _cells(text: str, separator: str) -> list[str]:
    """The cells of the first line."""
    return next(csv.reader(StringIO(text, newline=""), delimiter=separator), [])


def written_csv(table: Table) -> bytes:
    """Return a table as a CSV file with the same sign between columns."""
    buffer = StringIO(newline="")
    writer = csv.writer(buffer, delimiter=table.separator or ",", lineterminator="\n")
    writer.writerow(table.names)
    writer.writerows(table.rows)
    return buffer.getvalue().encode()
