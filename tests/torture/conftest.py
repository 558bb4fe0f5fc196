"""Each promise, the figure that was reached, and the verdict, in one table at the end; and a PostgreSQL server."""

import json
import os
import re
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import date
from itertools import groupby
from pathlib import Path

import pytest

from tests.torture.server import Server, serving

FOLDER = "FIRSTMOVER_TORTURE"
"""Names the folder where programmes note how far they came, for the process that prints the table."""


STARTED = pytest.StashKey[float]()


@pytest.hookimpl(trylast=True)
def pytest_configure(config: pytest.Config) -> None:
    config.stash[STARTED] = time.time()
    if FOLDER not in os.environ:  # the first process; its workers inherit it
        config.add_cleanup(_kept_folder().cleanup)
    if config.option.markexpr == "slow":
        signal.signal(signal.SIGTERM, _stop)


def _stop(*_: object) -> None:
    """The table is printed when a programme is told to end; being told twice does not stop that."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise KeyboardInterrupt


def _kept_folder() -> "tempfile.TemporaryDirectory[str]":
    folder = tempfile.TemporaryDirectory(prefix="firstmover-torture-")
    os.environ[FOLDER] = folder.name
    return folder


@pytest.fixture
def reached(request: pytest.FixtureRequest) -> Callable[[str], None]:
    """Says how far a programme came, as often as it likes: `reached("2,000 kills, 0 lost")`.

    The promise is named by its module. Of parts of one programme the numbers are added up.
    """
    path = Path(os.environ[FOLDER]) / re.sub(r"\W+", "-", request.node.nodeid)[-200:]
    noted = {"test": request.node.nodeid, "promise": request.module.PROMISE, "figure": "stopped before a figure"}

    def note(figure: str) -> None:
        path.write_text(json.dumps(noted | {"figure": figure}))

    note(noted["figure"])
    return note


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    noted = {row["test"]: row for row in map(_read, sorted(Path(os.environ[FOLDER]).iterdir()))}
    ended = {
        report.nodeid: verdict
        for verdict, outcome in (("kept", "passed"), ("BROKEN", "failed"), ("BROKEN", "error"))
        for report in terminalreporter.stats.get(outcome, [])
    }
    full = config.option.markexpr == "slow"
    if full:  # tests of other folders are shown by their names
        noted |= {test: _named(test) for test in ended if test not in noted}
    rows = table([(test, row["promise"], row["figure"], ended.get(test, "stopped")) for test, row in noted.items()])
    if not rows:
        return
    widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
    terminalreporter.section("what is promised, what was reached")
    for promise, figure, verdict in rows:
        terminalreporter.write_line(f"{promise:<{widths[0]}}  {figure:<{widths[1]}}  {verdict}")
    if full:
        minutes = (time.time() - config.stash[STARTED]) / 60
        written = config.rootpath / "results" / "torture.md"
        written.parent.mkdir(exist_ok=True)
        written.write_text(markdown(rows, minutes), "utf-8")
        terminalreporter.write_line(f"written to {written}")


def _read(path: Path) -> dict[str, str]:
    row: dict[str, str] = json.loads(path.read_text())
    return row


def _named(test: str) -> dict[str, str]:
    """A test without a figure, in the words of its name.

    >>> _named("tests/service/test_racing.py::test_one_wins[full]")
    {'promise': 'service: racing', 'figure': 'one wins'}
    """
    path, _, name = test.partition("::")
    module = Path(path)
    words = re.sub(r"\[.*", "", name).removeprefix("test_").replace("_", " ")
    return {"promise": f"{module.parent.name}: {module.stem.removeprefix('test_')}", "figure": words}


def markdown(rows: list[tuple[str, str, str]], minutes: float) -> str:
    """The table as a page.

    >>> print(markdown([("soak", "3 MB", "kept")], 61.2))
    Run of ..., 61 minutes on ... cores.
    <BLANKLINE>
    | promise | figure | verdict |
    |---|---|---|
    | soak | 3 MB | kept |
    <BLANKLINE>
    """
    lines = [f"| {' | '.join(row)} |" for row in (("promise", "figure", "verdict"), *rows)]
    lines.insert(1, "|---|---|---|")
    head = f"Run of {date.today()}, {minutes:.0f} minutes on {os.cpu_count()} cores."
    return "\n".join([head, "", *lines, ""])


def table(noted: list[tuple[str, str, str, str]]) -> list[tuple[str, str, str]]:
    """Promise, figure and verdict: one line a programme, its parts added up.

    >>> part = "t.py::t[part-1]", "durable", "1,500 kills, 0 lost", "kept"
    >>> table([part, ("t.py::t[part-2]", "durable", "500 kills, 0 lost", "kept"), ("t.py::u", "soak", "3 MB", "kept")])
    [('durable', '2,000 kills, 0 lost', 'kept'), ('soak', '3 MB', 'kept')]
    """
    rows = []
    for _, group in groupby(sorted(noted), key=lambda row: re.sub(r"part-\d+", "part", row[0])):
        parts = list(group)
        verdicts = {verdict for *_, verdict in parts}
        verdict = next(known for known in ("BROKEN", "stopped", "kept") if known in verdicts)
        rows.append((parts[0][1], _added([figure for *_, figure, _ in parts]), verdict))
    return sorted(rows)


def _added(figures: list[str]) -> str:
    """The figures of the parts as one: numbers in the same place of the same words are added."""
    if len({re.sub(r"[\d,]*\d", "#", figure) for figure in figures}) > 1 or len(figures) == 1:
        return "; ".join(dict.fromkeys(figures))
    columns = zip(
        *[[int(n.replace(",", "")) for n in re.findall(r"[\d,]*\d", figure)] for figure in figures], strict=True
    )
    sums = iter([sum(column) for column in columns])
    return re.sub(r"[\d,]*\d", lambda _: f"{next(sums):,}", figures[0])


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Path]:
    """A folder that needs no disk: whoever is killed leaves there what a disk would have been given."""
    if not os.access("/dev/shm", os.W_OK):
        yield tmp_path
        return
    with tempfile.TemporaryDirectory(prefix="firstmover-", dir="/dev/shm") as folder:
        yield Path(folder)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A real PostgreSQL server on a folder and a port of its own."""
    with serving() as started:
        yield started


@pytest.fixture(params=["sqlite", "postgresql"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty store, of either kind."""
    if request.param == "sqlite":
        return str(tmp_path / "matches.db")
    started: Server = request.getfixturevalue("server")
    return started.new_database()
