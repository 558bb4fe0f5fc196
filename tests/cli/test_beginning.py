"""firstmover begin: files written, options, refusals."""

import json
import tomllib
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from firstmover.cli import beginning
from firstmover.cli.application import app
from firstmover.matches.proposal import Proposal, propose_file

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


def test_rows_of_one_product_are_written_and_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    code, output = begin(str(TABLES / "shops.csv"), "--where", "shop=1", "--where", "product=tea")
    assert code == 0, output
    assert "firstmover match import shops shops-by-round.csv" in output
    assert Path("shops.toml").read_text().startswith("# A match, proposed from file")
    run = CliRunner()
    for command in (["new", "shops", "--config", "shops.toml"], ["import", "shops", "shops-by-round.csv"]):
        done = run.invoke(app, ["match", *command])
        assert done.exit_code == 0, done.output
    assert "52 rows imported" in done.output
    Path("shops.toml").unlink()
    code, output = begin(str(TABLES / "shops.csv"), "--where", "shop=1")
    assert (code, Path("shops.toml").exists()) == (2, False)
    assert "shops-by-round.csv exists" in output


def test_the_decimal_sign_is_in_the_command_of_the_import(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("price;sold\n" + "1;1.234\n2;1.300\n" * 3)
    code, output = begin(str(tmp_path / "t.csv"), "--decimal", ",", "--out", str(tmp_path / "t.toml"))
    assert code == 0, output
    assert "t.csv --decimal ,\n" in output


def asked(monkeypatch: pytest.MonkeyPatch, path: Path, *answers: object) -> tuple[Proposal, list[str]]:
    """The proposal after these answers, and the questions; an empty answer takes the default."""
    given, texts = iter(answers), list[str]()

    def prompt(text: str, default: Any = None, **_: object) -> Any:
        texts.append(text)
        return next(given) or default

    monkeypatch.setattr(typer, "prompt", prompt)
    monkeypatch.setattr(typer, "confirm", lambda text, **_: prompt(text))
    none: Mapping[str, Any] = {}
    found = beginning._asked(partial(propose_file, path), roles=none, reward=None, where=none)[0]
    assert next(given, None) is None
    return found, texts


def test_questions_about_series_and_rewards_are_repeated_after_a_wrong_answer(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    found, texts = asked(monkeypatch, TABLES / "shops.csv", "3", "2", "price * nonsense", "2 * units coffee")
    assert texts[:2] == ["Which shop? (1, 2)"] * 2
    assert texts[2:] == ["What is a round worth? [as above]"] * 2
    assert found.source.endswith("where shop = 2")
    assert (found.reward.text, found.reward_reason) == ("2 * units coffee", "as stated")
    assert "It has no shop '3'." in capsys.readouterr().out


def test_an_empty_answer_accepts_the_reward(monkeypatch: pytest.MonkeyPatch) -> None:
    found, texts = asked(monkeypatch, TABLES / "kiosk.csv", "")
    assert texts == ["What is a round worth? [price × sold]"]
    assert found.reward_reason == "a guess: is there a cost?"


def test_worths_of_outcomes_are_asked_one_by_one(monkeypatch: pytest.MonkeyPatch) -> None:
    found, texts = asked(monkeypatch, TABLES / "reports.csv", 1.0, 1.0, 1.0, 0.5, -10.0, -2.0)
    assert texts[1] == "What is a round worth if found is poachers?"
    assert found.config()["reward"]["responses"]["found"] == {"nothing": 0.5, "poachers": -10.0, "snares": -2.0}


def test_a_column_of_which_nothing_tells_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "t.csv"
    path.write_text("price,wind,sold\n" + "".join(f"{i % 3},{i % 4},{i * 7 % 11}\n" for i in range(24)))
    found, texts = asked(monkeypatch, path, True, "")
    assert texts[0] == "Is 'wind' known before you decide?"
    assert [column.name for column in found.named("before")] == ["wind"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["none.csv"], "cannot be read"),
        ([str(TABLES / "kiosk.csv"), "--action", "cost"], "cost"),
        ([str(TABLES / "kiosk.csv"), "--reward", "cost * sold"], "cost"),
        ([str(TABLES / "kiosk.csv"), "--where", "weekday"], "--where is 'weekday': give a column and a value"),
        ([str(TABLES / "kiosk.csv"), "--where", "weekday=Sam"], "did you mean Sat"),
        ([str(TABLES / "shops.csv")], "has rows of 2 series in the same week, one for each shop"),
    ],
)
def test_bad_input_is_one_sentence(tmp_path: Path, arguments: list[str], sentence: str) -> None:
    code, output = begin(*arguments, "--out", str(tmp_path / "x.toml"))
    assert code == 2
    assert sentence in output
    assert len(output.strip().splitlines()) == 1
