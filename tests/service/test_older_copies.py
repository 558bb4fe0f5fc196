"""An older copy put in place of the store of a running service: no acknowledged round gets a second action."""

import os
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from firstmover.matches import Match
from firstmover.matches.backup import accept_restore, backup, restore
from firstmover.service.match_pool import PooledMatch
from tests.matches.played import ROUTES, play
from tests.service.in_process import Caller, calling
from tests.service.processes import kind_of
from tests.torture.sizes import sizes

MISSING = "missing: an older copy of the store was put in place"


@pytest.fixture
def call(tmp_path: Path) -> Iterator[Caller]:
    Match.create(tmp_path / "matches.db", "roads", ROUTES).close()
    yield from calling(tmp_path)


def ask(call: Caller, round_id: str) -> int | str:
    """The action of a round, or the sentence with which it is refused."""
    answer = call("PUT", f"/matches/roads/rounds/{round_id}")
    if answer.is_success:
        return int(answer.json()["action"])
    error = answer.json()
    assert (answer.status_code, kind_of(error)) == (500, "damaged")
    assert "repeat" not in error["detail"]
    return str(error["detail"])


def tell(call: Caller, round_id: str) -> None:
    body = {"opponent_type": {"demand": "low"}, "response": {"congestion": 1.0}}
    answer = call("PUT", f"/matches/roads/rounds/{round_id}/outcome", json=body)
    assert answer.is_success, answer.text


def put_older_copies(call: Caller, folder: Path, tries: int) -> int:
    """Put an older copy in place, ask for all that was acknowledged, and go on; the number of refused asks."""
    rng, known, refused = Random(1), dict[str, int](), 0
    store, older, newer = folder / "matches.db", folder / "older.db", folder / "newer.db"
    for number in range(tries):
        backup(store, older)
        before = dict(known)
        for turn in range(rng.randint(1, 3)):
            name = f"{number}-{turn}"
            known[name] = int(ask(call, name))
            if rng.random() < 0.5:
                tell(call, name)
        backup(store, newer)
        older.replace(store)
        for name in rng.choices(list(known)[-4:], k=4):
            found = ask(call, name)
            refused += isinstance(found, str)
            assert found == known[name] or MISSING in str(found), "a second action for an acknowledged round"
        if rng.random() < 0.5:
            newer.replace(store)
        else:  # what the older copy lacks is given up, because an operator says so
            accept_restore(store)
            newer.unlink()
            known = before
        for name in list(known)[-2:]:
            assert ask(call, name) == known[name]
    return refused


@pytest.mark.parametrize("tries", sizes("older copies put back"))
def test_no_acknowledged_round_gets_a_second_action(call: Caller, tmp_path: Path, tries: int) -> None:
    assert put_older_copies(call, tmp_path, tries) >= 3 * tries


def test_teeth_a_service_that_forgets(call: Caller, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PooledMatch, "_check_not_older", lambda *_: None)
    with pytest.raises(AssertionError):
        put_older_copies(call, tmp_path, 20)


def test_it_stays_refused_until_the_newer_store_is_back(call: Caller, tmp_path: Path) -> None:
    store, older, newer = (tmp_path / name for name in ("matches.db", "older.db", "newer.db"))
    ask(call, "monday")
    backup(store, older)
    action = ask(call, "tuesday")
    os.link(store, newer)
    older.replace(store)
    calls = [("GET", ""), ("GET", "/rounds"), ("POST", "/verify"), ("GET", "/replay")]
    calls += [("GET", "/export"), ("GET", "/export?form=journal&format=json")]
    for _ in range(3):
        for method, path in calls:
            detail = call(method, f"/matches/roads{path}").json()["detail"]
            assert detail.count("firstmover match accept-restore") == 1, path
        assert MISSING in str(ask(call, "tuesday"))
    newer.replace(store)
    assert ask(call, "tuesday") == action
    assert [call(method, f"/matches/roads{path}").status_code for method, path in calls] == [200] * len(calls)


def test_a_restoration_that_was_known_before_is_no_excuse(call: Caller, tmp_path: Path) -> None:
    """The mark of an earlier restoration is in the older copy too."""
    store, older = tmp_path / "matches.db", tmp_path / "older.db"
    accept_restore(store)
    ask(call, "monday")
    backup(store, older)
    ask(call, "tuesday")
    older.replace(store)
    ask(call, "tuesday")
    assert MISSING in str(ask(call, "tuesday"))


def test_an_older_copy_that_was_played_on_is_refused(call: Caller, tmp_path: Path) -> None:
    """It has as many events as were acknowledged, and others."""
    store, older = tmp_path / "matches.db", tmp_path / "older.db"
    backup(store, older)
    ask(call, "monday")
    older.replace(store)
    with Match.open(store, "roads") as match:
        play(match, range(2))
    for _ in range(3):
        assert isinstance(ask(call, "monday"), str)


def test_a_restored_backup_goes_on(call: Caller, tmp_path: Path) -> None:
    store, older = tmp_path / "matches.db", tmp_path / "older.db"
    ask(call, "monday")
    backup(store, older)
    ask(call, "tuesday")
    restore(older, store, replace=True)
    said = [ask(call, "tuesday"), ask(call, "tuesday")]
    assert isinstance(said[1], int), "an operator restored it"
    assert call("POST", "/matches/roads/verify").json()["restores"] == 1
    with Match.open(store, "roads") as match:
        assert match.verify().restores == 1
