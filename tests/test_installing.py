"""A program that is missing: its tests are skipped, but in CI (CI=true) they fail."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

from tests import installing
from tests.browser import programs as browser
from tests.torture import server

ROOT = Path(__file__).parents[1]
NEEDED: dict[str, Callable[[], object]] = {
    "Chromium": browser.chromium,
    "axe-core": browser.axe_script,
    "PostgreSQL": server.programs,
}


@pytest.fixture
def nothing_installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """No program on the path or elsewhere, and none that can be installed."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(browser.sys, "prefix", str(tmp_path))
    monkeypatch.setattr(server, "_found", lambda: [])


@pytest.mark.usefixtures("nothing_installed")
@pytest.mark.parametrize("program", NEEDED)
@pytest.mark.parametrize(("ci", "outcome"), [("true", pytest.fail.Exception), ("", pytest.skip.Exception)])
def test_a_missing_program_fails_in_ci_and_is_skipped_elsewhere(
    program: str, ci: str, outcome: type[BaseException], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", ci)
    with pytest.raises((pytest.fail.Exception, pytest.skip.Exception), match=f"^{program} is missing") as found:
        NEEDED[program]()
    assert found.type is outcome


def test_workers_install_one_after_another(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A stand-in for apt-get that, like it, fails while another one runs."""
    lines = "#!/bin/sh", "mkdir busy || exit 100", "sleep 0.05", "rmdir busy", "echo done >> log"
    for name in ("apt-get", "sudo"):
        (tmp_path / name).write_text("\n".join(lines))
        (tmp_path / name).chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    monkeypatch.setattr(installing.tempfile, "tempdir", str(tmp_path))
    workers = [Thread(target=installing.install, args=["chromium"]) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert (tmp_path / "log").read_text() == 6 * "done\n"


@pytest.mark.parametrize(("ci", "code"), [("true", 1), ("", 0)])
def test_javascript_that_cannot_be_checked_fails_in_ci(ci: str, code: int, tmp_path: Path) -> None:
    for name in ("bash", "dirname", "id"):
        (tmp_path / name).symlink_to(shutil.which(name) or name)
    environment = {**os.environ, "PATH": str(tmp_path), "CI": ci}
    done = subprocess.run(
        ["bash", ROOT / "web" / "check"], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == code
    assert done.stderr.startswith("JavaScript was not checked: install Node.js")


SKIPS = re.compile(
    r"pytest\.(skip|xfail)\(|importorskip|SkipTest|mark\.(skip\b|xfail|skipif\((?!os\.name))|pytest import .*\bskip"
)
"""What leaves a test out, but for the name of the operating system, which CI does not lack."""


@pytest.mark.parametrize(
    "line",
    [
        'pytest.skip("no server")',
        'pandas = pytest.importorskip("pandas")',
        "@pytest.mark.skip",
        "@pytest.mark.skip(reason='slow')",
        '@pytest.mark.skipif(shutil.which("node") is None, reason="no node")',
        "@pytest.mark.xfail",
        "from pytest import fixture, skip",
        "raise unittest.SkipTest",
    ],
)
def test_the_search_finds_every_way_to_leave_a_test_out(line: str) -> None:
    assert SKIPS.search(line)
    assert not SKIPS.search('@pytest.mark.skipif(os.name != "posix", reason="a terminal of POSIX")')


def test_what_is_missing_is_said_through_one_function() -> None:
    """Otherwise tests could be left out in CI without a failure."""
    allowed = {Path(installing.__file__), Path(__file__)}
    found = [path for path in (ROOT / "tests").rglob("*.py") if SKIPS.search(path.read_text("utf-8"))]
    assert set(found) <= allowed
