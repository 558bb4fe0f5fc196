"""History counts once: the same rows, a file that has grown, a copy under another name."""

from pathlib import Path
from typing import Any

import pytest

from firstmover.core.errors import Conflict, InvalidInput
from tests.matches.played import new, reopened

FIRST: list[dict[str, Any]] = [
    {"action": "north", "type": "high", "response": 7.0},
    {"action": "both", "type": "low", "response": 1.0},
]
SECOND: dict[str, Any] = {"action": "south", "type": "low", "response": 2.0}


@pytest.mark.parametrize(
    ("rows", "source"),
    [(FIRST, "copy.csv"), (FIRST[::-1], "march.csv"), ([*FIRST, SECOND], "march.csv"), ([SECOND, *FIRST], "april.csv")],
    ids=["another name", "another order", "grown", "grown elsewhere"],
)
def test_rows_that_hold_an_earlier_import_are_refused(tmp_path: Path, rows: list[dict[str, Any]], source: str) -> None:
    match = new(tmp_path)
    assert match.import_history(FIRST, "march.csv") == 2
    before = match.sequence
    with pytest.raises(
        Conflict, match=r"holds all 2 rows imported before from 'march\.csv': nothing was changed; give"
    ):
        match.import_history(rows, source)
    match.close()
    again = reopened(tmp_path)
    assert again.sequence == before
    assert again.import_history(rows, source, again=True) == len(rows)
    assert again.learner().belief.count == 2 + len(rows)


def test_what_was_observed_as_often_before_is_not_said_to_be_the_same(tmp_path: Path) -> None:
    """Days can be alike: only a whole import that comes again is taken for a slip."""
    match = new(tmp_path)
    assert match.import_history([*FIRST, FIRST[0]], "march.csv") == 3
    assert match.import_history([*FIRST, SECOND], "april.csv") == 3
    assert match.import_history([SECOND], "may.csv") == 1
    with pytest.raises(Conflict, match="holds the row imported before from 'may"):
        match.import_history([SECOND], "june.csv")


def test_the_same_rows_of_one_source_change_nothing_even_if_said_to_be_observed_again(tmp_path: Path) -> None:
    match = new(tmp_path)
    assert [match.import_history(FIRST, "a", again=again) for again in (False, True)] == [2, 0]


@pytest.mark.parametrize("source", ["caf\udce9.csv", "x" * 201, None])
def test_a_source_is_a_text(tmp_path: Path, source: Any) -> None:
    with pytest.raises(InvalidInput, match=r"source is .*: give a text in UTF-8 of at most 200 characters"):
        new(tmp_path).import_history(FIRST, source)


def test_text_is_no_index_where_labels_are_numbers(tmp_path: Path) -> None:
    """A spreadsheet makes 2 of the label 2.00: it must not become the third action."""
    rows = [{"label": f"{price:.2f}", "price": price} for price in (1.0, 2.0, 3.0)]
    match = new(tmp_path, menu={"rows": rows, "features": ["price"]}, reward={"responses": {"congestion": 1.0}})
    with pytest.raises(InvalidInput, match=r"row 1: Unknown action '2'.* Known: 1\.00, 2\.00, 3\.00"):
        match.import_history([SECOND | {"action": "2"}])
    assert match.import_history([SECOND | {"action": "2.00"}]) == 1
    assert match.import_history([SECOND | {"action": 2}]) == 1
    assert [row[0] for row in match.state().latest_rows(9)] == [1, 2]
