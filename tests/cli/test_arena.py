"""firstmover arena: its tables, a learner from a plugin, and what is refused."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from firstmover.cli import app
from firstmover.core import plugins
from firstmover.runs.arena.instances import Place
from firstmover.runs.arena.plan import ArenaTask
from tests.cli.running import refused, runner

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "arena.md"
SMALL = ["--family", "kiosk", "--quick", "--rounds", "6", "--seeds", "2", "--workers", "1"]
BREAKING = """
from firstmover.learners import LEARNERS, LearnerEntry, uniform

class Breaking:
    def __init__(self, n): self.strategy = uniform(n).strategy
    def observe(self, feedback): raise ValueError("out of order")

LEARNERS.add("breaking", LearnerEntry("fails", lambda setup, _: Breaking(setup.game.n_actions)))
"""


def arena(*arguments: str, code: int = 0) -> str:
    result = runner.invoke(app, ["arena", *arguments])
    assert result.exit_code == code, (result.output, result.exception)
    return result.stdout


@pytest.fixture
def unloaded() -> Iterator[None]:
    """Take back what plugins added during a test."""
    before = set(plugins.loaded_plugins())
    yield
    for path in set(plugins.loaded_plugins()) - before:
        for table, name in plugins._LOADED.pop(path).added:
            table.remove(name)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("arena") / "out"
    text = arena(*SMALL, "--only", "--learner", "hedge", "--learner", "exp3", "--learner", "gp-ucb", "--out", str(out))
    assert text.strip() == (out / "arena.md").read_text().strip()
    return out


def test_the_tables_are_written_with_versions_and_no_date(folder: Path) -> None:
    record = json.loads((folder / "arena.json").read_bytes())
    assert {row["learner"] for row in record["overall"]} == {"auto", "hedge", "exp3"}
    assert sum(row["rank"] for row in record["families"]) == 6
    assert {row["family"] for row in record["instances"]} == {"kiosk"}
    assert set(record["versions"]) == {"firstmover", "numpy", "scipy", "scikit-learn"}
    assert re.fullmatch("[0-9a-f]{64}", record["sources"])
    assert (record["rounds"], record["seeds"], record["plugins"]) == (6, [0, 1], {})
    text = (folder / "arena.md").read_text()
    assert "| hedge † " in text
    assert "- gp-ucb: kiosk (1): it plays against one known type only." in text
    assert not re.search(r"20\d\d-\d\d", text + json.dumps(record))
    runs = pl.read_parquet(folder / "runs.parquet")
    assert runs.height == 6
    task = ArenaTask(Place("kiosk", 9000), "exp3", 1, 6)
    row = task.kept(task.play()).row(0, named=True)
    percent = 100 * row["cumulative_regret"] / 6 / row["reward_range"]
    assert runs.filter(learner="exp3", seed=1)["regret"].item() == pytest.approx(percent)
    assert runs["words"][0].startswith("new types, counts")


def test_the_same_command_plays_nothing_again_and_writes_the_same(folder: Path) -> None:
    files = {name: (folder / name).read_bytes() for name in ("arena.md", "arena.json", "runs.parquet")}
    names = ["--learner", "hedge", "--learner", "exp3", "--learner", "gp-ucb"]
    arena(*SMALL, "--only", *names, "--out", str(folder))
    assert "begun: 0 of 6 tasks to do" in (folder / "log.txt").read_text()
    assert {name: (folder / name).read_bytes() for name in files} == files
    assert arena("show", str(folder)).strip() == files["arena.md"].decode().strip()


def test_two_folders_are_compared_and_runs_are_deterministic(folder: Path, tmp_path: Path) -> None:
    out = str(tmp_path / "again")
    arena(*SMALL, "--only", "--learner", "hedge", "--out", out)
    lines = arena("compare", str(folder), out).splitlines()
    assert [line.split("|")[1].strip() for line in lines[2:4]] == ["auto", "hedge"]
    assert all("| 0 ± 0 " in line or "| 0 " in line for line in lines[2:4])  # one instance has no interval
    assert all("| 0 / 1 / 0 " in line for line in lines[2:4])
    first, second = (pl.read_parquet(Path(place) / "runs.parquet").drop("cpu_ms") for place in (folder, out))
    assert first.filter(pl.col("learner") != "exp3").equals(second)


@pytest.mark.usefixtures("unloaded")
def test_the_plugin_of_the_page_enters_beside_the_others(tmp_path: Path) -> None:
    source = re.search(r"```python\n(# ucb1\.py\n.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
    assert source is not None
    assert source[1].count("\n") < 40
    file, out = tmp_path / "ucb1.py", tmp_path / "out"
    file.write_text(source[1])
    names = ["--only", "--learner", "ucb1", "--plugin", str(file), "--out", str(out)]
    options = ["--family", "park", "--family", "kiosk", "--quick", "--rounds", "10", "--seeds", "2", "--workers", "1"]
    assert "| ucb1 " in arena(*options, *names)
    record = json.loads((out / "arena.json").read_bytes())
    assert [row["instances"] for row in record["overall"]] == [2, 2]
    assert list(record["plugins"]) == ["ucb1.py"]


@pytest.mark.usefixtures("unloaded")
def test_runs_that_fail_are_left_out_with_their_error(tmp_path: Path) -> None:
    file, out = tmp_path / "breaking.py", tmp_path / "out"
    file.write_text(BREAKING)
    text = arena(*SMALL, "--only", "--learner", "breaking", "--plugin", str(file), "--out", str(out), code=1)
    assert "- breaking: kiosk 9000: 2 of 2 runs failed: ValueError: out of order" in text
    assert "| breaking" not in text


KILLED = """
import os, signal
from firstmover.learners import LEARNERS, LearnerEntry, uniform
from firstmover.runs import sweep

