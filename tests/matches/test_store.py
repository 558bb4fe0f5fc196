"""The store: versions, copies, races, and what a database may say."""

import hashlib
import os
import sqlite3
import threading
from collections import Counter
from functools import partial
from getpass import getuser
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from firstmover.core.errors import (
    Conflict,
    DamagedStore,
    FirstmoverError,
    InvalidInput,
    StoreUnavailable,
)
from firstmover.core.files import canonical_json
from firstmover.matches import Match, database, journal, schema, state_hash
from firstmover.matches.events import GENESIS, Draft, Event
from tests.matches.played import ROUTES, new, play
from tests.torture.earlier import earlier_store


def test_a_newer_store_is_refused_unwritten(tmp_path: Path) -> None:
    new(tmp_path)
    path = tmp_path / "matches.db"
    with sqlite3.connect(path) as store:
        store.execute("UPDATE firstmover_schema SET version = 99")
    before = path.read_bytes()
    for opened in (Match.open, partial(Match.open, read_only=True)):
        with pytest.raises(InvalidInput, match="version 99, newer than this firstmover's 2: update firstmover"):
            opened(path, "roads")
    assert path.read_bytes() == before


def test_an_older_store_is_migrated_once_with_a_copy_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    match = new(tmp_path)
    play(match, range(3))
    expected, path = state_hash(match.state()), tmp_path / "matches.db"

    def add_column(connection: Connection) -> None:
        connection.execute(text("ALTER TABLE firstmover_matches ADD COLUMN note TEXT"))

    monkeypatch.setattr(schema, "VERSION", 3)
    monkeypatch.setitem(schema.MIGRATIONS, 2, add_column)
    with pytest.raises(InvalidInput, match="older version 2: open it for writing once"):
        Match.open(path, "roads", read_only=True)
    for _ in range(2):
        assert state_hash(Match.open(path, "roads").state()) == expected
    with sqlite3.connect(path) as store:
        assert store.execute("SELECT version FROM firstmover_schema").fetchall() == [(3,)]
    monkeypatch.setattr(schema, "VERSION", 2)
    assert state_hash(Match.open(tmp_path / "matches.db.v2", "roads").state()) == expected


def test_names_of_version_1_are_kept_unless_they_look_like_another(tmp_path: Path) -> None:
    """Two matches are called café, once with an accent that is a character of its own: this one is renamed."""
    earlier_store("70a9d2e-auto", tmp_path / "m.db")
    schema.migrate(database.engine_for(tmp_path / "m.db"))
    with sqlite3.connect(tmp_path / "m.db") as store:
        names = dict(store.execute("SELECT id, name FROM firstmover_matches").fetchall())
        renamed = store.execute("SELECT \"match\" FROM firstmover_events WHERE kind = 'renamed'").fetchall()
    assert names == {"caf\u00e9": "caf\u00e9", "cafe\u0301": "caf\u00e9 (2)"}
    assert renamed == [("cafe\u0301",)]


def test_a_migration_that_fails_leaves_the_store_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new(tmp_path)

    def fail(connection: Connection) -> None:
        connection.execute(text("ALTER TABLE firstmover_matches ADD COLUMN note TEXT"))
        raise KeyboardInterrupt

    monkeypatch.setattr(schema, "VERSION", 3)
    monkeypatch.setitem(schema.MIGRATIONS, 2, fail)
    with pytest.raises(KeyboardInterrupt):
        Match.open(tmp_path / "matches.db", "roads")
    monkeypatch.setattr(schema, "VERSION", 2)
    assert Match.open(tmp_path / "matches.db", "roads").verify().events == 1


