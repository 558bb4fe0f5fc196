"""What was really done: another action than advised, and observations that nobody had asked for."""

from pathlib import Path

import numpy as np
import pytest

from firstmover.core.errors import Conflict, InvalidInput
from firstmover.matches import Match, MatchRound, state_hash
from tests.matches.played import ROUTES, answer, new, play, reopened
from tests.matches.test_commitment import INSPECTIONS

LABELS = [row["label"] for row in ROUTES["menu"]["rows"]]


def another(match: Match, round_id: str) -> str:
    """An action that was not advised."""
    return LABELS[(match.ask(round_id).action + 1) % len(LABELS)]


def test_the_belief_learns_from_the_action_played_and_the_weights_as_ever(tmp_path: Path) -> None:
    match = new(tmp_path)
    other = another(match, "a")
    learner = match.learner()
    assert match.tell("a", "high", 4.0, played=other, reason="the north road was closed") is True
    after, advised = match.learner(), match.history()[0].action
    feedback = match.setting.feedback(LABELS.index(other), {"demand": "high"}, {"congestion": 4.0})
    expected = learner.observe(feedback)
    as_advised = learner.observe(match.setting.feedback(advised, {"demand": "high"}, {"congestion": 4.0}))
    assert after.strategy.tobytes() == expected.strategy.tobytes() == as_advised.strategy.tobytes()
    at = np.array([1.0])
    np.testing.assert_array_equal(after.belief.predict(at).mean, expected.belief.predict(at).mean)
    assert not np.array_equal(after.belief.predict(at).mean, as_advised.belief.predict(at).mean)


def test_an_override_is_on_record_with_its_reward_and_its_reason(tmp_path: Path) -> None:
    match = new(tmp_path)
    match.ask("a")
    match.tell("a", "low", 3.0, played="north" if match.ask("a").label != "north" else "south", reason=" road works ")
    [shown] = match.history()
    assert (shown.reason, shown.played_label) == ("road works", LABELS[shown.played or 0])
    assert shown.reward == 10.0 - 2.0 * 3.0, "of 10 units on either road, whatever was advised"
    assert shown.label == LABELS[shown.action or 0] != shown.played_label
    event = list(match.journal.read())[-1]
    assert event.payload == {
        "type": {"demand": "low"},
        "response": {"congestion": 3.0},
        "played": shown.played,
        "reason": "road works",
    }
    read = MatchRound.from_dict(shown.as_dict())
    assert read == shown._replace(recorded=read.recorded)
    assert read.observed == shown.observed


def test_the_status_says_how_often_advice_was_followed(tmp_path: Path) -> None:
    match = new(tmp_path)
    play(match, range(3))
    assert match.status().followed == 3
    assert not any("Advice" in line for line in match.status().lines())
    match.tell("b", "low", 1.0, played=another(match, "b"))
    match.tell("c", "low", 1.0, played=match.ask("c").label)
    health = match.status()
    assert (health.told, health.followed) == (5, 4)
    assert "Advice followed in 4 of 5 told rounds." in health.lines()
    assert any("1 round with another action than advised: regret is bounded" in line for line in health.lines())
    assert match.history()[-1].played is None, "the advised action is no override"


def test_a_tell_is_idempotent_with_its_action_and_another_action_is_a_conflict(tmp_path: Path) -> None:
    match = new(tmp_path)
    other = another(match, "a")
    third = next(label for label in LABELS if label not in (other, match.ask("a").label))
    assert match.tell("a", "low", 1.0, played=other, reason="closed") is True
    assert match.tell("a", "low", 1.0, played=LABELS.index(other)) is False
    with pytest.raises(Conflict, match=f"demand=low, congestion=1.0, played={other}, and now demand=low") as info:
        match.tell("a", "low", 1.0)
    assert (info.value.recorded or {})["played"] == other
    assert (info.value.given or {})["played"] is None
    with pytest.raises(Conflict, match=f"played={third} is given"):
        match.tell("a", "low", 1.0, played=third)
    assert match.verify().events == 3


