"""Backups are consistent and private; a restored store says so; nothing is replaced unasked."""

import json
import os
from pathlib import Path
from types import SimpleNamespace

import pytest

from firstmover.core.errors import Conflict, DamagedStore, InvalidInput
from firstmover.matches import Match, backup, schema
from firstmover.matches import backup as module
from firstmover.matches.backup import accept_restore, restore
from tests.cli.running import match as command
from tests.matches.played import ROUTES, new, play


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with new(tmp_path) as match:
        play(match, range(3))
        match.ask("pending")
    with Match.create(tmp_path / "matches.db", "other", ROUTES) as match:
        match.archive()
    return tmp_path / "matches.db"


def heads(store: Path | str) -> dict[str, tuple[int, str]]:
    found = {}
    for name in ("other", "roads"):
        with Match.open(store, name, read_only=True) as match:
            found[name] = match.sequence, match.head
    return found


def test_a_backup_holds_every_match_and_is_readable_by_its_owner_only(path: Path, tmp_path: Path) -> None:
    before, old = path.read_bytes(), os.umask(0)
    try:
        kept = backup.backup(path, tmp_path / "kept.db")
    finally:
        os.umask(old)
    assert {match.name: (match.events, match.head) for match in kept} == heads(path) == heads(tmp_path / "kept.db")
    assert (tmp_path / "kept.db").stat().st_mode & 0o777 == 0o600
    assert path.read_bytes() == before
    assert sorted(file.name for file in tmp_path.iterdir()) == ["kept.db", "matches.db"]


def test_a_restored_store_goes_on_and_says_that_it_was_restored(path: Path, tmp_path: Path) -> None:
    backup.backup(path, tmp_path / "kept.db")
    restored = restore(tmp_path / "kept.db", tmp_path / "again.db", actor="ann")
    assert {match.name: match.events for match in restored} == {"other": 3, "roads": 9}
    with Match.open(path, "roads") as match, Match.open(tmp_path / "again.db", "roads") as again:
        last = list(again.journal.read())[-1]
        assert (last.kind, last.payload, last.actor) == ("restored", {"source": "kept.db"}, "ann")
        assert last.previous == match.head
        assert again.restores == (again.head,)
        assert again.ask("pending").action == match.ask("pending").action
        play(again, range(3, 5))
        assert again.verify(head=match.head).restores == 1
        assert match.verify().restores == 0
        with pytest.raises(Conflict, match=r"No event has the hash '.*': the store was replaced by an older copy"):
            match.verify(head=again.head)


def test_nothing_is_overwritten_unasked(path: Path, tmp_path: Path) -> None:
    backup.backup(path, tmp_path / "kept.db")
    contents = {name: (tmp_path / name).read_bytes() for name in ("kept.db", "matches.db")}
    (tmp_path / "link.db").symlink_to(tmp_path / "nowhere.db")
    for target in ("kept.db", "matches.db", "link.db"):
        with pytest.raises(Conflict, match="exists already: nothing was changed; name a new file"):
            backup.backup(path, tmp_path / target)
        with pytest.raises(Conflict, match="exists already: nothing was changed"):
            restore(tmp_path / "kept.db", tmp_path / target)
    with pytest.raises(Conflict, match="exists already"):
        restore(tmp_path / "kept.db", tmp_path, replace=True)
    assert {name: (tmp_path / name).read_bytes() for name in contents} == contents
    assert not (tmp_path / "nowhere.db").exists()
    with pytest.raises(InvalidInput, match="does not exist"):
        restore(tmp_path / "missing.db", tmp_path / "again.db")


def test_a_path_that_no_file_can_have_is_one_sentence(path: Path, tmp_path: Path) -> None:
    """Of 5,000 characters it was an OSError."""
    backup.backup(path, tmp_path / "kept.db")
    for name in ("x" * 5000, "x" * 250, "x\0y", "missing/x"):
        for call in (backup.backup, restore):
            with pytest.raises(InvalidInput, match=r"cannot be created: .*; choose another"):
                call(tmp_path / "kept.db", tmp_path / name)
    assert {file.name for file in tmp_path.iterdir()} == {"kept.db", "matches.db"}


