"""What other policies would have earned: exact identities, the truth within bands, and rounds that do not count."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.matches import Match
from firstmover.matches.evaluation import _responses, told_rounds
from firstmover.matches.other_learner import Replayed
from firstmover.matches.policy_values import PolicyValue, PolicyValues
from tests.matches.played import ROUTES
from tests.matches.test_changes import ANYTIME, MORE, SHOP, play
from tests.matches.test_changes import sold as demand
from tests.matches.test_commitment import INSPECTIONS
from tests.matches.test_contexts import KIOSK, played, sold


def near(found: PolicyValue, truth: float) -> bool:
    """Whether the truth is within three times the band, about six standard deviations: actions are drawn at random."""
    return bool(abs(found.value - truth) <= 1.5 * (found.upper - found.lower))


def by_name(found: PolicyValues) -> dict[str, PolicyValue]:
    return {each.policy: each for each in found.policies}


@pytest.mark.parametrize("config", [SHOP, ANYTIME], ids=["auto", "anytime"])
def test_what_was_played_earned_what_it_earned(tmp_path: Path, config: Any) -> None:
    with Match.create(tmp_path / "m.db", "shop", config) as match:
        play(match, 0, 30)
        found = match.evaluate(["played", "1", "2", "3", "4"])
        earned = float(np.mean([each.reward for each in match.history() if each.reward is not None]))
    assert (found.rounds, found.propensities, found.earned) == (30, 30, pytest.approx(earned))
    own = by_name(found)["played"]
    assert own.inverse_propensity == pytest.approx(earned)
    assert own.self_normalised == pytest.approx(earned)
    assert own.effective_sample_size == pytest.approx(30)
    assert (own.uncovered, own.warning) == (0.0, "")
    for price in (1.0, 2.0, 3.0):  # demand has a cliff above 3, where hardly anything was played
        truth = np.mean([price * demand(who, price) for who in ("locals", "visitors")])
        assert near(by_name(found)[f"{price:g}"], float(truth))


def test_rounds_with_another_action_than_advised_have_no_propensity(tmp_path: Path) -> None:
    with Match.create(tmp_path / "m.db", "shop", SHOP) as match:
        play(match, 0, 12)
        for number in range(12, 16):
            decision = match.ask(f"r{number}")
            other = "1" if decision.label != "1" else "2"
            match.tell(f"r{number}", "locals", demand("locals", float(other)), played=other)
        match.void(match.ask("void").round_id, "no customers")
        match.ask("pending")
        found = match.evaluate(["played"])
        known = [each.reward or 0.0 for each in match.history()][:12]
    assert (found.rounds, found.propensities) == (16, 12)
    assert found.policies[0].inverse_propensity == pytest.approx(np.mean(known))
    assert "12 of them with a known propensity" in found.lines()[0]


def test_no_propensity_at_all(tmp_path: Path) -> None:
    with Match.create(tmp_path / "m.db", "shop", SHOP) as match:
        for number in range(4):
            decision = match.ask(f"r{number}")
            other = "1" if decision.label != "1" else "2"
            match.tell(f"r{number}", "locals", demand("locals", float(other)), played=other)
        [found] = match.evaluate(["2"]).policies
    assert (found.inverse_propensity, found.doubly_robust, found.effective_sample_size) == (None, None, 0.0)
    assert found.warning.startswith("no overlap: its actions were never drawn")


def test_an_action_that_was_never_drawn_has_a_warning(tmp_path: Path) -> None:
    with Match.create(tmp_path / "m.db", "shop", SHOP) as match:
        play(match, 0, 10)
        match.add_actions(MORE)
        found = by_name(match.evaluate({"6": "6", "uniform": "uniform", "old": [0.25] * 4 + [0.0] * 2}))
    assert (found["6"].inverse_propensity, found["6"].uncovered) == (None, 1.0)
    assert found["6"].warning == (
        "no overlap: its actions were never drawn, so the value is the model's alone; 100% of its probability is on "
        "actions with p_t = 0; 100% on actions that were not allowed"
    )
    assert found["uniform"].value == pytest.approx(found["old"].value), "new actions were not allowed"


def test_rounds_keep_the_reward_with_which_they_were_told(tmp_path: Path) -> None:
    with Match.create(tmp_path / "m.db", "shop", SHOP) as match:
        play(match, 0, 6)
        match.set_reward({"value": -3.0, "responses": {"sold": 2.0}})
        play(match, 6, 10)
        found, history = match.evaluate(["played"]), match.history()
        other = match.evaluate(["played"], reward={"responses": {"sold": "price"}})
        sentence = match.evaluate(["played"], reward="profit = price * sold - 0.5 * sold * price - 2")
    assert found.earned == pytest.approx(np.mean([each.reward or 0.0 for each in history]))
    revenue = np.mean([float(each.label or 0) * (each.response or {})["sold"] for each in history])
    assert other.earned == pytest.approx(revenue)
    assert sentence.earned == pytest.approx(0.5 * revenue - 2)
    assert sentence.policies[0].value == pytest.approx(0.5 * other.policies[0].value - 2)


def test_policies_by_context_and_masks(tmp_path: Path) -> None:
    table = {"weekday": {"mon": "1.0", "sat": "2.0", "sun": "4.0"}}
    with Match.create(tmp_path / "m.db", "kiosk", KIOSK) as match:
        played(match, 36)
        probabilities = np.tile(np.eye(4)[[0, 1, 3]], (12, 1))
        found = by_name(
            match.evaluate({"best": table, "same": probabilities, "flat": np.full(4, 0.25), "u": "uniform"})
        )
    truth = np.mean([price * sold(day, price) for day, price in (("mon", 1.0), ("sat", 2.0), ("sun", 4.0))])
    assert near(found["best"], float(truth))
    assert found["best"].value == found["same"].value
    assert found["flat"].uncovered > found["u"].uncovered, "uniform leaves out what is closed"


def test_the_present_policy_is_that_of_the_history(tmp_path: Path) -> None:
    rows = [
        {"action": action, "type": {"weekday": day, "weather": "dry"}, "response": {"sold": sold(day, float(action))}}
        for day, actions in (("mon", ("1.0", "1.0", "1.0", "2.0")), ("sat", ("4.0",)))
        for action in actions
    ]
    with Match.create(tmp_path / "m.db", "kiosk", KIOSK) as match:
        match.import_history(rows, again=True)
        played(match, 9)
        mondays = np.array([[0.75, 0.25, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0], [0.0, 0.0, 0.0, 1.0]])
        expected = np.tile(
            mondays, (3, 1)
        )  # on Sundays, which the history has not, all of it, where 1 and 2 are closed
        found = by_name(match.evaluate({"present": "present", "same": expected}))
    assert found["present"].value == pytest.approx(found["same"].value)
    assert found["present"].effective_sample_size == pytest.approx(found["same"].effective_sample_size)


def test_without_history_the_present_policy_is_the_baseline(tmp_path: Path) -> None:
    floor = SHOP | {"floor": {"baseline": "2", "at_least": 0.5}}
    with Match.create(tmp_path / "m.db", "shop", floor) as match:
        play(match, 0, 8)
        found = by_name(match.evaluate(["present", "2"]))
    assert found["present"].value == found["2"].value


def test_another_learner_meets_the_drawn_opponents(tmp_path: Path) -> None:
    with Match.create(tmp_path / "m.db", "shop", SHOP) as match:
        play(match, 0, 10)
        found = by_name(match.evaluate(["2"], learners=["fixed:1", {"name": "exp3"}, "auto"]))
        again = by_name(match.evaluate((), learners=["exp3"]))
    fixed, action = found["learner fixed:1"], found["2"]
    assert near(fixed, action.value)
    assert fixed.inverse_propensity is None
    assert again["learner exp3"] == found["learner exp3"], "equal seeds, equal draws"
    assert found["learner auto"].lower < found["learner auto"].value < found["learner auto"].upper


def test_another_learner_starts_from_what_was_imported_before_the_first_round(tmp_path: Path) -> None:
    rows = [{"action": str(1 + i % 4), "customers": "locals", "sold": 30.0 - i} for i in range(5)]
    with Match.create(tmp_path / "m.db", "shop", SHOP) as match:
        match.import_history(rows)
        match.record("2", "visitors", 25.0, record_id="a walk")
        play(match, 0, 4)
        match.import_history([{"action": "1", "customers": "visitors", "sold": 22.0}])
        state, rest = match.state(), dict.fromkeys(("told", "responses", "definitions", "model"))
        learner = Replayed(state, setting=match.setting, **rest)._start(match.setting)  # type: ignore[arg-type]
    assert learner.belief.count == 6
    assert state.learning.belief.count == 11


def test_one_type_and_choices(tmp_path: Path) -> None:
    with Match.create(tmp_path / "m.db", "shop", SHOP | {"types": []}) as match:
        for number in range(8):
            decision = match.ask(f"r{number}")
            match.tell(f"r{number}", None, 40.0 - 8.0 * decision.features["price"])
        found = by_name(match.evaluate(["2", "3"], learners=["uniform"]))
    for price in (2.0, 3.0):
        assert near(found[f"{price:g}"], price * (40 - 8 * price))


@pytest.mark.parametrize(
    ("policy", "sentence"),
    [
        ({"x": "9"}, "Unknown action '9'"),
        ({"x": {"weekday": {"mon": "1.0"}}}, "Unknown context 'weekday'"),
        ({"x": {}}, "give one context"),
        ({"x": np.ones((2, 4))}, "not probabilities of shape"),
        ({"x": [0.5, 0.5, 0.5, -0.5]}, "not probabilities of shape"),
        ({"x": "present"}, "no history was imported"),
    ],
)
def test_bad_policies_are_one_sentence(tmp_path: Path, policy: Any, sentence: str) -> None:
    with Match.create(tmp_path / "m.db", "shop", SHOP) as match:
        play(match, 0, 5)
        with pytest.raises(InvalidInput, match=sentence):
            match.evaluate(policy)


def test_tables_need_known_levels_and_all_of_them(tmp_path: Path) -> None:
    with Match.create(tmp_path / "m.db", "kiosk", KIOSK) as match:
        played(match, 6)
        for table, sentence in (({"mon": "1.0"}, "has no action at weekday"), ({"fri": "1.0"}, "Unknown level")):
            with pytest.raises(InvalidInput, match=sentence):
                match.evaluate({"x": {"weekday": table}})


def test_matches_without_answers(tmp_path: Path) -> None:
    with Match.create(tmp_path / "a.db", "shop", SHOP) as match:
        with pytest.raises(InvalidInput, match="No round was told yet"):
            match.evaluate()
        play(match, 0, 4)
        with pytest.raises(InvalidInput, match="learner"):
            match.evaluate(learners=[{"horizon": 3}])
        with pytest.raises(InvalidInput, match="only a simulation has"):
            match.evaluate(learners=["hedge"])
        with pytest.raises(InvalidInput, match="Unknown column in the reward"):
            match.evaluate(reward="cost * sold")
    with (
        Match.open(tmp_path / "a.db", "shop", read_only=True) as reader,
        pytest.raises(InvalidInput, match="read-only"),
    ):
        reader.evaluate()
    with (
        Match.create(tmp_path / "b.db", "quays", INSPECTIONS) as commits,
        pytest.raises(InvalidInput, match="commits to mixtures"),
    ):
        commits.evaluate()


def test_imported_rows_come_before_the_rounds_they_are_not(tmp_path: Path) -> None:
    """The model without a round leaves out that round's response, not the row imported at its place."""
    rows = [
        {"action": "north", "type": {"demand": "low"}, "response": {"congestion": 1.0}},
        {"action": "both", "type": {"demand": "high"}, "response": {"congestion": 9.0}},
    ]
    alone = ROUTES | {"kernel": {"name": "rbf", "length_scale": 0.01, "variance": 9.0}}  # no action tells of another
    with Match.create(tmp_path / "m.db", "roads", alone) as match:
        match.import_history(rows)
        match.ask("r")
        match.tell("r", "low", 16.0, played="south")
        state = match.state()
        responses = _responses(state, told_rounds(state, match.journal))
        mean = responses.posterior.without(responses.places, responses.numbers)[0, :, 0]
    assert responses.numbers.tolist() == [2]
    assert mean[1] > 0.5, "the imported row counts"
    assert mean[2] == pytest.approx(0.0, abs=1e-9), "its own response does not"


