import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from firstmover.cli import app, main
from firstmover.figures import FIGURES
from firstmover.games import GAMES
from firstmover.kernels import KERNELS
from firstmover.learners import LEARNERS
from firstmover.runs import ENGINES, ExperimentSpec, read
from firstmover.simulation import OPPONENTS
from firstmover.strategies import STRATEGIES
from tests.cli.running import SMALL, refused, runner


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_help_teaches_the_first_commands() -> None:
    shown = runner.invoke(app, ["--help"]).stdout
    for command in ("firstmover list", "firstmover play shore", "firstmover plot regret results/shore-random"):
        assert command in shown
    assert runner.invoke(app, ["match", "tell", "--help"]).stdout.count("NAME=VALUE") == 2


def test_the_version_is_shown() -> None:
    assert runner.invoke(app, ["--version"]).stdout == "firstmover 0.2.0\n"


@pytest.mark.parametrize(
    ("kind", "table"),
    [
        ("games", GAMES),
        ("learners", LEARNERS),
        ("opponents", OPPONENTS),
        ("strategies", STRATEGIES),
        ("kernels", KERNELS),
        ("plots", FIGURES),
        ("engines", ENGINES),
    ],
)
def test_list_shows_every_name_of_a_table(kind: str, table: dict[str, object]) -> None:
    alone, everything = runner.invoke(app, ["list", kind]), runner.invoke(app, ["list"])
    assert alone.exit_code == everything.exit_code == 0
    assert alone.stdout in everything.stdout
    assert alone.stdout.startswith(f"{kind}:\n")
    assert {line.split()[0] for line in alone.stdout.splitlines()[1:]} - {"script:FILE", "bimatrix:FILES"} == set(table)


def test_play_then_plot(tmp_path: Path) -> None:
    played = runner.invoke(app, ["play", "shore", "--learner", "stackelucb", "--learner", "fixed:3", *SMALL])
    assert played.exit_code == 0
    assert "| stackelucb | 2     |" in played.stdout
    assert "firstmover plot regret results/shore-random" in played.stdout
    assert played.stderr.splitlines()[-1].startswith("4 of 4 done, ")
    assert len(read(Path("results/shore-random")).filter(learner="fixed-3", seed=1)) == 8

    plotted = runner.invoke(app, ["plot", "regret", "results/shore-random"])
    assert plotted.stdout == "Wrote results/shore-random/regret.png\nWrote results/shore-random/regret.pdf\n"
    runner.invoke(app, ["plot", "rewards", "results/shore-random", "--out", "mine/figure.pdf"])
    assert sorted(path.name for path in (tmp_path / "mine").iterdir()) == ["figure.pdf", "figure.png"]


def test_play_prints_alarms_of_the_first_run_of_each_learner() -> None:
    play = ["play", "prices", "--learner", "anytime", "--learner", "exp3", "--rounds", "100", "--seeds", "1"]
    assert "Alarm" not in runner.invoke(app, [*play, "--out", "healthy"]).stdout
    shown = runner.invoke(app, [*play, "--out", "wide", "--confidence-width", "20"]).stdout
    assert "\nAlarm of anytime, optimism, since round 76: " in shown
    assert "Alarm of exp3" not in shown


def test_every_option_reaches_the_specification() -> None:
    options = ["--opponent", "cyclic", "--strategy", "adahedge", "--confidence-width", "0.5", "--out", "here"]
    assert (
        runner.invoke(app, ["play", "flock", "--learner", "gp-mw", *SMALL, *options, "--workers", "1"]).exit_code == 0
    )
    stored = ExperimentSpec.read(json.loads(Path("here/manifest.json").read_text())["spec"])
    assert stored == ExperimentSpec.read(
        {
            "game": "flock",
            "opponent": "cyclic",
            "rounds": 8,
            "seeds": 2,
            "learners": [{"name": "gp-mw", "strategy": "adahedge", "confidence_width": 0.5}],
        }
    )


def test_an_option_that_a_learner_does_not_take_is_named() -> None:
    command = ["play", "shore", "--learner", "anytime", "--learner", "exp3", "--confidence-width", "2", *SMALL]
    said = runner.invoke(app, command).stderr.splitlines()
    assert said[0] == "--confidence-width has no effect on exp3."
    none = runner.invoke(app, ["play", "shore", "--learner", "exp3", "--confidence-width", "2", *SMALL])
    assert none.exit_code == 2
    assert none.stderr.startswith("--confidence-width has no effect on exp3: leave it out, or name a learner")
    assert "no effect" not in runner.invoke(app, ["play", "shore", "--learner", "exp3", *SMALL]).stderr


