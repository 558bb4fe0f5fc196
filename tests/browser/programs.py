"""What the browser tests need beside Python: Debian's Chromium, and axe-core from npm, fetched when missing."""

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

from tests.installing import install, missing

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
    """The path of Chromium, which is installed if it is missing and may be installed."""
    if shutil.which("chromium") is None:
        install("chromium")
    return shutil.which("chromium") or missing("Chromium is missing: run apt-get install chromium as root.")


def axe_script() -> Path:
    """axe-core as one script, kept beside the Python that runs the tests."""
    folder = Path(sys.prefix) / "share" / "axe-core" / AXE
    script = folder / "axe.min.js"
    if not script.exists():
        if shutil.which("npm") is None:
            missing("axe-core is missing, and npm, which fetches it, too: run apt-get install npm as root.")
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
