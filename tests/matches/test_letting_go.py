"""What is closed stays closed, and what is another program's stays as it is."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from stat import S_IMODE
from subprocess import run
from sys import executable
from typing import Any

import pytest

from firstmover.core.errors import DamagedStore, InvalidInput
from firstmover.matches import Match
from firstmover.matches.database import make_file
from tests.matches.played import ROUTES, new, play, reopened


@pytest.mark.parametrize(
    "call",
    [
        lambda match: match.ask(),
        lambda match: match.ask("r0"),
        lambda match: match.tell("r1", "low", 1.0),
        lambda match: match.void("r1", "missing"),
        lambda match: match.correct("r0", "low", 1.0, reason="misread"),
        lambda match: match.import_history([{"action": 1, "type": "low", "response": 1.0}]),
        lambda match: match.status(),
        lambda match: match.history(),
        lambda match: match.state(),
        lambda match: match.learner(),
        lambda match: match.verify(),
    ],
)
def test_a_closed_match_is_not_played_on(tmp_path: Path, call: Callable[[Match], Any]) -> None:
    with new(tmp_path) as match:
        play(match, range(1))
        match.ask("r1")
        before = match.sequence
    with pytest.raises(InvalidInput, match=r"^match 'roads' is closed: open it again\.$"):
        call(match)
    match.close()
    assert reopened(tmp_path).sequence == before


def test_a_closed_watcher_sees_nothing_more(tmp_path: Path) -> None:
    play(new(tmp_path), range(1))
    with Match.open(tmp_path / "matches.db", "roads", read_only=True) as watcher:
        assert len(watcher.history()) == 1
    for call in (watcher.history, watcher.status):
        with pytest.raises(InvalidInput, match=r"^match 'roads' is closed: open it again\.$"):
            call()


def test_an_empty_file_becomes_its_owners(tmp_path: Path) -> None:
    path = tmp_path / "matches.db"
    path.touch(0o644)
    path.chmod(0o644)
    new(tmp_path)
    assert S_IMODE(path.stat().st_mode) == 0o600
    path.chmod(0o640)  # a store whose owner lets a group in stays so
    Match.create(path, "other", ROUTES)
    assert S_IMODE(path.stat().st_mode) == 0o640


def test_another_match_is_made_while_this_process_holds_the_lock(tmp_path: Path) -> None:
    """Opening and closing the file would let go of the lock, and two would write at once."""
    match, path = new(tmp_path), tmp_path / "matches.db"
    script = "import sqlite3, sys; sqlite3.connect(sys.argv[1], timeout=0).execute('BEGIN IMMEDIATE')"
    with match.journal.alone():
        make_file(path)
        other = run([executable, "-c", script, str(path)], capture_output=True, text=True, check=False)
    assert "database is locked" in other.stderr


@pytest.mark.parametrize("mode", ["DELETE", "WAL"])
def test_the_database_of_another_program_is_left_as_it_is(tmp_path: Path, mode: str) -> None:
    path = tmp_path / "matches.db"
    with sqlite3.connect(path) as other:
        other.execute(f"PRAGMA journal_mode = {mode}")
        other.execute("CREATE TABLE songs (title TEXT)")
    other.close()
    before = path.read_bytes()
    with pytest.raises(
        InvalidInput, match=r"of another program \(its tables: songs\): nothing was written; give a file"
    ):
        new(tmp_path)
    with pytest.raises(DamagedStore, match="no tables of firstmover"):
        reopened(tmp_path)
    assert path.read_bytes() == before


def journal_mode(path: Path, statement: str = "PRAGMA journal_mode") -> str:
    connection = sqlite3.connect(path)
    try:
        return str(connection.execute(statement).fetchone()[0])
    finally:
        connection.close()


def test_a_store_that_was_put_into_wal_mode_is_brought_back(tmp_path: Path) -> None:
    new(tmp_path).close()
    assert journal_mode(tmp_path / "matches.db", "PRAGMA journal_mode = WAL") == "wal"
    reopened(tmp_path).close()
    assert journal_mode(tmp_path / "matches.db") == "delete"


def test_a_table_of_text_is_said_to_be_no_store(tmp_path: Path) -> None:
    path = tmp_path / "matches.db"
    path.write_text("action,demand,congestion\n" * 50)
    for begin in (new, reopened):
        with pytest.raises(
            DamagedStore, match="it is no store of firstmover, or damaged; correct the path, or restore it from"
        ):
            begin(tmp_path)
    assert path.read_text().startswith("action,demand")