def test_run_carries_out_a_file_as_play_does() -> None:
    Path("mine.toml").write_text('game = "shore"\nrounds = 8\nseeds = 2\nlearners = ["uniform"]\n')
    assert runner.invoke(app, ["run", "mine.toml"]).exit_code == 0
    runner.invoke(app, ["play", "shore", "--learner", "uniform", *SMALL])
    runs = [read(Path("results") / folder) for folder in ("mine", "shore-random")]
    assert runs[0].equals(runs[1])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["play", "shor"], "Unknown game 'shor': did you mean 'shore'? Known: "),
        (["play", "shore", "--learner", "hegde"], "Unknown learner 'hegde': did you mean 'hedge'?"),
        (["play", "shore", "--opponent", "x"], "Unknown opponent 'x': Known: adversary, commitment, cyclic, drifting,"),
        (["play", "shore", "--opponent", "script:nothing.csv"], "types file 'nothing.csv' cannot be read"),
        (["play", "shore", "--strategy", "x"], "Unknown strategy 'x':"),
        (["play", "shore", "--rounds", "0"], "rounds is 0: it should be a whole number from 1 to 10000000."),
        (
            ["play", "shore", "--rounds", "99999999999"],
            "rounds is 99999999999: it should be a whole number from 1 to 10000000.",
        ),
        (["play", "shore", "--rounds", "x"], "--rounds is 'x': give a whole number."),
        (["play", "shore", "--seeds", "0"], "seeds is 0: give how many"),
        (["play", "shore", "--seeds", "-3"], "seeds is -3: give how many"),
        (["play", "shore", "--workers", "0"], "workers is 0: give 1 or more."),
        (
            ["play", "shore", "--learner", "gp-mw", "--confidence-width", "nan"],
            "confidence_width of learner 'gp-mw' is nan",
        ),
        (["play", "shore", "--confidence-width", "wide"], "--confidence-width is 'wide': give a number."),
        (["play", "shore", "--confidence-width"], "Option '--confidence-width' requires an argument."),
        (["serve", "--port", "99999"], "--port is '99999': it should be less than or equal to 65535."),
        (["match", "history", "p", "--last", "0"], "--last is '0': it should be greater than or equal to 1."),
        (
            ["play", "shore", "--learner", "optimum", "--opponent", "adversary"],
            "learner 'optimum' in game 'shore' against 'adversary': opponent 'adversary'",
        ),
        (
            ["play", "shore", "--learner", "gp-ucb"],
            "learner 'gp-ucb' in game 'shore' against 'random': game 'shore' has 5 types",
        ),
        (
            ["play", "routing", "--learner", "gp-ucb"],
            "learner 'gp-ucb' in game 'routing' against 'random': game 'routing' has no known types: this learner",
        ),
        (["play"], "Missing argument 'GAME'"),
        (["play", "shore", "--colour", "red"], "No such option"),
        (["paly"], "No such command 'paly'"),
        (["list", "gmaes"], "Unknown list 'gmaes': did you mean 'games'?"),
        (["run", "nothing.toml"], "Experiment file 'nothing.toml' cannot be read"),
        (["plot", "regrets", "nowhere"], "Unknown figure 'regrets': did you mean 'regret'?"),
        (["plot", "regret", "nowhere"], "Folder 'nowhere' has no readable manifest.json"),
        (["plot", "figure-1", "nowhere"], "Folder 'nowhere' has no readable manifest.json"),
        (
            ["reproduce", "rooting"],
            "Unknown experiment 'rooting': did you mean 'routing'? Known: all, routing, wildlife.",
        ),
        (["reproduce", "--preset", "papper"], "Unknown preset 'papper': did you mean 'paper'? Known: both, paper, rel"),
        (["reproduce", "--seeds", "0"], "seeds is 0: give how many, from 1 to 10000."),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(arguments: list[str], sentence: str) -> None:
    assert refused(*arguments).startswith(sentence)
    assert list(Path().iterdir()) == []


def test_another_experiment_s_folder_is_left_alone() -> None:
    runner.invoke(app, ["play", "shore", "--learner", "uniform", *SMALL])
    answer = refused("play", "shore", "--learner", "uniform", "--rounds", "9")
    assert answer.startswith("Folder 'results/shore-random' holds the results of another experiment")


