"""Explanations: numbers as the belief has them, reasons that hold, and advice that follows when it is observed."""

import pickle
import shutil
from copy import deepcopy
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.matches import Match
from firstmover.matches.explanation import Explanation
from tests.matches.test_changes import ANYTIME, SHOP, play
from tests.matches.test_commitment import INSPECTIONS
from tests.matches.test_contexts import DAYS, KIOSK
from tests.matches.test_contexts import sold as sold_on

ONE = SHOP | {"types": []}
SINGLE = ANYTIME | {"types": []}
UCB = SINGLE | {"learner": {"name": "gp-ucb"}}
TWO = ONE | {
    "reward": {"responses": {"sold": "price", "returned": "cost"}},
    "menu": {"features": ["price"], "rows": [row | {"cost": -1.0} for row in SHOP["menu"]["rows"]]},
    "responses": [{"name": "sold", "lower": 0.0, "upper": 60.0}, {"name": "returned", "lower": 0.0, "upper": 60.0}],
}
LOG = ONE | {
    "responses": [{"name": "logsold", "log": True, "upper": 9.0}],
    "reward": {"responses": {"logsold": "price"}},
}


def sold(price: float) -> float:
    return 40.0 - 8.0 * price


def started(folder: Path, config: Any, rounds: int = 9) -> Match:
    match = Match.create(folder / "m.db", "shop", config)
    if config["types"]:
        play(match, 0, rounds)
        return match
    for number in range(rounds):
        price = match.ask(f"r{number}").features["price"]
        value = sold(price) + (-1) ** number
        responses = {"sold": value, "returned": 2 + price, "logsold": float(np.log(value))}
        match.tell(f"r{number}", None, {name: responses[name] for name in match.setting.responses.names})
    return match


def weekdays(folder: Path, rounds: int = 14, **more: Any) -> Match:
    match = Match.create(folder / "m.db", "shop", KIOSK | more)
    for number in range(rounds):
        day = DAYS[number % 2]
        price = match.ask(f"r{number}", context={"weekday": day}).features["price"]
        match.tell(f"r{number}", {"weather": "wet" if number % 3 else "dry"}, sold_on(day, price) + number % 3)
    return match


def expected_action(folder: Path, found: Explanation, values: dict[str, Any]) -> str:
    """The likeliest action of the next round of a copy of the match that is told these values."""
    copied = folder / "copy"
    copied.mkdir()
    shutil.copy(folder / "m.db", copied / "m.db")
    with Match.open(copied / "m.db", "shop") as match:
        rest = {name: value for name, value in values["type"].items() if name not in (found.context or {})}
        match.tell("now", rest or None, values["response"])
        decision = match.ask("after", context=found.context)
        label = match.setting.menu.labels[int(np.argmax(decision.strategy))]
    shutil.rmtree(copied)
    return label


@pytest.mark.parametrize("config", [ONE, SHOP, ANYTIME], ids=["one type", "auto", "anytime"])
def test_candidates_are_those_of_the_belief(tmp_path: Path, config: Any) -> None:
    with started(tmp_path, config) as match:
        decision = match.ask("now")
        found = match.explain()
        assert (found.round_id, found.action) == ("now", decision.label)
        assert found.candidates[0].probability == decision.probability
        assert len(found.candidates) == 3
        for each in found.candidates:
            assert each.lower <= each.expected <= each.upper
            assert each.finding_out == each.optimistic - each.expected > 0
        others = [each.optimistic for each in found.candidates[1:]]
        assert others == sorted(others, reverse=True)
        assert Explanation.from_dict(found.as_dict()) == found
        assert all("\n" not in line for line in found.lines())
        first = found.candidates[0]
        assert f"of its value {first.optimistic:.4g}, {first.expected:.4g} is expected" in found.lines()[0]
        assert f"and {first.finding_out:.4g} is for finding out" in found.lines()[0]


def test_expected_rewards_by_hand(tmp_path: Path) -> None:
    with started(tmp_path, ONE) as match:
        match.ask("now")
        learner: Any = match.state().learning.learner
        mean = learner.belief.predict(np.empty(0)).mean[:, 0]
        for each in match.explain().candidates:
            action = int(each.label) - 1
            assert each.expected == pytest.approx(float(each.label) * np.clip(mean[action], 0, 60))
            assert each.optimistic == pytest.approx(learner.optimistic(np.empty(0))[action])


