"""Programs that tests need beside Python: installed where that is allowed; in CI a missing one is a failure."""

import fcntl
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import NoReturn

import pytest


def install(package: str) -> None:
    """Install a Debian package, if apt-get and the right to use it are there; one process at a time.

    apt-get fails while another one runs, so that test workers that install at the same time would lack programs.
    """
    before = [] if os.geteuid() == 0 else ["sudo", "-n"]
    if shutil.which("apt-get") is None or (before and shutil.which("sudo") is None):
        return
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    with (Path(tempfile.gettempdir()) / f"firstmover-apt-{os.getuid()}").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for command in (["apt-get", "update", "-q"], ["apt-get", "install", "-qy", "--no-install-recommends", package]):
            subprocess.run([*before, *command], env=quiet, check=False, capture_output=True)


def missing(sentence: str) -> NoReturn:
    """Skip the test, or fail it in CI (CI=true), where every program must be there."""
    if os.environ.get("CI") == "true":
        pytest.fail(sentence, pytrace=False)
    pytest.skip(sentence)
