"""A learner that refits: its fits are events, so that replays need none and no machine decides otherwise."""

import random
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firstmover.core.errors import FirstmoverError
from firstmover.matches import Match, State, state_hash
from firstmover.matches.setup import Setting
from tests.matches.played import ROUTES, play, reopened
from tests.matches.refitting import LAST_BITS, Tuned
from tests.torture.children import Child, player

FREE = ("kernel", "regularization", "confidence", "strategy")


def config(tuned: str, **changes: Any) -> dict[str, Any]:
    """Two roads without any assumption, and the learner that refits."""
    plain = {name: value for name, value in ROUTES.items() if name not in FREE}
    return plain | {"learner": "tuned", "plugins": [tuned]} | changes


def started(folder: Path, tuned: str, **changes: Any) -> Match:
    return Match.create(folder / "matches.db", "roads", config(tuned, **changes))


def refits(match: Match) -> list[dict[str, Any]]:
    return [event.payload for event in match.journal.read() if event.kind == "refitted"]


def test_fits_are_recorded_when_due_and_the_learner_is_that_of_a_simulation(tmp_path: Path, tuned: str) -> None:
    match = started(tmp_path, tuned)
    play(match, range(9))
    kinds = [event.kind for event in match.journal.read()]
    assert [place for place, kind in enumerate(kinds) if kind == "refitted"] == [9, 18]  # after 4 and 8 tells
    assert match.status().refits == 2
    first = [told.response["congestion"] for told in match.history()[:4]]  # type: ignore[index]
    assert refits(match)[0] == {"learner": {"length": 1.0 + float(np.std(first))}}
    learner: Any = match.setting.learner()
    for told in match.history():
        learner = learner.observe(match.setting.feedback(told.action, told.opponent_type, told.response))  # type: ignore[arg-type]
    np.testing.assert_array_equal(learner.strategy, match.state().strategy)


def test_the_band_of_a_fitted_belief_holds_nine_tenths_with_its_own_noise(tmp_path: Path, tuned: str) -> None:
    learning = started(tmp_path, tuned).state().learning
    assert learning.reach(np.array([0.0, 1.2])) == pytest.approx(1.6448536 * np.sqrt([0.25, 1.44 + 0.25]))


def test_a_restart_a_replay_and_a_snapshot_agree(tmp_path: Path, tuned: str) -> None:
    match = started(tmp_path, tuned)
    play(match, range(11))
    expected = state_hash(match.state())
    assert match.verify().state_hash == expected
    assert state_hash(State.folded(match.journal.read())) == expected
    match.close()
    again = reopened(tmp_path)
    content = again.state().content
    assert content is not None
    assert content["whole"]  # weights and belief are all that is needed
    assert state_hash(again.state()) == expected
    play(again, range(11, 14))
    assert again.verify().exact == 14


def test_a_change_drops_fits_that_the_learner_cannot_translate(tmp_path: Path, tuned: str) -> None:
    match = started(tmp_path, tuned)
    play(match, range(7))
    assert match.add_actions([{"label": "wide", "north": 8.0, "south": 8.0, "units": 16.0}])
    assert len(refits(match)) == 2, "the learner of the new menu has had no fit, so that one is due at once"
    assert match.set_reward({"responses": {"congestion": -1.0}})
    assert len(refits(match)) == 2, "fits go on under another reward"
    play(match, range(7, 12))
    expected = state_hash(match.state())
    assert match.verify().state_hash == expected
    match.close()
    assert state_hash(reopened(tmp_path).state()) == expected


def test_a_fit_without_numbers_is_a_fit(tmp_path: Path, tuned: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Tuned, "fit", lambda _: {})
    monkeypatch.setattr(Tuned, "fitted", lambda learner, _: replace(learner, belief=replaced(learner.belief)))
    match = started(tmp_path, tuned)
    play(match, range(7))
    assert refits(match) == [{"learner": {}}], "not another one after each round"


def replaced(belief: Any) -> Any:
    return replace(belief, last=len(belief.seen))


