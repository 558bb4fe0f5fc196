import io
import os
from pathlib import Path

import polars as pl
import pytest

from firstmover.cli import app
from firstmover.cli.progress import shown
from firstmover.runs import ExperimentSpec, Progress, plan_of
from tests.cli.running import refused, runner

TOML = """
title = "two learners"
games = ["shore"]
learners = ["hedge", "exp3"]
horizons = [6]
seeds = 2
"""
CORES = os.cpu_count()
EXAMPLES = sorted((Path(__file__).parents[2] / "examples" / "sweeps").glob("*.toml"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("sweep")
    file, out = place / "two.toml", place / "out"
    file.write_text(TOML)
    result = runner.invoke(app, ["sweep", "run", str(file), "--out", str(out), "--workers", "1"])
    assert result.exit_code == 0
    assert f"4 of 4 tasks are done, 0 failed. Results are in {out}.\n" in result.stdout
    assert "two learners: 4 tasks to do, about 0 s on 1 worker, at most 0.0 MB\n" in result.stderr
    assert "4 of 4 done, " in result.stderr
    return out


def test_a_dry_run_says_what_it_will_take_and_writes_nothing(tmp_path: Path) -> None:
    file = tmp_path / "two.toml"
    file.write_text(TOML)
    result = runner.invoke(app, ["sweep", "run", str(file), "--dry-run", "--out", str(tmp_path / "out")])
    assert result.exit_code == 0
    assert result.stdout.startswith("two learners: 4 tasks to do, about 0 s on ")
    assert [path.name for path in tmp_path.iterdir()] == ["two.toml"]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--workers", "0"], "workers is 0: give 1 or more."),
        (["--workers", "-2", "--engine", "ray"], "workers is -2: give 1 or more."),
        (["--address", "here:1"], "address is 'here:1': engine 'local' has none, so leave it out."),
        (["--engine", "loacl"], "Unknown engine 'loacl': did you mean 'local'?"),
        (["--address", "here", "--engine", "ray"], "address is 'here': give host and port of a Ray cluster"),
    ],
)
@pytest.mark.parametrize("dry", [["--dry-run"], []])
def test_a_dry_run_refuses_what_the_run_refuses(
    options: list[str], sentence: str, dry: list[str], tmp_path: Path
) -> None:
    file = tmp_path / "two.toml"
    file.write_text(TOML)
    assert refused("sweep", "run", str(file), *options, *dry, "--out", str(tmp_path / "out")).startswith(sentence)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--workers", "3"], "3 workers"),
        (["--engine", "ray"], f"{CORES} worker"),
        (["--engine", "dask"], f"{CORES} worker"),
    ],
)
def test_a_dry_run_knows_how_many_workers_there_would_be(options: list[str], words: str, tmp_path: Path) -> None:
    file = tmp_path / "one.toml"
    file.write_text(TOML.replace(', "exp3"', "").replace("seeds = 2", "seeds = 1"))
    result = runner.invoke(app, ["sweep", "run", str(file), "--dry-run", *options, "--out", str(tmp_path / "out")])
    assert f"two learners: 1 task to do, about 0 s on {words}" in result.stdout


def test_status_of_a_sweep(folder: Path) -> None:
    result = runner.invoke(app, ["sweep", "status", str(folder)])
    assert result.stdout == "two learners: 4 of 4 done; it does not run now.\n"


def test_collect_sums_up_and_writes(folder: Path) -> None:
    result = runner.invoke(app, ["sweep", "collect", str(folder)])
    assert result.exit_code == 0
    assert "| shore | random   | 6 " in result.stdout
    names = ("runs.parquet", "curves.parquet", "comparisons.parquet")
    assert f"Written: {', '.join(str(folder / name) for name in names)}\n" in result.stdout
    assert pl.read_parquet(folder / names[2]).select("first", "second", "seeds").rows() == [("hedge", "exp3", 2)]


def test_report_writes_a_page(folder: Path) -> None:
    result = runner.invoke(app, ["sweep", "report", str(folder)])
    assert result.stdout == f"The report is {folder / 'report.html'}.\n"
    assert "<h1>two learners</h1>" in (folder / "report.html").read_text()


def test_the_folder_of_another_sweep_is_refused(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "other.toml"
    file.write_text(TOML.replace("shore", "flock"))
    sentence = refused("sweep", "run", str(file), "--out", str(folder))
    assert "holds the results of another experiment, 'two learners'" in sentence


@pytest.mark.parametrize("command", ["status", "collect", "report"])
def test_a_folder_without_a_sweep_is_refused(command: str, tmp_path: Path) -> None:
    assert "has no readable manifest.json: give a folder that" in refused("sweep", command, str(tmp_path))


def test_a_terminal_shows_a_bar_with_every_figure(monkeypatch: pytest.MonkeyPatch) -> None:
    """A title in brackets is text, not markup."""
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("COLUMNS", "150")
    console = io.StringIO()
    monkeypatch.setattr("sys.stderr", console)
    with shown("β [/b] [red]") as watch:
        watch(Progress(200, 120, 3, 4.5, 17.2))
    text = console.getvalue()
    for word in ("β [/b] [red]", "123/200", "3 failed", "4.5 per second", "17 s left"):
        assert word in text


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_can_be_planned(example: Path) -> None:
    assert len(plan_of(ExperimentSpec.from_toml(example)).tasks) > 100


def test_a_page_shows_names_as_they_are_written(tmp_path: Path) -> None:
    file, out = tmp_path / "odd.toml", tmp_path / "out"
    learner = '{ name = "hedge", rate_factor = [0.5, 2.0] }'
    game = '{ name = "shore", label = "<b>$x^$</b>, a shore of which more is said than fits above a panel" }'
    file.write_text(f'title = "<i>&"\ngames = [{game}]\nlearners = [{learner}]\nhorizons = [5]\nseeds = 2\n')
    assert runner.invoke(app, ["sweep", "run", str(file), "--out", str(out), "--workers", "1"]).exit_code == 0
    assert runner.invoke(app, ["sweep", "report", str(out)]).exit_code == 0
    page = (out / "report.html").read_text()
    assert "&lt;b&gt;$x^$&lt;/b&gt;" in page
    assert "<i>&" not in page