if "KILL" in os.environ:
    sweep.SECONDS = 0.0  # results are stored one by one

def build(setup, _):
    if "KILL" in os.environ:
        os.kill(os.getpid(), signal.SIGKILL)
    return uniform(setup.game.n_actions)

LEARNERS.add("killed", LearnerEntry("ends its process", build))
"""


@pytest.mark.usefixtures("unloaded")
def test_what_was_done_before_a_kill_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, out, whole = tmp_path / "killed.py", tmp_path / "out", tmp_path / "whole"
    file.write_text(KILLED)
    options = ["--family", "kiosk", "--quick", "--rounds", "4", "--seeds", "2", "--workers", "1", "--only"]
    command = [*options, "--learner", "killed", "--plugin", str(file)]
    monkeypatch.setenv("KILL", "1")
    result = subprocess.run(
        [sys.executable, "-m", "firstmover", "arena", *command, "--out", str(out)], capture_output=True, check=False
    )
    assert result.returncode == -9
    assert not (out / "arena.md").exists()
    assert "- killed: kiosk 9000: 2 of 2 runs are missing." in arena("show", str(out))
    monkeypatch.delenv("KILL")
    arena(*command, "--out", str(out))
    assert "begun: 2 of 4 tasks to do" in (out / "log.txt").read_text()
    arena(*command, "--out", str(whole))
    first, second = (pl.read_parquet(place / "runs.parquet").drop("cpu_ms") for place in (out, whole))
    assert first.equals(second)


def test_bad_input_is_refused_in_one_sentence(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    assert "leave it out" in refused("arena", "--quick", "show", str(folder))
    assert "--only is given without a learner" in refused("arena", "--only")
    assert "Unknown learner 'exp4': did you mean" in refused("arena", "--learner", "exp4")
    assert "Unknown family 'parks'" in refused("arena", "--family", "parks")
    assert "Unknown city 'oz'" in refused("arena", "--city", "oz")
    assert "rounds is 0" in refused("arena", "--rounds", "0")
    assert "seeds is 0" in refused("arena", "--seeds", "0")
    assert "no readable manifest.json" in refused("arena", "show", str(other))
    assert "another experiment" in refused("arena", *SMALL, "--only", "--learner", "uniform", "--out", str(folder))
    arena(*SMALL, "--only", "--learner", "uniform", "--rounds", "5", "--out", str(other))
    assert "6 rounds with seeds 0 to 1 and 5 rounds" in refused("arena", "compare", str(folder), str(other))
    plain = tmp_path / "plain"
    result = runner.invoke(app, ["play", "shore", "--rounds", "3", "--seeds", "1", "--out", str(plain)])
    assert result.exit_code == 0
    assert "and no arena" in refused("arena", "show", str(plain))
