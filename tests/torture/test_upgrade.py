"""An older store is brought up to date as a whole or not at all, and a copy of it is kept."""

import random
import shutil
import sqlite3
import time
from collections.abc import Callable
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from sqlalchemy import Connection, Engine, text, update

from firstmover.core.errors import DamagedStore, FirstmoverError
from firstmover.matches import Match, State, schema, state_hash
from tests.torture.children import KILLED, Child, Say, nothing, sizes
from tests.torture.grown import grown

PROMISE = "upgrade"
STORES = Path(__file__).parent / "stores"


class Stored(NamedTuple):
    """A store that an earlier firstmover wrote: its match, the last hash, its rounds, and an outcome to tell."""

    match: str
    head: str
    rounds: int
    outcome: tuple[object, object]


EARLIER = {
    "version-1": Stored("roads", "b0354b06d0acc0aaa0720d8a4f9f86fbe4a4078350baf4931d80fe1f0d8eb5ec", 4, ("high", 3.0)),
    "6873d92-pricing": Stored(
        "pricing", "7fd366860f8cf7db4f6b2432f961fd0650719910738aeb4e3fa36175bf7af389", 9, ("tourists", 31.0)
    ),
    "6873d92-sioux-falls": Stored(
        "sioux-falls", "6873f285b4bec998fc58edb99891bfe3a2c675023c75d6cdc638bf14a1b6d810", 6, ("usual", 4.5)
    ),
    "6873d92-free-type": Stored(
        "free-type", "148bbfbfb30ba2f20c4c610cfca66491a6246aa245e4a2a9581629cde5200e41", 10, (0.7, 3.0)
    ),
    "6873d92-history": Stored(
        "history", "9b12ac414a8a501cbb253dd4e5b11eeb15094e42af9aed73b5f95a48ef7dde1a", 13, ("low", 2.5)
    ),
    "095ebb3-theory-width": Stored(
        "lemma", "cb1e1a2951fcb5dbbbc745541ee02ad3932e13f4650c2506f45a806afe44e773", 12, ("high", 3.0)
    ),
    "6873d92-game": Stored("game", "cd5bb0f07d04f2f5bc9907c04570a9b8e86434df34d413e978e4f37c98e72268", 6, ("2", 0.5)),
}
"""By version of the tables or by commit: the templates pricing and sioux-falls, a type that is a free number, imports
with corrections and refits, a width of theory before it had a formula, and a game of the table."""


def to_the_next(connection: Connection) -> None:
    """What a next version might do: a new column that every line fills, and a new index."""
    connection.execute(text("ALTER TABLE firstmover_matches ADD COLUMN note TEXT"))
    connection.execute(text("ALTER TABLE firstmover_events ADD COLUMN note TEXT"))
    connection.execute(text("UPDATE firstmover_matches SET note = 'brought on'"))
    connection.execute(text("UPDATE firstmover_events SET note = 'brought on'"))
    connection.execute(text("CREATE INDEX events_by_round ON firstmover_events (round_id)"))


def piecemeal(engine: Engine, *_: object) -> None:
    """A migration without a copy, and in two transactions, the version first."""
    with engine.connect().execution_options(writing=True) as connection, connection.begin():
        connection.execute(update(schema.versions).values(version=schema.VERSION))
    time.sleep(0.01)
    with engine.connect().execution_options(writing=True) as connection, connection.begin():
        to_the_next(connection)


def use_the_next_version(unsafe: bool = False) -> None:
    schema.MIGRATIONS[schema.VERSION] = to_the_next
    schema.VERSION += 1
    if unsafe:
        schema.migrate = piecemeal


def migrating(sender: Pipe, path: str, unsafe: bool) -> None:
    use_the_next_version(unsafe)
    sender.send("begins")
    Match.open(path, "roads").close()


def opened(sender: Pipe, path: str, next_version: bool) -> None:
    if next_version:
        use_the_next_version()
    try:
        with Match.open(path, "roads") as match:
            match.verify()
            sender.send(state_hash(match.state()))
    except FirstmoverError as error:
        sender.send(repr(error))


