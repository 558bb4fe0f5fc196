"""A game in a plugin file is played, drawn and used in a match by its name, without a change in the package."""

import json
import subprocess
import sys
from pathlib import Path

PLUGIN = Path(__file__).with_name("plugin_toll.py")

MATCH = """
plugins = [{plugin}]
kernel = {{name = "flat", variance = 900.0}}
menu = {{game = "toll"}}

[[responses]]
name = "cars"
unit = "per hour"
lower = 0.0
upper = 100.0
"""


RUN = """
import json, sys
from typer.testing import CliRunner
from firstmover.cli import app

for arguments in json.loads(sys.argv[1]):
    done = CliRunner().invoke(app, arguments)
    print(done.stdout)
    if done.exit_code:
        sys.exit(f"{arguments}: {done.output}")
"""


def commands(folder: Path, *lines: str) -> str:
    """The output of commands that must succeed, in one new process: a plugin stays loaded in its process."""
    arguments = json.dumps([line.split() for line in lines])
    done = subprocess.run(
        [sys.executable, "-c", RUN, arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_game_of_a_plugin_is_played_drawn_and_listed(tmp_path: Path) -> None:
    shown = commands(
        tmp_path,
        f"play toll --plugin {PLUGIN} --rounds 8 --seeds 2 --learner stackelucb --learner exp3 --out runs",
        "plot cars runs --out cars",
        "plot regret runs --out regret",
        "list",
    )
    assert json.loads((tmp_path / "runs" / "manifest.json").read_text())["spec"]["game"] == "toll"
    for picture in ("cars.png", "regret.png"):
        assert (tmp_path / picture).read_bytes().startswith(b"\x89PNG")
    for line in ("ask a toll of commuters of two types", "long correlations", "cars of every round"):
        assert line in shown


def test_the_game_of_a_plugin_is_played_live_with_its_words_and_map(tmp_path: Path) -> None:
    (tmp_path / "match.toml").write_text(MATCH.format(plugin=json.dumps(str(PLUGIN))))
    shown = commands(
        tmp_path,
        "match new bridge --config match.toml",
        "match ask bridge",
        "match tell bridge --type type=1 --response cars=40",
        "match plot bridge map --out map",
    )
    assert "toll " in shown
    assert (tmp_path / "map.png").read_bytes().startswith(b"\x89PNG")