def test_optimistic_rewards_of_stackelucb_by_hand(tmp_path: Path) -> None:
    """Each type counts by its share of the rounds, 6 to 5; r̃ = price · min(μ + σ, 60), with β = 1."""
    with started(tmp_path, ANYTIME, 11) as match:
        match.ask("now")
        belief = match.state().learning.belief
        kinds = [match.setting.types.vector({"customers": who}) for who in ("locals", "visitors")]
        upper = [np.minimum(belief.predict(kind).mean[:, 0] + belief.predict(kind).std, 60.0) for kind in kinds]
        total = (6 * upper[0] + 5 * upper[1]) / 11
        for each in match.explain().candidates:
            price = float(each.label)
            assert each.optimistic == pytest.approx(price * total[int(price) - 1])


def test_a_learner_of_rewards_is_explained_by_its_own_bounds(tmp_path: Path) -> None:
    with started(tmp_path, UCB, 4) as match:
        match.ask("now")
        learner: Any = match.state().learning.learner
        mean, std = learner.belief.predict(np.empty(0))
        for each in match.explain().candidates:
            action = int(each.label) - 1
            assert each.expected == pytest.approx(mean[action, 0])
            assert each.optimistic == pytest.approx(mean[action, 0] + std[action])
            assert each.upper == pytest.approx(mean[action, 0] + 1.6448536 * std[action])


def test_other_actions_are_ordered_by_their_value(tmp_path: Path) -> None:
    """After 30 sold at 1, three times: k(1, 2) = e^−⅛, so that '2' is better known than '4', and worth less."""
    with Match.create(tmp_path / "m.db", "shop", SINGLE | {"learner": {"name": "single-type"}}) as match:
        match.import_history([{"action": "1", "type": {}, "response": 30.0 + i / 10} for i in range(3)])
        match.ask("now")
        found = match.explain().candidates
        assert [each.label for each in found] == ["3", "4", "2"]
        assert found[1].expected < found[2].expected


SCHEDULE = {"source": "schedule", "every": 2, "at_least": 2}
CASES = {
    "one type": (ONE, (4, 5)),
    "two types": (SHOP, (9,)),
    "two responses": (TWO, (5,)),
    "logarithm": (LOG, (4,)),
    "fixed kernel, Eq. (8)": (SINGLE | {"learner": {"name": "single-type"}}, (3, 4)),
    "anytime": (ANYTIME, (7,)),
    "blocks": (ONE | {"hold": 2}, (5,)),
    "fitted kernel": (SINGLE | {"learner": {"name": "single-type"}, "hyperparameters": SCHEDULE}, (3, 4)),
}


@pytest.mark.parametrize("name", CASES)
def test_the_advice_is_as_foretold(tmp_path: Path, name: str) -> None:
    """Told a response inside of each interval, also near its ends, a copy of the match advises what is stated."""
    config, counts = CASES[name]
    for rounds in counts:
        folder = tmp_path / str(rounds)
        folder.mkdir()
        with started(folder, config, rounds) as match:
            match.ask("now")
            found = match.explain()
            names, belief = match.setting.responses.names, match.state().learning.belief
            labels = match.setting.menu.labels
            means = {
                str(each.opponent_type): belief.predict(match.setting.types.vector(each.opponent_type)).mean
                for each in found.outlooks
            }
        for each in found.outlooks:
            usual = dict(zip(names, means[str(each.opponent_type)][labels.index(found.action)].tolist(), strict=True))
            assert each.spans[0].lower <= each.expected <= each.spans[-1].upper
            for span in each.spans:
                for share in (0.01, 0.99):
                    response = usual | {each.response: span.lower + share * (span.upper - span.lower)}
                    assert (
                        expected_action(folder, found, {"type": each.opponent_type, "response": response})
                        == span.action
                    )


