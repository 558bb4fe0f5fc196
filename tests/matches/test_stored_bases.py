"""A long match with free types keeps a decomposition beside its journal, which saves time and changes nothing."""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firstmover.beliefs import fresh, low_rank
from firstmover.beliefs.stored_base import StoredBase
from firstmover.matches import Match, State, state_hash
from firstmover.matches.backup import backup, restore
from tests.matches.played import new, reopened

ROUNDS = 75


@pytest.fixture(autouse=True)
def early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Decompose after 32 observations instead of 1,024, in blocks of 16, and solve actions one by one."""
    for module in (fresh, low_rank):
        monkeypatch.setattr(module, "START", 32)
    monkeypatch.setattr(fresh, "STARTS", (32,))
    monkeypatch.setattr(fresh, "BLOCK", 16)
    monkeypatch.setattr(fresh, "FEW", 2)


def play(match: Match, rounds: range) -> None:
    for number in rounds:
        match.tell(match.ask().round_id, (37 * number % 101) / 101, number % 7)


def played(folder: Path, rounds: int = ROUNDS) -> Match:
    match = new(folder, types=[{"name": "demand"}])
    play(match, range(rounds))
    return match


def base_of(match: Match) -> Any:
    return match.state().learning.belief._observed  # type: ignore[attr-defined]


def stored(folder: Path) -> list[tuple[str, bytes]]:
    with sqlite3.connect(folder / "matches.db") as store:
        return store.execute("SELECT * FROM firstmover_bases").fetchall()


def change(folder: Path, statement: str, *values: object) -> None:
    with sqlite3.connect(folder / "matches.db") as store:
        store.execute(statement, values)


def forbidden(*_: object) -> None:
    raise AssertionError


def test_a_reopened_match_is_the_running_one_bit_for_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    running = played(tmp_path)
    monkeypatch.setattr(low_rank.LowRank, "of", forbidden)
    again = reopened(tmp_path)
    assert base_of(again).stored_count == 64
    assert state_hash(again.state()) == state_hash(running.state())
    kind = np.array([0.37])
    belief, other = again.state().learning.belief, running.state().learning.belief
    assert belief.predict(kind).mean.tobytes() == other.predict(kind).mean.tobytes()
    assert belief.predict(kind).std.tobytes() == other.predict(kind).std.tobytes()


def test_and_goes_on_as_one_that_was_never_closed(tmp_path: Path) -> None:
    played(tmp_path, 70).close()
    again = reopened(tmp_path)
    play(again, range(70, ROUNDS))
    assert base_of(again).stored_count == 64
    assert state_hash(State.folded(again.journal.read())) == state_hash(again.state())
    assert again.verify().exact == ROUNDS


def test_verify_does_not_use_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    match = played(tmp_path)
    monkeypatch.setattr(StoredBase, "base", forbidden)
    found = match.verify()
    assert (found.rounds, found.exact) == (ROUNDS, ROUNDS)


def test_there_is_one_row_which_is_replaced_and_deleted_with_the_match(tmp_path: Path) -> None:
    match = played(tmp_path, 40)
    [(name, before)] = stored(tmp_path)
    play(match, range(40, 64))
    [(same, after)] = stored(tmp_path)
    assert name == same == match.journal.match_id
    assert before != after
    match.delete(confirm="roads", export=tmp_path / "kept.json")
    assert stored(tmp_path) == []


def spoil(content: bytes) -> bytes:
    return content[:-1] + bytes([content[-1] ^ 1])


@pytest.mark.parametrize(
    "harm",
    [
        pytest.param(lambda folder: change(folder, "DELETE FROM firstmover_bases"), id="missing"),
        pytest.param(lambda folder: change(folder, "DROP TABLE firstmover_bases"), id="no table"),
        pytest.param(lambda folder: change(folder, "UPDATE firstmover_bases SET content = 'text'"), id="text"),
        pytest.param(
            lambda folder: change(folder, "UPDATE firstmover_bases SET content = ?", spoil(stored(folder)[0][1])),
            id="damaged",
        ),
        pytest.param(
            lambda folder: change(folder, "ALTER TABLE firstmover_bases RENAME COLUMN content TO other"),
            id="other table",
        ),
    ],
)
def test_without_a_sound_one_the_match_goes_on_as_before(tmp_path: Path, harm: Callable[[Path], None]) -> None:
    running = played(tmp_path)
    expected = state_hash(running.state())
    harm(tmp_path)
    again = reopened(tmp_path)
    assert state_hash(again.state()) == expected
    assert base_of(again).stored_count == 0
    play(again, range(ROUNDS, ROUNDS + 2))
    assert len(again.state().rounds) == ROUNDS + 2


def test_one_from_before_a_correction_is_ignored_and_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    match = played(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("firstmover.matches.stored_bases.save", lambda *_: None)
        match.correct("3", 0.5, 6.0, reason="misread")
    again = reopened(tmp_path)
    assert state_hash(again.state()) == state_hash(State.folded(match.journal.read()))
    assert base_of(again).stored_count == 0
    play(again, range(ROUNDS, ROUNDS + 1))
    assert base_of(reopened(tmp_path)).stored_count == 64


def test_one_of_another_version_or_machine_is_ignored(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("firstmover.matches.learner_state._context", lambda _: "elsewhere")
        expected = state_hash(played(tmp_path).state())
    again = reopened(tmp_path)
    assert state_hash(again.state()) == expected
    assert base_of(again).stored_count == 0


def test_a_backup_and_a_reader_work_with_it(tmp_path: Path) -> None:
    match = played(tmp_path)
    backup(tmp_path / "matches.db", tmp_path / "kept.db")
    restore(tmp_path / "kept.db", tmp_path / "again.db")
    with Match.open(tmp_path / "again.db", "roads") as again:
        assert base_of(again).stored_count == 64
        assert again.verify().exact == ROUNDS
    with Match.open(tmp_path / "matches.db", "roads", read_only=True) as reader:
        assert reader.status() == match.status().for_reader()


def test_a_match_with_levels_has_none(tmp_path: Path) -> None:
    match = new(tmp_path)
    for number in range(40):
        match.tell(match.ask().round_id, "low", number % 7)
    with sqlite3.connect(tmp_path / "matches.db") as store:
        assert not store.execute("SELECT 1 FROM sqlite_master WHERE name = 'firstmover_bases'").fetchall()