def test_a_play_that_failed_leaves_the_folder_free() -> None:
    command = ("play", "shore", "--learner", "uniform", "--rounds", "2", "--seeds", "1")
    Path("types.csv").write_text("home\n0.1\n")  # one row for two rounds
    assert runner.invoke(app, [*command, "--opponent", "script:types.csv", "--out", "here"]).exit_code == 1
    assert runner.invoke(app, [*command, "--out", "here"]).exit_code == 0


def test_a_figure_of_another_format_is_refused() -> None:
    runner.invoke(app, ["play", "shore", "--learner", "uniform", *SMALL])
    answer = refused("plot", "regret", "results/shore-random", "--out", "picture.jpg")
    assert answer == "Figure 'picture.jpg' ends in .jpg: let it end in .png, .pdf or nothing."


def test_a_plot_of_the_paper_needs_the_paper_s_results() -> None:
    runner.invoke(app, ["play", "shore", "--learner", "uniform", *SMALL])
    answer = refused("plot", "figure-1", "results/shore-random")
    assert answer == "Folder 'results/shore-random' holds results of kind 'experiment': give one of kind 'routing'."


def test_no_command_shows_the_help() -> None:
    result = runner.invoke(app, [])
    assert result.exit_code == 2
    assert "firstmover play shore" in result.stderr


def test_an_interruption_is_answered_politely(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("firstmover.runs.sweep.save_records", interrupted)
    result = runner.invoke(app, ["play", "shore", "--learner", "uniform", *SMALL])
    assert result.exit_code == 130
    assert result.stderr.splitlines()[-1].startswith("Stopped: finished runs are kept")


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    result = runner.invoke(app, ["play", "shore", "--learner", "uniform", *SMALL])
    assert result.exit_code == 0
    assert "2/2" in result.stderr
    assert "2 of 2 done" not in result.stderr


def test_the_entry_point_names_the_command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["elsewhere", "--help"])
    with pytest.raises(SystemExit) as exit_code:
        main()
    assert exit_code.value.code == 0
    assert capsys.readouterr().out.startswith("Usage: firstmover ")


COMMAND = [sys.executable, "-c", "from firstmover.cli import main; main()"]


def firstmover(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*COMMAND, *arguments], capture_output=True, text=True, check=False)


def test_a_real_process_plays_with_two_workers_as_with_one() -> None:
    common = ("play", "shore", "--learner", "stackelucb", *SMALL)
    runner.invoke(app, [*common, "--out", "one"])
    two = firstmover(*common, "--out", "two", "--workers", "2")
    assert two.returncode == 0
    assert two.stderr.splitlines()[-1].startswith("2 of 2 done, ")
    assert read(Path("one")).equals(read(Path("two")))


def test_a_real_process_refuses_without_a_traceback() -> None:
    result = firstmover("play", "shore", "--rounds", "-1")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "rounds is -1: it should be a whole number from 1 to 10000000.\n"


def test_a_full_disk_under_the_output_is_said_in_one_sentence() -> None:
    with Path("/dev/full").open("w") as full:
        result = subprocess.run([*COMMAND, "list"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert result.returncode == 2
    assert result.stderr == (
        "The output cannot be written: No space left on device; make room, or write it elsewhere.\n"
    )


def test_ctrl_c_while_the_command_loads_ends_it_without_a_word() -> None:
    early = """
import sys
class Stops:
    def find_spec(self, name, *_):
        if name == "typer":
            raise KeyboardInterrupt
sys.meta_path.insert(0, Stops())
from firstmover.__main__ import main
main()
"""
    result = subprocess.run([sys.executable, "-c", early], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout, result.stderr) == (130, "", "")


def test_a_module_is_the_command_too() -> None:
    command = [sys.executable, "-m", "firstmover", "--version"]
    assert subprocess.run(command, capture_output=True, text=True, check=True).stdout == "firstmover 0.2.0\n"


def test_ctrl_c_ends_all_processes_with_one_sentence() -> None:
    arguments = ["play", "shore", "--learner", "stackelucb", "--rounds", "1000", "--seeds", "10", "--workers", "2"]
    process = subprocess.Popen([*COMMAND, *arguments], stderr=subprocess.PIPE, text=True, start_new_session=True)
    assert process.stderr is not None
    assert " of 10 done, " in process.stderr.readline()
    os.killpg(process.pid, signal.SIGINT)
    rest = process.communicate(timeout=60)[1]
    assert process.returncode == 130
    assert "Traceback" not in rest
    assert rest.splitlines()[-1].startswith("Stopped: finished runs are kept")
    assert len(list(Path("results").rglob("*.parquet"))) >= 2
    assert list(Path("results").rglob("*.part")) == []
