"""What a newcomer's slips at a match are answered with, and what is said when all is well."""

from pathlib import Path

import polars as pl
import pytest
from typer.testing import CliRunner

from firstmover.cli import app
from tests.cli.running import assumed, begun, match


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def made(name: str, template: str, more: str = "") -> None:
    """A match as a template describes it, with more lines before it."""
    Path(f"{template}.toml").write_text(more + match("template", template))
    match("new", name, "--config", f"{template}.toml")


def test_a_missing_type_of_a_built_in_game_is_named_with_its_flag_and_column() -> None:
    Path("shore.json").write_text('{"menu": {"game": "shore"}}')
    match("new", "bay", "--config", "shore.json")
    match("ask", "bay")
    sentence = "type is missing: give it, such as --type type=1, or, in a file, in a column 'type'."
    assert match("tell", "bay", "--response", "y1=0.5", code=2) == sentence
    Path("past.csv").write_text("action,y1\n0,0.5\n")
    assert match("import", "bay", "past.csv", code=2) == (
        "column 'type' is missing, file 'past.csv' has 'action', 'y1': give it."
    )
    assert match("tell", "bay", "--type", "kind=1", "--response", "y1=0.5", code=2) == (
        "Unknown type 'kind': Known: type."
    )
    assert match("tell", "bay", "--type", "type=1", "--response", "y1=0.5") == "1 round told; 0 pending."
    assert "--type type=1" in match("template", "patrol")


def test_the_last_action_is_counted_as_on_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firstmover.matches.commands.system_uniform", lambda: 1 - 2.0**-53)
    made("shop", "pricing")
    assert match("ask", "shop").startswith("Round 1: play '14.00' (no. 7 of 7), which had")
    assert '"action": 6' in match("ask", "shop", "--json")


def test_a_match_that_is_stopped_speaks_of_matches(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object, **_more: object) -> None:
        raise KeyboardInterrupt

    begun()
    monkeypatch.setattr("firstmover.matches.Match.ask", stopped)
    result = CliRunner().invoke(app, ["match", "ask", "roads"])
    assert result.exit_code == 130
    assert result.stderr == "Stopped: what was acknowledged is kept; repeat the command.\n"
    assert "130 stopped" in match("--help")


def test_a_picture_is_written_here_whatever_the_match_is_called(tmp_path: Path) -> None:
    Path("match.toml").write_text(match("template", "pricing"))
    for name in ("../道路 नमस्ते مرحبا", ".v1.shop"):
        match("new", name, "--config", "match.toml")
    assert match("plot", "../道路 नमस्ते مرحبا", "map").splitlines() == [
        "Wrote ___道路 नमस्ते مرحبا-map.png",
        "Wrote ___道路 नमस्ते مرحبا-map.pdf",
    ]
    assert match("plot", ".v1.shop", "learning").splitlines() == [
        "Wrote _v1_shop-learning.png",
        "Wrote _v1_shop-learning.pdf",
    ]
    assert len(list(tmp_path.glob("_*"))) == 4


def test_an_ask_says_what_to_do_even_with_many_features(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = iter([0.0, 0.5])
    monkeypatch.setattr("firstmover.matches.commands.system_uniform", lambda: next(numbers))
    made("falls", "sioux-falls", 'learner = "stackelucb"\n')  # uniform in the first round
    assert match("ask", "falls", "--round", "a").splitlines()[1] == "All its 76 features are 0."
    line = match("ask", "falls", "--round", "b").splitlines()[1]
    assert line == "With 3→4 = 150; 4→5 = 150; 5→6 = 150; 6→8 = 150; 7→18 = 150; 8→7 = 150; 12→3 = 150."


def test_a_match_that_will_be_fitted_is_not_said_to_be() -> None:
    Path("shop.json").write_text(assumed(match("template", "pricing"), hyperparameters={"source": "schedule"}))
    match("new", "shop", "--config", "shop.json")
    lines = match("status", "shop").splitlines()
    assert lines[2] == "0 rows of history imported; hyperparameters not fitted to data so far."
    assert lines[5] == "Calibration: no response was told yet; 87% should lie inside their bounds."
    assert lines[-1].startswith("Caution: hyperparameters are going to come from the data: the bounds assume")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ["--type", "high", "--response", "congestion"],
            "response 'congestion' has no value: give it, as in congestion=3.2.",
        ),
        (["--type", "demand", "--response", "1"], "type 'demand' has no value: give it, as in demand=high."),
        (
            ["--type", "high", "--response", "congestion=٣"],
            "response 'congestion' is '٣': give a number alone, in min, as in congestion=3.2.",
        ),
        (["--type", "a", "--type", "b"], "--type is 'a': give a name and a value, as in demand=high."),
    ],
)
def test_a_value_is_asked_for_by_its_name(arguments: list[str], sentence: str) -> None:
    begun()
    match("ask", "roads")
    assert match("tell", "roads", *arguments, code=2) == sentence


