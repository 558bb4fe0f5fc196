"""The rules of a match: floors, blocks and costs of changes, replayed exactly."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firstmover.core.contracts import worst_in_box
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box
from firstmover.figures.live.trace import Trace
from firstmover.learners.mean_rewards import mean_rewards, type_shares
from firstmover.matches import Match
from firstmover.matches.setup import Setting
from tests.matches.played import ROUTES, answer
from tests.matches.test_changes import SHOP, play
from tests.matches.test_contexts import DAYS, KIOSK, sold

PLAIN: dict[str, Any] = KIOSK | {"types": [{"name": "weather", "levels": ["dry", "wet"]}]}
ALL: dict[str, Any] = {"floor": {"baseline": "2.0", "at_least": 0.9}, "hold": 3, "change_cost": 0.5}


class Half:
    """A reward of the user's own that has only its maximum over a box."""

    def __call__(self, actions: Any, responses: Any) -> Any:
        return actions[:, 0] * responses[:, 0]

    def best_in_box(self, actions: Any, box: Box) -> Any:
        return self(actions, box.upper)


class Whole(Half):
    def worst_in_box(self, actions: Any, box: Box) -> Any:
        return self(actions, box.lower)


half, whole = Half(), Whole()


def eventful(match: Match, rounds: int, first: int = 0) -> None:
    """Rounds told late, void, overridden, with closed actions, corrected, and at the end one that is pending."""
    late: list[tuple[str, float]] = []
    for number in range(first, first + rounds):
        name, context = f"r{number}", {"weekday": DAYS[number % 3]} if match.setting.context.specs else None
        decision = match.ask(name, context=context, without=["1.0"] if number % 6 == 4 else None)
        value = sold("sat", decision.features["price"]) + number % 2
        if number % 7 == 3:
            match.void(name, "rain")
        elif number % 5 == 2:
            late.append((name, value))
        elif number % 9 == 7:
            match.tell(name, {"weather": "wet"}, sold("sat", 3.0), played="3.0")
        else:
            match.tell(name, {"weather": "dry"}, value)
        if number % 8 == 6 and late:
            told, value = late.pop()
            match.tell(told, {"weather": "dry"}, value)
            match.correct(told, reason="misread", response=value + 1, **_whole(match, told))


def _whole(match: Match, name: str) -> dict[str, Any]:
    return {"opponent_type": match.state().rounds[name].opponent_type}


@pytest.mark.parametrize("config", [PLAIN, KIOSK], ids=["plain", "contexts"])
@pytest.mark.parametrize("extra", [{"floor": ALL["floor"]}, {"hold": 4}, {"change_cost": 3.0}, ALL], ids=str)
def test_decisions_by_rules_are_replayed_exactly(tmp_path: Path, config: Any, extra: Any) -> None:
    with Match.create(tmp_path / "m.db", "kiosk", config | extra) as match:
        eventful(match, 11)
        assert match.verify().exact == 11
    with Match.open(tmp_path / "m.db", "kiosk") as again:
        eventful(again, 5, first=11)
        assert again.verify().exact == 16
        rounds = list(again.state().rounds.values())
        assert all(played.action not in played.without for played in rounds)


def test_blocks_and_changes_follow_what_was_played(tmp_path: Path) -> None:
    """The previous action is that of the round asked before, as it was played, pending and void ones too."""
    with Match.create(tmp_path / "m.db", "kiosk", PLAIN | {"hold": 4, "change_cost": 0.5}) as match:
        first = match.ask("a")
        assert match.ask("b").action == first.action
        other = "2.0" if first.label != "2.0" else "3.0"
        match.tell("b", "dry", 3.0, played=other)
        assert match.ask("c").label == other
        match.void("c", "rain")
        closed = match.ask("d", without=[other])
        assert closed.label != other
        match.tell("a", "dry", 4.0)
        match.tell("d", "dry", 4.0)
        rewards = {played.round_id: played.reward for played in match.history()}
        price = {"b": float(other), "a": first.features["price"], "d": closed.features["price"]}
        assert rewards["c"] is None
        assert [rewards[name] for name in "abd"] == [4 * price["a"], 3 * price["b"] - 0.5, 4 * price["d"] - 0.5]
        assert match.status().rules == (
            "Blocks: an action is kept for 4 rounds, as long as it is allowed.",
            "Changes: the action changed 2 times, which cost 1 in all, 0.5 each.",
        )
        assert Trace(match.journal).series.reward == [rewards["b"], rewards["a"], rewards["d"]]
        assert match.verify().exact == 4


def test_a_floor_in_words(tmp_path: Path) -> None:
    with Match.create(tmp_path / "m.db", "kiosk", PLAIN | {"floor": {"baseline": "3.0"}}) as match:
        assert match.ask("first").strategy.tolist() == [0.0, 0.0, 1.0, 0.0]
        assert match.status().rules == (
            "Floor: 95% of '3.0' in all but 5% of the rounds; nothing is known about other actions yet, so it is "
            "played wherever it is allowed.",
        )
        match.tell("first", "dry", 9.0)
        for number in range(25):
            decision = match.ask(f"r{number}")
            match.tell(f"r{number}", "dry", sold("sat", decision.features["price"]))
        said = match.status()
        assert said.rules[0].startswith("Floor: 95% of '3.0' in all but 5% of the rounds. By the present belief ")
        assert " of 26 told rounds lay below it; " in said.rules[0]
        assert said.rules[1].startswith("The floor costs 0")
        assert set(said.rules) < set(said.lines())
        assert said.as_dict()["rules"] == said.rules
        learner = match.state().learning.learner
        assert learner.asleep.size == 0, "the mask of the floor is no closed action"  # type: ignore[attr-defined]