def test_a_correction_keeps_the_action_played_unless_it_is_given(tmp_path: Path) -> None:
    match = new(tmp_path)
    other, advised = another(match, "a"), match.ask("a").label
    match.tell("a", "low", 1.0, played=other)
    assert match.correct("a", "low", 2.0, reason="misread") is True
    assert match.history()[0].played_label == other
    assert match.correct("a", "low", 2.0, reason="misread") is False
    assert match.correct("a", "low", 2.0, reason="as advised", played=advised) is True
    assert match.history()[0].played is None
    assert match.correct("a", "low", 2.0, reason="no, the other", played=other) is True
    assert match.correct("a", reason="the counter was broken") is True
    assert match.correct("a", "low", 3.0, reason="it was read after all") is True
    assert match.history()[0].played_label == other, "also after it was void"
    plain = new_elsewhere(tmp_path)
    assert state_hash(match.state()) != state_hash(plain.state())
    assert match.verify().rounds == 1


def new_elsewhere(folder: Path) -> Match:
    (folder / "other").mkdir()
    return new(folder / "other")


def test_everything_replays_bit_for_bit_and_reopens_from_its_snapshot(tmp_path: Path) -> None:
    match = new(tmp_path)
    for number in range(6):
        decision = match.ask(f"r{number}")
        other = another(match, decision.round_id) if number % 3 == 1 else None
        match.tell(decision.round_id, *answer(decision, number), played=other)
        if number % 2:
            match.record("south", "high", 4.5 + number, reason="a trial of the council")
    again = reopened(tmp_path)
    assert again.state().content is not None, "the snapshot follows the last record"
    found = again.verify()
    assert (found.exact, found.rounds) == (6, 6)
    assert found.state_hash == state_hash(again.state()) == state_hash(match.state())
    assert again.status() == match.status()


def test_an_observation_that_nobody_asked_for_counts_for_the_belief_alone(tmp_path: Path) -> None:
    match = new(tmp_path)
    play(match, range(2))
    before = match.learner()
    assert match.record("south", "high", 4.5, record_id="delivery 17") is True
    assert match.record("south", "high", 4.5, record_id="delivery 17") is False
    after, south, high = match.learner(), LABELS.index("south"), np.array([1.0])
    assert after.strategy.tobytes() == before.strategy.tobytes()
    expected = before.belief.condition(south, high, np.array([4.5]))
    np.testing.assert_array_equal(after.belief.predict(high).mean, expected.predict(high).mean)
    with pytest.raises(Conflict, match="record 'delivery 17' has other values: nothing was changed"):
        match.record("south", "high", 5.0, record_id="delivery 17")
    assert match.record("south", "high", 4.5) is True, "without an id it is another observation"
    assert len(match.history()) == 2
    assert "0 rows of history imported, 2 observations recorded outside of rounds" in " ".join(match.status().lines())


def test_exp3_learns_nothing_from_an_override_and_the_belief_does(tmp_path: Path) -> None:
    changes = {"learner": "exp3", "horizon": 20, "strategy": None}
    match = Match.create(tmp_path / "m.db", "roads", {k: v for k, v in (ROUTES | changes).items() if v is not None})
    before = match.learner().strategy
    match.tell("a", "low", 1.0, played=another(match, "a"))
    assert match.learner().strategy.tobytes() == before.tobytes()
    assert match.state().learning.belief.information_gain > 0
    match.tell(match.ask("b").round_id, "low", 1.0)
    assert match.learner().strategy.tobytes() != before.tobytes()


def test_what_cannot_have_been_played_is_refused(tmp_path: Path) -> None:
    match = new(tmp_path)
    match.ask("a")
    with pytest.raises(InvalidInput, match="Unknown action 'west'"):
        match.tell("a", "low", 1.0, played="west")
    with pytest.raises(InvalidInput, match="reason is empty"):
        match.tell("a", "low", 1.0, reason=" ")
    assert match.state().sequence == 2


def test_a_commitment_is_not_overridden_but_recorded(tmp_path: Path) -> None:
    match = Match.create(tmp_path / "m.db", "quays", INSPECTIONS)
    decision = match.ask("a")
    labels = match.setting.menu.labels
    level = next(iter(match.setting.responses.levels or ()))
    with pytest.raises(InvalidInput, match="commits to a mixture: declare the round void, and record what was done"):
        match.tell(decision.round_id, None, level, played=labels[0])
    match.void("a", "another plan")
    assert match.record(labels[0], None, level) is True
    assert match.verify().rounds == 1
