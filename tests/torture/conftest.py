"""Each promise, the figure that was reached, and the verdict, in one table at the end; and a PostgreSQL server."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.torture.server import Server, serving


@pytest.fixture
def reached(request: pytest.FixtureRequest, record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Says how far a programme came: `reached("2,000 kills, 0 lost")`; the promise is named by its module."""
    record_property("promise", request.module.PROMISE)
    return lambda figure: record_property("figure", figure)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    rows = []
    for verdict, outcome in (("kept", "passed"), ("BROKEN", "failed"), ("BROKEN", "error")):
        for report in terminalreporter.stats.get(outcome, []):
            said = dict(getattr(report, "user_properties", []))
            if "promise" in said:
                rows.append((said["promise"], said.get("figure", "stopped before a figure"), verdict))
    if rows:
        widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
        terminalreporter.section("what is promised, what was reached")
        for promise, figure, verdict in rows:
            terminalreporter.write_line(f"{promise:<{widths[0]}}  {figure:<{widths[1]}}  {verdict}")


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