def test_the_floor_costs_the_lead_of_the_favoured_action(tmp_path: Path) -> None:
    """One response to each price, of which 2.0 earned most: it is not safe, and no trial is allowed."""
    strict = PLAIN | {"floor": {"baseline": "4.0", "at_least": 1.0, "tolerance": 0.0}}
    rows = [
        {"action": f"{x}", "type": "dry", "response": y} for x, y in ((1.0, 9.0), (2.0, 5.2), (3.0, 3.1), (4.0, 2.4))
    ]
    with Match.create(tmp_path / "m.db", "kiosk", strict) as match:
        match.import_history(rows)
        assert match.ask("a").strategy.tolist() == [0.0, 0.0, 0.0, 1.0]
        state = match.state()
        game, belief = state.setting.game, state.learning.belief
        means = mean_rewards(game, belief, type_shares(game, state.past_rounds.types))
        assert means is not None
        best = int(np.argmax(means.mean))
        price = means.mean[best] - means.mean[3]
        label = state.setting.menu.labels[best]
        assert match.status().rules[1] == (
            f"The floor costs {price:.4g} per round, the lead of {label!r} over '4.0'; 1 of 4 actions are safe, on "
            "average over all types so far."
        )
        assert match.status().rules[0] == "Floor: 100% of '4.0' in all rounds."


def test_a_match_without_rules_is_stored_as_before() -> None:
    setting = Setting.of(PLAIN)
    stored = setting.stored()["config"]
    assert not {"floor", "hold", "change_cost"} & set(stored)
    assert setting.rules is None
    ruled = Setting.of(PLAIN | ALL)
    assert ruled.stored()["config"]["floor"] == {"baseline": "2.0", "at_least": 0.9, "tolerance": 0.05}
    again = Setting.restored(json.loads(json.dumps(ruled.stored())))
    assert again.rules == ruled.rules
    assert again.mark == ruled.mark != setting.mark


def test_a_kernel_of_the_configuration_has_a_floor_too(tmp_path: Path) -> None:
    config = ROUTES | {"floor": {"baseline": "none", "at_least": 0.9}, "change_cost": 0.1}
    with Match.create(tmp_path / "m.db", "roads", config) as match:
        assert match.ask("r0").label == "none"
        match.tell("r0", "low", 0.1)
        for number in range(1, 12):
            decision = match.ask(f"r{number}")
            match.tell(f"r{number}", *answer(decision, number))
        assert match.verify().exact == 12


@pytest.mark.parametrize(
    ("config", "message"),
    [
        (PLAIN | {"floor": {"baseline": "5.0"}}, "5.0"),
        (PLAIN | {"floor": {"baseline": "2.0", "at_least": 1.5}}, "at_least"),
        (PLAIN | {"hold": 0}, "hold"),
        (PLAIN | {"change_cost": -1.0}, "change_cost"),
        (PLAIN | {"learner": "exp3", "horizon": 50, "floor": {"baseline": "2.0"}}, "no belief about responses"),
    ],
)
def test_rules_that_cannot_be_kept_are_refused(config: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Setting.of(config)


def test_a_mixture_and_a_reward_without_its_minimum_are_refused() -> None:
    mixture = {
        "menu": {"rows": [{"label": "north", "x": 1.0}, {"label": "south", "x": 0.0}]},
        "reward": {"responses": {"landing": {"n": 1.0, "s": "x"}}},
        "responses": [{"name": "landing", "levels": ["n", "s"]}],
        "hold": 2,
    }
    with pytest.raises(InvalidInput, match="commits to a mixture of all actions: leave floor, hold and change_cost"):
        Setting.of(mixture)
    own = {"function": "tests.matches.test_rules:half"}
    with pytest.raises(InvalidInput, match="has no method worst_in_box, which a floor needs"):
        Setting.of(PLAIN | {"reward": own, "floor": {"baseline": "2.0"}})
    assert Setting.of(PLAIN | {"reward": own, "hold": 2}).rules is not None
    whole = Setting.of(PLAIN | {"reward": {"function": "tests.matches.test_rules:whole"}, "floor": {"baseline": "2.0"}})
    box = Box(np.full((4, 1), 2.0), np.full((4, 1), 3.0))
    assert worst_in_box(whole.game.reward, whole.game.actions, box).tolist() == [2.0, 4.0, 6.0, 8.0]


def test_the_status_depends_on_no_pending_action_and_names_no_retired_one(tmp_path: Path) -> None:
    """A reader may not see the action of a pending round: neither rules nor concentration depend on it."""
    config = SHOP | {"floor": {"baseline": "2", "at_least": 0.9}, "hold": 3, "change_cost": 0.1}
    with Match.create(tmp_path / "m.db", "shop", config) as match:
        play(match, 0, 10)
        before = match.status()
        match.ask("pending")
        after = match.status()
        assert (before.rules, before.likeliest, before.decision) == (after.rules, after.likeliest, after.decision)
        assert before.decision == ", before the rules of the match"
        assert match.retire("4")
        assert "'4'" not in " ".join(match.status().rules)


def test_concentration_is_that_of_the_last_context(tmp_path: Path) -> None:
    with Match.create(tmp_path / "m.db", "kiosk", KIOSK) as match:
        for number in range(24):
            day = ("mon", "sat", "sun")[number % 3]
            decision = match.ask(f"r{number}", context=day)
            match.tell(f"r{number}", "dry", 40.0 * float(np.exp(-decision.features["price"] / (1 + number % 3))))
        status = match.status()
        assert status.decision == " in the context weekday=sun"
        assert status.likeliest == match.setting.menu.labels[int(np.argmax(match.ask("next", context="sun").strategy))]
