"""Every dependency is imported, pinned and explained."""

import re
import tomllib
from pathlib import Path

import pytest

from tests.test_tree import ROOT, SOURCE

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
RUNTIME = [
    *PROJECT["dependencies"],
    *(
        name
        for extra in ("web", "postgres", "cluster", "agents", "openspiel")
        for name in PROJECT["optional-dependencies"][extra]
    ),
]
MODULES = {"scikit-learn": "sklearn", "open-spiel": "pyspiel"}


def name_of(requirement: str) -> str:
    return re.split(r"[\[><=~!]", requirement)[0].strip().lower()


def pinned() -> set[str]:
    lines = (ROOT / "constraints.txt").read_text("utf-8").splitlines()
    found = [re.fullmatch(r"([\w.-]+)==[\w.]+", line) for line in lines]
    assert all(found), [line for line, match in zip(lines, found, strict=True) if not match]
    return {match[1].lower().replace("_", "-") for match in found if match}


@pytest.mark.parametrize("requirement", RUNTIME)
def test_a_dependency_is_used_and_explained(requirement: str) -> None:
    name = name_of(requirement)
    assert re.search(rf"\b{name}\b", (ROOT / "docs" / "dependencies.md").read_text("utf-8"))
    word = re.compile(rf"\b{MODULES.get(name, name)}\b")
    assert any(word.search(path.read_text("utf-8")) for path in Path(SOURCE).rglob("*.py"))


def test_every_direct_dependency_is_pinned_to_one_version() -> None:
    extras = PROJECT["optional-dependencies"].values()
    direct = {name_of(each) for each in [*PROJECT["dependencies"], *(name for extra in extras for name in extra)]}
    assert direct - {"firstmover"} - pinned() == set()
