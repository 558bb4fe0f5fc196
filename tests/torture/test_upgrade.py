"""An older store is brought up to date as a whole or not at all, and a copy of it is kept."""

import asyncio
import random
import shutil
import sqlite3
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from multiprocessing.connection import Connection as Pipe
from pathlib import Path
from typing import NamedTuple
from unicodedata import normalize

import numpy as np
import pytest
from sqlalchemy import Engine, update

from firstmover.core.errors import DamagedStore, FirstmoverError, InvalidInput
from firstmover.matches import Match, State, schema, state_hash
from firstmover.matches.database import engine_for, transaction
from firstmover.matches.match_list import list_matches
from firstmover.service.match_pool import MatchPool
from tests.torture.children import KILLED, Child, Say, nothing
from tests.torture.earlier import STORES, dump, earlier_store
from tests.torture.grown import grown
from tests.torture.sizes import sizes

PROMISE = "upgrade"


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
    "70a9d2e-auto": Stored(
        "caf\u00e9", "0e9d6c647839a2c6f63358eeebe30ae60ea4398b32433b193396334ea77c5303", 2, ("low", 3.0)
    ),
    "0.1.0-pricing": Stored(
        "shop", "998ca27cdb12f40d6e7701be0e1fab80d20dc3d6beb1d4324e7fd625e2a281d1", 25, ("tourists", 31.0)
    ),
    "6873d92-game": Stored("game", "cd5bb0f07d04f2f5bc9907c04570a9b8e86434df34d413e978e4f37c98e72268", 6, ("2", 0.5)),
}
"""By version of the tables or the package, or by commit: the templates pricing and sioux-falls, a type that is a free
number, imports with corrections and refits, a width of theory before it had a formula, and a game of the table."""


def test_every_store_that_is_kept_is_upgraded() -> None:
    assert set(EARLIER) == {path.stem for path in STORES.glob("*.sql")}


NAME = "caf\u00e9"
"""A match of the store `70a9d2e-auto`; another one there has the same name in another normal form."""

COPIES = 30
"""Further matches of the store that is migrated, so that there are moments at which to be killed."""


def older(path: Path) -> None:
    """A store of version 1 with many matches."""
    earlier_store("70a9d2e-auto", path)
    with closing(sqlite3.connect(path)) as store:
        for number in range(COPIES):
            copied = f"'{number} ' || "
            for table, key in (("firstmover_matches", "name"), ("firstmover_events", '"match"')):
                columns = [row[1] for row in store.execute(f"PRAGMA table_info({table})")]
                others = ", ".join(f'"{name}"' for name in columns[1:])
                store.execute(
                    f"INSERT INTO {table} SELECT {copied}{key}, {others} FROM {table} WHERE {key} LIKE 'caf%'"
                )
        store.commit()


def piecemeal(engine: Engine, *_: object) -> None:
    """A migration without a copy, and in two transactions, the version first."""
    with transaction(engine, writing=True) as connection:
        connection.execute(update(schema.versions).values(version=schema.VERSION))
    time.sleep(0.01)
    with transaction(engine, writing=True) as connection:
        schema.MIGRATIONS[1](connection)


def migrating(sender: Pipe, path: str, unsafe: bool) -> None:
    engine = engine_for(path)
    sender.send("begins")
    (piecemeal if unsafe else schema.migrate)(engine)


def opened(sender: Pipe, path: str) -> None:
    try:
        with Match.open(path, NAME) as match:
            match.verify()
            sender.send(state_hash(match.state()))
    except FirstmoverError as error:
        sender.send(repr(error))


def stored_version(path: Path, before: list[str]) -> int:
    """The version of a store after a kill; one of version 1 must be as it was, one of version 2 complete."""
    with closing(sqlite3.connect(path)) as store:
        [(version,)] = store.execute("SELECT version FROM firstmover_schema")
        columns = {row[1] for row in store.execute("PRAGMA table_info(firstmover_events)")}
        if version == 2:
            assert "actor" in columns, "the migration stopped half way"
            names = {name for (name,) in store.execute("SELECT name FROM firstmover_matches")}
            assert len(names) == 2 * (COPIES + 1)
            assert names == {normalize("NFC", name) for name in names}
            renamed = store.execute("SELECT count(*) FROM firstmover_events WHERE kind = 'renamed'").fetchone()
            assert renamed == (COPIES + 1,)
    assert version == 2 or dump(path) == before, "the store of version 1 was changed"
    return version


