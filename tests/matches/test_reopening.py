import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF

from firstmover.beliefs import FiniteBelief
from firstmover.core.errors import DamagedStore, InvalidInput
from firstmover.matches import Match, State, state_hash
from firstmover.matches.learner_state import _packed_table
from tests.matches.played import answer, new, play, reopened


def test_25_and_25_rounds_are_bit_for_bit_as_50(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "two").mkdir()
    numbers = iter([((7 * i) % 50) / 50 for i in range(50)] * 2)
    monkeypatch.setattr("firstmover.matches.commands.system_uniform", lambda: next(numbers))
    whole, half = new(tmp_path / "one"), new(tmp_path / "two")
    play(whole, range(50))
    play(half, range(25))
    rest = reopened(tmp_path / "two")
    play(rest, range(25, 50))
    assert state_hash(rest.state()) == state_hash(whole.state())
    folded = State.folded(rest.journal.read())
    assert state_hash(folded) == state_hash(whole.state())
    assert rest.verify().exact == 50


def test_with_a_new_type_every_round_too(tmp_path: Path) -> None:
    """The belief is solved for one action where it is learnt anew, and for all of them where rounds are played."""
    match = new(tmp_path, types=[{"name": "demand"}])
    for number in range(80):
        decision = match.ask()
        match.tell(decision.round_id, number / 80, answer(decision, number)[1])
    assert state_hash(reopened(tmp_path).state()) == state_hash(match.state())
    belief, anew = match.learner().belief, reopened(tmp_path).learner().belief
    assert anew.predict(np.array([0.37])).std.tobytes() == belief.predict(np.array([0.37])).std.tobytes()


def test_verify_replays_corrections_imports_and_refits(tmp_path: Path) -> None:
    match = new(tmp_path, hyperparameters={"source": "schedule", "every": 5, "at_least": 5})
    match.import_history([{"action": "both", "type": "low", "response": 3.0}])
    play(match, range(12))
    match.correct("r3", "low", 8.0, reason="misread")
    play(match, range(12, 16))
    found = match.verify()
    assert match.status().refits == 3
    assert (found.rounds, found.exact, found.largest_difference) == (16, 16, 0.0)
    assert found.state_hash == state_hash(match.state()) == state_hash(reopened(tmp_path).state())


def test_a_snapshot_changes_nothing_and_a_wrong_one_is_ignored_or_found(tmp_path: Path) -> None:
    match = new(tmp_path)
    play(match, range(8))
    expected = state_hash(match.state())
    assert reopened(tmp_path).state().content is not None
    assert state_hash(reopened(tmp_path).state()) == expected
    with sqlite3.connect(tmp_path / "matches.db") as store:
        store.execute("UPDATE firstmover_matches SET snapshot = replace(snapshot, '\"counted\":8', '\"counted\":9')")
    damaged = reopened(tmp_path)
    assert damaged.state().content is None
    assert state_hash(damaged.state()) == expected


def test_a_new_match_has_a_snapshot_in_the_order_of_levels_that_its_journal_keeps(tmp_path: Path) -> None:
    levels = {"low": 0.0, "usual": 1.0, "high": 5.0}
    match = new(tmp_path, types=[{"name": "demand", "levels": levels}])
    assert match.state().content is not None
    assert reopened(tmp_path).state().content is not None
    assert match.verify().rounds == 0
    decision = reopened(tmp_path).ask("a")
    assert reopened(tmp_path).tell("a", "usual", 3.0)
    assert match.verify().exact == 1
    assert state_hash(match.state()) == state_hash(State.folded(match.journal.read()))
    assert decision.strategy.tolist() == [0.25] * 4


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE firstmover_events SET payload = replace(payload, 'low', 'Low') WHERE sequence = 3",
        "UPDATE firstmover_events SET clock = '2001' WHERE sequence = 2",
        "UPDATE firstmover_events SET claim = NULL WHERE sequence = 2",
        "UPDATE firstmover_events SET round_id = 'r1' WHERE sequence = 2",
        "DELETE FROM firstmover_events WHERE sequence = 3",
        "DELETE FROM firstmover_events WHERE sequence = (SELECT max(sequence) FROM firstmover_events)",
        "UPDATE firstmover_matches SET length = length - 1",
        "DELETE FROM firstmover_events",
        "DROP TABLE firstmover_events",
        "UPDATE firstmover_schema SET version = 0",
    ],
)
def test_every_change_of_the_store_is_refused_as_damage(tmp_path: Path, change: str) -> None:
    play(new(tmp_path), range(3))
    with sqlite3.connect(tmp_path / "matches.db") as store:
        store.execute(change)
    with pytest.raises(DamagedStore):
        reopened(tmp_path)


def test_a_watcher_cannot_write_and_sees_no_action_before_its_round_is_closed(tmp_path: Path) -> None:
    match = new(tmp_path)
    play(match, range(2))
    match.ask("secret")
    with Match.open(tmp_path / "matches.db", "roads", read_only=True) as watcher:
        seen = watcher.history()
        assert [view.action is None for view in seen] == [False, False, True]
        assert (seen[2].label, seen[2].probability) == (None, None)
        match.tell("secret", "low", 1.0)
        assert watcher.history()[2].action == match.history()[2].action
        assert watcher.status() == match.status().for_reader()
    with pytest.raises(InvalidInput, match="does not exist"):
        Match.open(tmp_path / "other.db", "roads", read_only=True)


def test_the_file_is_for_its_owner_alone(tmp_path: Path) -> None:
    new(tmp_path)
    assert (tmp_path / "matches.db").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("variable", "value", "exact"),
    [
        ("OPENBLAS_NUM_THREADS", "2", True),
        ("OPENBLAS_CORETYPE", "Nehalem", False),
        ("NPY_DISABLE_CPU_FEATURES", "", True),
    ],
)
def test_a_fresh_process_replays_bit_for_bit_or_elsewhere_to_a_billionth(
    tmp_path: Path, variable: str, value: str, exact: bool
) -> None:
    match = new(tmp_path)
    play(match, range(10))
    code = (
        "import sys; from firstmover.matches import Match; found = Match.open(sys.argv[1], 'roads').verify(); "
        "print(found.state_hash, found.largest_difference)"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "matches.db")],
        capture_output=True,
        text=True,
        check=True,
        env=os.environ | {variable: value},
    )
    state, difference = result.stdout.split()
    assert float(difference) <= 1e-9
    assert state == state_hash(match.state()) or not exact


@pytest.mark.parametrize(("points", "stored"), [(150, True), (151, False)])
def test_the_kernel_over_at_most_150_points_is_in_the_snapshot(points: int, stored: bool) -> None:
    """150 variances and 150 · 151 / 2 numbers of 8 bytes in base 64: 122 kB."""
    belief = FiniteBelief.prior(RBF(), 1.0, np.arange(float(points))[:, None], np.zeros((1, 1)), 1)
    packed = _packed_table(belief)
    assert (packed is not None) == stored
    assert packed is None or len(packed) <= 123_000
