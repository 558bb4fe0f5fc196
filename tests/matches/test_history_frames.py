"""Frames of pandas and polars, rows by column, and the ways in which numbers, names and dates are read."""

from datetime import date, datetime
from decimal import Decimal
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import polars as pl
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.matches import Imported, Match
from firstmover.matches.csv_reader import decoded, read_csv
from firstmover.matches.number_format import Cell, Written, number_of
from firstmover.matches.table_reader import Reading
from tests.matches.test_history_files import KIOSK, SALES, rows, sales

COLUMNS: dict[str, list[Any]] = {
    "price": [8, 9, 10],
    "segment": ["A", "B", "A"],
    "revenue": [1234.5, 987.0, 1050.25],
    "when": [datetime(2025, 3, 31, 14, 30), None, datetime(2025, 4, 2)],
    "till": [1, 2, 1],
}


@pytest.fixture
def match(tmp_path: Path) -> Match:
    return Match.create(tmp_path / "matches.db", "kiosk", KIOSK)


@pytest.fixture(params=["pandas", "polars"])
def library(request: pytest.FixtureRequest) -> ModuleType:
    return import_module(request.param)


@pytest.mark.parametrize("action", ["price", "action"])
def test_a_frame_is_a_table(match: Match, library: ModuleType, action: str) -> None:
    """Numbers in a column of actions are labels where labels are numbers: 9 is no index."""
    frame = library.DataFrame({action if name == "price" else name: cells for name, cells in COLUMNS.items()})
    assert match.import_history(frame) == Imported(3, ignored=("till",))
    assert sales(match) == SALES
    assert [row.get("when") for row in rows(match)] == ["2025-03-31T14:30:00", None, "2025-04-02T00:00:00"]
    assert match.import_history(frame.head(2)) == Imported(0, 2, ignored=("till",))
    with pytest.raises(InvalidInput, match=r"^row 2: response 'revenue' is empty"):
        match.import_history(library.DataFrame(COLUMNS | {"revenue": [1.0, None, 2.0]}))
    with pytest.raises(InvalidInput, match=r"^column 'revenue' is missing, history has 'price', 'segment': give it"):
        match.import_history(library.DataFrame({"price": [8], "segment": ["A"]}))


def test_missing_cells_of_a_frame_are_missing(match: Match, library: ModuleType) -> None:
    frame = library.DataFrame(COLUMNS | {"segment": ["A", None, ""], "when": [date(2025, 3, 31), None, None]})
    assert match.import_history(frame).without_type == 2
    assert [row.get("when") for row in rows(match)] == ["2025-03-31", None, None]


def test_rows_by_column_may_have_numbers_of_other_kinds(match: Match) -> None:
    given = [{"Price": Decimal("8.00"), "Segment": "a", "revenue": "1,234.50", "id": 7}]
    assert match.import_history(given) == Imported(1)
    assert sales(match) == SALES[:1]
    assert rows(match)[0]["id"] == "7"


def test_a_column_that_is_not_there_and_a_value_that_is_none_are_named(match: Match) -> None:
    frame = pl.DataFrame(COLUMNS)
    for columns, sentence in [
        (
            {"revenue": "Umsatz"},
            "columns says that 'response revenue' is in 'Umsatz': history has 'price', 'segment', 'revenue'",
        ),
        ({"sold": "revenue"}, "Unknown value of a row 'sold': Known: action, id, price, revenue, segment, when."),
    ]:
        with pytest.raises(InvalidInput, match=f"^{sentence}"):
            match.import_history(frame, columns=columns)
    with pytest.raises(InvalidInput, match=r"^decimal is ';': give a comma or a point\.$"):
        match.import_history(frame, decimal=";")


def test_columns_are_remembered_and_may_be_named_again(match: Match, tmp_path: Path) -> None:
    columns = {"action": "Preis", "type segment": "Kunde", "response revenue": "Umsatz"}
    frame = pl.DataFrame({"Preis": [8], "Kunde": ["A"], "Umsatz": ["1.234"]})
    assert match.import_history(frame, columns=columns, decimal=",").new == 1
    match.close()
    with Match.open(tmp_path / "matches.db", "kiosk") as again:
        assert again.import_history(frame.with_columns(pl.Series("Umsatz", ["2.345"]))).new == 1
        assert again.import_history(pl.DataFrame({"price": [9], "Kunde": ["B"], "revenue": [5.0]})).new == 1
        renamed = frame.rename({"Umsatz": "Erlös"}).with_columns(pl.Series("Erlös", [7.0]))
        assert again.import_history(renamed, columns={"revenue": "Erlös"}).new == 1
        assert sales(again) == [(0, "A", 1234.0), (0, "A", 2345.0), (1, "B", 5.0), (0, "A", 7.0)]
        kept = Reading.read(again.state().reading)
    assert kept == Reading(columns=columns | {"response revenue": "Erlös"}, decimal=",")


