"""A trial of a mutant: the tests that execute it are run on a copy of the tree with the mutant in it."""

import compileall
import importlib
import multiprocessing
import os
import py_compile
import resource
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from mutants.areas import Mutant
from mutants.covering import Covering, enter

LIBRARIES = (
    "numpy",
    "scipy.linalg",
    "scipy.optimize",
    "scipy.stats",
    "sklearn.gaussian_process",
    "polars",
    "pandas",
    "matplotlib.pyplot",
    "pydantic",
    "sqlalchemy",
    "typer.testing",
    "joblib",
    "fastapi",
    "httpx",
    "hypothesis.extra.numpy",
)
"""Imported once, so that no trial waits for them."""

NOT_COPIED = shutil.ignore_patterns(
    ".git", ".venv", "__pycache__", "results", "node_modules", ".*_cache", ".hypothesis"
)

MEMORY = 12 << 30
"""Bytes of address space of a trial, so that a mutant that allocates without end is noticed."""

SLACK = 30.0
"""Seconds of a trial before the time limit of its tests begins: the sources and tests are imported."""

CONTROL = 300.0
"""Seconds of a trial of one test without a mutant."""

FAILED = (pytest.ExitCode.TESTS_FAILED, pytest.ExitCode.INTERRUPTED)
"""A test failed, or a file of tests could not be imported. Others are errors of this programme: no test was found."""


@dataclass(frozen=True)
class Trial:
    """A mutant, whether a test noticed it, by which test, and how many were run."""

    mutant: Mutant
    noticed: bool
    by: str
    tests: int


class Selection:
    """A pytest plugin that runs some tests in a given order and records the first that fails."""

    def __init__(self, tests: list[str]) -> None:
        self.rank = {test: i for i, test in enumerate(tests)}
        self.failed = ""

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Keep the selected tests."""
        items[:] = sorted((item for item in items if item.nodeid in self.rank), key=lambda item: self.rank[item.nodeid])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember the first failure."""
        if report.failed and not self.failed:
            self.failed = report.nodeid


def tried(root: Path, mutants: list[Mutant], covering: Covering, jobs: int) -> Iterator[Trial]:
    """Yield the trials of mutants as they end; every process works on a copy of the tree of its own."""
    for library in LIBRARIES:
        with suppress(ImportError):
            importlib.import_module(library)
    given = [(mutant, [(batch, _limit(covering, batch)) for batch in covering.batches(mutant)]) for mutant in mutants]
    context = multiprocessing.get_context("fork")
    with (
        tempfile.TemporaryDirectory(prefix="mutants-") as folder,
        ProcessPoolExecutor(jobs, context, initializer=_begin, initargs=(root, Path(folder))) as pool,
    ):
        yield from pool.map(_try, given)


def _limit(covering: Covering, tests: list[str]) -> float:
    """The seconds after which a trial of some tests is stopped."""
    return SLACK + 3 * sum(covering.seconds[test] for test in tests)


_tree = Path()


def _begin(root: Path, folder: Path) -> None:
    """Copy the tree. Compiled files hold the hash of their source: two mutants of one file may have the same size."""
    global _tree  # noqa: PLW0603 - one tree for each process of the pool
    _tree = folder / str(os.getpid())
    shutil.copytree(root, _tree, ignore=NOT_COPIED)
    checked = py_compile.PycInvalidationMode.CHECKED_HASH
    compileall.compile_dir(_tree / "src", quiet=2, invalidation_mode=checked)


def _try(given: tuple[Mutant, list[tuple[list[str], float]]]) -> Trial:
    mutant, batches = given
    run = 0
    for tests, limit in batches:
        failed = _noticed_by(mutant, tests, limit)
        if failed:
            return Trial(mutant, noticed=True, by=failed, tests=run)
        run += len(tests)
    return Trial(mutant, noticed=False, by="", tests=run)


def _noticed_by(mutant: Mutant, tests: list[str], limit: float) -> str:
    """Return the first test that fails with the mutant and passes without it, "time limit" or "import"; or nothing."""
    file, left = _tree / mutant.file, list(tests)
    while left:
        file.write_bytes(mutant.mutation.apply(mutant.source))
        try:
            failed = _first_failure(left, limit)
        finally:
            file.write_bytes(mutant.source)
        if failed not in left or _passes(failed):
            return failed
        left.remove(failed)
    return ""


@cache
def _passes(test: str) -> bool:
    """Whether a test passes in the tree as it is: some fail in a trial whatever is in it."""
    return not _first_failure([test], CONTROL)


def _first_failure(tests: list[str], limit: float) -> str:
    """Return the first test that fails, "time limit" or "import"; empty if all pass."""
    outcome = _tree / "outcome.txt"
    outcome.unlink(missing_ok=True)
    child = multiprocessing.get_context("fork").Process(target=_run, args=(tests, int(limit)))
    child.start()
    child.join(3 * limit)
    late = child.is_alive()
    with suppress(ProcessLookupError):
        os.killpg(child.pid or 0, signal.SIGKILL)
    child.join()
    if late or (child.exitcode or 0) < 0:
        return "time limit"
    if not outcome.exists() or child.exitcode not in (0, *FAILED):
        said = (_tree / "output.txt").read_text(errors="replace")[-2000:]
        raise RuntimeError(
            f"pytest ended with code {child.exitcode}: delete the folder of the coverage, repeat.\n{said}"
        )
    return "" if child.exitcode == 0 else outcome.read_text() or "import"


def _run(tests: list[str], limit: int) -> None:
    os.setsid()
    output = os.open(_tree / "output.txt", os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
    os.dup2(output, 1)
    os.dup2(output, 2)
    enter(_tree)
    resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    selection = Selection(tests)
    files = list(dict.fromkeys(test.split("::")[0] for test in tests))
    imported = "ignore::pytest.PytestAssertRewriteWarning"  # plugins are among the libraries that are loaded
    options = ["-x", "-q", "-W", imported, "-p", "no:cacheprovider", "--basetemp", str(_tree / "temporary")]
    code = pytest.main([*files, *options], plugins=[selection])
    (_tree / "outcome.txt").write_text(selection.failed)
    sys.stdout.flush()
    os._exit(int(code))
