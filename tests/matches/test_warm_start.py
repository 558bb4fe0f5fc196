"""Imported history moves the first decision: through the belief, or as rounds in a match with a warm start."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.learners.auto import auto
from firstmover.matches import Imported, Match, State, state_hash
from firstmover.matches.setup import Setting
from tests.matches.played import ROUTES, play
from tests.matches.test_changes import ANYTIME as SHOP_ANYTIME
from tests.matches.test_changes import SHOP, observed, reopened
from tests.matches.test_changes import play as play_shop
from tests.matches.test_commitment import INSPECTIONS, QUAYS
from tests.matches.test_contexts import KIOSK, WARM, WHOLE
from tests.matches.test_exports_again import AUTO, FREE, distance, written

ONE = AUTO | {"types": [{"name": "demand", "levels": {"low": 0.0}}]}
ANYTIME = {name: value for name, value in ROUTES.items() if name != "strategy"} | {"learner": "anytime"}
REGRESSION = {name: value for name, value in ROUTES.items() if name != "strategy"} | {
    "learner": "gp-mw",
    "horizon": 50,
    "reward": ROUTES["reward"] | {"range": [-40.0, 10.0]},
}
CHOICE = INSPECTIONS | {"learner": "choice", "types": [{"name": "season", "levels": ["summer", "winter"]}]}
EXP3 = REGRESSION | {"learner": "exp3"}


def rows(config: dict[str, Any], count: int = 12) -> list[dict[str, Any]]:
    """Rows in which south is clearly the best action."""
    times, kind = {"north": 9.0, "south": 0.5, "both": 6.0}, config["types"][0]
    levels = list(kind["levels"]) if "levels" in kind else [0.25, 0.75]
    labels = list(times)
    return [
        {
            "action": labels[number % 3],
            "type": levels[number % len(levels)],
            "response": times[labels[number % 3]] + number % 4 / 10,
        }
        for number in range(count)
    ]


def opened(folder: Path, config: dict[str, Any], name: str = "roads") -> Match:
    return Match.create(folder / "matches.db", name, config)


def test_against_one_type_the_first_action_follows_the_imported_rows(tmp_path: Path) -> None:
    with opened(tmp_path, ONE) as match:
        match.import_history(rows(ONE))
        learner = match.state().learning.learner
        expected = int(np.argmax(learner.optimistic(np.array([0.0]))))  # type: ignore[attr-defined]
        decision = match.ask()
        assert decision.strategy[expected] == 1.0
        assert decision.label == "south"
        assert match.verify().exact == 1


@pytest.mark.parametrize(
    ("config", "contexts", "rest"),
    [(KIOSK, ("mon", "sat"), ("dry", "wet")), (WHOLE, ("mon", "sat"), (None,)), (WARM, (1.0, 30.0), ("dry", "wet"))],
    ids=["known types", "whole type", "free types"],
)
def test_with_a_context_the_first_action_follows_the_imported_rows(
    tmp_path: Path, config: dict[str, Any], contexts: Any, rest: Any
) -> None:
    """Demand is such that price 1 is the best in the first context and price 4 in the second."""
    first, *others = (spec["name"] for spec in config["types"])
    past = []
    for number in range(32):
        price, which = float(1 + number % 4), number // 4 % 2
        kind = {first: contexts[which]} | {name: rest[number // 8 % 2] for name in others}
        sold = 40.0 * float(np.exp(-price / (0.8, 5.0)[which]))
        past.append({"action": f"{price}", "type": kind, "response": sold})
    with Match.create(tmp_path / "m.db", "kiosk", config) as match:
        before = [match.state().decide({first: each}, ()) for each in contexts]
        match.import_history(past)
        decisions = [match.ask(f"r{number}", context=each) for number, each in enumerate(contexts)]
        assert [decision.label for decision in decisions] == ["1.0", "4.0"]
        assert not np.array_equal(before[0], decisions[0].strategy)
        assert match.verify().exact == 2
    with Match.open(tmp_path / "m.db", "kiosk") as again:
        assert np.array_equal(again.state().decide({first: contexts[1]}, ()), decisions[1].strategy)


@pytest.mark.parametrize("config", [AUTO, FREE, ANYTIME, ROUTES], ids=["auto", "any type", "anytime", "stackelucb"])
def test_rows_of_a_warm_start_are_learnt_like_rounds(tmp_path: Path, config: dict[str, Any]) -> None:
    past = rows(config)
    with opened(tmp_path, config) as cold, opened(tmp_path, config | {"warm_start": True}, "warm") as match:
        assert cold.import_history(past) == Imported(12)
        assert match.import_history(past) == Imported(12, as_rounds=12)
        assert match.import_history(past) == Imported(0, 12)
        setting = match.setting
        learner = setting.learner()
        for row in past:
            kind = {setting.types.names[0]: row["type"]}
            seen = setting.feedback(setting.menu.index(row["action"]), kind, {"congestion": row["response"]})
            learner = learner.learn(seen) if hasattr(learner, "learn") else learner.observe(seen)
        for event in match.journal.read():
            if event.kind == "refitted":
                learner = learner.fitted(event.payload["learner"])  # type: ignore[attr-defined]
        decision = match.ask()
        np.testing.assert_array_equal(decision.strategy, learner.strategy)
        assert decision.strategy[2] > cold.ask().strategy[2]
        assert decision.strategy.argmax() == 2
        assert distance(cold, match) <= 1e-12, "the belief is the same with and without it"
        assert (match.status().told, match.status().counted) == (0, 0), "they are no rounds of the match"


@pytest.mark.parametrize(
    "config",
    [AUTO, FREE, ANYTIME, ROUTES, REGRESSION, KIOSK],
    ids=["auto", "any type", "anytime", "stackelucb", "gp-mw", "context"],
)
def test_replay_and_reopening_are_exact(tmp_path: Path, config: dict[str, Any]) -> None:
    context = config is KIOSK
    past = (
        [{"action": i % 4, "type": (d, w), "response": 9.0 - i} for i in range(8) for d, w in [("sat", "dry")]]
        if context
        else rows(config)
    )
    if context:
        past = [row | {"type": {"weekday": "sat", "weather": "dry"}} for row in past]

    def more(match: Match, first: int) -> None:
        for number in range(first, first + 5):
            decision = match.ask(f"r{number}", context="mon" if context else None)
            kind = "wet" if context else (0.5 if config is FREE else "low")
            match.tell(f"r{number}", kind, 2.0 + decision.action + number / 8)

    with opened(tmp_path, config | {"warm_start": True}) as match:
        match.import_history(past[:6])
        more(match, 0)
        match.import_history(past[6:], "later")
        match.correct("r2", {"weekday": "mon", "weather": "dry"} if context else kind_of(config), 4.0, reason="misread")
        expected, strategy = state_hash(match.state()), match.state().strategy
        assert match.verify().exact == 5
    with Match.open(tmp_path / "matches.db", "roads") as again:
        assert again.state().content is not None
        assert state_hash(again.state()) == expected == state_hash(State.folded(again.journal.read()))
        np.testing.assert_array_equal(again.learner().strategy, strategy)
        more(again, 5)
        assert again.verify().exact == 10
        assert state_hash(State.folded(again.journal.read())) == state_hash(again.state())


def kind_of(config: dict[str, Any]) -> Any:
    return 0.5 if config is FREE else "high"


def test_rows_off_the_menu_or_without_a_type_condition_the_belief_alone(tmp_path: Path) -> None:
    off = {"features": {"north": 2.5, "south": 2.5}, "type": "low", "response": 1.5}
    nearer = off | {"features": {"north": 1.5, "south": 2.5}}  # sorted before the other one
    past = [off, *rows(AUTO, 5), off | {"type": None}, nearer, rows(AUTO)[6] | {"type": None}]
    with opened(tmp_path, AUTO | {"warm_start": True}) as match:
        assert match.import_history(past) == Imported(9, without_type=2, as_rounds=5)
        learner: Any = match.state().learning.learner
        assert (learner.belief.count, len(learner.advised)) == (7, 5)
        assert learner._rounds.tolist() == [1, 2, 3, 4, 5]
        match.record("both", "low", 2.0)
        assert len(match.state().learning.learner.advised) == 5  # type: ignore[attr-defined]
        match.ask()
        expected, further = state_hash(match.state()), match.state().learning.belief.further.tolist()  # type: ignore[attr-defined]
        assert match.verify().exact == 1
    with Match.open(tmp_path / "matches.db", "roads") as again:
        assert again.state().learning.belief.further.tolist() == further == [[1.5, 2.5], [2.5, 2.5]]  # type: ignore[attr-defined]
        assert state_hash(again.state()) == expected == state_hash(State.folded(again.journal.read()))
        np.testing.assert_array_equal(again.state().learning.learner._rounds, [1, 2, 3, 4, 5])  # type: ignore[attr-defined]


def test_two_actions_of_equal_features_stay_two_after_reopening(tmp_path: Path) -> None:
    """A row with an action off the menu makes the belief know all rows of the import by their features."""
    menu = ROUTES["menu"] | {"rows": [*ROUTES["menu"]["rows"], ROUTES["menu"]["rows"][3] | {"label": "again"}]}
    off = {"features": {"north": 2.5, "south": 2.5}, "type": "low", "response": 1.5}
    with opened(tmp_path, AUTO | {"menu": menu, "warm_start": True}) as match:
        match.import_history([off, *rows(AUTO, 6), {"action": "again", "type": "low", "response": 3.0}])
        seen = [each.action for each in match.state().learning.belief.seen]  # type: ignore[attr-defined]
    with Match.open(tmp_path / "matches.db", "roads") as again:
        assert again.state().content is not None
        assert [each.action for each in again.state().learning.belief.seen] == seen  # type: ignore[attr-defined]
        assert seen[-1] == 4


@pytest.mark.parametrize("suffix", ["csv", "json"])
def test_the_export_of_a_match_gives_the_same_weights(tmp_path: Path, suffix: str) -> None:
    """Without overrides and masks: each told round is learnt again as a round, with fits as they came due."""
    with opened(tmp_path, AUTO, "cold") as cold:
        play(cold, range(14))
        path = written(cold, tmp_path / f"export.{suffix}")
        with opened(tmp_path, AUTO | {"warm_start": True}) as warm:
            assert warm.import_history(path) == Imported(14, as_rounds=14)
            assert distance(cold, warm) <= 1e-12
            np.testing.assert_allclose(warm.state().strategy, cold.state().strategy, atol=1e-12)


def test_choices_count_too(tmp_path: Path) -> None:
    """Learners without a belief about responses as numbers learn nothing from history but in a warm start."""
    past = [{"action": i % 3, "type": ("summer", "winter")[i % 2], "response": QUAYS[0]} for i in range(9)]
    strategies = []
    for warm in (False, True):
        with opened(tmp_path, CHOICE | {"warm_start": warm}, f"quays {warm}") as match:
            match.import_history(past)
            strategies.append(match.ask().strategy)
            assert match.verify().exact == 1
    assert strategies[1].argmax() == 0 != strategies[0].argmax(), "the first quay was chosen nine times"


def test_a_commitment_is_learnt_from_imported_ones(tmp_path: Path) -> None:
    with opened(tmp_path, INSPECTIONS | {"warm_start": True}) as match:
        match.import_history([{"action": i % 3, "type": None, "response": QUAYS[(i + 1) % 3]} for i in range(6)])
        assert match.learner().rounds == 6  # type: ignore[attr-defined]
        match.tell(match.ask().round_id, None, QUAYS[0])
        assert match.verify().exact == 1


@pytest.mark.parametrize("learner", ["exp3", "exp3p"])
def test_exp3_has_no_warm_start(learner: str) -> None:
    """Exp3 divides by the probability of the action, which history does not have."""
    assert Setting.of(EXP3 | {"learner": learner}).config.warm_start is False
    with pytest.raises(InvalidInput, match=rf"^learner '{learner}' learns by the probability .*: leave warm_start out"):
        Setting.of(EXP3 | {"learner": learner, "warm_start": True})


def test_without_it_a_configuration_is_stored_as_before() -> None:
    assert "warm_start" not in Setting.of(AUTO).stored()["config"]
    assert Setting.of(AUTO).mark == Setting.of(AUTO | {"warm_start": False}).mark
    stored = Setting.of(AUTO | {"warm_start": True}).stored()
    assert stored["config"]["warm_start"] is True
    assert Setting.restored(stored).config.warm_start
    with pytest.raises(InvalidInput, match="warm_start"):
        Setting.of(AUTO | {"warm_start": "yes"})


def test_the_health_says_what_it_gives_up(tmp_path: Path) -> None:
    words = "imported rows count as rounds (warm_start): regret is bounded only if later types resemble"
    with opened(tmp_path, ROUTES | {"warm_start": True}) as match:
        assert not any(words in caution for caution in match.status().cautions)
        done = match.import_history(rows(ROUTES))
        assert any(words in caution for caution in match.status().cautions)
        assert done.lines() == ["12 rows imported into the belief; 12 of them count as rounds."]


def test_before_a_scale_is_known_the_opening_stays() -> None:
    """Three responses are needed where the response has no bounds; until then imports say nothing."""
    config = WARM | {"responses": [{"name": "sold"}], "reward": {"responses": {"sold": "price"}, "range": [0, 200]}}
    setting = Setting.of(config)
    learner: Any = auto(setting.game)
    at = np.array([20.0])
    opening = learner.decide(at)
    seen = learner.belief.condition(3, np.array([20.0, 1.0, 0.0]), np.array([4.0]))
    assert np.array_equal(replace(learner, belief=seen).decide(at), opening)


@pytest.mark.parametrize("config", [SHOP, SHOP_ANYTIME], ids=["auto", "anytime"])
def test_an_action_that_is_added_later_was_asleep_in_imported_rounds(tmp_path: Path, config: dict[str, Any]) -> None:
    past = [
        {"action": i % 4, "type": ("locals", "visitors")[i // 4 % 2], "response": 20.0 - i % 4 - i // 8}
        for i in range(16)
    ]
    with Match.create(tmp_path / "m.db", "shop", config | {"warm_start": True}) as match:
        assert match.import_history(past).as_rounds == 16
        play_shop(match, 0, 4)
        match.add_actions([{"label": "6", "price": 6.0}])
        assert all(seen.allowed is not None and not seen.allowed[4] for seen in observed(match))
        learner: Any = match.state().learning.learner
        if config is SHOP:
            assert learner.asleep.tolist() == [5.0 * i + 4 for i in range(20)]
            assert not learner._allowed_before[4]
        match.import_history([{"action": "6", "type": "locals", "response": 4.0}])
        play_shop(match, 4, 8)
        reopened(match, tmp_path)
