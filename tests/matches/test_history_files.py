"""Files as people have them, each odd in its own way: imported as they are meant, or refused in one sentence."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.matches import Imported, Match
from tests.matches.played import ROUTES

FILES = Path(__file__).parent / "history"

KIOSK: dict[str, Any] = {
    "menu": {"rows": [{"label": f"{price:.2f}", "price": price} for price in (8.0, 9.0, 10.0, 11.0)]},
    "reward": {"responses": {"revenue": 1.0}},
    "responses": [{"name": "revenue", "lower": 0.0}],
    "types": [{"name": "segment", "levels": ["A", "B"]}],
}
GERMAN = {"when": "Datum", "action": "Preis", "segment": "Kundschaft", "revenue": "Umsatz"}
SALES = [(0, "A", 1234.5), (1, "B", 987.0), (2, "A", 1050.25)]


@pytest.fixture
def match(tmp_path: Path) -> Match:
    return Match.create(tmp_path / "matches.db", "kiosk", KIOSK)


def sales(match: Match) -> list[tuple[int, str, float]]:
    return [(action, kind["segment"], y["revenue"]) for action, kind, y in match.state().latest_rows(99)]


def rows(match: Match) -> list[dict[str, Any]]:
    """All recorded rows of imports, as they are in the journal."""
    return [row for event in match.journal.read() if event.kind == "imported" for row in event.payload["rows"]]


@pytest.mark.parametrize(
    ("name", "options", "done", "first_day"),
    [
        ("german-spreadsheet.csv", {"columns": GERMAN}, Imported(3, ignored=("Filiale",)), "2025-03-31"),
        ("unicode-text.txt", {}, Imported(3), None),
        ("american.csv", {}, Imported(3), "2025-03-31"),
    ],
)
def test_the_same_sales_in_three_forms(
    match: Match, name: str, options: dict[str, Any], done: Imported, first_day: str | None
) -> None:
    assert match.import_history(FILES / name, **options) == done
    assert sales(match) == SALES
    assert rows(match)[0].get("when") == first_day
    assert next(event for event in match.journal.read() if event.kind == "imported").payload["source"] == name


def test_a_number_that_may_be_two_needs_its_decimal_sign(match: Match) -> None:
    path = FILES / "thousands-or-decimals.csv"
    sentence = (
        f"file {str(path)!r} has '1.234' in column 'revenue', line 2, which may be 1.234 or 1234: state its decimal "
        "sign with the option decimal, as a comma or a point."
    )
    with pytest.raises(InvalidInput) as caught:
        match.import_history(path)
    assert str(caught.value) == sentence
    assert match.import_history(path, decimal=",").new == 2
    assert sales(match) == [(0, "A", 1234.0), (1, "B", 2050.0)]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("with-totals.csv", "line 5 of {file} adds up the rows above it (Total): delete it."),
        (
            "a-sale-missing.csv",
            "line 3: response 'revenue' is empty: give a number alone, as in revenue=3.2.",
        ),
        (
            "two-decimal-signs.csv",
            "{file} has '987.25' in line 3 and '1234,5' in line 2: write all numbers with the same decimal sign.",
        ),
        (
            "two-currencies.csv",
            "{file} has '€ 1234.5' in line 2 and '$ 987' in line 3 of column 'revenue': convert all amounts to one "
            "currency.",
        ),
        (
            "dates-in-any-order.csv",
            "line 2: when is '03/04/2025': give dates in one form that is clear, such as 2025-03-31 or 2025-03-31 "
            "14:30.",
        ),
    ],
)
def test_what_cannot_be_meant_is_refused_in_one_sentence(match: Match, name: str, sentence: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        match.import_history(FILES / name)
    assert str(caught.value) == sentence.format(file=f"file {str(FILES / name)!r}")
    assert match.sequence == 1


def test_actions_off_the_menu_are_learnt_by_their_features(match: Match, tmp_path: Path) -> None:
    path = FILES / "prices-off-the-menu.csv"
    assert match.import_history(path) == Imported(3)
    assert sales(match) == [(1, "B", 987.0)]
    assert [row.get("features") for row in rows(match)] == [{"price": 8.25}, None, {"price": 8.75}]
    assert match.learner().belief.count == 3
    mean = match.learner().belief.predict(np.array([1.0, 0.0])).mean
    assert mean.shape == (4, 1)
    match.close()
    again = Match.open(tmp_path / "matches.db", "kiosk")
    assert np.array_equal(again.learner().belief.predict(np.array([1.0, 0.0])).mean, mean)
    assert again.import_history(path) == Imported(0, 3)
    assumed = {name: ROUTES[name] for name in ("kernel", "regularization", "confidence")}
    with Match.create(tmp_path / "matches.db", "assumed", KIOSK | assumed) as other:
        with pytest.raises(InvalidInput) as caught:
            other.import_history(path)
        assert str(caught.value) == (
            "line 2: action {'price': 8.25} is not on the menu, and the belief of this match has no other actions: "
            "leave the row out, or play the learner auto."
        )


def test_a_missing_segment_is_recorded_and_not_learnt_from(match: Match) -> None:
    assert match.import_history(FILES / "segments-unknown.csv") == Imported(3, without_type=2)
    assert sales(match) == SALES[:1]
    assert [row["type"] for row in rows(match)] == [{"segment": "A"}, None, None]


def test_a_file_that_has_grown_is_recognised_by_its_receipts(match: Match, tmp_path: Path) -> None:
    text = (FILES / "monthly-till.csv").read_text()
    columns = {"id": "receipt"}
    done = match.import_history(FILES / "monthly-till.csv", columns=columns)
    assert done == Imported(3, ignored=("cashier", "till"))
    assert done.lines() == [
        "3 rows imported into the belief; the weights of actions count rounds only.",
        "Columns that were not read: 'cashier', 'till'.",
    ]
    (tmp_path / "april.csv").write_text(f"{text}A4,2025-04-02 10:00,8.00,A,1234.5,Ann,1\n")
    done = match.import_history(tmp_path / "april.csv")  # the column of ids is remembered
    assert done == Imported(1, 3, ignored=("cashier", "till"))
    assert done.lines()[1] == "3 rows of the file skipped: on record before."
    assert [row["id"] for row in rows(match)] == ["A1", "A2", "A3", "A4"]
    assert rows(match)[0]["when"] == "2025-03-31T14:30:00"


def test_an_action_with_other_features_than_on_the_menu_is_refused(match: Match) -> None:
    row = {"segment": "A", "revenue": 900.0}
    with pytest.raises(InvalidInput, match=r"action '8.00' has other features on the menu: leave its name or its feat"):
        match.import_history([row | {"action": "8.00", "price": 8.5}])
    assert match.sequence == 1
    assert match.import_history([row | {"action": "8.00", "price": 8.0}]) == Imported(1)
    assert sales(match) == [(0, "A", 900.0)]
