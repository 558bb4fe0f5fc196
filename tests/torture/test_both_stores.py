"""SQLite and a real PostgreSQL server keep the same promises."""

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from sqlalchemy import inspect, select

from firstmover.core.errors import Conflict, StoreUnavailable
from firstmover.matches import Decision, Match, commands, schema, state_hash
from firstmover.matches.backup import backup, restore
from firstmover.matches.events import Draft
from tests.matches.played import ROUTES, play
from tests.torture.children import Child, check_acknowledged, player
from tests.torture.earlier import earlier_store
from tests.torture.test_exactly_once import check_race, race

PROMISE = "both stores"
UNIFORMS = [random.Random(seed).random() for seed in range(60)]
"""The numbers that both games are drawn with, by round: in the wild they come from the operating system."""


class Drawn(Match):
    """A match whose draws are known in advance."""

    def ask(self, round_id: str | None = None) -> Decision:
        commands.system_uniform = lambda: UNIFORMS[len(self._state.rounds)]
        return super().ask(round_id)


def test_fifty_rounds_are_twenty_five_a_kill_and_the_rest(store: str, reached: Callable[[str], None]) -> None:
    hashes = []
    for name, kills in (("straight", 0), ("killed", 1)):
        Match.create(store, name, ROUTES).close()
        said = []
        if kills:
            child = Child(player, Drawn, store, 50, name)
            child.hear(50)
            said = child.kill()
        said += Child(player, Drawn, store, 50, name).end()
        with Match.open(store, name) as match:
            check_acknowledged(match, said)
            found = match.verify()
            assert (found.rounds, found.exact, found.state_hash) == (50, 50, state_hash(match.state()))
            hashes.append(found.state_hash)
    assert hashes[0] == hashes[1]
    reached(f"{store.split(':', maxsplit=1)[0] if ':' in store else 'sqlite'}: 50 rounds = 25 + kill + 25, bit for bit")


def test_racing_tells_have_one_winner(store: str) -> None:
    check_race(store, race(store, Match, 8, 24), 24)


def test_a_repeated_ask_is_the_same_from_every_process(store: str) -> None:
    with Match.create(store, "roads", ROUTES) as match, Match.open(store, "roads") as other:
        first = match.ask("monday")
        for again in (match.ask("monday"), match.ask(), other.ask("monday"), other.ask()):
            assert (again.round_id, again.action, again.probability) == ("monday", first.action, first.probability)
            assert again.strategy.tobytes() == first.strategy.tobytes()
        assert other.state().sequence == 2


def test_a_second_different_tell_is_a_conflict_and_a_second_match_too(store: str) -> None:
    with Match.create(store, "roads", ROUTES) as match, Match.open(store, "roads") as other:
        match.ask("monday")
        assert match.tell("monday", "low", 1.0) is True
        assert other.tell("monday", "low", 1.0) is False
        with pytest.raises(Conflict, match="was told demand=low"):
            other.tell("monday", "low", 2.0)
        with pytest.raises(Conflict, match="exists already"):
            Match.create(store, "roads", ROUTES)
        assert match.verify().events == 3


def test_an_older_store_is_brought_on_once_with_a_copy(store: str) -> None:
    earlier_store("70a9d2e-auto", store)
    for events in (5, 7):
        with Match.open(store, "caf\u00e9") as match:
            assert match.verify().events == events
            play(match, range(events, events + 1))
            with match.journal.engine.connect() as connection:
                tables = inspect(connection).get_table_names()
                versions = connection.execute(select(schema.versions.c.version)).scalars().all()
    assert versions == [schema.VERSION]
    if store.startswith("postgresql"):
        assert {"firstmover_matches_v1", "firstmover_events_v1"} < set(tables)
    with Match.open(store, "cafe\u0301 (2)") as other:
        assert other.verify().rounds == 11
        assert other.name == "caf\u00e9 (2)"


def test_a_watcher_sees_no_pending_action_and_cannot_write(store: str) -> None:
    with Match.create(store, "roads", ROUTES) as match, Match.open(store, "roads", read_only=True) as watcher:
        match.ask("monday")
        [view] = watcher.history()
        assert (view.status, view.action, view.label, view.probability) == ("pending", None, None, None)
        with pytest.raises(StoreUnavailable):
            watcher._journal.append(Draft("voided", {}), 2, match.state().mark)
        match.tell("monday", "low", 1.0)
        [view] = watcher.history()
        assert view.label is not None


def test_a_backup_of_either_store_is_restored_to_either(store: str, tmp_path: Path, memory: Path) -> None:
    with Match.create(store, "roads", ROUTES) as match:
        play(match, range(3))
        [kept] = backup(store, tmp_path / "kept.db")
        assert (kept.name, kept.events, kept.head) == ("roads", match.sequence, match.head)
        play(match, range(3, 5))
    restore(tmp_path / "kept.db", memory / "again.db")
    with pytest.raises(Conflict, match="nothing was changed; name "):
        restore(memory / "again.db", store)
    [restored] = restore(memory / "again.db", store, replace=True)
    with Match.open(store, "roads") as match:
        assert (match.sequence, match.head) == (restored.events, restored.head)
        assert match.verify(head=kept.head).restores == 2
        play(match, range(3, 5))
        assert match.verify().exact == 5
