"""Histories on the command line: columns by option, by file and by question."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import match
from tests.matches.test_history_files import FILES, KIOSK

GERMAN = str(FILES / "german-spreadsheet.csv")
ASKED = ["--column", "action=Preis", "--column", "segment=Kundschaft", "--column", "revenue=Umsatz"]


@pytest.fixture(autouse=True)
def _kiosk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("kiosk.json").write_text(json.dumps(KIOSK))
    match("new", "kiosk", "--config", "kiosk.json")


def test_columns_are_named_once() -> None:
    sentence = match("import", "kiosk", GERMAN, code=2)
    assert sentence == (
        f"column 'action' is missing, file {GERMAN!r} has 'Datum', 'Preis', 'Kundschaft', 'Umsatz', 'Filiale': state "
        "which of them it is with the option columns, such as action=Datum."
    )
    assert match("import", "kiosk", GERMAN, *ASKED).splitlines() == [
        "3 rows imported into the belief; the weights of actions count rounds only.",
        "Columns that were not read: 'Datum', 'Filiale'.",
    ]
    assert match("import", "kiosk", GERMAN) == "These rows were imported before: nothing changed."
    Path("more.csv").write_text("Preis;Kundschaft;Umsatz\n8;A;1.234,5\n11;B;7\n")
    found = json.loads(match("import", "kiosk", "more.csv", "--json"))
    assert found == {"imported": 1, "new": 1, "on_record": 1, "without_type": 0, "ignored": [], "as_rounds": 0}


def test_a_file_may_say_which_column_is_what() -> None:
    Path("columns.toml").write_text(
        'decimal = ","\n[columns]\naction = "Preis"\nsegment = "Kundschaft"\nrevenue = "Umsatz"\nwhen = "Datum"\n'
    )
    assert match("import", "kiosk", GERMAN, "--columns", "columns.toml").startswith("3 rows imported")
    assert match("import", "kiosk", GERMAN, "--columns", "none.toml", code=2) == (
        "Columns file 'none.toml' cannot be read: No such file or directory."
    )
    Path("columns.toml").write_text('column = "Preis"\n')
    assert match("import", "kiosk", GERMAN, "--columns", "columns.toml", code=2) == (
        "Unknown field 'column': did you mean 'columns'? Known: columns, decimal."
    )


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--column", "Preis"], "--column is 'Preis': give a value and its column, as in action=Preis."),
        (["--column", "a=b", "--column", "c"], "--column is 'c': give a name and a value, as in action=Preis."),
        (
            ["--column", "cost=Preis"],
            "Unknown value of a row 'cost': Known: action, id, price, revenue, segment, when.",
        ),
        (["--decimal", "x"], "decimal is 'x': give a comma or a point."),
    ],
)
def test_an_option_that_is_wrong_is_named(options: list[str], sentence: str) -> None:
    assert match("import", "kiosk", GERMAN, *options, code=2) == sentence


@pytest.mark.skipif(os.name != "posix", reason="a terminal of POSIX")
def test_a_terminal_is_asked_which_column_is_what() -> None:
    parent, child = os.openpty()
    os.write(parent, b"Preis\nUmsatz\nKundschaft\n")
    command = [sys.executable, "-m", "firstmover", "match", "import", "kiosk", GERMAN]
    done = subprocess.run(command, stdin=child, capture_output=True, text=True, timeout=120, check=False)
    os.close(child)
    os.close(parent)
    assert done.stdout.startswith("3 rows imported into the belief"), done.stderr
    assert done.stderr.splitlines() == [
        "The columns are Datum, Preis, Kundschaft, Umsatz, Filiale.",
        "Which of them is action? Which of them is revenue? Which of them is segment? ",
    ]