@pytest.mark.parametrize(("rounds", "varied"), [(4, ["sold"]), (5, ["sold", "returned"])])
def test_one_response_is_varied_at_a_time(tmp_path: Path, rounds: int, varied: list[str]) -> None:
    """After four rounds and this one the model is fitted again, and only the first response is varied."""
    with started(tmp_path, TWO, rounds) as match:
        match.ask("now")
        found = match.explain()
    assert [each.response for each in found.outlooks] == varied
    assert found.outlooks[0].others == ("returned",)
    assert found.outlooks[0].refit == (varied == ["sold"])
    assert any("the others are as expected." in line for line in found.lines())


def test_intervals_are_found_and_said(tmp_path: Path) -> None:
    with started(tmp_path, ONE, 5) as match:
        match.ask("now")
        [each] = match.explain().outlooks
        line = match.explain().lines()[-1]
    assert len(each.spans) > 1
    assert line.startswith(
        f"Then sold = {each.expected:.4g} is expected, and '{each.next_action}' is advised next after"
    )
    assert f"With sold below {each.spans[0].upper:.4g} it is '{each.spans[0].action}'; with sold " in line


def test_the_context_is_that_of_the_round(tmp_path: Path) -> None:
    with weekdays(tmp_path) as match:
        match.ask("now", context={"weekday": "mon"})
        found = match.explain()
    assert found.context == {"weekday": "mon"}
    assert [each.assumption for each in found.outlooks] == ["weather is 'wet'", "weather is 'dry'"]
    assert "asked in the same context, weekday=mon. The usual type comes first." in "\n".join(found.lines())
    for each in found.outlooks:
        for span in each.spans:
            middle = {"sold": (span.lower + span.upper) / 2}
            assert expected_action(tmp_path, found, {"type": each.opponent_type, "response": middle}) == span.action


def test_a_refit_that_is_due_is_taken_into_account(tmp_path: Path) -> None:
    with started(tmp_path, ONE, 4) as match:
        due = []
        for number in range(2):
            match.ask(f"more {number}")
            found, refits = match.explain(), len(match.state().refits)
            due.append(found.outlooks[0].refit)
            assert due[-1] == ("The model is fitted again then" in "\n".join(found.lines()))
            match.tell(f"more {number}", None, 12.0)
            assert due[-1] == (len(match.state().refits) > refits)
    assert {True, False} == set(due)


def test_explaining_changes_nothing(tmp_path: Path) -> None:
    with started(tmp_path, ONE, 9) as match:
        match.ask("now")
        before = match.state().learning.digest(), match.sequence, match.history()
        first = match.explain()
        assert (match.state().learning.digest(), match.sequence, match.history()) == before
        assert match.explain() == first
        match.tell("now", None, 12.0)
        match.ask("then")
        assert match.verify().exact == 11


def test_a_decision_explains_itself(tmp_path: Path) -> None:
    with started(tmp_path, ONE) as match:
        decision = match.ask("now")
        assert decision.explain() == match.explain("now")
        assert set(asdict(decision)) == set(vars(decision))
        for copied in (pickle.loads(pickle.dumps(decision)), deepcopy(decision), replace(decision)):
            assert copied.label == decision.label
            with pytest.raises(InvalidInput, match="copy without its match: call explain"):
                copied.explain()
        match.tell("now", None, 16.0)
        with pytest.raises(InvalidInput, match="round 'now' is closed"):
            decision.explain()


def test_weights_of_observations_give_the_mean(tmp_path: Path) -> None:
    with started(tmp_path, SHOP, 12) as match:
        belief: Any = match.state().learning.belief
        kind = match.setting.types.vector({"customers": "locals"})
        weights = belief.influence(2, kind)
        centre, unit = belief.last.responses[0]
        scaled = (np.array([seen.response[0] for seen in belief.seen]) - centre) / unit
        likeliest = int(np.argmax(belief.last.weights[belief.last.counting]))
        assert centre + unit * weights @ scaled == pytest.approx(belief._each(kind)[likeliest].mean[2, 0])
        match.ask("now")
        named = [each.weight for each in match.explain().influences]
        assert len(named) == 3
        assert np.all(np.diff(np.abs(named)) <= 0)