def test_a_head_that_is_no_hash_is_no_alarm(path: Path) -> None:
    """It was said to be a sign of an older copy."""
    with Match.open(path, "roads") as match:
        for head in ("", match.head[:12], match.head.upper(), f" {match.head}", f"{match.head}\n", 5):
            with pytest.raises(InvalidInput, match=r"head is .*: give all 64 digits that firstmover match receipt"):
                match.verify(head=head)  # type: ignore[arg-type]
        assert match.verify(head=match.head).head == match.head


def test_a_store_is_replaced_when_the_operator_says_so(path: Path, tmp_path: Path) -> None:
    """Also a damaged one, whose rollback journal must not be rolled back into the new file."""
    backup.backup(path, tmp_path / "kept.db")
    with Match.open(path, "roads") as match:
        play(match, range(3, 5))
    restore(tmp_path / "kept.db", path, replace=True)
    assert heads(path)["roads"][0] == 9
    path.write_bytes(path.read_bytes()[:5000])
    (tmp_path / "matches.db-journal").write_bytes(b"left by a crash" * 100)
    restore(tmp_path / "kept.db", path, replace=True)
    assert not (tmp_path / "matches.db-journal").exists()
    with Match.open(path, "roads") as match:
        assert match.verify().restores == 1


def test_the_rollback_journal_of_a_store_that_is_gone_is_removed(path: Path, tmp_path: Path) -> None:
    backup.backup(path, tmp_path / "kept.db")
    path.unlink()
    (tmp_path / "matches.db-journal").write_bytes(b"left by a crash" * 100)
    restore(tmp_path / "kept.db", path)
    assert not (tmp_path / "matches.db-journal").exists()


def test_a_damaged_store_has_no_backup(path: Path, tmp_path: Path) -> None:
    path.write_bytes(path.read_bytes().replace(b'"action":', b'"notion":', 1))
    with pytest.raises(DamagedStore):
        backup.backup(path, tmp_path / "kept.db")
    assert [file.name for file in tmp_path.iterdir()] == ["matches.db"]


def test_a_full_disk_leaves_no_half_backup(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def cut(_: object, part: Path) -> None:
        part.write_bytes(path.read_bytes()[:8192])

    monkeypatch.setattr(schema, "copy_file", cut)
    with pytest.raises(DamagedStore):
        backup.backup(path, tmp_path / "kept.db")
    assert [file.name for file in tmp_path.iterdir()] == ["matches.db"]


def test_a_store_that_was_put_back_by_other_means_is_accepted_by_an_event(path: Path) -> None:
    assert [match.events for match in accept_restore(path, actor="ann")] == [3, 9]
    with Match.open(path, "roads") as match:
        last = list(match.journal.read())[-1]
        assert (last.kind, last.payload) == ("restored", {"source": "the store as it was found"})
        assert match.verify().exact == 4


def test_the_commands(path: Path, tmp_path: Path) -> None:
    kept, here, again = str(tmp_path / "kept.db"), ("--store", str(path)), ("--store", str(tmp_path / "again.db"))
    receipt = json.loads(command("receipt", "roads", "--json", *here))
    assert (receipt["name"], receipt["events"]) == ("roads", 8)
    assert command("backup", "--out", kept, *here).startswith(f"Wrote {kept}:")
    assert "roads  9" in command("restore", kept, *again)
    assert "exists already" in command("restore", kept, *again, code=3)
    command("restore", kept, "--replace", *again)
    assert "Restored from a backup: 1 time." in command("verify", "roads", "--head", receipt["head"], *again)
    assert "No event has the hash" in command("verify", "roads", "--head", "0" * 64, *again, code=3)
    assert "roads  10" in command("accept-restore", *again)


def test_connections_are_closed_after_an_error_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of a database with a pool; files have none."""
    closed: list[str] = []
    engine = SimpleNamespace(dispose=lambda: closed.append("closed"))
    monkeypatch.setattr("firstmover.matches.backup.engine_for", lambda _store, **_: engine)
    with module._engine("postgresql://host/store"):
        assert closed == []
    assert closed == ["closed"]
    with pytest.raises(KeyError), module._engine("postgresql://host/store"):
        raise KeyError
    assert closed == ["closed"] * 2
