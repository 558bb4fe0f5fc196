"""Names that cannot be written, or that look like another one, are refused; formulas in exports are texts."""

from pathlib import Path
from typing import Any

import pytest

from firstmover.core.errors import Conflict, InvalidInput
from firstmover.matches import Imported, Match
from firstmover.matches.files import exported
from firstmover.matches.formula_cells import escaped, unescaped
from firstmover.matches.names import look_alike
from tests.matches.played import ROUTES, new

UNWRITABLE = ["\ue000", "a\ue000b", "a\u0378b", "a\x07b", "a\x85b", "a\u2028b", "\U000f0000"]
"""Private use, unassigned, control characters and line breaks."""


INVISIBLE = ["\u3164", "\u115f\u1160", "\ufe0f", "\u2800", "\u2800\u034f"]
"""Printable as Python has it, and nothing to be seen."""


@pytest.mark.parametrize("name", [*UNWRITABLE, *INVISIBLE, "a\u202eb", " a", "a ", "", "a" * 81, 5, None])
def test_a_name_that_cannot_be_written(tmp_path: Path, name: Any) -> None:
    with pytest.raises(InvalidInput, match=r"name is .*: give 1 to 80 printable characters"):
        Match.create(tmp_path / "matches.db", name, ROUTES)
    match = new(tmp_path)
    if name is not None:
        with pytest.raises(InvalidInput, match=r"round_id is .*: give 1 to 80 printable characters"):
            match.ask(name)
    with pytest.raises(InvalidInput, match=r"name is .*: give 1 to 80 printable characters"):
        match.rename(name)


@pytest.mark.parametrize("name", UNWRITABLE)
def test_names_in_a_configuration(tmp_path: Path, name: str) -> None:
    levels = [{"name": "demand", "levels": ["low", name]}]
    for changes in (
        {"responses": [{"name": name}]},
        {"types": [{"name": name, "levels": ["low", "high"]}]},
        {"types": levels},
        {"menu": {"rows": [{"label": name, "north": 1.0}, {"label": "b", "north": 2.0}]}},
    ):
        with pytest.raises(InvalidInput, match=r"can be written|in one line|name of 1 to 80"):
            new(tmp_path, reward={"value": 1.0}, **changes)


LOOK_ALIKES = [
    ("roads", "Roads"),
    ("roads", "ROADS"),
    ("roads", "rоads"),
    ("roads", "rοads"),
    ("POCA", "РОСА"),
    ("roads", "ｒｏａｄｓ"),
    ("of\ufb01ce", "office"),
    ("a b", "a  b"),
    ("stra\u00dfe", "STRASSE"),
    ("роса", "РОСА"),
    ("roads", "roads\ufe0f"),
    ("roads", "ro\u034fads"),
    ("roads", "roads\u3164"),
    ("a b", "a\u2800b"),
    ("north-south", "north\u2010south"),
    ("north-south", "north\u2011south"),
    ("north \u2013 south", "north \u2212 south"),
    ("ann's roads", "ann\u2019s roads"),
    ('"a"', "\u201ca\u201d"),
    ("iris", "\u0131r\u0131s"),
    ("iris", "\u0130ris"),
]


@pytest.mark.parametrize(("one", "other"), LOOK_ALIKES)
def test_names_that_look_the_same(tmp_path: Path, one: str, other: str) -> None:
    assert look_alike(one, other)
    assert look_alike(other, one)
    store = tmp_path / "matches.db"
    with Match.create(store, one, ROUTES), Match.create(store, "ferries", ROUTES) as second:
        with pytest.raises(Conflict, match=r"looks like match .* of this store: choose another name"):
            Match.create(store, other, ROUTES)
        with pytest.raises(Conflict, match="looks like match"):
            second.rename(other)
        assert second.rename("Ferries")  # its own name may change its case
    assert Match.open(store, one).name == one


@pytest.mark.parametrize(
    ("one", "other"),
    [("roads", "roads 2"), ("o", "0"), ("l", "1"), ("вода", "bода"), ("é", "e"), ("a-b", "a b"), ("a'b", "ab")],
)
def test_names_that_differ(one: str, other: str) -> None:
    assert not look_alike(one, other)


CELLS = ["=1+1", "+1+1", "-cmd|' /C calc'!A0", "@SUM(A1)", "'=1+1", "''@x", "'quoted'", "plain", "-3.5", "+7", "-1e-3"]


@pytest.mark.parametrize(
    "text", [*CELLS, "\t=1", "\r=1", "\n=1", "＝1+1", "＋1", "－1", "＠a", "'＝1", "=", "-", "'", "''", ""]
)
def test_a_cell_is_read_as_it_was(text: str) -> None:
    assert unescaped(escaped(text)) == text
    assert escaped(text)[:1] not in tuple("=@\t\r\n＝＋－＠")


@pytest.mark.parametrize("text", ["-3.5", "+7", "-1e-3", "-1,5", "plain", "'quoted'", ""])
def test_numbers_and_texts_stay_as_they_are(text: str) -> None:
    assert escaped(text) == text


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_an_export_with_formulas_comes_back(tmp_path: Path, suffix: str) -> None:
    rows = [{"label": label, "north": float(i)} for i, label in enumerate(CELLS)]
    config = {
        "menu": {"rows": rows},
        "reward": {"value": 1.0, "responses": {"congestion": -1.0}},
        "responses": [{"name": "congestion"}],
        "types": [{"name": "demand", "levels": ["-low", "@high", "-3.5"]}],
    }
    levels = ["-low", "@high", "-3.5"]
    match = Match.create(tmp_path / "matches.db", "first", config)
    for number in range(6):
        decision = match.ask(f"-r{number}")
        match.tell(decision.round_id, levels[number % 3], -1.5 * number, played=CELLS[number], reason="as it was")
    path = tmp_path / f"export.{suffix}"
    path.write_bytes(exported(path.suffix, match.history(), match.setting, match.journal.read()))
    if suffix == "csv":
        cells = [cell for line in path.read_text().splitlines()[1:] for cell in line.split(",")]
        assert {cell for cell in cells if cell[:1] in tuple("=+@\t")} <= {"+7"}
        assert "'-low" in cells
        assert "-1.5" in cells
    again = Match.create(tmp_path / "matches.db", "second", config)
    assert again.import_history(path) == Imported(6)
    told = again.journal.event(again.sequence).payload["rows"]
    assert [row["type"]["demand"] for row in told] == [levels[number % 3] for number in range(6)]
    assert [row["response"]["congestion"] for row in told] == [-1.5 * number for number in range(6)]
    assert [again.setting.menu.labels[row["action"]] for row in told] == CELLS[:6]
