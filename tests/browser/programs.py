"""What the browser tests need beside Python: Debian's Chromium, and axe-core from npm, fetched when missing."""

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

AXE = "4.14.0"

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def chromium() -> str:
    """The browser's program; the package is installed if it is missing and we may."""
    if shutil.which("chromium") is None and shutil.which("apt-get"):
        before = [] if os.geteuid() == 0 else ["sudo", "-n"]
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (
            ["apt-get", "update", "-q"],
            ["apt-get", "install", "-qy", "--no-install-recommends", "chromium"],
        ):
            if not before or shutil.which("sudo"):
                subprocess.run([*before, *command], env=quiet, check=False, capture_output=True)
    found = shutil.which("chromium")
    if found is None:
        pytest.skip("Chromium is not installed, and only root can install it: apt-get install chromium.")
    return found


def axe_script() -> Path:
    """axe-core as one script, kept beside the Python that runs the tests."""
    folder = Path(sys.prefix) / "share" / "axe-core" / AXE
    script = folder / "axe.min.js"
    if not script.exists():
        if shutil.which("npm") is None:
            pytest.skip("axe-core is not here, and npm, which fetches it, is not installed: apt-get install npm.")
        folder.mkdir(parents=True, exist_ok=True)
        packed = subprocess.run(
            ["npm", "pack", f"axe-core@{AXE}", "--silent"], cwd=folder, check=True, capture_output=True, text=True
        )
        with tarfile.open(folder / packed.stdout.split()[-1]) as archive:
            member = archive.extractfile("package/axe.min.js")
            assert member is not None
            whole = member.read()
        part = folder / f"axe.{os.getpid()}"
        part.write_bytes(whole)
        part.replace(script)
    return script
