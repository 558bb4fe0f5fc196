"""Environments that contain a wheel of firstmover and its requirements, and nothing else."""

import os
import re
import subprocess
import sys
import venv
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement


def run(module: str, *arguments: object, cwd: Path | None = None, timeout: float = 600) -> str:
    """Run a module of the interpreter of the tests; return what it prints."""
    return finished([sys.executable, "-m", module, *map(str, arguments)], cwd, timeout=timeout)


def finished(command: list[str], cwd: Path | None, expected: int = 0, timeout: float = 600) -> str:
    """Run a command that must exit with this code; return its output, the errors last."""
    hidden = {"PYTHONPATH", "VIRTUAL_ENV"}
    env = {name: value for name, value in os.environ.items() if name not in hidden}
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False, timeout=timeout)
    assert done.returncode == expected, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout + done.stderr


class Environment:
    """A virtual environment without pip."""

    def __init__(self, folder: Path) -> None:
        venv.create(folder, with_pip=False, symlinks=True)
        self.folder, self.bin = folder, folder / "bin"
        [self.packages] = (folder / "lib").glob("python3*/site-packages")

    def pip(self, *arguments: object, timeout: float = 600) -> None:
        """Call pip for this environment."""
        run("pip", "--python", self.folder, "--disable-pip-version-check", *arguments, timeout=timeout)

    def command(self, *arguments: object, cwd: Path, expected: int = 0) -> str:
        """Run a program of this environment."""
        program, *rest = map(str, arguments)
        return finished([str(self.bin / program), *rest], cwd, expected)

    def link(self, requirements: list[str], extra: str = "") -> None:
        """Make the packages that a list of requirements needs visible, from where the tests find them."""
        for name in closure(requirements, extra):
            for entry in top_level(name):
                link = self.packages / entry.name
                if not link.exists():
                    link.symlink_to(entry)


def closure(requirements: list[str], extra: str = "") -> set[str]:
    """Return the names of all packages that requirements need, with their own requirements."""
    found: set[tuple[str, str]] = set()
    todo = [(Requirement(each), extra) for each in requirements]
    while todo:
        needed, of_extra = todo.pop()
        if needed.marker is not None and not needed.marker.evaluate({"extra": of_extra}):
            continue
        for option in ("", *needed.extras):
            key = (re.sub(r"[-_.]+", "-", needed.name).lower(), option)
            if key not in found:
                found.add(key)
                texts = requirements if key[0] == "firstmover" else distribution(needed.name).requires or []
                todo += [(Requirement(text), option) for text in texts]
    return {name for name, _ in found} - {"firstmover"}


def top_level(name: str) -> Iterator[Path]:
    """Yield the files and folders of an installed package that stand directly in site-packages."""
    try:
        found = distribution(name)
    except PackageNotFoundError as error:
        raise AssertionError(f"{name} is a requirement, and not installed here") from error
    names = {path.parts[0] for path in found.files or () if path.parts[0] not in ("..", "__pycache__")}
    yield from (Path(str(found.locate_file(each))) for each in names)