def test_a_history_of_closed_actions_is_played_as_any_open_one(tmp_path: Path) -> None:
    row = {"action": "1.0", "type": {"weekday": "sun", "weather": "dry"}, "response": {"sold": 20.0}}
    with Match.create(tmp_path / "m.db", "kiosk", KIOSK) as match:
        match.import_history([row])
        played(match, 9)
        sundays = np.tile([[1.0, 0, 0, 0], [1.0, 0, 0, 0], [0, 0, 0.5, 0.5]], (3, 1))  # 1 and 2 are closed
        sundays[5] = [0.0, 0.0, 0.0, 1.0]  # and 3 in round 5
        found = by_name(match.evaluate({"present": "present", "same": sundays}))
    assert found["present"].value == pytest.approx(found["same"].value)


def test_a_row_for_people_has_each_estimate_with_its_own_error() -> None:
    estimates = {"inverse_propensity": 1.0, "self_normalised": 2.0, "doubly_robust": 3.0}
    errors = {f"{name}_error": value / 10 for name, value in estimates.items()}
    row = PolicyValue("any", 4.0, 3.5, 4.5, **estimates, **errors).row()
    assert [row[name] for name in ("inverse propensity", "self-normalised", "doubly robust")] == [
        "1 ± 0.1",
        "2 ± 0.2",
        "3 ± 0.3",
    ]