def test_the_first_reason_of_a_void_round_stands() -> None:
    begun()
    match("ask", "roads")
    assert match("void", "roads", "--round", "1", "--reason", "road works") == "Round 1 is void."
    assert match("void", "roads", "--round", "1", "--reason", "snow") == (
        "Round 1 was void before, and the reason stays 'road works'."
    )
    Path("one.csv").write_text("action,demand,congestion\n1,low,1\n")
    assert (
        match("import", "roads", "one.csv")
        == "1 row imported into the belief; the weights of actions count rounds only."
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (
            "action,demand,congestion,congestion\n0,low,1,1\n",
            "file 'a.csv' has the column 'congestion' twice: give it once.",
        ),
        (
            "action,demand,congestion\n0,low,1\n\n0,low,1,5\n",
            "file 'a.csv' has 4 values in line 4, under 3 columns: give one for each, with quotation marks around a "
            "value that has a comma.",
        ),
        (
            "route,demand,congestion\n0,low,1\n",
            "column 'action' is missing, file 'a.csv' has 'route', 'demand', 'congestion': state which of them it is "
            "with the option columns, such as action=route.",
        ),
        (
            'action,demand,congestion\n0,"low,1\n',
            "file 'a.csv' has a quotation mark too many or too few, in line 2 or before: correct it there.",
        ),
        (
            "action\n0,1\n",
            "file 'a.csv' has 2 values in line 2, under 1 column: give one for each, with quotation marks around a "
            "value that has a comma.",
        ),
        (
            "action,demand,congestion\n0,low,\n",
            "line 2: response 'congestion' is empty: give a number alone, in min, as in congestion=3.2.",
        ),
        (
            "action,demand,congestion\n0,hgh,1\n",
            "line 2: Unknown level of type 'demand' 'hgh': did you mean 'high'? Known: high, low, usual.",
        ),
        (
            "action,demand,congestion\n,low,1\n",
            "line 2: action is empty: give a label of the menu or an index from 0 to 10.",
        ),
        ("", "file 'a.csv' is empty: give a line with the names of its columns, and rows below it."),
    ],
)
def test_a_table_that_is_odd_is_named(text: str, sentence: str) -> None:
    begun()
    Path("a.csv").write_text(text)
    assert match("import", "roads", "a.csv", code=2) == sentence


def test_blank_lines_and_a_mark_of_byte_order_are_passed_over() -> None:
    begun()
    Path("a.csv").write_text("\ufeffaction,demand,congestion\r\n\r\n0,low,1\r\n,,\r\n1,high,2\r\n\r\n")
    assert match("import", "roads", "a.csv").startswith("2 rows imported")


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_text_of_another_encoding_is_read_in_tables_only(encoding: str) -> None:
    begun()
    Path("a.csv").write_bytes("action,demand,congestion\nZürich,low,1\n".encode(encoding))
    assert match("import", "roads", "a.csv", code=2).startswith("line 2: Unknown action 'Zürich': Known: a third each")
    Path("b.csv").write_bytes(b"\x89PNG\r\n\x1a\n\x00\x00")
    assert match("import", "roads", "b.csv", code=2) == "file 'b.csv' is no text: give a CSV file in UTF-8."
    assert match("new", "b", "--config", "a.csv", code=2) == ("Match file 'a.csv' is not TOML: give text in UTF-8.")


def test_a_spreadsheet_is_told_what_is_read() -> None:
    begun()
    Path("w.xlsx").write_bytes(b"PK")
    assert match("import", "roads", "w.xlsx", code=2) == (
        "file 'w.xlsx' is a spreadsheet: open it and save the table as CSV (in Excel: File, Save As, CSV UTF-8)."
    )


def test_rows_on_the_standard_input_may_begin_with_a_mark_of_byte_order() -> None:
    begun()
    row = '{"action": 0, "demand": "low", "congestion": 1}'
    assert match("import", "roads", "-", stdin=f"\ufeff[{row}]").startswith("1 row imported")
    assert match("import", "roads", "-", stdin=f"[{row}\n{row}]", code=2) == (
        "file '-' holds no rows that can be read: something is missing or wrong in line 2, column 1."
    )


@pytest.mark.parametrize(
    ("name", "text", "sentence"),
    [
        ("a.json", "[]", "file 'a.json' has no rows: give one or more, with round, type and response."),
        ("a.csv", "round,demand,congestion\n", "file 'a.csv' has no rows: give one or more, with round, type and"),
        ("a.csv", "round,demand,congestion\n,low,1\n", "row 1: round is empty: name the round that was played."),
    ],
)
def test_a_file_that_tells_nothing_is_refused(name: str, text: str, sentence: str) -> None:
    begun()
    Path(name).write_text(text)
    assert match("tell", "roads", "--from", name, code=2).startswith(sentence)


def test_an_export_has_the_same_columns_before_anything_was_told() -> None:
    begun()
    tables, heads = [], []
    for command in ([], ["ask", "roads"], ["tell", "roads", "--type", "low", "--response", "1"]):
        if command:
            match(*command)
        match("export", "roads", "--out", "a.csv")
        match("export", "roads", "--out", "a.parquet")
        heads.append(Path("a.csv").read_text().splitlines()[0])
        tables.append(pl.read_parquet("a.parquet"))
    assert heads[0].endswith("reason,asked_at,type demand,response congestion")
    assert heads[0] == heads[1] == heads[2]
    assert tables[0].schema == tables[1].schema == tables[2].schema
    assert [table.height for table in tables] == [0, 1, 1]


def test_an_export_creates_no_folder() -> None:
    begun()
    assert match("export", "roads", "--out", "tables/a.csv", code=2) == (
        "--out is 'tables/a.csv', and its folder does not exist: create it, or name another file."
    )
    assert not Path("tables").exists()


def test_one_of_a_thing_is_counted_as_one() -> None:
    begun()
    match("ask", "roads")
    assert match("verify", "roads").startswith("Sound: 2 events in an unbroken chain, 1 round replayed.")
    match("ask", "roads", "--round", "b")
    assert "Caution: rounds were asked while others were pending (1 in all): Theorem 1 assumes" in match(
        "status", "roads"
    )


def test_a_store_that_is_no_file_is_not_said_to_be_missing() -> None:
    assert match("status", "roads", "--store", "/dev/null", code=2) == (
        "store '/dev/null' is no file: name one, such as matches.db."
    )
