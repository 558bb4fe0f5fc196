"""A third party's package, installed beside firstmover in an environment of its own, works by name everywhere."""

import json
import os
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

import httpx
import polars as pl
import pytest

SAMPLE = Path(__file__).parent / "sample"

MATCH = """
learner = { name = "greedy", explore = 0.25 }
kernel = { name = "triangle", reach = 4.0, variance = 10000.0 }
[menu]
game = "ferry"
"""

SWEEP = """
title = "a plugin's parameters"
games = [{ name = "ferry", seats = [50.0, 100.0] }]
opponents = ["tide:1"]
horizons = [20]
seeds = 2

[[learners]]
name = "greedy"
explore = [0.1, 0.5]

[[learners]]
name = "stackelucb"
kernel = { name = "triangle", reach = 4.0, variance = 10000.0 }
"""


@pytest.fixture(scope="module")
def command(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The command `firstmover` of a fresh environment that has the sample installed with pip.

    The environment borrows the installed packages of this one, so that nothing is downloaded; the sample is its own.
    """
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / "bin" / "python"
    code = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(subprocess.run([python, "-c", code], check=True, text=True, capture_output=True).stdout.strip())
    (packages / "borrowed.pth").write_text(f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})\n")
    install = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*install, "--disable-pip-version-check", SAMPLE], check=True)
    return [str(python), "-m", "firstmover"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("plugin")


def run(command: list[str], folder: Path, *arguments: str) -> str:
    done = subprocess.run([*command, *arguments], cwd=folder, text=True, capture_output=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_is_listed(command: list[str], folder: Path) -> None:
    shown = run(command, folder, "list")
    assert all(name in shown for name in ("ferry", "greedy", "tide", "triangle"))


def test_it_plays_and_is_drawn(command: list[str], folder: Path) -> None:
    options = ["--opponent", "tide", "--rounds", "30", "--seeds", "2", "--out", "played"]
    shown = run(command, folder, "play", "ferry", "--learner", "greedy", "--learner", "anytime", *options)
    assert "greedy" in shown
    run(command, folder, "plot", "reward-trace", "played", "--out", "trace.png")
    assert (folder / "trace.png").stat().st_size > 1000


@pytest.mark.slow
def test_its_parameters_are_swept_on_two_workers(command: list[str], folder: Path) -> None:
    (folder / "sweep.toml").write_text(SWEEP, "utf-8")
    run(command, folder, "sweep", "run", "sweep.toml", "--workers", "2", "--out", "swept")
    run(command, folder, "sweep", "collect", "swept")
    runs = pl.read_parquet(folder / "swept" / "runs.parquet")
    assert runs["state"].to_list() == ["done"] * 12
    assert runs.filter(learner="greedy")["variant"].n_unique() == 2
    assert runs["game"].n_unique() == 2


def test_it_plays_a_match(command: list[str], folder: Path) -> None:
    (folder / "match.toml").write_text(MATCH, "utf-8")
    run(command, folder, "match", "new", "line", "--config", "match.toml")
    run(command, folder, "match", "ask", "line")
    run(command, folder, "match", "tell", "line", "--type", "1", "--response", "y1=40")
    assert '"told": 1' in run(command, folder, "match", "status", "line", "--json")
    run(command, folder, "match", "verify", "line")


@pytest.fixture
def service(command: list[str], folder: Path) -> Iterator[tuple[str, dict[str, str]]]:
    """The address of a running service, and the headers that it wants."""
    token = json.loads(run(command, folder, "token", "new", "--role", "owner", "--json"))["token"]
    arguments = [*command, "serve", "--port", "0"]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(arguments, cwd=folder, text=True, stdout=subprocess.PIPE, env=environment)
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        yield line.split()[1].partition("/#")[0], {"Authorization": f"Bearer {token}"}
    finally:
        process.terminate()
        process.wait(timeout=30)
        process.stdout.close()


def test_it_plays_through_the_service(service: tuple[str, dict[str, str]]) -> None:
    address, headers = service
    fields = {"menu": {"game": "ferry"}, "learner": {"name": "greedy", "explore": 0.5}}
    with httpx.Client(base_url=address, headers=headers, timeout=30) as client:
        created = client.put("/v1/matches/crossing", json={"config": fields})
        assert created.status_code == 201, created.text
        asked = client.put("/v1/matches/crossing/rounds/monday")
        assert asked.status_code == 201, asked.text
        outcome = {"opponent_type": {"type": 1}, "response": {"y1": 40.0}}
        told = client.put("/v1/matches/crossing/rounds/monday/outcome", json=outcome)
        assert told.status_code == 201, told.text
        assert client.get("/v1/matches/crossing/status").json()["told"] == 1
