"""What `verify` and the journal refuse: journals whose chain is sound and whose content is wrong."""

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firstmover.core.errors import Conflict, DamagedStore
from firstmover.core.numerics import fingerprint, sample_action
from firstmover.matches import Match, verification
from firstmover.matches.events import Draft, packed, unpacked
from tests.matches.forging import as_stored, forge
from tests.matches.played import new, play, reopened

ELSEWHERE = "python 3.11.4; firstmover 0.1.0; numpy 2.1.0; openblas 0.3.27 Zen; x86_64 SSE2; 1 thread"
"""A fingerprint in the form of an earlier version, which left the sources and the C library out."""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with three rounds that were told and one that is pending."""
    with new(tmp_path) as match:
        play(match, range(3))
        match.ask("pending")
    return tmp_path / "matches.db"


def verified(path: Path) -> verification.Verification:
    with Match.open(path, "roads") as match:
        return match.verify()


def moved(payload: dict[str, Any], difference: float) -> dict[str, Any]:
    """The decision with another p_t, from which its action and probability follow."""
    strategy = unpacked(payload["strategy"])
    action = payload["action"]
    strategy[action] += difference
    strategy[(action + 1) % len(strategy)] -= difference
    return payload | {"strategy": packed(strategy), "probability": float(strategy[action])}


def other_action(payload: dict[str, Any]) -> dict[str, Any]:
    strategy, action = unpacked(payload["strategy"]), (payload["action"] + 1) % 4
    return payload | {"action": action, "probability": float(strategy[action])}


def other_uniform(payload: dict[str, Any]) -> dict[str, Any]:
    """A number that draws another action: the first or the last one."""
    strategy, ends = unpacked(payload["strategy"]), (0.0, 1.0 - 2.0**-53)
    return payload | {"uniform": next(end for end in ends if sample_action(strategy, end) != payload["action"])}


WRONG: dict[str, Callable[[dict[str, Any]], dict[str, Any] | None]] = {
    "action": other_action,
    "action alone": lambda payload: payload | {"action": (payload["action"] + 1) % 4},
    "probability": lambda payload: payload | {"probability": np.nextafter(payload["probability"], 0.0)},
    "uniform": other_uniform,
    "config": lambda payload: payload | {"config": "0" * 64},
    "last bit": lambda payload: moved(payload, 2.0**-53),
    "1e-12": lambda payload: moved(payload, 1e-12),
    "1e-9": lambda payload: moved(payload, 1e-9),
    "another strategy": lambda payload: moved(payload, 0.01),
    "fewer actions": lambda payload: payload | {"strategy": packed(unpacked(payload["strategy"])[:-1])},
    "no strategy": lambda payload: payload | {"strategy": "?"},
    "nothing": lambda _: {},
}


def test_the_forger_changes_nothing_that_it_is_not_asked_to(path: Path) -> None:
    before = verified(path).head
    assert forge(path, "asked", dict) == before
    assert verified(path).exact == 4


@pytest.mark.parametrize("wrong", WRONG)
@pytest.mark.parametrize("round_id", ["r1", "pending"])
def test_a_decision_that_does_not_follow_is_refused(path: Path, wrong: str, round_id: str) -> None:
    forge(path, "asked", WRONG[wrong], round_id=round_id)
    with pytest.raises(DamagedStore, match="does not follow from the events before it"):
        verified(path)


@pytest.mark.parametrize("difference", [0.0, 3e-17, 1e-12, 0.9e-9])
def test_a_difference_within_the_tolerance_is_no_damage_elsewhere(path: Path, difference: float) -> None:
    forge(path, "asked", lambda payload: moved(payload, difference) | {"fingerprint": ELSEWHERE})
    found = verified(path)
    assert found.largest_difference == pytest.approx(difference, abs=2e-16)
    assert found.rounds == 4


@pytest.mark.parametrize("wrong", ["action", "action alone", "probability", "uniform", "config"])
def test_what_does_not_depend_on_rounding_is_refused_elsewhere_too(path: Path, wrong: str) -> None:
    forge(path, "asked", lambda payload: (WRONG[wrong](payload) or {}) | {"fingerprint": ELSEWHERE}, round_id="r1")
    with pytest.raises(DamagedStore, match="round 'r1' does not follow"):
        verified(path)


def test_a_larger_difference_is_refused_elsewhere_with_the_remedy(path: Path) -> None:
    forge(path, "asked", lambda payload: moved(payload, 1.1e-9) | {"fingerprint": ELSEWHERE}, round_id="r2")
    with pytest.raises(DamagedStore, match=r"differs by 1.1e-09\): firstmover, its plugins or its libraries changed"):
        verified(path)


def test_an_event_whose_round_was_taken_out_is_refused(path: Path) -> None:
    forge(path, "asked", lambda _: None, round_id="r1")
    with pytest.raises(DamagedStore, match=r"does not follow from .* \(KeyError: 'r1'\): the store is damaged"):
        verified(path)


def test_another_observation_is_refused_by_the_decisions_after_it(path: Path) -> None:
    forge(path, "told", lambda payload: payload | {"response": {"congestion": 19.0}}, round_id="r0")
    with pytest.raises(DamagedStore, match="round 'r2' does not follow"):
        verified(path)


def test_a_replaced_head_is_refused_by_open(path: Path) -> None:
    with closing(sqlite3.connect(path)) as store:
        store.execute("UPDATE firstmover_matches SET head = ?", ("1" * 64,))
        store.commit()
    with pytest.raises(DamagedStore, match="Event 9 of the journal is missing"):
        Match.open(path, "roads")


def test_a_last_event_that_was_exchanged_under_an_open_match_is_noticed(path: Path) -> None:
    """The store has as many events as before, and another last hash."""
    with Match.open(path, "roads") as match:
        forge(path, "asked", other_action, round_id="pending")
        for call in (match.history, match.ask, lambda: match.tell("pending", "low", 1.0)):
            with pytest.raises(DamagedStore, match="Event 8 of the journal of match 'roads' is missing"):
                call()


def test_a_writer_that_was_overtaken_by_as_many_events_records_nothing(path: Path) -> None:
    with Match.open(path, "roads") as match:
        sequence, mark = match.state().sequence, match.state().mark
        head = forge(path, "asked", other_action, round_id="pending")
        assert head != mark
        with pytest.raises(Conflict, match="Another process recorded an event first"):
            match.journal.append(Draft("voided", {"reason": "rain"}, "pending", "closed:pending"), sequence, mark)
    with closing(sqlite3.connect(path)) as store:
        assert store.execute("SELECT length, head FROM firstmover_matches").fetchall() == [(sequence, head)]


def change_snapshot(path: Path, **changes: Any) -> dict[str, Any]:
    """Change fields of the stored snapshot, with a check that fits, and return its content."""
    with closing(sqlite3.connect(path)) as store:
        [(text,)] = store.execute("SELECT snapshot FROM firstmover_matches")
        content: dict[str, Any] = json.loads(text)["content"] | changes
        store.execute("UPDATE firstmover_matches SET snapshot = ?", (as_stored(content),))
        store.commit()
    return content


@pytest.mark.parametrize("recorded", [None, ELSEWHERE])
def test_only_a_snapshot_of_our_own_bits_is_used(tmp_path: Path, recorded: str | None) -> None:
    """Of a snapshot of another machine nothing is used, and its last bits are no damage."""
    with new(tmp_path) as match:
        play(match, range(3))
        expected = match.state().strategy
    off = packed(np.nextafter(expected, 0.0))
    change_snapshot(tmp_path / "matches.db", fingerprint=recorded or fingerprint(), strategy=off)
    with reopened(tmp_path) as match:
        assert match.state().strategy.tobytes() == (expected.tobytes() if recorded else unpacked(off).tobytes())
        if recorded:
            assert match.verify().exact == 3
        else:
            with pytest.raises(DamagedStore, match="snapshot does not follow from the journal"):
                match.verify()


@pytest.mark.parametrize("field", ["sequence", "mark"])
def test_a_snapshot_of_another_event_is_not_used(tmp_path: Path, field: str) -> None:
    with new(tmp_path) as match:
        play(match, range(3))
        expected = match.state().strategy
    change_snapshot(tmp_path / "matches.db", strategy=packed(np.eye(4)[0]), **{field: 1 if field == "sequence" else ""})
    with reopened(tmp_path) as match:
        assert match.state().strategy.tobytes() == expected.tobytes()


def test_another_c_library_is_elsewhere_and_no_damage(tmp_path: Path) -> None:
    """The same code with other tunables of glibc: other last bits, another fingerprint, a sound store."""
    with new(tmp_path, types=[{"name": "demand"}]) as match:
        for number in range(6):
            match.tell(match.ask(f"r{number}").round_id, 0.37 * number, 1.3 + 0.11 * number)
    command = (
        "import sys; from firstmover.matches import Match; from firstmover.core.numerics import fingerprint; "
        "found = Match.open(sys.argv[1], 'roads').verify(); print(found.exact, found.largest_difference, fingerprint())"
    )
    env = os.environ | {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4", "PYTHONPATH": os.pathsep.join(sys.path)}
    run = [sys.executable, "-c", command, str(tmp_path / "matches.db")]
    said = subprocess.run(run, env=env, capture_output=True, text=True, check=True).stdout
    exact, difference, seen = said.split(maxsplit=2)
    assert seen.strip() != fingerprint()
    assert "with glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4;" in seen
    assert float(difference) <= verification.TOLERANCE
    assert int(exact) <= 6
