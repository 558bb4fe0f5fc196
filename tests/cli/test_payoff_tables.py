from pathlib import Path

import pytest

from firstmover.cli import app
from firstmover.runs.stored_theory import analysed_runs
from tests.cli.running import SMALL, refused, runner


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_payoff_tables_are_played_by_the_names_of_their_files(tmp_path: Path) -> None:
    (tmp_path / "ours.csv").write_text("left,right\n2,4\n1,3\n")
    (tmp_path / "theirs.csv").write_text("1,0\n0,1\n")
    (tmp_path / "others.csv").write_text("0,1\n1,0\n")
    played = runner.invoke(app, ["play", "bimatrix:ours.csv,theirs.csv,others.csv", *SMALL, "--opponent", "adversary"])
    assert played.exit_code == 0
    assert "| auto    | 2     |" in played.stdout
    assert "firstmover plot regret results/bimatrix-ours-csv-theirs-csv-others-csv-adversary" in played.stdout
    alone = ["--learner", "single-type", "--opponent", "single"]
    assert runner.invoke(app, ["play", "bimatrix:ours.csv,theirs.csv,others.csv", *SMALL, *alone]).exit_code == 0


def test_payoff_tables_with_a_hole_are_refused(tmp_path: Path) -> None:
    (tmp_path / "ours.csv").write_text("2,4\n1,\n")
    assert refused("play", "bimatrix:ours.csv,ours.csv") == (
        "payoff table 'ours.csv' misses the entry in line 2, column 2: give a finite number."
    )
    assert refused("play", "bimatrix:ours.csv").startswith("game 'bimatrix:ours.csv' names 1 file(s): write bimatrix:")
    assert "bimatrix:LEADER,FOLLOWER" in refused("play", "bimatric")


def tables_of(folder: Path, ours: str) -> None:
    folder.mkdir(exist_ok=True)
    (folder / "ours.csv").write_text(ours)
    (folder / "theirs.csv").write_text("1,0\n0,1\n")


def test_results_are_judged_from_any_folder_with_the_tables_they_were_played_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables_of(tmp_path / "here", "2,4\n1,3\n")
    monkeypatch.chdir(tmp_path / "here")
    play = ["play", "bimatrix:ours.csv,theirs.csv", *SMALL, "--learner", "stackelucb", "--out", "played"]
    assert runner.invoke(app, play).exit_code == 0
    tables_of(tmp_path / "here", "200,400\n100,300\n")
    monkeypatch.chdir(tmp_path)
    analysed = analysed_runs(Path("here/played"))[0]
    assert analysed.stage.game.reward_range == (1.0, 4.0)
    assert runner.invoke(app, ["plot", "bound", "here/played"]).exit_code == 0


def test_results_of_tables_that_changed_are_not_continued(tmp_path: Path) -> None:
    tables_of(tmp_path, "2,4\n1,3\n")
    play = ["play", "bimatrix:ours.csv,theirs.csv", *SMALL, "--learner", "fixed:0", "--out", "played"]
    for _ in range(2):
        assert runner.invoke(app, play).exit_code == 0
    tables_of(tmp_path, "2,5\n1,3\n")
    assert refused(*play).startswith("Folder 'played' holds the results of another experiment, 'bimatrix:")
