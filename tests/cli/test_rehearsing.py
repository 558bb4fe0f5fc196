"""firstmover rehearse: the page and its words, options, refusals."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from firstmover.cli.application import app
from firstmover.matches.rehearsal_report import report_lines
from tests.cli.running import refused, runner
from tests.matches.rehearsed import rehearsal

KIOSK = Path(__file__).parents[2] / "examples" / "tables" / "kiosk.csv"
REWARD = "price * sold - 0.9 * sold"


@pytest.fixture(autouse=True)
def kiosk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The configuration kiosk.toml in the current folder."""
    monkeypatch.chdir(tmp_path)
    done = runner.invoke(app, ["begin", str(KIOSK), "--reward", REWARD, "--out", "kiosk.toml"])
    assert f"  firstmover rehearse kiosk.toml --history {KIOSK}" in done.stdout


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The arguments of rehearsals that are made by hand instead of played."""
    found: list[dict[str, Any]] = []

    def made(config: Path, history: Path, **options: Any) -> Any:
        found.append({"config": config, "history": history, **options})
        options["watch"](options["seasons"], options["seasons"])
        return rehearsal(seasons=options["seasons"], rounds=options["rounds"])

    monkeypatch.setattr("firstmover.matches.rehearsal.rehearse", made)
    return found


def test_a_short_rehearsal_is_played_and_written() -> None:
    arguments = ["rehearse", "kiosk.toml", "--history", str(KIOSK), "--seasons", "2", "--rounds", "5"]
    done = runner.invoke(app, [*arguments, "--model", "Ridge"])
    assert done.exit_code == 0, done.output
    assert done.stdout.startswith("In 2 simulated seasons of 5 rounds, firstmover earns ")
    assert re.search(r"\d per round instead of \d", done.stdout)
    assert "180 rounds of kiosk.csv were used." in done.stdout
    assert done.stdout.endswith("\nThe page is rehearsal.html.\n")
    assert done.stderr == "2 of 2 done\n"
    page = Path("rehearsal.html").read_text("utf-8")
    assert done.stdout.splitlines()[0] in page
    assert "<td>Ridge</td>" in page


def test_the_options_reach_the_rehearsal(calls: list[dict[str, Any]]) -> None:
    Path("a").mkdir()
    options = [
        "--seasons",
        "7",
        "--rounds",
        "9",
        "--seed",
        "3",
        "--model",
        "Lasso",
        "--decimal",
        ".",
        "--out",
        "a/b.html",
    ]
    done = runner.invoke(app, ["rehearse", "kiosk.toml", "--history", "x.csv", *options, "--column", "action=Preis"])
    assert done.exit_code == 0, done.output
    assert done.stdout.splitlines()[:-2] == report_lines(rehearsal(seasons=7, rounds=9))
    del calls[0]["watch"]
    assert calls == [
        {
            "config": Path("kiosk.toml"),
            "history": Path("x.csv"),
            "model": "Lasso",
            "seasons": 7,
            "rounds": 9,
            "seed": 3,
            "columns": {"action": "Preis"},
            "decimal": ".",
        }
    ]
    assert Path("a/b.html").exists()


@pytest.mark.usefixtures("calls")
def test_programs_get_json_without_nan() -> None:
    options = ["--seasons", "2", "--rounds", "3", "--json"]  # one season with a floor: it has no interval
    done = runner.invoke(app, ["rehearse", "kiosk.toml", "--history", "x.csv", *options])
    assert done.exit_code == 0, done.output

    def constant(name: str) -> None:
        raise AssertionError(name)

    found = json.loads(done.stdout, parse_constant=constant)
    assert found["page"] == "rehearsal.html"
    assert found["match"]["gain"] == pytest.approx(rehearsal(seasons=2, rounds=3).match.relative.mean())
    assert found["with_floor"]["gain_interval"] is None
    assert found["match"]["worse_interval"] == {"3": pytest.approx([0.158, 1.0], abs=0.01)}
    assert Path("rehearsal.html").exists()


@pytest.mark.usefixtures("calls")
def test_what_was_found_is_printed_also_if_the_page_cannot_be_written(calls: list[dict[str, Any]]) -> None:
    done = runner.invoke(
        app, ["rehearse", "kiosk.toml", "--history", "x.csv", "--seasons", "2", "--out", "/proc/x.html"]
    )
    assert done.exit_code == 2
    assert done.stdout.startswith("In 2 simulated seasons")
    assert "cannot be written" in done.stderr.splitlines()[-1]
    assert len(calls) == 1


def test_a_folder_that_is_none_is_told_before_anything_is_played(calls: list[dict[str, Any]]) -> None:
    Path("file").touch()
    words = refused("rehearse", "kiosk.toml", "--history", "x.csv", "--out", "file/x.html")
    assert words == "file is no folder: name a file in an existing one with --out."
    assert calls == []


def test_nothing_is_overwritten(calls: list[dict[str, Any]]) -> None:
    Path("rehearsal.html").write_text("mine")
    words = refused("rehearse", "kiosk.toml", "--history", str(KIOSK))
    assert words == "rehearsal.html exists: name another file with --out, or delete it."
    assert Path("rehearsal.html").read_text() == "mine"
    assert calls == []


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["none.toml", "--history", str(KIOSK)], "Match file 'none.toml' cannot be read: No such file"),
        (["kiosk.toml", "--history", "none.csv"], "file 'none.csv' cannot be read: No such file"),
        (["kiosk.toml"], "Missing option '--history'."),
        (["kiosk.toml", "--history", str(KIOSK.with_name("roads.csv"))], "column 'action' is missing"),
        (["kiosk.toml", "--history", str(KIOSK), "--column", "price"], "--column is 'price': give a value and"),
        (["kiosk.toml", "--history", str(KIOSK), "--decimal", "x"], "decimal is 'x': give a comma or a point."),
        (["kiosk.toml", "--history", str(KIOSK), "--seasons", "1"], "--seasons is '1': it should be greater than"),
        (["kiosk.toml", "--history", str(KIOSK), "--rounds", "0"], "--rounds is '0': it should be greater than"),
        (["kiosk.toml", "--history", str(KIOSK), "--model", "Rigde"], "Unknown model 'Rigde': did you mean 'Ridge'?"),
        (["kiosk.toml", "--history", str(KIOSK), "--model", "DummyRegressor"], "no better than a constant does"),
        (["kiosk.toml", "--history", "short.csv"], "history has 14 rounds with known types: give at least 20."),
        (["levels.toml", "--history", str(KIOSK)], "only matches whose responses are numbers are rehearsed"),
    ],
)
def test_bad_input_is_one_sentence(arguments: list[str], sentence: str) -> None:
    Path("short.csv").write_text("".join(KIOSK.read_text().splitlines(keepends=True)[:15]))
    Path("levels.toml").write_text(runner.invoke(app, ["match", "template", "inspections"]).stdout)
    assert sentence in refused("rehearse", *arguments)
    assert not Path("rehearsal.html").exists()


def test_an_interruption_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("firstmover.matches.rehearsal.rehearse", interrupted)
    done = runner.invoke(app, ["rehearse", "kiosk.toml", "--history", str(KIOSK)])
    assert done.exit_code == 130
    assert done.stderr.splitlines()[-1].startswith("Stopped: nothing was written; repeat the command")
    assert not Path("rehearsal.html").exists()
