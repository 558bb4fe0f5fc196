"""Matches are listed, renamed, archived, and deleted with an export kept."""

import json
import stat
from pathlib import Path

import pytest

from firstmover.core.errors import Conflict, DamagedStore, InvalidInput, MissingMatch
from firstmover.matches import Match, state_hash
from firstmover.matches.events import GENESIS, Event
from firstmover.matches.match_list import list_matches
from tests.matches.played import ROUTES, answer, new, play


def test_a_match_is_renamed_and_nothing_else_changes(tmp_path: Path) -> None:
    match = new(tmp_path)
    play(match, range(2))
    other, before = Match.open(tmp_path / "matches.db", "roads"), state_hash(match.state())
    assert match.rename("stre\u0301ets") is True
    assert match.rename("str\u00e9ets") is False
    assert (match.name, state_hash(match.state())) == ("str\u00e9ets", before)
    assert other.ask("a").round_id == "a", "whoever holds it open goes on"
    assert other.name == "str\u00e9ets"
    with pytest.raises(MissingMatch, match="match 'roads' is not in this store: it holds 'str\u00e9ets'"):
        Match.open(tmp_path / "matches.db", "roads")
    with new(tmp_path) as second:
        assert second.verify().events == 1, "the former name is free"
        with pytest.raises(Conflict, match="match 'str\u00e9ets' exists already: nothing was changed"):
            second.rename("str\u00e9ets")
        with pytest.raises(InvalidInput, match="name is '': give 1 to 80 printable characters"):
            second.rename("")
        assert second.verify().events == 1
    assert Match.open(tmp_path / "matches.db", "stre\u0301ets").verify().exact == 3


def test_a_name_that_was_changed_in_the_store_is_damage(tmp_path: Path) -> None:
    match = new(tmp_path)
    with match.journal.engine.begin() as connection:
        connection.exec_driver_sql("UPDATE firstmover_matches SET name = 'streets'")
    with pytest.raises(DamagedStore, match="name of the match is not 'roads', as recorded"):
        Match.open(tmp_path / "matches.db", "streets").verify()


def test_an_archived_match_records_nothing_until_it_goes_on(tmp_path: Path) -> None:
    match = new(tmp_path)
    play(match, range(3))
    asked = match.ask("a")
    assert (match.archive(), match.archive()) == (True, False)
    for call in (
        lambda: match.ask("b"),
        lambda: match.tell("a", "low", 1.0),
        lambda: match.void("a", "rain"),
        lambda: match.correct("r0", "low", 9.0, reason="misread"),
        lambda: match.record("north", "low", 1.0),
        lambda: match.import_history([{"action": "north", "type": "low", "response": 1.0}]),
    ):
        with pytest.raises(InvalidInput, match="'roads' is archived: nothing was recorded; unarchive it"):
            call()
    assert match.ask("a").action == asked.action
    assert match.ask().round_id == "a"
    assert match.tell("r0", *answer(match.ask("r0"), 0)) is False, "what is recorded may be repeated"
    assert match.status().archived is True
    assert match.status().lines()[0] == "Archived: nothing is recorded until it is unarchived."
    assert match.rename("old roads") is True
    assert (match.unarchive(), match.unarchive()) == (True, False)
    match.tell("a", "low", 1.0)
    assert match.verify().state_hash == state_hash(match.state())
    assert match.verify().exact == 4


def test_matches_are_listed_by_name_and_archived_ones_on_request(tmp_path: Path) -> None:
    path = tmp_path / "matches.db"
    with new(tmp_path) as match, Match.create(path, "bridges", ROUTES) as other:
        play(match, range(2))
        match.void(match.ask("a").round_id, "rain")
        match.ask("b")
        other.archive()
        [listed] = list_matches(path)
        assert (listed.name, listed.kind, listed.asked, listed.told) == ("roads", "menu", 4, 2)
        assert (listed.pending, listed.void, listed.archived) == (["b"], 1, False)
        assert [(each.name, each.archived) for each in list_matches(path, archived=True)] == [
            ("bridges", True),
            ("roads", False),
        ]
        other.unarchive()
        assert [each.name for each in list_matches(path)] == ["bridges", "roads"]


def test_a_match_is_deleted_with_its_name_and_its_journal_is_kept(tmp_path: Path) -> None:
    match, export = new(tmp_path), tmp_path / "roads.json"
    kept = Match.create(tmp_path / "matches.db", "bridges", ROUTES)
    play(match, range(2))
    watcher, mark = Match.open(tmp_path / "matches.db", "roads", read_only=True), match.state().mark
    with pytest.raises(InvalidInput, match="confirm is 'bridges': give the name of the match, 'roads', to delete it"):
        match.delete(confirm="bridges", export=export)
    with pytest.raises(InvalidInput, match=r"name a new file that ends in \.json"):
        match.delete(confirm="roads", export=tmp_path / "matches.db")
    with pytest.raises(InvalidInput, match="open it without read_only"):
        watcher.delete(confirm="roads", export=export)
    assert not export.exists()
    match.delete(confirm="roads", export=export)
    assert stat.S_IMODE(export.stat().st_mode) == 0o600
    events = json.loads(export.read_text())
    hashed = GENESIS
    for number, event in enumerate(events, start=1):
        text = json.dumps(event.pop("payload"), sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        hashed = Event(**event, text=text).check(hashed, number).hash
    assert (len(events), hashed) == (5, mark)
    with pytest.raises(InvalidInput, match="match 'roads' is closed"):
        match.ask()
    with pytest.raises(MissingMatch, match="no longer in this store: it was deleted"):
        watcher.history()
    assert [each.name for each in list_matches(tmp_path / "matches.db")] == ["bridges"]
    assert kept.verify().events == 1
    with new(tmp_path) as again:
        assert again.verify().events == 1, "the name is free"


def test_an_export_that_is_not_the_last_state_deletes_nothing(tmp_path: Path) -> None:
    match = new(tmp_path)
    head = match.state().mark
    match.ask("a")
    with pytest.raises(Conflict, match="other events than the export: nothing was deleted"):
        match.delete_exported(confirm="roads", head=head)
    match.delete_exported(confirm="roads", head=match.state().mark)
    assert list_matches(tmp_path / "matches.db") == []