@pytest.mark.parametrize(
    ("config", "reason"),
    [
        (ONE, "has the highest value of all actions that are allowed."),
        (ANYTIME | {"horizon": 10_000}, "The action was drawn at random by its probability"),
        (ANYTIME, "This learner weighs a round by what it knew before"),
        (ONE | {"hold": 2}, "The rule hold = 2 decided: the action of the round before is kept"),
        (ONE | {"change_cost": 1e6}, "The rule change_cost = 1e+06 decided: the action of the round before"),
        (ONE | {"floor": {"baseline": "1", "at_least": 1.0, "tolerance": 0.0}}, "The floor decided: "),
    ],
    ids=["highest", "drawn", "late", "hold", "change cost", "floor"],
)
def test_the_reason_names_what_decided(tmp_path: Path, config: Any, reason: str) -> None:
    """The first round plays an action that turns out worse than '4', and that the rules keep."""
    kind = {"customers": "locals"} if config["types"] else {}
    with Match.create(tmp_path / "m.db", "shop", config) as match:
        match.ask("first")
        match.tell("first", kind, 10.0, played="1")
        seen = ((1, 30.0), (3, 4.0), (3, 6.0), (4, 19.0), (2, 16.0))
        match.import_history([{"action": f"{price}", "type": kind, "response": value} for price, value in seen])
        match.ask("now")
        assert reason in "\n".join(match.explain().lines())


def test_masks_and_later_observations_are_said(tmp_path: Path) -> None:
    with started(tmp_path, ONE) as match:
        match.ask("now", without=["3"])
        found = match.explain()
        assert found.without == ("3",)
        assert "1 of 4 actions were not allowed in this round." in found.lines()
        assert "without 3 as now" in "\n".join(found.lines())
        assert "3" not in [each.label for each in found.candidates]
        assert not any("since this round was asked" in line for line in found.lines())
        match.record("2", None, 30.0)
        assert any("since this round was asked" in line for line in match.explain().lines())


def test_refusals(tmp_path: Path) -> None:
    with Match.create(tmp_path / "m.db", "shop", SHOP) as match:
        with pytest.raises(InvalidInput, match="No round is pending"):
            match.explain()
        with pytest.raises(InvalidInput, match="round 'never' was never asked"):
            match.explain("never")
        match.ask("now")
        with pytest.raises(InvalidInput, match="Nothing was observed yet"):
            match.explain()
        match.tell("now", "locals", 3.0)
        with pytest.raises(InvalidInput, match="'now' is closed"):
            match.explain("now")
        match.ask("void")
        match.void("void", "rain")
        with pytest.raises(InvalidInput, match="'void' is closed"):
            match.explain("void")
    with (
        Match.open(tmp_path / "m.db", "shop", read_only=True) as reader,
        pytest.raises(InvalidInput, match="read-only"),
    ):
        reader.explain()
    for name, config, sentence in (
        ("commits", INSPECTIONS, "A commitment to a mixture is not explained"),
        (
            "exp3",
            SHOP | {"learner": {"name": "exp3"}, "horizon": 9},
            "The learner of this match predicts no expected reward per action",
        ),
        ("wide", ONE | {"responses": [{"name": "sold"}]}, "1 observation so far: nothing follows for other actions"),
    ):
        with Match.create(tmp_path / "m.db", name, config) as match:
            match.ask("now")
            if name == "wide":
                match.record("1", None, 3.0)
            with pytest.raises(InvalidInput, match=sentence):
                match.explain()


def test_an_action_that_was_added_later_is_no_rival_of_the_advised_one(tmp_path: Path) -> None:
    with started(tmp_path, ONE) as match:
        strategy = match.ask("now").strategy
        match.add_actions([{"label": "9.00", "price": 9.0}])
        chances = {each.label: each.probability for each in match.explain().candidates}
        asked = dict(zip(("1", "2", "3", "4", "9.00"), [*strategy, 0.0], strict=True))
        assert chances == {label: asked[label] for label in chances}
        assert chances["9.00"] == 0.0
        words = "\n".join(match.explain().lines())
        assert "'9.00' was added after this round was asked." in words
        assert "'9.00' has a higher value on average" not in words