def test_the_last_bits_of_another_machine_change_no_decision(
    tmp_path: Path, tuned: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = started(tmp_path, tuned)
    play(match, range(10))
    expected = state_hash(match.state())
    match.close()
    monkeypatch.setitem(LAST_BITS, "factor", 1.001)
    again = reopened(tmp_path)
    assert again.verify().state_hash == state_hash(again.state()) == expected
    assert again.verify().exact == 10


def test_a_correction_keeps_the_recorded_fits_in_place(tmp_path: Path, tuned: str) -> None:
    match = started(tmp_path, tuned)
    play(match, range(9))
    before = refits(match)
    match.correct("r2", "high", 19.0, reason="misread")
    match.correct("r5", reason="another road")
    assert refits(match) == before
    lengths = [step.payload["learner"] for step in match.state().steps if not hasattr(step, "recorded")]
    assert lengths == [payload["learner"] for payload in before]
    assert state_hash(reopened(tmp_path).state()) == state_hash(match.state()) == match.verify().state_hash
    play(match, range(9, 14))
    assert len(refits(match)) == 3
    assert match.verify().exact == 14


def test_imported_rows_count_for_a_fit(tmp_path: Path, tuned: str) -> None:
    match = started(tmp_path, tuned)
    match.import_history([{"action": "both", "type": "low", "response": float(value)} for value in range(5)])
    assert refits(match) == [{"learner": {"length": pytest.approx(1 + np.std(range(5)))}}]
    play(match, range(3))
    assert state_hash(reopened(tmp_path).state()) == state_hash(match.state()) == match.verify().state_hash


def test_a_kill_between_a_tell_and_its_fit_leaves_the_fit_to_the_next_ask(
    tmp_path: Path, tuned: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = started(tmp_path, tuned)
    play(match, range(3))
    decision = match.ask("r3")
    with monkeypatch.context() as killed:
        killed.setattr(Match, "_refit", lambda _: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            match.tell(decision.round_id, "high", 3.0)
    match.close()
    again = reopened(tmp_path)
    assert refits(again) == []
    assert again.state().fit_due  # from the snapshot
    again.ask("r4")
    assert [event.kind for event in again.journal.read()][-2:] == ["refitted", "asked"]
    assert again.verify().exact == 5


def test_a_fit_that_fails_leaves_the_rounds_going(tmp_path: Path, tuned: str, monkeypatch: pytest.MonkeyPatch) -> None:
    match = started(tmp_path, tuned)
    with monkeypatch.context() as failing:
        failing.setattr(Tuned, "fit", lambda _: (_ for _ in ()).throw(FloatingPointError("overflow")))
        play(match, range(6))
        assert refits(match) == []
    match.ask("r6")
    assert len(refits(match)) == 1
    assert match.verify().exact == 7


def test_children_that_are_killed_lose_nothing(tmp_path: Path, tuned: str) -> None:
    rng, heard = random.Random(5), []
    url = str(tmp_path / "matches.db")
    with started(tmp_path, tuned) as match:
        for _ in range(6):
            child = Child(player, Match, url)
            child.hear(rng.randrange(1, 12))
            time.sleep(rng.random() * 0.01)
            heard += child.kill()
        state = match.state()
        told = {kind_id[1]: kind_id[2:] for kind_id in heard if kind_id[0] == "told"}
        asked = {kind_id[1]: list(kind_id[2:]) for kind_id in heard if kind_id[0] == "asked"}
        assert {name: tuple(state.rounds[name].observed) for name in told} == told
        assert {name: [state.rounds[name].action, state.rounds[name].probability] for name in asked} == asked
        assert match.verify().exact == len(state.rounds)
        due = len(state.refits) + match.state().fit_due
        assert due == (state.told // 4)


def test_a_learner_that_refits_takes_no_kernel(tuned: str) -> None:
    with pytest.raises(FirstmoverError, match=r"^learner 'tuned' finds its own kernel: leave it out, or name another"):
        Setting.of(config(tuned, kernel=ROUTES["kernel"]))
    with pytest.raises(FirstmoverError, match=r"^hyperparameters belong to a kernel, and learner 'tuned' has none"):
        Setting.of(config(tuned, hyperparameters={"source": "schedule"}))
