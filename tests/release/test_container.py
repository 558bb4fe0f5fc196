"""The container file: what it copies, installs, runs and probes exists, and it does not run as root."""

import json
import os
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest
from packaging.version import Version
from typer.testing import CliRunner

from firstmover.cli import app
from firstmover.cli.serving import STORE, TOKENS
from tests.test_dependencies import PROJECT
from tests.test_tree import ROOT

SERVE = ROOT / "container" / "serve"
HEALTHY = ROOT / "container" / "healthy.py"


class Instruction(NamedTuple):
    """A line of the container file, continued lines joined."""

    name: str
    value: str

    def words(self) -> list[str]:
        """The arguments, in either form."""
        return json.loads(self.value) if self.value.startswith("[") else shlex.split(self.value)


def instructions() -> list[Instruction]:
    text = (ROOT / "Dockerfile").read_text("utf-8").replace("\\\n", " ")
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [Instruction(*line.split(maxsplit=1)) for line in lines]


def values(name: str) -> list[Instruction]:
    return [each for each in instructions() if each.name == name]


def sent_to_the_build(path: str) -> bool:
    """Whether .dockerignore lets a path of the clone into the build."""
    lines = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    kept = [line[1:] for line in lines if line.startswith("!")]
    assert [line for line in lines if line == "*"] == ["*"]
    return any(path == each or path.startswith(f"{each}/") for each in kept)


def test_every_copied_file_exists_and_is_sent_to_the_build() -> None:
    copies = [each.words() for each in values("COPY")]
    sources = [path for words in copies if not words[0].startswith("--from") for path in words[:-1]]
    assert {"pyproject.toml", "src", "container/serve", "container/healthy.py"} <= set(sources)
    assert [path for path in sources if not (ROOT / path).exists() or not sent_to_the_build(path)] == []
    stages = re.findall(r"\bAS (\w+)", " ".join(each.value for each in values("FROM")))
    assert [words[0] for words in copies if words[0].startswith("--from")] == [f"--from={stage}" for stage in stages]


@pytest.mark.parametrize(
    "path", ["tokens.json", "matches.db", ".git/config", ".venv/bin/python", "results/report.html"]
)
def test_secrets_and_results_are_not_sent_to_the_build(path: str) -> None:
    assert not sent_to_the_build(path)


def test_everything_that_builds_the_wheel_is_copied() -> None:
    copied = {path for each in values("COPY") for path in each.words()}
    assert {PROJECT["readme"], *PROJECT["license-files"], "constraints.txt"} <= copied


def test_the_image_has_a_supported_python_and_known_extras() -> None:
    [first, last] = [re.match(r"python:([\d.]+)-slim", each.value) for each in values("FROM")]
    assert first is not None
    assert last is not None
    assert first[1] == last[1]
    assert Version(first[1]) >= Version(PROJECT["requires-python"].removeprefix(">="))
    [extras] = re.findall(r"'\.\[([\w,]+)\]'", " ".join(each.value for each in values("RUN")))
    assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"])


def test_the_service_does_not_run_as_root_and_writes_to_the_volume() -> None:
    names = [each.name for each in instructions()]
    [user], [folder], [volume] = values("USER"), values("WORKDIR")[1:], values("VOLUME")
    assert user.value not in ("root", "0")
    assert f"--uid {user.value} " in " ".join(each.value for each in values("RUN"))
    assert names.index("USER") > max(place for place, name in enumerate(names) if name in ("RUN", "COPY"))
    assert folder.value == volume.value
    assert not Path(STORE).is_absolute()
    assert not TOKENS.is_absolute()


def test_the_commands_exist() -> None:
    [entry], [probe] = values("ENTRYPOINT"), values("HEALTHCHECK")
    copied = {words[-1]: ROOT / words[-2] for words in (each.words() for each in values("COPY"))}
    assert copied[f"/opt/firstmover/bin/{entry.words()[0]}"] == SERVE
    assert os.access(SERVE, os.X_OK)
    assert copied[json.loads(probe.value.partition("CMD ")[2])[1]] == HEALTHY
    assert "/healthz" in HEALTHY.read_text()
    used = set(re.findall(r"(?<=\s)--[\w-]+", SERVE.read_text()))
    shown = CliRunner().invoke(app, ["serve", "--help"], env={"COLUMNS": "200"}).stdout
    assert {option for option in used if option not in shown} == set()
    [exposed] = values("EXPOSE")
    assert f"FIRSTMOVER_PORT={exposed.value}" in " ".join(each.value for each in values("ENV"))


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@pytest.mark.slow
def test_the_entry_point_serves_and_the_probe_finds_it(tmp_path: Path) -> None:
    """The two programs of the image, run here; the address of the machine stands for that of a container."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**os.environ, "PATH": path, "FIRSTMOVER_PORT": str(free_port())}
    probe = [sys.executable, str(HEALTHY)]
    assert subprocess.run(probe, env=env, capture_output=True, check=False).returncode == 1
    with subprocess.Popen([SERVE], cwd=tmp_path, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as service:
        try:
            deadline = time.monotonic() + 600
            while subprocess.run(probe, env=env, capture_output=True, check=False).returncode != 0:
                assert time.monotonic() < deadline
                assert service.poll() is None
                time.sleep(2)
        finally:
            service.terminate()
        printed, _ = service.communicate(timeout=30)
    assert printed == b""
    assert service.returncode == -signal.SIGTERM  # uvicorn completes running calls, then ends by the signal
    assert (tmp_path / "tokens.json").stat().st_mode & 0o077 == 0


def test_the_page_about_operation_shows_commands_of_the_image() -> None:
    page = (ROOT / "docs" / "operate" / "deploy.md").read_text("utf-8")
    assert "docker build --tag firstmover ." in page
    assert "--publish 127.0.0.1:8642:8642" in page
