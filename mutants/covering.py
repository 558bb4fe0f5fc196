"""The tests that execute a line: one run of the quick tests with coverage per test, kept for the next time."""

import hashlib
import json
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import pytest
from coverage import CoverageData

from mutants.areas import Mutant

LEFT_OUT = tuple(
    f"tests/{name}" for name in ("benchmarks", "browser", "mutants", "plugins", "studies", "torture", "test_")
)
"""Tests of other programmes, and those that start browsers, kill processes or read the tree itself."""

RUN = (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.NO_TESTS_COLLECTED)
"""The tests were run. Those that failed are left out of all trials."""

BUDGET = 60.0
"""The seconds that the tests of one batch took in the coverage run, at most."""


class Durations:
    """A pytest plugin that records how long each test that passed took, with its set-up."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self.failed: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add one phase of a test."""
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0.0) + report.duration
        if not report.passed:
            self.failed.add(report.nodeid)

    def passed(self) -> dict[str, float]:
        """Return the seconds of the tests that passed in all their phases."""
        return {test: seconds for test, seconds in self.seconds.items() if test not in self.failed}


@dataclass(frozen=True, eq=False)
class Covering:
    """Which tests execute which lines, and how long each takes."""

    data: CoverageData
    seconds: dict[str, float]

    def batches(self, mutant: Mutant) -> list[list[str]]:
        """Return the tests to run, in batches of the quickest tests within `BUDGET`.

        First those of the area that execute the statement, then others that do, then others of the area that execute
        the file: what is computed once and kept is executed by the first test that needs it. Last come those that
        execute it elsewhere.
        """
        name, change = mutant.file, mutant.mutation
        lines = self._tests_by_line(name)
        of_file = set().union(*lines.values())
        direct = set().union(*(lines.get(line, set()) for line in range(change.first, change.last + 1))) or of_file
        near = {test for test in direct if test.startswith(mutant.area.tests)}
        rest = {test for test in of_file - direct if test.startswith(mutant.area.tests)}
        elsewhere = {test for test in self.seconds if test.startswith(mutant.area.elsewhere)}
        return [batch for batch in map(self._quickest, (near, direct - near, rest, elsewhere - near)) if batch]

    @cache  # noqa: B019 - one object for the whole run
    def _tests_by_line(self, name: str) -> dict[int, set[str]]:
        contexts = self.data.contexts_by_lineno(name)
        return {line: self._tests(of_line) for line, of_line in contexts.items()}

    def _tests(self, contexts: Iterable[str]) -> set[str]:
        """The tests of coverage contexts: a fixture that executes a line may be shared by all tests of its file."""
        found: set[str] = set()
        for context in contexts:
            test, _, phase = context.rpartition("|")
            found |= self._of_file[test.split("::")[0]] if phase == "setup" and "::" in test else {test}
        return found & self.seconds.keys()

    @property
    def _of_file(self) -> dict[str, set[str]]:
        return _by_file(frozenset(self.seconds))

    def _quickest(self, tests: set[str]) -> list[str]:
        """The quickest tests within the budget, file by file, the quickest file first."""
        spent, chosen = 0.0, dict[str, list[str]]()
        for test in sorted(tests, key=lambda test: (self.seconds[test], test)):
            spent += self.seconds[test]
            if spent > BUDGET:
                break
            chosen.setdefault(test.split("::")[0], []).append(test)
        files = sorted(chosen.values(), key=lambda tests: sum(self.seconds[test] for test in tests))
        return [test for tests in files for test in tests]


@cache
def _by_file(tests: frozenset[str]) -> dict[str, set[str]]:
    files: dict[str, set[str]] = {}
    for test in tests:
        files.setdefault(test.split("::")[0], set()).add(test)
    return files


def measured(root: Path, folder: Path, jobs: int, package: str = "firstmover") -> Covering:
    """Return the coverage of the tests below a root; test files that have not changed since are not run again.

    If a source has changed, all are run: every line may have moved. Each folder of tests is saved when it is done.
    """
    folder.mkdir(parents=True, exist_ok=True)
    known = folder / "measured.json"
    sources = _digest(sorted((root / "src").rglob("*.py")))
    files: dict[str, str] = {}
    seconds: dict[str, float] = {}
    if known.exists() and (before := json.loads(known.read_text()))["sources"] == sources:
        files, seconds = before["files"], before["seconds"]
    for group, names in _test_files(root).items():
        now = {name: _digest([root / name]) for name in names}
        if todo := [name for name in names if files.get(name) != now[name]]:
            (folder / "durations.json").unlink(missing_ok=True)
            print(f"Measuring which lines the tests of {group} execute: {len(todo)} files ...", flush=True)
            _in_child(partial(_measure, root, folder, todo, jobs=jobs, package=package, append=bool(files)))
            if not (folder / "durations.json").exists():
                raise RuntimeError(f"The tests of {group} could not be run: see above.")
            seconds = {test: spent for test, spent in seconds.items() if test.split("::")[0] not in todo}
            seconds |= json.loads((folder / "durations.json").read_text())
            files |= now
            known.write_text(json.dumps({"sources": sources, "files": files, "seconds": seconds}))
    data = CoverageData(str(folder / "coverage"))
    data.read()
    return Covering(data, seconds)


def _test_files(root: Path) -> dict[str, list[str]]:
    """The files with tests or doctests by folder, those that are left out excluded."""
    groups: dict[str, list[str]] = {}
    for file in sorted([*(root / "tests").rglob("test_*.py"), *(root / "src").rglob("*.py")]):
        name = file.relative_to(root)
        if not name.as_posix().startswith(LEFT_OUT):
            groups.setdefault("src" if name.parts[0] == "src" else name.parent.as_posix(), []).append(name.as_posix())
    return groups


def _in_child(target: Callable[[], None]) -> None:
    child = multiprocessing.get_context("fork").Process(target=target)
    child.start()
    child.join()


def _digest(files: list[Path]) -> str:
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()


def _measure(root: Path, folder: Path, files: list[str], *, jobs: int, package: str, append: bool) -> None:
    """Run some test files and write their coverage and durations, in a process of its own."""
    configuration = folder / "settings.ini"  # not coverage.*, which each run deletes
    data = (folder / "coverage").absolute()
    configuration.write_text(f"[run]\nsource = {package}\nrelative_files = true\ndata_file = {data}\n")
    options = ["--cov", package, "--cov-context=test", "--cov-report=", f"--cov-config={configuration.absolute()}"]
    parallel = ["--numprocesses", str(jobs), "--dist", "loadfile"] if jobs > 1 else []
    durations = Durations()
    enter(root)
    code = pytest.main(
        [*files, "-q", "-p", "no:cacheprovider", *options, *parallel, *["--cov-append"] * append], plugins=[durations]
    )
    if code in RUN:
        (folder / "durations.json").write_text(json.dumps(durations.passed()))


def enter(root: Path) -> None:
    """Make this process, and those that it starts, use the package and the tests below a root."""
    os.chdir(root)
    sys.path[:0] = [str(root / "src"), str(root)]
    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path[:2])
