"""A result is never stale: changed code, plugins or data files make tasks run again."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from firstmover.core import plugins
from firstmover.learners import LEARNERS
from firstmover.runs import Collected, ExperimentSpec, missing_tasks, plan_of, read, run_sweep, status_of
from tests.runs.small import playing

SOURCES = Path(__file__).parents[2] / "src"

DOCUMENT = """
games = ["shore"]
learners = ["exp3"]
horizons = [20]
seeds = 2
"""


def command(package: Path, folder: Path, *arguments: str) -> str:
    environment = os.environ | {"PYTHONPATH": str(package)}
    words = [sys.executable, "-m", "firstmover", "sweep", *arguments]
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_a_changed_learner_is_played_again(tmp_path: Path) -> None:
    """Exp3 is changed to always play action 0: the sweep must not report that nothing is left to do."""
    package = tmp_path / "package"
    shutil.copytree(SOURCES, package, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "sweep.toml").write_text(DOCUMENT)
    run = ("run", "sweep.toml", "--out", "out", "--workers", "1")
    assert ": 2 tasks to do" in command(package, tmp_path, *run)
    assert ": 0 tasks to do" in command(package, tmp_path, *run)
    path = package / "firstmover" / "learners" / "exp3.py"
    always_first = (
        "\n\ndef _first_action(self: Exp3) -> Vector:\n"
        "    return np.eye(self.game.n_actions)[0]\n\n\n"
        "Exp3.strategy = property(_first_action)  # type: ignore[assignment]\n"
    )
    path.write_text(path.read_text() + always_first)
    assert ": 2 tasks to do" in command(package, tmp_path, *run)
    assert status_of(tmp_path / "out").progress.done == 2
    assert Collected.of(tmp_path / "out").curves["entropy"].max() == 0.0


PLUGIN = """
from dataclasses import dataclass

import numpy as np

from firstmover.core.documents import Specification
from firstmover.learners import LEARNERS, LearnerEntry

SHIFT = 0


class Parameters(Specification):
    action: int = 1


@dataclass(frozen=True)
class Stubborn:
    action: int
    n: int

    @property
    def strategy(self):
        return np.eye(self.n)[self.action]

    def observe(self, feedback):
        return self


LEARNERS.add(
    "stubborn",
    LearnerEntry("always one action", lambda s, p: Stubborn(p.action + SHIFT, s.game.n_actions), Parameters),
)
"""


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A plugin file, which is unloaded after the test."""
    monkeypatch.setattr(plugins, "_LOADED", dict(plugins._LOADED))
    path = tmp_path / "stubborn.py"
    path.write_text(PLUGIN)
    yield path  # type: ignore[misc]
    if "stubborn" in LEARNERS.added:
        LEARNERS.remove("stubborn")


def test_a_plugin_in_a_document_is_swept_in_workers_and_played_again_when_it_changes(
    plugin: Path, tmp_path: Path
) -> None:
    file, out = tmp_path / "sweep.toml", tmp_path / "out"
    learner = '[[learners]]\nname = "stubborn"\naction = [0, 2]\n'
    file.write_text(
        f'plugins = ["stubborn.py"]\ngames = ["shore"]\nhorizons = [5]\nseeds = 2\nkeep = "rounds"\n{learner}'
    )
    plan = plan_of(ExperimentSpec.from_toml(file))
    assert plan.table["variant"].unique(maintain_order=True).to_list() == ["stubborn action 0", "stubborn action 2"]
    assert plan.table["learner_action"].to_list() == [0.0, 0.0, 2.0, 2.0]
    progress = run_sweep(plan, out, workers=2)
    assert (progress.done, progress.failed) == (4, 0), status_of(out).errors
    assert missing_tasks(plan, out) == []
    plugin.write_text(PLUGIN.replace("SHIFT = 0", "SHIFT = 1"))
    changed = plan_of(ExperimentSpec.from_toml(file))
    assert len(missing_tasks(changed, out)) == 4
    assert run_sweep(changed, out, workers=1).done == 4
    assert read(out, ["learner", "action"]).unique(maintain_order=True).rows() == [
        ("stubborn action 0", 1),
        ("stubborn action 2", 3),
    ]


def test_a_changed_types_file_is_played_again(tmp_path: Path) -> None:
    types = tmp_path / "types.csv"
    fields = {"game": "shore", "opponent": f"script:{types}", "rounds": 3, "seeds": 1, "learners": ["exp3"]}
    types.write_text("home\n" + "0.1\n" * 3)
    assert run_sweep(plan_of(ExperimentSpec.read(fields)), tmp_path / "out", workers=1).done == 1
    types.write_text("home\n" + "0.3\n" * 3)
    with playing() as played:
        run_sweep(plan_of(ExperimentSpec.read(fields)), tmp_path / "out", workers=1)
    assert len(played) == 1
    assert read(tmp_path / "out", ["opponent_type"])["opponent_type"].to_list() == [[0.3]] * 3