def test_a_decimal_sign_that_is_remembered_counts_only_where_a_file_does_not_tell(match: Match) -> None:
    rows = [{"price": 8, "segment": "A", "revenue": text} for text in ("1.234", "5.5")]
    with pytest.raises(
        InvalidInput, match=r"^history has '1\.234' in column 'revenue', row 1, which may be 1\.234 or 1234"
    ):
        match.import_history(rows[:1])
    assert match.import_history(rows[:1], decimal=",").new == 1
    assert match.import_history([rows[0] | {"revenue": "2.345"}]).new == 1
    assert match.import_history(rows).new == 2
    assert [row[2] for row in sales(match)] == [1234.0, 2345.0, 1.234, 5.5]


def test_a_row_that_happens_to_be_a_sum_is_a_row(match: Match) -> None:
    rows = [{"price": 8, "segment": "A", "revenue": y} for y in (1.0, 2.0, 3.0)]
    assert match.import_history(rows).new == 3
    for last in ({"price": None}, {"price": "Summe:"}):
        with pytest.raises(InvalidInput, match=r"^row 4 of history adds up the rows above it( \(Summe:\))?: delete it"):
            match.import_history([*rows, last | {"segment": None, "revenue": 6.0}])
    with pytest.raises(InvalidInput, match=r"^row 4: action is empty"):
        match.import_history([*rows, {"price": None, "segment": "A", "revenue": 7.0}])
    with pytest.raises(InvalidInput, match=r"^row 4: Unknown action 'eight'"):
        match.import_history([*rows, {"price": "eight", "segment": "A", "revenue": 7.0}])


@pytest.mark.parametrize(
    ("text", "values", "beside"),
    [
        ("8", {".": 8.0, ",": 8.0}, ""),
        ("8.00", {".": 8.0}, ""),
        ("8,5", {",": 8.5}, ""),
        ("0,125", {",": 0.125}, ""),
        ("1234,567", {",": 1234.567}, ""),
        ("1.234,50", {",": 1234.5}, ""),
        ("1,234.50", {".": 1234.5}, ""),
        ("1.234.567", {",": 1234567.0}, ""),
        ("1,234", {".": 1234.0, ",": 1.234}, ""),
        ("1\u202f234,5", {",": 1234.5}, ""),
        ("1’234.50", {".": 1234.5}, ""),
        ("-€8", {".": -8.0, ",": -8.0}, "€"),
        ("€ −8,5", {",": -8.5}, "€"),
        ("1,5E+03", {",": 1500.0}, ""),
        ("12 %", {".": 12.0, ",": 12.0}, "%"),
        ("3.2 km", {".": 3.2}, "km"),
    ],
)
def test_a_number_is_read_with_each_decimal_sign_that_fits(text: str, values: dict[str, float], beside: str) -> None:
    assert Written.of(text) == Written(values, beside)


@pytest.mark.parametrize("text", ["12,34,567", "1.2.3", "٣", "nan", "inf", "2025-03-01", "1_000", "€", "", "0.123.456"])
def test_what_is_no_number_is_none(text: str) -> None:
    assert Written.of(text) is None


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("12.5 %", "", 0.125),
        ("12.5 %", "%", 12.5),
        ("$8.50", "", 8.5),
        ("$8.50", "USD", 8.5),
        ("$8.50", "EUR", "$8.50"),
        ("$8.50", "min", "$8.50"),
        ("8.5 min", "min", 8.5),
        ("8.5 km", "min", "8.5 km"),
        ("8.5 min", "", "8.5 min"),
    ],
)
def test_a_unit_beside_a_number_must_be_that_of_its_column(text: str, unit: str, value: float | str) -> None:
    assert number_of(Cell("line 2", "x", unit, text), ".") == value


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1", "cp1252", "utf-16", "utf-16-le", "utf-16-be"])
def test_text_is_read_in_its_encoding(encoding: str) -> None:
    text = "action,ort\n8.00,Zürich\n"
    assert decoded(text.encode(encoding), "file 'x.csv'") == text


def test_a_table_may_have_empty_columns_and_quoted_lines() -> None:
    table = read_csv(b',a;b,"c\nd",,\n1,2,3,,\n\n4,,"5\n6",\n', "file 'x.csv'")
    assert table.names == ["column 1", "a;b", "c d"]
    assert table.rows == [["1", "2", "3"], ["4", None, "5\n6"]]
    assert table.places == ["line 3", "line 5"]


@pytest.mark.parametrize(
    "row",
    [
        {"opponent_type": "low", "price": 8},
        {"price": 10**400, "segment": "A", "revenue": 1.0},
        {"price": 8, "segment": [], "revenue": {}},
        {"price": 8, "segment": "A", "revenue": "9" * 5000},
        {"a\nb": 1},
        {},
    ],
)
def test_rows_of_odd_values_are_refused_in_one_line(match: Match, row: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput) as caught:
        match.import_history([row])
    assert "\n" not in str(caught.value)
