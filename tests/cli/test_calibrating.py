from pathlib import Path

import pytest
from typer.testing import CliRunner

from firstmover.cli import app
from firstmover.runs import read_manifest

runner = CliRunner()
SMALL = ["--draws", "3", "--rounds", "2"]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_a_game_is_calibrated_and_plotted() -> None:
    shown = runner.invoke(app, ["calibrate", "shore", *SMALL])
    assert shown.exit_code == 0
    assert "shore: 3 responses of norm 2, 2 rounds each, δ = 0.1:" in shown.stdout
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in shown.stdout.splitlines() if "|" in line]
    assert ["4", "tight", "100.0 %", "29.2 % to 100.0 %", "90.0 %"] in [row[:5] for row in rows]
    assert shown.stderr.splitlines()[-1].startswith("12 of 12 done, ")
    assert len(list(Path("results/shore-calibration/results").glob("*.parquet"))) == 12
    plotted = runner.invoke(app, ["plot", "coverage", "results/shore-calibration"])
    assert plotted.exit_code == 0
    assert Path("results/shore-calibration/coverage.png").exists()


def test_every_option_reaches_the_specification() -> None:
    options = ["--norm", "1", "--failure-probability", "0.2", "--noise-std", "0.5", "--confidence-width", "3"]
    chosen = ["--regularization", "2", "--out", "here", "--workers", "1"]
    shown = runner.invoke(app, ["calibrate", "shore", *SMALL, *options, *chosen])
    assert shown.exit_code == 0
    assert "norm 1" in shown.stdout
    assert "δ = 0.2" in shown.stdout
    assert sorted(read_manifest(Path("here")).labels) == ["constant 2", "printed 2", "sum 2", "tight 2"]


def test_a_folder_of_results_gives_a_reliability_curve() -> None:
    runner.invoke(app, ["play", "shore", "--learner", "stackelucb", "--rounds", "20", "--seeds", "1", "--out", "here"])
    shown = runner.invoke(app, ["calibrate", "here"])
    assert shown.exit_code == 0
    rows = [line for line in shown.stdout.splitlines() if line.startswith("| stackelucb")]
    assert len(rows) == 11
    assert all("| 20 " in row for row in rows)
    assert "firstmover plot reliability here" in shown.stdout


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["shor"], "Unknown game 'shor': did you mean 'shore'?"),
        (["shore", "--draws", "0"], "draws is 0: it should be greater than or equal to 1."),
        (["shore", "--norm", "-1"], "rkhs_norm_bound is -1.0: it should be greater than 0."),
        (["shore", "--failure-probability", "2"], "failure_probability is 2.0: it should be less than 1."),
        (["shore", "--regularization", "0"], "regularizations is (0.0,): give different finite numbers above 0."),
        (["./nothing"], "There is no folder './nothing': give one that play or run wrote, or a game's name."),
        (["bimatrix:a.csv,b.csv"], "game 'bimatrix:a.csv,b.csv' is one of payoff tables"),
        (["bimatrix:x/a.csv,x/b.csv"], "game 'bimatrix:x/a.csv,x/b.csv' is one of payoff tables"),
        (["."], "Folder '.' has no readable manifest.json"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(arguments: list[str], sentence: str) -> None:
    result = runner.invoke(app, ["calibrate", *arguments])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(sentence)
    assert result.stderr.count("\n") == 1


def test_a_folder_named_like_a_game_does_not_take_its_place() -> None:
    Path("shore").mkdir()
    shown = runner.invoke(app, ["calibrate", "shore", *SMALL])
    assert shown.exit_code == 0
    assert shown.stdout.startswith("shore: 3 responses")
    assert "no readable manifest.json" in runner.invoke(app, ["calibrate", "./shore"]).stderr


def test_a_table_keeps_its_shape_whatever_the_norm() -> None:
    shown = runner.invoke(app, ["calibrate", "shore", *SMALL, "--norm", "1e150"])
    assert shown.exit_code == 0
    rows = [line for line in shown.stdout.splitlines() if line.startswith("|")]
    assert {len(row) for row in rows} == {len(rows[0])}
    assert len(rows[0]) < 110
