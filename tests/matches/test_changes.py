"""Menus, rewards and types that change during a match: decisions, refusals, replay."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from firstmover.core.errors import Conflict, InvalidInput
from firstmover.figures.live import Trace
from firstmover.figures.live.learning import learning_curves
from firstmover.games.menu import Menu
from firstmover.matches import Match
from firstmover.matches.match import MatchConfig
from tests.matches.played import ROUTES
from tests.matches.test_contexts import KIOSK

SHOP: dict[str, Any] = {
    "title": "shop",
    "menu": {"rows": [{"label": f"{price:g}", "price": price} for price in (1.0, 2.0, 3.0, 4.0)]},
    "reward": {"responses": {"sold": "price"}},
    "responses": [{"name": "sold", "lower": 0.0, "upper": 60.0}],
    "types": [{"name": "customers", "levels": ["locals", "visitors"]}],
}
MORE = [{"label": "6", "price": 6.0}, {"label": "7", "price": 7.0}]
ANYTIME = SHOP | {
    "kernel": {"name": "rbf", "length_scale": 2.0, "variance": 100.0},
    "regularization": 1.0,
    "confidence": {"width": 1.0},
}


def sold(who: str, price: float) -> float:
    """Demand: locals buy nothing above 3, visitors at any price, business travellers most at high ones."""
    demand = {"locals": 12.0 * (price <= 3), "visitors": 20.0 - 2.0 * price, "business": 8.0 * price}
    return demand[who]


def play(match: Match, first: int, last: int, types: tuple[str, ...] = ("locals", "visitors")) -> list[str]:
    """Ask and tell rounds; return the labels of the actions."""
    labels = []
    for number in range(first, last):
        decision = match.ask(f"r{number}")
        who = types[number % len(types)]
        match.tell(f"r{number}", who, sold(who, decision.features["price"]))
        labels.append(decision.label)
    return labels


@pytest.fixture(params=[SHOP, ANYTIME], ids=["auto", "anytime"])
def shop(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Match]:
    with Match.create(tmp_path / "m.db", "shop", request.param) as match:
        yield match


def reopened(match: Match, tmp_path: Path) -> None:
    """Assert that another client has the same learner, with and without the snapshot, and that all rounds replay."""
    expected = match.state().learning.digest()
    rounds = len(match.history())
    with Match.open(tmp_path / "m.db", "shop") as again:
        assert again.state().learning.digest() == expected
        again.state().forget()
        again.state().snapshot = lambda: None
        again.state()._content = None
        assert again.state().learning.digest() == expected
        assert again.verify().exact == rounds


def test_new_actions_are_played_and_were_asleep_before(shop: Match, tmp_path: Path) -> None:
    play(shop, 0, 12)
    before = shop.history()
    shop.ask("waits")
    assert shop.add_actions(MORE, reason="printed today")
    assert not shop.add_actions(MORE), "idempotent"
    assert shop.setting.menu.labels == ("1", "2", "3", "4", "6", "7")
    [*asleep] = [feedback.allowed for feedback in observed(shop)]
    assert all(mask is not None and mask.tolist() == [True] * 4 + [False] * 2 for mask in asleep)
    assert shop.history()[:12] == before
    shop.tell("waits", "visitors", 12.0, played="7")
    assert {"6", "7"} & set(play(shop, 12, 30))
    assert shop.history()[12].played_label == "7"
    reopened(shop, tmp_path)


def observed(match: Match) -> list[Any]:
    """The rounds as the learner sees them."""
    from firstmover.matches.learner_state import observations

    state = match.state()
    return list(observations(state.setting, state.steps))


def test_retired_actions_sleep_and_come_back(shop: Match, tmp_path: Path) -> None:
    play(shop, 0, 8)
    assert shop.retire("2", reason="sold out")
    assert not shop.retire("2")
    assert "2" not in play(shop, 8, 20)
    assert [each.without for each in shop.history()[7:9]] == [(), (1,)]
    assert shop.ask("waits", without=["1"]).strategy[:2].tolist() == [0.0, 0.0]
    assert shop.unretire("2")
    assert not shop.unretire("2")
    assert shop.ask("waits", without=["1"]).strategy[:2].tolist() == [0.0, 0.0], "as it was asked"
    assert shop.ask("next").strategy.shape == (4,)
    assert shop.history()[-1].without == ()
    reopened(shop, tmp_path)


def test_another_reward_moves_decisions_and_keeps_what_was_earned(shop: Match, tmp_path: Path) -> None:
    play(shop, 0, 20)
    before = [each.reward for each in shop.history()]
    assert shop.set_reward({"responses": {"sold": -1.0}}, reason="fewer visitors wanted")
    assert not shop.set_reward({"responses": {"sold": -1.0}})
    after = play(shop, 20, 45)
    assert [each.reward for each in shop.history()][:20] == before
    assert shop.history()[-1].reward == -(shop.history()[-1].response or {})["sold"]
    assert set(after[-5:]) == {"4"}, "the price at which least is sold"
    reopened(shop, tmp_path)


def test_a_round_corrected_to_a_later_action_keeps_the_reward_of_its_time(tmp_path: Path) -> None:
    with Match.create(tmp_path / "m.db", "shop", SHOP) as match:
        match.ask("a")
        match.tell("a", "visitors", 5.0, played="2")
        match.add_actions(MORE)
        match.set_reward({"responses": {"sold": -1.0}})
        match.correct("a", "visitors", 5.0, reason="misread", played="7")
        assert match.history()[0].reward == 35.0, "price times sold, as defined when it was told"


def test_a_reward_of_its_time_of_an_action_that_would_not_have_fitted_then(tmp_path: Path) -> None:
    """Two actions of equal features: the former reward depends on another column, the present one does not."""
    with Match.create(tmp_path / "m.db", "roads", ROUTES) as match:
        match.ask("a")
        match.tell("a", "low", 1.5)
        match.set_reward({"value": 3.0, "responses": {"congestion": 1.0}})
        match.add_actions([{"label": "rival", "north": 10.0, "south": 0.0, "units": 11.0}])
        match.correct("a", "low", 1.5, reason="misread", played="rival")
        assert match.history()[0].reward == 11.0 - 2.0 * 1.5


def test_new_levels_of_a_type(shop: Match, tmp_path: Path) -> None:
    play(shop, 0, 15)
    with pytest.raises(InvalidInput, match="business"):
        shop.tell(shop.ask().round_id, "business", 1.0)
    assert shop.add_levels("customers", ["business"], reason="a fair")
    assert not shop.add_levels("customers", ["business"])
    business, locals_ = (shop.setting.types.vector({"customers": who}) for who in ("business", "locals"))
    assert business.tolist() == [0.0, 0.0, 1.0]
    new, known = (shop.state().learning.belief.predict(each) for each in (business, locals_))
    assert new.std.reshape(4, -1)[2, 0] > 3 * known.std.reshape(4, -1)[2, 0], "nothing was observed of it"
    play(shop, 15, 30, types=("business",))
    new, known = (shop.state().learning.belief.predict(each) for each in (business, locals_))
    tried = [shop.setting.menu.labels.index(each.label or "") for each in shop.history()[-10:]]
    assert np.allclose(new.mean[tried, 0], 8.0 * np.add(tried, 1), rtol=0.1)
    assert known.mean[2, 0] == pytest.approx(12.0, rel=0.1), "what was learnt before is kept"
    reopened(shop, tmp_path)


def test_levels_with_numbers_and_two_types(tmp_path: Path) -> None:
    types = [{"name": "size", "levels": ["small", "large"]}, {"name": "heat", "levels": {"cold": 0.0, "warm": 1.0}}]
    with Match.create(tmp_path / "m.db", "shop", SHOP | {"types": types}) as match:
        for number in range(12):
            decision = match.ask(f"r{number}")
            match.tell(f"r{number}", {"size": "small", "heat": "cold"}, sold("visitors", decision.features["price"]))
        assert match.add_levels("size", ["huge"])
        assert match.add_levels("heat", {"hot": 2.0})
        with pytest.raises(Conflict, match=r"'hot' of type 'heat' is 2\.0, and now 3\.0 is given"):
            match.add_levels("heat", {"hot": 3.0})
        with pytest.raises(InvalidInput, match="finite numbers"):
            match.add_levels("heat", {"boiling": float("nan")})
        with pytest.raises(InvalidInput, match="levels with numbers"):
            match.add_levels("heat", ["boiling"])
        match.tell(match.ask("odd").round_id, {"size": "huge", "heat": "hot"}, 9.0)
        assert match.setting.types.vector({"size": "huge", "heat": "hot"}).tolist() == [0.0, 0.0, 1.0, 2.0]
        match.ask("then")
        reopened(match, tmp_path)


def test_many_changes_in_any_order_replay(shop: Match, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    changes: list[Callable[[], bool]] = [
        lambda: shop.add_actions(MORE[:1]),
        lambda: shop.retire(int(rng.integers(4))),
        lambda: shop.add_levels("customers", ["business"]),
        lambda: shop.set_reward({"value": 3.0, "responses": {"sold": "price"}}),
        lambda: shop.add_actions(MORE[1:]),
        lambda: shop.correct("r3", "visitors", 2.0, reason="misread", played="6"),
        lambda: shop.record("7", "visitors", 8.0),
    ]
    number = 4
    play(shop, 0, number)
    for change in changes:
        assert change()
        shop.ask(f"open{number}")
        play(shop, number, number := number + 4)
        shop.tell(f"open{number - 4}", "locals", 1.5)
    reopened(shop, tmp_path)
    assert all(np.isfinite(each.reward or 0.0) for each in shop.history())


def test_contexts_and_standing_rules_with_a_new_action(tmp_path: Path) -> None:
    with Match.create(tmp_path / "m.db", "shop", KIOSK) as match:
        for number in range(15):
            day = ("mon", "sat", "sun")[number % 3]
            decision = match.ask(f"r{number}", context=day)
            match.tell(f"r{number}", "dry", 30.0 / decision.features["price"])
        with pytest.raises(InvalidInput, match="no column 'sundays'"):
            match.add_actions([{"label": "5.0", "price": 5.0}])
        assert match.add_actions([{"label": "5.0", "price": 5.0, "sundays": 0.0}])
        assert match.ask("s", context="sun").strategy[[0, 1, 4]].tolist() == [0.0, 0.0, 0.0]
        assert match.add_levels("weekday", ["holiday"])
        match.ask("h", context="holiday")
        match.tell("h", "wet", 20.0)
        reopened(match, tmp_path)


def test_another_client_sees_the_change_at_once(tmp_path: Path) -> None:
    with Match.create(tmp_path / "m.db", "shop", SHOP) as one, Match.open(tmp_path / "m.db", "shop") as other:
        play(one, 0, 5)
        one.add_actions(MORE)
        one.add_levels("customers", ["business"])
        decision = other.ask("x", allowed=["1", "2"])
        assert decision.strategy[2:].tolist() == [0.0] * 4
        other.tell("x", "business", 3.0, played="7")
        other.record("6", "business", 9.0)
        assert other.import_history([{"action": "7", "type": "business", "response": 4.0}]).new == 1


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda m: m.add_actions([]), r"rows is \[\]: give a list of actions, each with label, price"),
        (lambda m: m.add_actions({"label": "5"}), "give a list of actions"),
        (lambda m: m.add_actions([{"label": "5", "cost": 1.0}]), "cost"),
        (lambda m: m.add_actions([{"label": "5", "price": float("nan")}]), "rows.0.price is nan"),
        (lambda m: m.add_actions([{"label": "5", "price": 5.0}] * 2), "names '5' twice"),
        (lambda m: m.add_actions([{"price": 5.0}]), "rows have no label"),
        (lambda m: m.add_actions([{"label": "\ud800", "price": 5.0}]), "give one of at most 200 letters in one line"),
        (lambda m: m.add_actions(np.eye(9)), "give a list of actions"),
        (lambda m: m.retire("9"), "'9'"),
        (lambda m: m.set_reward({"responses": {"bought": 1.0}}), "bought"),
        (lambda m: m.set_reward("price"), "reward is 'price': give a table"),
        (lambda m: m.add_levels("weather", ["dry"]), "weather"),
        (lambda m: m.add_levels("customers", "business"), "give a list of names"),
        (lambda m: m.add_levels("customers", ["a=b"]), "levels"),
        (lambda m: m.retire("1", reason=""), "reason"),
    ],
)
def test_bad_changes_are_refused_in_one_sentence(
    tmp_path: Path, change: Callable[[Match], bool], sentence: str
) -> None:
    with Match.create(tmp_path / "m.db", "shop", SHOP) as match:
        sequence = match.sequence
        with pytest.raises(InvalidInput, match=sentence) as caught:
            change(match)
        assert "\n" not in str(caught.value)
        assert match.state().sequence == sequence


def test_a_label_with_other_numbers_is_a_conflict(tmp_path: Path) -> None:
    with Match.create(tmp_path / "m.db", "shop", SHOP) as match:
        with pytest.raises(Conflict, match="'1' is on the menu with other numbers"):
            match.add_actions([{"label": "1", "price": 1.5}])
        match.retire("1")
        with pytest.raises(InvalidInput, match="unretire it"):
            match.add_actions([{"label": "1", "price": 1.0}])
        for label in ("2", "3"):
            match.retire(label)
        with pytest.raises(InvalidInput, match="'4' is the last one"):
            match.retire("4")
        match.archive()
        with pytest.raises(InvalidInput, match="archived"):
            match.unretire("1")


def test_the_baseline_of_a_floor_stays_on_the_menu(tmp_path: Path) -> None:
    config = SHOP | {"floor": {"baseline": "2"}, "hold": 2, "change_cost": 0.5}
    with Match.create(tmp_path / "m.db", "shop", config) as match:
        play(match, 0, 8)
        with pytest.raises(InvalidInput, match="'2' is the baseline of the floor"):
            match.retire("2")
        assert match.retire("4")
        assert match.add_actions(MORE)
        play(match, 8, 16)
        assert match.add_levels("customers", ["business"])
        play(match, 16, 20, types=("business",))
        reopened(match, tmp_path)
        assert any("Floor" in line for line in match.status().lines())


def test_a_label_that_is_the_same_number_is_the_same_action(tmp_path: Path) -> None:
    """A spreadsheet turns 2.00 into 2, which names the action 2.00 everywhere else too."""
    rows = [{"label": f"{price:.2f}", "price": price} for price in (1.0, 2.0)]
    with Match.create(tmp_path / "m.db", "shop", SHOP | {"menu": {"rows": rows}}) as match:
        assert not match.add_actions([{"label": "2", "price": 2.0}])
        with pytest.raises(Conflict, match=r"'2\.00' is on the menu with other numbers"):
            match.add_actions([{"label": "2", "price": 2.5}])
        assert match.add_actions([{"label": "2.5", "price": 2.5}])
        assert match.setting.menu.labels == ("1.00", "2.00", "2.5")


def test_rows_without_labels_are_the_same_actions_by_their_numbers(tmp_path: Path) -> None:
    rows = [{"price": price} for price in (1.0, 2.0)]
    with Match.create(tmp_path / "m.db", "shop", SHOP | {"menu": {"rows": rows}}) as match:
        assert match.add_actions([{"price": 2.0}, {"price": 6.0}])
        assert match.setting.menu.labels == ("0", "1", "2")
        match.retire("2")
        with pytest.raises(InvalidInput, match="'2' is on the menu, and retired: unretire it"):
            match.add_actions([{"price": 6.0}])
        assert match.unretire("2")
        assert not match.add_actions([{"price": 6.0}])


def test_a_number_is_the_label_that_has_it_and_never_an_index(tmp_path: Path) -> None:
    rows = [{"label": f"{price:.2f} €", "price": price} for price in (1.0, 2.0, 3.0)]
    with Match.create(tmp_path / "m.db", "shop", SHOP | {"menu": {"rows": rows}}) as match:
        assert match.setting.menu.index("2") == 1
        assert match.setting.menu.index(1) == 1
        with pytest.raises(InvalidInput, match="Unknown action '0'"):
            match.retire("0")
        match.ask("a")
        match.tell("a", "locals", 3.0, played="3")
        assert match.history()[0].reward == 9.0
        match.import_history([{"action": "2", "type": "locals", "response": 4.0}])
        assert match.state().latest_rows(1)[0][0] == 1
    assert Menu(("north", "south"), ("x",), {"x": np.zeros(2)}).index("1") == 1, "no label has a number in it"


def test_labels_are_normal_text_of_one_line(tmp_path: Path) -> None:
    with Match.create(tmp_path / "m.db", "shop", SHOP) as match:
        assert match.add_actions([{"label": "e\u0301clair", "price": 5.0}])
        assert not match.add_actions([{"label": "\u00e9clair", "price": 5.0}])
        assert match.add_actions([{"label": "5,50\u00a0€", "price": 5.5}]), "a space that does not break"
        for label in (" x", "a\nb", "x" * 201):
            with pytest.raises(InvalidInput, match="give one of at most 200 letters in one line"):
                match.add_actions([{"label": label, "price": 6.0}])
        with pytest.raises(InvalidInput, match="'Locals' differs from 'locals' in its letters only"):
            match.add_levels("customers", ["Locals"])


def test_menus_of_games_and_mixtures_do_not_change(tmp_path: Path) -> None:
    with Match.create(tmp_path / "m.db", "bay", {"menu": {"game": "shore"}, "horizon": 100}) as match:
        with pytest.raises(InvalidInput, match="menu and reward of game 'shore'"):
            match.add_actions([{"label": "x"}])
        assert match.retire(3)
        assert match.ask("a").strategy[3] == 0
        assert match.verify().exact == 1


def test_the_learning_curves_follow_a_change(tmp_path: Path) -> None:
    with Match.create(tmp_path / "m.db", "shop", SHOP) as match:
        play(match, 0, 6)
        trace = Trace(match.journal)
        match.add_actions(MORE)
        play(match, 6, 12)
        trace.follow()
        record = learning_curves(trace)
        assert record.rounds == 12
        assert trace.strategy.shape == (6,)
        match.retire("1")
        match.add_levels("customers", ["business"])
        play(match, 12, 16, types=("business",))
        trace.follow()
        assert learning_curves(trace).rounds == 16 == learning_curves(Trace(match.journal)).rounds


def test_status_leaves_retired_actions_out(tmp_path: Path) -> None:
    with Match.create(tmp_path / "m.db", "shop", SHOP) as match:
        play(match, 0, 20)
        best = match.status().likeliest
        match.retire(best)
        status = match.status()
        assert best not in (status.likeliest, status.favoured)


def test_a_change_does_not_alter_the_configuration_of_older_rounds(tmp_path: Path) -> None:
    with Match.create(tmp_path / "m.db", "roads", ROUTES) as match:
        mark = match.setting.mark
        match.ask("a")
        match.add_actions([{"label": "wide", "north": 8.0, "south": 8.0, "units": 16.0}])
        assert match.setting.at(2).mark == mark != match.setting.mark
        assert isinstance(match.setting.config, MatchConfig)
        match.ask("b")
        assert match.verify().exact == 2
