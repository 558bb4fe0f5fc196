"""firstmover begin: files written, options, refusals."""

import json
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from firstmover.cli.application import app

TABLES = Path(__file__).parents[2] / "examples" / "tables"


def begin(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["begin", *arguments])
    return done.exit_code, done.output


def test_a_configuration_is_written_and_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, output = begin(str(TABLES / "kiosk.csv"), "--reward", "price * sold - 0.9 * sold")
    assert code == 0
    assert "Known before you decide: weekday (its name has 'weekday')." in output
    assert tomllib.loads(Path("kiosk.toml").read_text())["reward"] == {"responses": {"sold": "worth of sold"}}
    run = CliRunner()
    for command in (
        ["new", "kiosk", "--config", "kiosk.toml"],
        ["import", "kiosk", str(TABLES / "kiosk.csv")],
        ["ask", "kiosk", "--context", "weekday=Sat"],
        ["explain", "kiosk"],
    ):
        done = run.invoke(app, ["match", *command])
        assert done.exit_code == 0, done.output
    assert "is advised for weekday=Sat, with probability" in done.output


def test_options_overrule_guesses(tmp_path: Path) -> None:
    out = tmp_path / "p.toml"
    code, output = begin(
        *(str(TABLES / "patrols.csv"), "--out", str(out), "--json", "--after", "moon", "--ignore", "season")
    )
    assert code == 0
    assert json.loads(output)["roles"] == {
        **{"week": "when", "patrol": "action", "moon": "after", "season": "ignored", "snares": "response"}
    }
    assert [each["name"] for each in tomllib.loads(out.read_text())["types"]] == ["moon"]


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    out = tmp_path / "x.toml"
    out.write_text("mine")
    code, output = begin(str(TABLES / "roads.csv"), "--out", str(out))
    assert code == 2
    assert "exists: name another file with --out" in output
    assert out.read_text() == "mine"


def test_a_table_with_several_rows_per_round(tmp_path: Path) -> None:
    rows = [
        f"{week},{shop},{week % 3 + 1},{10 - week % 3 + len(shop * week)}" for week in range(30) for shop in ("a", "bb")
    ]
    (tmp_path / "t.csv").write_text("\n".join(["week,shop,price,sold", *rows]))
    code, output = begin(str(tmp_path / "t.csv"), "--out", str(tmp_path / "t.toml"))
    assert code == 0, output
    wide = (tmp_path / "t-by-round.csv").read_text().splitlines()
    assert wide[0] == "week,price,sold a,sold bb"
    assert len(wide) == 31


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["none.csv"], "cannot be read"),
        ([str(TABLES / "kiosk.csv"), "--action", "cost"], "cost"),
        ([str(TABLES / "kiosk.csv"), "--reward", "cost * sold"], "cost"),
    ],
)
def test_bad_input_is_one_sentence(tmp_path: Path, arguments: list[str], sentence: str) -> None:
    code, output = begin(*arguments, "--out", str(tmp_path / "x.toml"))
    assert code == 2
    assert sentence in output
    assert len(output.strip().splitlines()) == 1
