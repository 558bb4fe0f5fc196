"""Rows without a decision or an observation are left out of the table that a match imports."""

from pathlib import Path

import pytest

from firstmover.core.errors import InvalidInput
from firstmover.matches import Match
from firstmover.matches.proposal import propose_file


def test_rows_with_gaps_are_left_out_and_named(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = [f"2025-03-{d:02},{2 + d % 2},{('n/a', 'wet', 'dry')[d % 3]},{d}" for d in range(1, 21)]
    path.write_text("\n".join(["date,price,weather,sold", *rows, "2025-03-21,,wet,4", "2025-03-22,2,wet,#DIV/0!"]))
    proposal, usable = propose_file(path)
    assert proposal.remarks == ("2 rows without price or sold are left out: line 22, line 23.",)
    assert proposal.remarks[0] in proposal.lines()
    assert usable is not None
    path.write_bytes(usable)
    assert "n/a" not in usable.decode()
    with Match.create(tmp_path / "m.db", "m", proposal.config()) as match:
        done = match.import_history(path)
    assert (done.new, done.without_type) == (20, 6)


def test_marks_in_columns_that_are_not_used_change_nothing(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("price,sold,note\n" + "2,3,-\n3,4,-\n" * 4)
    assert propose_file(path)[1] is None


@pytest.mark.parametrize(
    ("names", "row"),
    [
        ("id,price,sold", "{r},{p},{s}"),
        ("when,price,sold", "{n},{p},{s}"),
        ("date,price,label,sold", "2025-03-{n},{p},{r},{s}"),
        ("when,price,type,sold", "2025-03-{n},{p},{r},{s}"),
        ("round,action,sold", "{n},{p},{s}"),
        ("round,Action,sold", "{n},plan {r},{s}"),
    ],
)
def test_columns_with_the_names_of_an_import(names: str, row: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rows = [row.format(r=n % 3, p=2 + n % 2, n=n, s=n * 7 % 11) for n in range(10, 31)]
    path.write_text("\n".join([names, *rows]))
    proposal, usable = propose_file(path)
    path.write_bytes(usable or path.read_bytes())
    with Match.create(tmp_path / "m.db", "m", proposal.config()) as match:
        assert match.import_history(path).new == 21


def test_an_action_beside_other_decisions_needs_another_name(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("action,price,sold\n" + "".join(f"{n % 3},{n % 2},{n}\n" for n in range(12)))
    with pytest.raises(InvalidInput, match="'action' is one of 2 that you decide"):
        propose_file(path)


def test_rows_that_may_be_wrong_are_named(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("date,price,sold\n" + "".join(f"2025-03-0{d},{d % 2},{5 - d}\n" for d in (1, 2, 3, 6, 6)))
    assert propose_file(path)[0].remarks == (
        "Rows that repeat earlier ones exactly: line 6; delete them if they are copies.",
        "sold is below 0 in line 5, line 6: is that right?",
    )
    assert "lower" not in propose_file(path)[0].config()["responses"][0]
