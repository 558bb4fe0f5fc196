"""Type checkers see the public names: the README and a user's program pass mypy in strict mode."""

import re
from pathlib import Path

import pytest

import firstmover
from tests.release import user_program
from tests.release.environments import run
from tests.release.test_wheel import README
from tests.test_tree import ROOT


@pytest.fixture(scope="module")
def revealed(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What mypy prints about the README, the user's program, and the type of every public name.

    The configuration is that of the project, which is strict, so that the cache of `make test` serves.
    """
    folder = tmp_path_factory.mktemp("typed")
    (folder / "readme.py").write_text("".join(each.source for each in README))
    names = "".join(f"reveal_type(firstmover.{name})\n" for name in firstmover.__all__)
    (folder / "names.py").write_text(f"import firstmover\n{names}")
    programs = [folder / "readme.py", folder / "names.py", user_program.__file__]
    return run("mypy", "--config-file", ROOT / "pyproject.toml", *programs, cwd=ROOT)


def test_the_readme_and_a_program_of_a_user_pass_mypy_strict(revealed: str) -> None:
    assert "Success: no issues found in 3 source files" in revealed


UNTYPED = {"polynomial", "to_openspiel"}
"""Functions that return objects of scikit-learn and OpenSpiel, which have no types."""


def test_every_public_name_has_a_type(revealed: str) -> None:
    types = re.findall(r'Revealed type is "(.*)"', revealed)
    assert len(types) == len(firstmover.__all__)
    untyped = [name for name, kind in zip(firstmover.__all__, types, strict=True) if re.search(r"^Any$|-> Any$", kind)]
    assert set(untyped) == UNTYPED


def test_the_program_of_the_user_runs(tmp_path: Path) -> None:
    (tmp_path / "match.toml").write_text((ROOT / "src/firstmover/games/prices/templates/pricing.toml").read_text())
    assert user_program.simulate() > 1
    assert "auto" in user_program.compared()
    assert user_program.live(tmp_path / "m.db", tmp_path / "match.toml") == "1"
    assert "did you mean 'shore'" in user_program.refused()


def test_the_wheel_declares_that_it_is_typed() -> None:
    assert (Path(firstmover.__file__).parent / "py.typed").read_text() == ""