def killed_while_migrating(folder: Path, kills: int, unsafe: bool = False, say: Say = nothing) -> None:
    """Kills at random moments of a migration, of which the first is left to end."""
    kept, path, rng, early = folder / "kept.db", folder / "matches.db", random.Random(2), 0
    older(kept)
    before, expected = dump(kept), list[str]()
    longest = 0.0  # the first one runs to its end
    for turn in range(kills + 1):
        for left in folder.glob("matches.db*"):
            left.unlink()
        shutil.copy(kept, path)
        child = Child(migrating, str(path), unsafe)
        child.hear(1)
        started = time.perf_counter()
        child.process.join(rng.random() * longest if turn else None)
        longest = longest or time.perf_counter() - started
        child.process.kill()
        child.process.join()
        assert child.process.exitcode in (0, KILLED)
        early += stored_version(path, before) == 1
        found = Child(opened, str(path)).end()
        expected = expected or found
        assert found == expected, "the store is not what it was"
        copy = path.with_name("matches.db.v1")
        assert dump(copy) == before, "the copy is not what was there"
        assert copy.stat().st_mode & 0o077 == 0, "others can read the copy"
        say(f"{turn:,} kills, {early:,} of them before the commit: same state hash, copy kept")


@pytest.mark.parametrize("kills", sizes("kills of a migration"))
def test_a_kill_during_a_migration(memory: Path, kills: int, reached: Callable[[str], None]) -> None:
    killed_while_migrating(memory, kills, say=reached)


def test_a_service_migrates_its_store_when_it_starts(memory: Path) -> None:
    """A reader is refused with the remedy before, and reads afterwards."""
    earlier_store("70a9d2e-auto", memory / "m.db")
    with pytest.raises(InvalidInput, match="older version 1: open it for writing once to migrate it"):
        list_matches(memory / "m.db")
    pool = MatchPool(str(memory / "m.db"))

    async def listed() -> list[str]:
        found = [match.name for match in await pool.listed()]
        await pool.close()
        return found

    with ThreadPoolExecutor(1) as thread:  # the tests of the page leave an event loop running in theirs
        assert thread.submit(lambda: asyncio.run(listed())).result() == [NAME, f"{NAME} (2)"]
    assert [match.asked for match in list_matches(memory / "m.db")] == [2, 11]
    assert (memory / "m.db.v1").exists()


def test_names_that_become_the_same_stay_apart(memory: Path) -> None:
    """Two matches of version 1 with the same letters in two normal forms; the renaming is on record."""
    earlier_store("70a9d2e-auto", memory / "m.db")
    with Match.open(memory / "m.db", NAME) as match, Match.open(memory / "m.db", f"{NAME} (2)") as other:
        assert (match.verify().events, other.verify().events) == (5, 29)
        last = list(other.journal.read())[-1]
        assert (last.kind, last.payload, last.actor) == ("renamed", {"name": f"{NAME} (2)"}, "firstmover")
        assert other.name == f"{NAME} (2)"
        assert {event.actor for event in match.journal.read()} == {None}


@pytest.mark.parametrize("name", EARLIER)
def test_stores_of_earlier_versions_open_verify_and_go_on(
    memory: Path, name: str, reached: Callable[[str], None]
) -> None:
    earlier_store(name, memory / "m.db")
    earlier = EARLIER[name]
    with Match.open(memory / "m.db", earlier.match) as match:
        found, labels = match.verify(), match.setting.menu.labels
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
        change(match)
        match.tell(match.ask("after the change").round_id, *earlier.outcome)
        expected = state_hash(match.state())
        assert match.verify().state_hash == expected
    with Match.open(memory / "m.db", earlier.match) as match:
        assert state_hash(match.state()) == expected
        assert match.setting.at(found.events).menu.labels == labels
    reached(f"store of {name}: same events, p_t within {found.largest_difference:.1g}, played on, changed")


def change(match: Match) -> None:
    """Retire an action and, where the match has a menu of its own, add another one, a level and a reward."""
    match.retire(0)
    if match.setting.config.menu.game is not None:
        return
    row = {name: float(column[-1]) + 1.0 for name, column in match.setting.menu.columns.items()}
    match.add_actions([{match.setting.config.menu.label or "label": "new", **row}])
    spec, [demand] = match.setting.config.reward, match.setting.config.types or ()
    assert spec is not None
    match.set_reward(spec.model_dump(exclude_none=True) | {"value": 3.0})
    if demand.levels is not None:
        match.add_levels(demand.name, {"new": 7.0} if isinstance(demand.levels, dict) else ["new"])


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
    with pytest.raises(AssertionError):
        killed_while_migrating(memory, 20, unsafe=True)
