"""Rows of one store or product, and tables that hold several series."""

from pathlib import Path

import pytest

from firstmover.core.errors import InvalidInput
from firstmover.matches.csv_reader import read_csv
from firstmover.matches.proposal import propose_file
from firstmover.matches.row_selection import SeveralSeries, listed, selected

SHOPS = Path(__file__).parents[2] / "examples" / "tables" / "shops.csv"


def panel(*columns: str, weeks: int = 12, price: str = "{w}") -> str:
    """A table with a row for each week and each of two values of some columns."""
    rows = [""]
    for _ in columns:
        rows = [f"{row}{value}," for row in rows for value in "ab"]
    lines = [
        f"{w},{row}{price.format(w=w % 3, own=(w + i) % 3)},{w + i}" for w in range(weeks) for i, row in enumerate(rows)
    ]
    return "\n".join([f"week,{','.join(columns)},price,sold", *lines])


def test_rows_are_selected_by_text_and_by_number() -> None:
    table = read_csv("store;brand;sold\n2;Tea;1,5\n2,0;tea;3\n12;Tea;4\n;Tea;5", "sales")
    assert [row[2] for row in selected(table, {"store": "2"}).rows] == ["1,5", "3"]
    found = selected(table, {"store": 2.0, "brand": "TEA"})
    assert found.places == ["line 2", "line 3"]
    assert found.source == "sales where store = 2.0 and brand = TEA"
    assert selected(table, {"sold": 1.5}).places == ["line 2"]
    assert selected(table, {}) is table


@pytest.mark.parametrize(
    ("where", "sentence"),
    [
        ({"stor": 1}, "Unknown column 'stor': did you mean 'store'"),
        ({"store": 10}, "column 'store' of sales has no value 10: did you mean 12 or 2? It has 2, 12, 40."),
        ({"brand": "teh"}, "column 'brand' of sales has no value 'teh': did you mean tea? It has tea, coffee."),
        ({"brand": 7}, "column 'brand' of sales has no value 7: it has tea, coffee."),
        ({"store": 2, "brand": "coffee"}, "no value 'coffee'"),
    ],
)
def test_a_value_that_does_not_occur(where: dict[str, object], sentence: str) -> None:
    table = read_csv("store,brand,sold\n2,tea,1\n12,coffee,3\n40,tea,4", "sales")
    with pytest.raises(InvalidInput) as caught:
        selected(table, where)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("text", "column"),
    [
        (panel("store", price="{own}"), "store"),
        (panel("store", "brand", price="{own}"), "store"),
        (panel("brand", "store", price="{own}"), "store"),
        (panel("x", "y", price="{own}"), "x"),
        (panel("store", "brand", price="{own}") + "\n11,a,a,1,3", "store"),
    ],
)
def test_a_table_with_several_series_is_not_mixed(text: str, column: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    with pytest.raises(SeveralSeries) as caught:
        propose_file(path)
    assert caught.value.column == column
    assert caught.value.values == ["a", "b"]
    assert f"as in --where {column}=a" in str(caught.value)


@pytest.mark.parametrize("text", [panel("store"), panel("product", price="{own}"), panel("x", price="{own}")])
def test_one_decision_per_week_about_several_rows_is_one_series(text: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(text)
    assert [c.name for c in propose_file(path)[0].named("when")] == ["week"]


def test_several_rounds_in_a_week_are_no_series(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = [
        f"{w},{x},{y},{(w + n) % 3},{w + n}" for w in range(12) for n, (x, y) in enumerate(("au", "bv", "au", "av"))
    ]
    path.write_text("\n".join(["week,x,y,price,sold", *rows]))
    proposal, usable = propose_file(path)
    assert usable is None
    assert [column.name for column in proposal.named("after")] == ["x", "y"]


def test_a_column_of_stores_with_a_role_is_no_series(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(panel("store", "shift", price="{own}"))
    proposal, rows = propose_file(path, roles={"store": "before", "shift": "after"})
    assert rows is None
    assert [c.name for c in proposal.named("before")] == ["store"]


def test_rows_of_one_product_are_written_for_the_import() -> None:
    proposal, rows = propose_file(SHOPS, where={"shop": 2, "product": "coffee"})
    assert rows is not None
    lines = rows.decode().splitlines()
    assert len(lines) == 53
    assert {line.split(",")[1] for line in lines[1:]} == {"coffee"}
    assert [c.name for c in proposal.named("action")] == ["price (EUR)"]
    with pytest.raises(SeveralSeries, match="one for each shop"):
        propose_file(SHOPS)


def test_of_many_values_the_first_six_and_the_last_are_listed() -> None:
    assert listed("abcdefgh") == "a, b, c, d, e, f, g, h"
    assert listed("abcdefghi") == "a, b, c, d, e, f, …, i"