def test_of_racing_tells_one_wins_and_the_others_are_told(tmp_path: Path) -> None:
    new(tmp_path).ask("a")
    said: list[str] = []

    def tell(response: float) -> None:
        match = Match.open(tmp_path / "matches.db", "roads")
        try:
            said.append("new" if match.tell("a", "low", response) else "same")
        except Conflict:
            said.append("conflict")

    threads = [threading.Thread(target=tell, args=(value,)) for value in (1.0, 1.0, 1.0, 2.0)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    counts = Counter(said)
    assert counts["new"] == 1
    assert counts in ({"new": 1, "same": 2, "conflict": 1}, {"new": 1, "conflict": 3})
    assert Match.open(tmp_path / "matches.db", "roads").verify().events == 3


def test_racing_asks_of_one_round_get_one_action(tmp_path: Path) -> None:
    match, seen = new(tmp_path), list[int]()
    others = [Match.open(tmp_path / "matches.db", "roads") for _ in range(4)]
    threads = [threading.Thread(target=lambda m=m: seen.append(m.ask("a").action)) for m in [match, *others]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 5
    assert len(set(seen)) == 1


def test_a_claim_is_held_by_one_event_even_if_a_writer_does_not_look(tmp_path: Path) -> None:
    match = new(tmp_path)
    match.ask("a")
    draft = Draft("asked", {"action": 0}, "a", "asked:a")
    state = match.state()
    with pytest.raises(Conflict, match="Another process recorded an event first"):
        match.journal.append(draft, state.sequence, state.mark)
    with pytest.raises(Conflict, match="Another process recorded an event first"):
        match.journal.append(Draft("voided", {}, "a", "closed:a"), state.sequence - 1, state.mark)
    assert match.verify().events == 2


def test_a_failed_write_records_nothing_and_may_be_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    match = new(tmp_path)
    play(match, range(3))
    match.ask("a")
    append = match.journal.append

    def full(*_: object) -> Event:
        raise StoreUnavailable("disk full")

    monkeypatch.setattr(match.journal, "append", full)
    with pytest.raises(StoreUnavailable):
        match.tell("a", "low", 2.0)
    monkeypatch.setattr(match.journal, "append", append)
    match.tell("a", "high", 3.0)
    assert match.verify().state_hash == state_hash(match.state())


@pytest.mark.parametrize(("content", "sentence"), [(b"", "no tables of firstmover"), (b"x" * 5000, "cannot be read")])
def test_another_file_is_no_store(tmp_path: Path, content: bytes, sentence: str) -> None:
    (tmp_path / "m.db").write_bytes(content)
    with pytest.raises(DamagedStore, match=sentence):
        Match.open(tmp_path / "m.db", "m")


def test_every_truncation_is_refused(tmp_path: Path) -> None:
    play(new(tmp_path), range(3))
    path = tmp_path / "matches.db"
    content = path.read_bytes()
    for length in range(0, len(content), 1999):
        path.write_bytes(content[:length])
        with pytest.raises(DamagedStore):
            Match.open(path, "roads").verify()


@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("mysql://host/db", "give a file for SQLite, or a URL that starts with postgresql://"),
        ("sqlite://", "in memory only, and a match must outlive the process"),
        ("no/such/folder/m.db", "cannot be created: No such file or directory"),
        ("://", "give a file, or a URL such as"),
    ],
)
def test_a_store_that_cannot_be_is_refused(url: str, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        database.engine_for(url, create=True)


def test_a_postgresql_url_gets_a_safe_engine() -> None:
    engine = database.engine_for("postgresql://nobody@127.0.0.1:1/none", read_only=True)
    assert engine.dialect.driver == "psycopg"
    with pytest.raises(StoreUnavailable, match="is unavailable"), database.transaction(engine):
        pass


def test_sqlite_is_opened_in_the_mode_that_loses_nothing(tmp_path: Path) -> None:
    match = new(tmp_path)
    with match.journal.engine.connect() as connection:
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "delete"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 3
    watcher = Match.open(tmp_path / "matches.db", "roads", read_only=True)
    with pytest.raises(StoreUnavailable, match="readonly"):
        watcher._journal.append(Draft("voided", {}), 1, watcher._state.mark)


def test_the_order_is_that_of_commits_whatever_the_clock_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    match, years = new(tmp_path), iter([2036, 2016, 2026, 2006] * 4)
    monkeypatch.setattr(journal, "utc_clock", lambda: f"{next(years)}-01-01T00:00:00.000+00:00")
    play(match, range(4))
    assert [view.round_id for view in match.history()] == ["r0", "r1", "r2", "r3"]
    assert match.verify().exact == 4


def test_events_bind_every_field_and_refuse_nan() -> None:
    event = Event.following(GENESIS, 1, "now", Draft("asked", {"p": 0.1}, "a", "asked:a"), "ann")
    assert event.check(GENESIS, 1) is event
    assert event.text == '{"p":0.1}'
    with pytest.raises(InvalidInput, match="NaN or infinite"):
        canonical_json({"p": float("nan")})
    with pytest.raises(DamagedStore):
        event.check("1" * 64, 1)
    for actor in (None, "bob"):
        with pytest.raises(DamagedStore):
            event._replace(actor=actor).check(GENESIS, 1)


def test_an_event_of_version_1_has_no_actor_in_its_hash() -> None:
    """SHA-256 of seven lines: previous hash, number, clock, kind, round, claim, payload."""
    lines = [GENESIS, "1", "now", "asked", "a", "asked:a", '{"p":0.1}']
    draft = Draft("asked", {"p": 0.1}, "a", "asked:a")
    for actor, hashed in ((None, lines), ("ann", [*lines, "ann"])):
        expected = hashlib.sha256("\n".join(hashed).encode()).hexdigest()
        assert Event.following(GENESIS, 1, "now", draft, actor).hash == expected


def test_every_event_carries_its_actor(tmp_path: Path) -> None:
    with Match.create(tmp_path / "m.db", "roads", ROUTES, actor="ann") as match:
        match.ask("a")
    with Match.open(tmp_path / "m.db", "roads", actor="bob") as match:
        match.tell("a", "low", 1.0)
        assert [event.actor for event in match.journal.read()] == ["ann", "ann", "bob"]
    with Match.open(tmp_path / "m.db", "roads") as match:
        match.void(match.ask("b").round_id, "rain")
        assert [event.actor for event in match.journal.read(3, match.journal.event(3).hash)] == [getuser()] * 2
    with pytest.raises(InvalidInput, match="actor is 'a\\\\nb': give 1 to 80 printable characters"):
        Match.open(tmp_path / "m.db", "roads", actor="a\nb")


def test_a_user_without_a_name_is_named_by_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown() -> str:
        raise KeyError("no such user")

    monkeypatch.setattr("firstmover.matches.names.getuser", unknown)
    assert new(tmp_path).actor == f"user {os.getuid()}"


def test_names_that_look_the_same_are_the_same(tmp_path: Path) -> None:
    with Match.create(tmp_path / "m.db", "cafe\u0301", ROUTES) as match:
        assert match.name == "caf\u00e9"
    for name in ("cafe\u0301", "caf\u00e9"):
        assert Match.open(tmp_path / "m.db", name).name == "caf\u00e9"
    with pytest.raises(Conflict, match="exists already"):
        Match.create(tmp_path / "m.db", "caf\u00e9", ROUTES)


def test_a_locked_store_is_said_to_be_busy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new(tmp_path)
    monkeypatch.setattr(database, "BUSY_SECONDS", 0.05)
    match = Match.open(tmp_path / "matches.db", "roads")
    other = sqlite3.connect(tmp_path / "matches.db", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreUnavailable, match="locked"):
        match.ask("a")
    other.execute("ROLLBACK")
    other.close()
    assert match.ask("a").round_id == "a"


def test_every_error_is_ours() -> None:
    assert {error.exit_code for error in (FirstmoverError, InvalidInput, StoreUnavailable)} == {2}
    assert (Conflict.exit_code, DamagedStore.exit_code) == (3, 4)
