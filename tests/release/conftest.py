import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.release.environments import run
from tests.test_tree import ROOT


class Built(NamedTuple):
    """The files of a release."""

    wheel: Path
    sdist: Path


COPIED = (".gitignore", "CHANGELOG.md", "CITATION.cff", "CONTRIBUTING.md", "LICENSE", "README.md", "constraints.txt")
STRAYS = ("tokens.json", "matches.db", "src/notes.txt", "tests/test_private.py")
"""Files that somebody may have left in a clone."""


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    """The wheel and the sdist of a clone in which there are stray files."""
    clone = tmp_path_factory.mktemp("clone")
    for name in (*COPIED, "pyproject.toml"):
        shutil.copy(ROOT / name, clone)
    for name in ("examples", "src"):
        shutil.copytree(ROOT / name, clone / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in STRAYS:
        (clone / name).parent.mkdir(exist_ok=True)
        (clone / name).write_text("secret")
    run("hatchling", "build", "--directory", clone / "dist", cwd=clone)
    [wheel], [sdist] = clone.glob("dist/*.whl"), clone.glob("dist/*.tar.gz")
    return Built(wheel, sdist)
