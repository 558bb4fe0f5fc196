"""The wheel in an environment that has only what the wheel requires: a plain install, and each extra."""

import doctest
import json
from pathlib import Path

import pytest

from tests.release.conftest import Built
from tests.release.environments import Environment, closure
from tests.test_dependencies import PROJECT
from tests.test_tree import ROOT

REQUIRED = [
    *PROJECT["dependencies"],
    *(f"{each}; extra == '{name}'" for name, extra in PROJECT["optional-dependencies"].items() for each in extra),
]
"""The requirements as the wheel states them."""

IMPORTS = {
    "agents": "gymnasium, pettingzoo",
    "analysis": "firstmover.runs, firstmover.figures.files",
    "cluster": "distributed, ray, firstmover.runs",
    "docs": "furo, ipykernel, myst_parser, nbclient, sphinx, sphinx_gallery, firstmover.runs",
    "openspiel": "pyspiel",
    "postgres": "psycopg",
    "web": "firstmover.service.app, firstmover.service.client, firstmover.runs",
}
"""What each extra makes importable."""

MATCH = [
    ("match template pricing", 'title = "Daily price"'),
    ("match new shop --config match.toml", "firstmover match ask shop"),
    ("match ask shop", "firstmover match tell shop --round 1"),
    ("match tell shop --type customers=tourists --response sold=20", "1 round told; 0 pending."),
    ("match status shop", "1 round asked: 1 told, 0 pending"),
]
"""Commands of the README that play a match, and a part of what each prints."""

OF_EXTRAS = [
    ("play shore", "polars", "analysis"),
    ("plot regret results", "matplotlib", "analysis"),
    ("match report shop --out shop.pdf", "matplotlib", "analysis"),
    ("match export shop --out shop.csv", "polars", "analysis"),
    ("serve", "fastapi", "web"),
]
"""Commands that a plain install lacks, the package, and its extra."""

ALL_COMMANDS = """
import json, sys
from pathlib import Path
from typer.testing import CliRunner
from firstmover.cli import app

results = []
for arguments in json.loads(sys.argv[1]):
    result = CliRunner().invoke(app, arguments.split())
    if "template" in arguments:
        Path("match.toml").write_text(result.stdout)
    results.append((result.exit_code, result.output))
print(json.dumps(results))
"""

README = doctest.DocTestParser().get_examples((ROOT / "README.md").read_text("utf-8"))
FIRST = README[: next(number for number, each in enumerate(README, 1) if each.want)]
"""The examples of the README, and those of its first screen."""

LARGEST = 250
"""MiB of the files of a plain install, without byte code."""


