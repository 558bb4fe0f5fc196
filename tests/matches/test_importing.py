"""History counts once, row by row: the same rows, a file that has grown, a copy under another name."""

from pathlib import Path
from typing import Any

import pytest

from firstmover.core.errors import Conflict, InvalidInput
from firstmover.matches import Imported, Match
from tests.matches.played import new, reopened

FIRST: list[dict[str, Any]] = [
    {"action": "north", "type": "high", "response": 7.0},
    {"action": "both", "type": "low", "response": 1.0},
]
SECOND: dict[str, Any] = {"action": "south", "type": "low", "response": 2.0}


@pytest.mark.parametrize(
    ("rows", "source", "new_rows"),
    [
        (FIRST, "copy.csv", 0),
        (FIRST[::-1], "march.csv", 0),
        ([*FIRST, SECOND], "march.csv", 1),
        ([SECOND, FIRST[0], SECOND], "april.csv", 2),
    ],
    ids=["another name", "another order", "grown", "overlapping"],
)
def test_rows_that_are_on_record_are_skipped(
    tmp_path: Path, rows: list[dict[str, Any]], source: str, new_rows: int
) -> None:
    match = new(tmp_path)
    assert match.import_history(FIRST, "march.csv") == Imported(2)
    before = match.sequence
    assert match.import_history(rows, source) == Imported(new_rows, len(rows) - new_rows)
    assert match.sequence == before + (new_rows > 0)
    match.close()
    again = reopened(tmp_path)
    assert again.learner().belief.count == 2 + new_rows
    assert again.import_history(rows, "another source", again=True) == Imported(len(rows))
    assert again.learner().belief.count == 2 + new_rows + len(rows)


def test_equal_rows_of_one_file_are_different_observations(tmp_path: Path) -> None:
    """Days can be alike: what is in a file more often than on record is new as often."""
    match = new(tmp_path)
    assert match.import_history([*FIRST, FIRST[0]], "march.csv") == Imported(3)
    assert match.import_history([*FIRST, FIRST[0], FIRST[0]], "april.csv") == Imported(1, 3)
    assert match.import_history([FIRST[0]] * 4, "may.csv") == Imported(1, 3)


def test_rows_of_other_days_or_ids_are_other_observations(tmp_path: Path) -> None:
    match = new(tmp_path)
    days = [SECOND | {"when": f"2025-03-0{day}"} for day in (1, 2)]
    assert match.import_history(days) == Imported(2)
    assert match.import_history([*days, SECOND | {"when": "2025-03-03"}]) == Imported(1, 2)
    assert match.import_history([SECOND | {"id": "a"}, SECOND | {"id": "b"}, SECOND | {"id": "a"}]) == Imported(2, 1)
    with pytest.raises(Conflict, match=r"has other values for the row 'a' than those on record: nothing was changed"):
        match.import_history([SECOND | {"id": "a", "response": 3.0}])


def test_a_row_without_a_type_is_recorded_and_not_learnt_from(tmp_path: Path) -> None:
    match = new(tmp_path)
    assert match.import_history([SECOND, SECOND | {"type": None}]) == Imported(2, without_type=1)
    assert match.learner().belief.count == match.status().imported == 1
    assert match.import_history([SECOND | {"type": {"demand": None}}]) == Imported(0, 1)
    match.close()
    again = reopened(tmp_path)
    assert again.learner().belief.count == 1
    assert again.verify().events == 2


def test_the_same_rows_of_one_source_change_nothing_even_if_said_to_be_observed_again(tmp_path: Path) -> None:
    match = new(tmp_path)
    assert [match.import_history(FIRST, "a", again=again).new for again in (False, True)] == [2, 0]


@pytest.mark.parametrize("source", ["caf\udce9.csv", "x" * 201, None])
def test_a_source_is_a_text(tmp_path: Path, source: Any) -> None:
    with pytest.raises(InvalidInput, match=r"source is .*: give a text in UTF-8 of at most 200 characters"):
        new(tmp_path).import_history(FIRST, source)


def test_text_is_no_index_where_labels_are_numbers(tmp_path: Path) -> None:
    """A spreadsheet makes 2 of the label 2.00: it must not become the third action."""
    rows = [{"label": f"{price:.2f}", "price": price} for price in (1.0, 2.0, 3.0)]
    match = new(tmp_path, menu={"rows": rows, "features": ["price"]}, reward={"responses": {"congestion": 1.0}})
    for source, action in enumerate(("2", "2.00", "2.0", 2)):
        assert match.import_history([SECOND | {"action": action}], str(source), again=True).new == 1
    assert [row[0] for row in match.state().latest_rows(9)] == [1, 1, 1, 2]
    with pytest.raises(InvalidInput, match=r"row 1: Unknown action '0'.* Known: 1\.00, 2\.00, 3\.00"):
        match.import_history([SECOND | {"action": "0"}])


def test_rows_of_a_match_without_types_are_learnt(tmp_path: Path) -> None:
    """All opponents are alike: a table needs no column of types, and a row no type."""
    rows = [{"label": "low", "price": 1.0}, {"label": "high", "price": 2.0}]
    config = {
        "menu": {"rows": rows},
        "reward": {"responses": {"sold": "price"}},
        "responses": [{"name": "sold", "lower": 0.0, "upper": 60.0}],
        "types": [],
    }
    (tmp_path / "t.csv").write_text("price,sold\n1,30\n2,24\n1.5,27\n")
    with Match.create(tmp_path / "m.db", "shop", config) as match:
        found = match.import_history(tmp_path / "t.csv")
        assert (found.new, found.without_type) == (3, 0)
        more = match.import_history(
            [{"action": "low", "type": kind, "response": 31.0 + i} for i, kind in enumerate([{}, None])]
        )
        assert (more.new, more.without_type) == (2, 0)
        assert repr(match.state().learning.belief) == "FittedBelief(5 observations)"
