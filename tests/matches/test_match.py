from pathlib import Path

import numpy as np
import pytest

from firstmover.core.errors import Conflict, InvalidInput
from firstmover.matches import Match, commands, state_hash
from tests.matches.played import ROUTES, answer, new, play, reopened


def test_a_repeated_ask_returns_the_same_decision_in_this_process_and_in_another(tmp_path: Path) -> None:
    match = new(tmp_path)
    first = match.ask("monday")
    for again in (match.ask("monday"), reopened(tmp_path).ask("monday"), match.ask(), reopened(tmp_path).ask()):
        assert (again.round_id, again.action, again.probability) == ("monday", first.action, first.probability)
        assert again.strategy.tobytes() == first.strategy.tobytes()


def test_an_ask_without_an_id_goes_on_only_after_the_round_is_closed(tmp_path: Path) -> None:
    match = new(tmp_path)
    assert match.ask().round_id == "1"
    assert match.ask().round_id == "1"
    match.tell("1", "low", 2)
    assert match.ask().round_id == "2"
    match.void("2", "the road was shut")
    match.ask("4")
    match.void("4", "again")
    assert match.ask().round_id == "5"


def test_a_decision_names_the_action_and_its_chance(tmp_path: Path) -> None:
    decision = new(tmp_path).ask()
    row = ROUTES["menu"]["rows"][decision.action]
    assert decision.label == row["label"]
    assert decision.features == {"north": row["north"], "south": row["south"]}
    assert decision.probability == decision.strategy[decision.action] == 0.25


def test_the_state_is_what_the_learner_would_have_learnt_by_itself(tmp_path: Path) -> None:
    match = new(tmp_path)
    learner = match.setting.learner()
    for number in range(12):
        decision = match.ask()
        assert decision.strategy.tobytes() == learner.strategy.tobytes()
        demand, congestion = answer(decision, number)
        match.tell(decision.round_id, demand, congestion)
        learner = learner.observe(
            match.setting.feedback(decision.action, {"demand": demand}, {"congestion": congestion})
        )
    assert match.learner().strategy.tobytes() == learner.strategy.tobytes()


def test_the_same_tell_again_changes_nothing_and_another_is_a_conflict(tmp_path: Path) -> None:
    match = new(tmp_path)
    match.ask("a")
    assert match.tell("a", {"demand": "high"}, {"congestion": 3.5}) is True
    events = match.state().sequence
    assert match.tell("a", "high", "3.50") is False
    with pytest.raises(Conflict) as caught:
        match.tell("a", "high", 4)
    assert str(caught.value) == (
        "round 'a' was told demand=high, congestion=3.5, and now demand=high, congestion=4.0 is given: nothing was "
        "changed; if what was recorded is wrong, use correct, with a reason."
    )
    with pytest.raises(Conflict, match=r"round 'a' was told .*, and now void is given"):
        match.void("a", "no")
    assert match.state().sequence == events


def test_rounds_may_be_told_late_and_in_any_order_and_the_delay_is_counted(tmp_path: Path) -> None:
    match = new(tmp_path)
    for name in "abcd":
        match.ask(name)
    match.tell("c", "low", 1)
    match.void("a", "lost")
    match.tell("d", "high", 2)
    status = match.status()
    assert (status.asked, status.told, status.pending, status.void) == (4, 2, ("b",), 1)
    assert status.total_delay == 1 + 3 + 0 + 2
    assert [view.delay for view in match.history()] == [3, 2, 1, 0]
    game = match.setting.learner()
    for played, demand, response in (("c", "low", 1), ("d", "high", 2)):
        action = match.state().rounds[played].action
        game = game.observe(match.setting.feedback(action, {"demand": demand}, {"congestion": response}))
    assert match.learner().strategy.tobytes() == game.strategy.tobytes()


def test_a_void_round_is_not_told_but_can_be_corrected(tmp_path: Path) -> None:
    match = new(tmp_path)
    match.ask("a")
    assert match.void("a", "no data") is True
    assert match.void("a", "no data") is False
    with pytest.raises(Conflict, match="round 'a' was declared void, and now demand=low"):
        match.tell("a", "low", 1)
    match.correct("a", "low", 1, reason="the data came after all")
    assert match.status().told == 1


def test_a_correction_learns_anew_from_where_the_round_was_told(tmp_path: Path) -> None:
    match, learner = new(tmp_path), None
    play(match, range(6))
    match.correct("r2", "high", 9.5, reason="misread")
    learner = match.setting.learner()
    for played in match.state().rounds.values():
        values = ({"demand": "high"}, {"congestion": 9.5}) if played.round_id == "r2" else None
        learner = learner.observe(
            match.setting.feedback(played.action, *(values or (played.opponent_type, played.response)))
        )
    assert match.learner().strategy.tobytes() == learner.strategy.tobytes()
    assert reopened(tmp_path).ask("x").strategy.tobytes() == learner.strategy.tobytes()
    assert match.history()[2].corrections == 1
    assert match.correct("r2", "high", 9.5, reason="again") is False


def test_a_told_round_can_be_corrected_to_void(tmp_path: Path) -> None:
    match = new(tmp_path)
    play(match, range(1))
    match.correct("r0", reason="that was another road")
    assert match.learner().strategy.tolist() == [0.25] * 4
    assert (match.status().told, match.status().void) == (0, 1)


def test_imported_history_feeds_the_belief_and_not_the_strategy(tmp_path: Path) -> None:
    match = new(tmp_path)
    rows = [{"action": "north", "type": "high", "response": 7.0}, {"action": 2, "type": "low", "response": 1.0}]
    assert match.import_history(rows).new == 2
    learner = match.learner()
    assert learner.strategy.tolist() == [0.25] * 4
    mean = learner.belief.predict(np.array([1.0])).mean[:, 0]
    assert mean[1] > 3 > mean[0]
    assert match.import_history(rows).new == 0
    assert match.import_history(rows, source="another file", again=True).new == 2


def test_two_matches_share_a_store_and_one_name_is_taken_once(tmp_path: Path) -> None:
    new(tmp_path)
    Match.create(tmp_path / "matches.db", "other", ROUTES)
    with pytest.raises(Conflict, match="match 'roads' exists already"):
        new(tmp_path)
    with pytest.raises(InvalidInput, match="match 'rods' is not in this store: it holds 'other', 'roads'"):
        Match.open(tmp_path / "matches.db", "rods")


def test_two_processes_worth_of_matches_see_each_other_and_one_tell_wins(tmp_path: Path) -> None:
    one = new(tmp_path)
    other = reopened(tmp_path)
    assert one.ask("a").action == other.ask("a").action
    assert other.tell("a", "low", 1.5) is True
    assert one.tell("a", "low", 1.5) is False
    with pytest.raises(Conflict):
        one.tell("a", "low", 2.5)
    assert state_hash(one.state()) == state_hash(other.state())


def test_the_probability_of_a_decision_is_that_of_its_action(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each action of a strategy with different probabilities is drawn once."""
    match = new(tmp_path)
    play(match, range(12))
    strategy = match.ask("next").strategy
    assert strategy.max() > 1.01 * strategy.min() > 0
    ends = np.cumsum(strategy)
    for action, end in enumerate(ends):
        monkeypatch.setattr(commands, "system_uniform", lambda end=end: float(np.nextafter(end, 0)))
        decision = match.ask(f"{action}")
        assert (decision.action, decision.probability) == (action, strategy[action])
        assert match.history()[-1].probability == strategy[action]