@pytest.fixture(scope="module")
def plain(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """The wheel, with the packages that it requires and no others."""
    environment = Environment(tmp_path_factory.mktemp("plain"))
    environment.pip("install", "--quiet", "--no-deps", "--no-index", built.wheel)
    environment.link(REQUIRED)
    return environment


def runs_the_readme(environment: Environment, folder: Path, examples: list[doctest.Example]) -> None:
    """Examples of the README as one program print what the README shows."""
    lines = (f"print(({each.source.strip()}))\n" if each.want else each.source for each in examples)
    assert environment.command("python", "-c", "".join(lines), cwd=folder) == "".join(each.want for each in examples)


def plays_a_match(environment: Environment, folder: Path) -> None:
    """A match from a template: created, asked, told and shown by commands, each in its own process."""
    for arguments, expected in MATCH:
        printed = environment.command("firstmover", *arguments.split(), cwd=folder)
        assert expected in printed
        if "template" in arguments:
            (folder / "match.toml").write_text(printed)


def imports_quickly(environment: Environment, folder: Path) -> None:
    """`import firstmover` takes less than 0.4 s of CPU in a new process; 0.05 s were measured."""
    program = "import firstmover, time; print(firstmover.__file__, time.process_time())"
    file, seconds = environment.command("python", "-c", program, cwd=folder).rsplit(maxsplit=1)
    assert str(environment.folder) in file
    assert float(seconds) < 0.4


def test_an_import_of_a_plain_install_is_quick(plain: Environment, tmp_path: Path) -> None:
    imports_quickly(plain, tmp_path)


def test_a_plain_install_runs_the_first_example_of_the_readme(plain: Environment, tmp_path: Path) -> None:
    runs_the_readme(plain, tmp_path, FIRST)


def test_the_command_of_a_plain_install_shows_its_help(plain: Environment, tmp_path: Path) -> None:
    assert "Usage: firstmover [OPTIONS] COMMAND" in plain.command("firstmover", "--help", cwd=tmp_path)
    assert plain.command("firstmover", "--version", cwd=tmp_path) == f"firstmover {PROJECT['version']}\n"


def test_a_plain_install_plays_a_match_and_names_the_extras_of_other_commands(
    plain: Environment, tmp_path: Path
) -> None:
    """One process runs all commands: a process for each would load the same libraries ten times."""
    (tmp_path / "run.py").write_text(ALL_COMMANDS)
    commands = [arguments for arguments, _ in MATCH] + [arguments for arguments, *_ in OF_EXTRAS] + ["list"]
    results = json.loads(plain.command("python", "run.py", json.dumps(commands), cwd=tmp_path))
    for (arguments, expected), (code, printed) in zip(MATCH, results, strict=False):
        assert code == 0, (arguments, printed)
        assert expected in printed
    for (_, missing, extra), (code, printed) in zip(OF_EXTRAS, results[len(MATCH) :], strict=False):
        assert (code, printed.count("\n")) == (2, 1), printed
        assert missing in printed
        assert printed.endswith(f"run pip install '.[{extra}]' in a clone of firstmover.\n")
    code, listed = results[-1]
    advice = "polars is not installed: run pip install '.[analysis]' in a clone of firstmover."
    assert (code, "  stackelucb " in listed) == (0, True)
    assert f"plots:\n  {advice}\nengines:\n  {advice}\n" in listed


def test_the_extra_web_loads_the_service(plain: Environment, tmp_path: Path) -> None:
    environment = Environment(tmp_path / "env")
    (environment.packages / "firstmover").symlink_to(plain.packages / "firstmover")
    environment.link(REQUIRED, "web")
    environment.command("python", "-c", f"import {IMPORTS['web']}", cwd=tmp_path)


def test_a_plain_install_needs_no_package_of_an_extra() -> None:
    needed = closure(REQUIRED)
    assert {"numpy", "scipy", "scikit-learn", "sqlalchemy", "typer"} <= needed
    assert needed & {"polars", "matplotlib", "pillow", "fastapi", "pandas", "torch"} == set()


def megabytes(folder: Path, byte_code: bool) -> float:
    """MiB on disk of the files below a folder."""
    files = (path for path in folder.rglob("*") if path.is_file() and (byte_code or path.suffix != ".pyc"))
    return sum(path.stat().st_blocks for path in files) * 512 / 2**20


@pytest.mark.slow
@pytest.mark.parametrize("extra", ["", *sorted(IMPORTS)], ids=lambda extra: extra or "plain")
def test_pip_installs_the_wheel_with_its_requirements(built: Built, tmp_path: Path, extra: str) -> None:
    """A real installation, with the pinned versions, into an empty environment."""
    environment = Environment(tmp_path / "env")
    wheel = f"firstmover[{extra}] @ {built.wheel.as_uri()}" if extra else str(built.wheel)
    pinned = ("--constraint", ROOT / "constraints.txt")
    environment.pip("install", "--quiet", *pinned, wheel, timeout=3600)
    print(f"{extra or 'plain'}: {megabytes(environment.packages, byte_code=True):.0f} MiB")
    imports_quickly(environment, tmp_path)
    plays_a_match(environment, tmp_path)
    if extra:
        environment.command("python", "-c", f"import {IMPORTS[extra]}", cwd=tmp_path)
    else:
        runs_the_readme(environment, tmp_path, README)
        assert megabytes(environment.packages, byte_code=False) < LARGEST


@pytest.mark.slow
def test_pip_installs_the_sdist(built: Built, tmp_path: Path) -> None:
    """The sdist builds without this clone."""
    environment = Environment(tmp_path / "env")
    environment.pip("install", "--quiet", "--constraint", ROOT / "constraints.txt", built.sdist, timeout=3600)
    plays_a_match(environment, tmp_path)


def test_every_extra_is_tried() -> None:
    """`make install` and `make bench` install the others, which are for clones; `bench` takes gigabytes."""
    assert set(IMPORTS) == set(PROJECT["optional-dependencies"]) - {"bench", "dev"}