def check_upgraded(path: Path, version: int, expected: str) -> None:
    """The new version opens it, as does the old one the copy; every line was brought on."""
    assert Child(opened, str(path), True).end() == [expected], "the store is not what it was"
    with sqlite3.connect(path) as store:
        assert store.execute("SELECT version FROM firstmover_schema").fetchall() == [(version + 1,)]
        columns = [row[1] for row in store.execute("PRAGMA table_info(firstmover_events)")]
        assert "note" in columns, "the migration stopped half way"
        assert store.execute("SELECT count(*) FROM firstmover_events WHERE note IS NULL").fetchall() == [(0,)]
    store.close()
    copy = path.with_name(f"{path.name}.v{version}")
    assert copy.stat().st_mode & 0o077 == 0, "others can read the copy"
    assert Child(opened, str(copy), False).end() == [expected], "the copy is not what was there"


def killed_while_migrating(folder: Path, kills: int, unsafe: bool = False, say: Say = nothing) -> None:
    """Kills at random moments of a migration, of which the first is left to end."""
    kept, path, rng, early = folder / "kept.db", folder / "matches.db", random.Random(2), 0
    grown(kept, 30)
    [expected] = Child(opened, str(kept), False).end()
    longest = 0.0  # the first one runs to its end
    for turn in range(kills + 1):
        for left in folder.glob("matches.db*"):
            left.unlink()
        shutil.copy(kept, path)
        child = Child(migrating, str(path), unsafe)
        child.hear(1)
        before = time.perf_counter()
        child.process.join(rng.random() * longest if turn else None)
        longest = longest or time.perf_counter() - before
        early += child.process.is_alive()
        child.process.kill()
        child.process.join()
        assert child.process.exitcode in (0, KILLED)
        check_upgraded(path, schema.VERSION, expected)
        say(f"{turn:,} kills, {early:,} of them before its end: same state hash, copy kept")


@pytest.mark.parametrize("kills", sizes(8, 500))
def test_a_kill_during_a_migration(memory: Path, kills: int, reached: Callable[[str], None]) -> None:
    killed_while_migrating(memory, kills, say=reached)


@pytest.mark.parametrize("name", EARLIER)
def test_stores_of_earlier_versions_open_verify_and_go_on(
    memory: Path, name: str, reached: Callable[[str], None]
) -> None:
    with sqlite3.connect(memory / "m.db") as store:
        store.executescript((STORES / f"{name}.sql").read_text())
    store.close()
    earlier = EARLIER[name]
    with Match.open(memory / "m.db", earlier.match) as match:
        found = match.verify()
        assert (found.head, found.rounds) == (earlier.head, earlier.rounds)
        assert found.largest_difference <= 1e-9
        for round_id in (None, "one more", "and another"):
            match.tell(match.ask(round_id).round_id, *earlier.outcome)
        assert len(match.history()) >= earlier.rounds + 2
        expected = state_hash(match.state())
    with Match.open(memory / "m.db", earlier.match) as match:
        again = match.verify()
        assert again.state_hash == expected
        assert again.exact >= 2, "rounds of this version must be exact"
        assert again.largest_difference <= 1e-9
    reached(f"store of {name}: same events, p_t within {found.largest_difference:.1g}, played on")


def test_a_change_of_last_bits_between_versions_is_no_damage(memory: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A later version may round otherwise: its sources differ, so that p_t need only agree to 1e-9."""
    grown(memory / "m.db", 6)
    strategy = State.strategy
    off = property(lambda state: np.nextafter(strategy.fget(state), 0.0))  # type: ignore[attr-defined]
    monkeypatch.setattr(State, "strategy", off)
    with Match.open(memory / "m.db", "roads") as match:
        with pytest.raises(DamagedStore, match="does not follow from the events before it"):
            match.verify()
        monkeypatch.setattr("firstmover.matches.verification.fingerprint", lambda: "other sources")
        assert 0 < match.verify().largest_difference < 1e-9


def test_teeth_a_migration_in_pieces(memory: Path) -> None:
    with pytest.raises((AssertionError, FileNotFoundError)):
        killed_while_migrating(memory, 20, unsafe=True)
