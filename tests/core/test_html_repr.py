"""What notebooks show: records of the cards, their text, and the cards of all games, learners and beliefs."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import process_time
from xml.etree import ElementTree

import numpy as np
import pytest

from firstmover import GAMES, Box, Feedback, Game, Match, compare, increasing, play_run, regret, true_rewards
from firstmover.beliefs import FiniteBelief, FreshBelief, LargeBelief
from firstmover.beliefs.fitted import FittedBelief
from firstmover.beliefs.noisy import WithNoise
from firstmover.core.cards import effective_actions
from firstmover.core.html_repr import MOST_POINTS, Bars, Curve, card, draw_menu, html_table, number
from firstmover.kernels import on_action, on_type
from firstmover.learners import LEARNERS, uniform
from firstmover.simulation import opponent_for
from firstmover.strategies import STRATEGIES
from tests.contracts.tables import LEARNER_CASES, LearnerCase, game_of, some_types

HOSTILE = "<script>alert('&\"1')</script>\x00\ud800"


def parsed(html: str) -> ElementTree.Element:
    """The card as XML; fails for text that is not well formed, scripts, and all that loads something."""
    html.encode("utf-8")
    found = ElementTree.fromstring(f"<body>{html}</body>")
    names = {element.tag.rpartition("}")[2] for element in found.iter()}
    assert not names & {"script", "image", "img", "link", "style", "foreignObject", "a"}
    assert "nan" not in re.sub(">[^<]*<", "><", html)
    assert not re.search(r"url\(|href|src=|\son\w+=", html)
    return found


def words(html: str) -> list[str]:
    """The texts of a card in their order."""
    return [text for element in parsed(html).iter() if (text := (element.text or "").strip())]


def learners() -> Iterator[LearnerCase]:
    """One case for each learner of the table, in a small game if it suits."""
    for name in LEARNERS:
        cases = [case for case in LEARNER_CASES if case.learner == name]
        yield next((case for case in cases if case.game_name == "shore"), cases[0])


def test_bars_are_the_largest_shares_in_order() -> None:
    strategy = np.array([0.1, 0.2, 0.0, 0.05, 0.15, 0.1, 0.1, 0.1, 0.1, 0.0999, 0.0001])
    bars = Bars.of(strategy)
    assert bars.labels == tuple(f"action {i}" for i in (1, 4, 0, 5, 6, 7, 8, 9))
    np.testing.assert_array_equal(bars.shares, strategy[[1, 4, 0, 5, 6, 7, 8, 9]])
    assert bars.others == 2
    assert words(bars.draw())[-1] == "2 further: 5.0%"
    widths = [float(each.attrib["width"]) for each in parsed(bars.draw()).iter() if each.tag.endswith("rect")]
    assert widths[0] > 200
    np.testing.assert_allclose(np.array(widths) / widths[0], bars.shares / 0.2, atol=1e-3)


def test_bars_of_shares_that_round_to_zero_are_left_out() -> None:
    bars = Bars.of(np.array([0.0004, 0.9996]), ("rare", "usual"))
    assert (bars.labels, bars.others) == (("usual",), 0)
    assert Bars.of(np.array([0.0004, 0.9992, 0.0004])).others == 2


def test_a_curve_is_drawn_from_its_smallest_to_its_largest_value() -> None:
    curve = Curve("t", np.array([1.0, 2.0, 3.0]), np.array([10.0, 30.0, 20.0]))
    (line,) = (each for each in parsed(curve.draw()).iter() if each.tag.endswith("polyline"))
    assert line.attrib["points"] == "64.0,92.0 238.0,8.0 412.0,50.0"  # larger values are higher
    assert {"1", "3", "10", "30"} <= set(words(curve.draw()))


def test_a_band_reaches_from_the_lower_to_the_upper_end() -> None:
    x, y = np.array([0.0, 1.0]), np.array([0.0, 0.0])
    (band,) = (e for e in parsed(Curve("", x, y, y - 1, y + 3).draw()).iter() if e.tag.endswith("polygon"))
    assert band.attrib["points"] == "64.0,92.0 412.0,92.0 412.0,8.0 64.0,8.0"


def test_values_that_are_not_finite_are_left_out() -> None:
    curve = Curve("reward", np.arange(4.0), np.array([np.nan, 1.0, np.inf, 2.0]))
    np.testing.assert_array_equal(curve.drawn[0], [1.0, 3.0])
    nothing = Curve("reward", np.arange(2.0), np.full(2, np.nan))
    assert words(nothing.draw()) == ["reward: no values yet"]
    assert words(Curve("none", np.empty(0), np.empty(0)).draw()) == ["none: no values yet"]
    assert number(float("nan")) == "–"


@pytest.mark.parametrize("values", [[5.0], [3.0, 3.0], [-1e308, 1e308], [0.0, 5e-324]])
def test_extreme_values_stay_inside_of_the_picture(values: list[float]) -> None:
    y = np.array(values)
    for drawn in (Curve("", np.arange(float(len(y))), y).draw(), draw_menu(y)):
        places = re.findall(r'(?:cx|cy|points|d)="([^"]+)"', drawn)
        numbers = [
            float(each) for each in re.findall(r"[-\w.]+", " ".join(places).translate(str.maketrans("MVH", "   ")))
        ]
        assert all(0 <= each <= 420 for each in numbers)
        parsed(drawn)


def test_long_curves_are_thinned_and_keep_their_ends() -> None:
    drawn = Curve("", np.arange(1e5), np.arange(1e5)).drawn
    assert drawn.shape == (4, MOST_POINTS)
    assert drawn[0, [0, -1]].tolist() == [0.0, 99_999.0]


def test_names_are_escaped() -> None:
    reward = increasing(lambda x, y: x[:, 0] * y[:, 0])
    game = Game(HOSTILE, np.array([[1.0], [2.0]]), reward, Box([0.0], [1.0]))
    shown = "<script>alert('&\"1')</script>\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}"
    assert words(game._repr_html_())[0] == f"Game {shown}"
    assert words(card(HOSTILE, {HOSTILE: HOSTILE})) == [shown] * 3
    assert words(html_table(HOSTILE, {HOSTILE: [HOSTILE]})) == [shown] * 3
    assert "<script" not in Bars((HOSTILE,), np.ones(1), 0).draw()
    assert "<script" not in Curve(HOSTILE, np.arange(2.0), np.arange(2.0)).draw()


def test_the_effective_number_of_actions() -> None:
    assert effective_actions(np.array([0.0, 1.0])) == 1.0
    assert effective_actions(np.array([0.5, 0.25, 0.25])) == pytest.approx(2**1.5)


@pytest.mark.parametrize("name", GAMES)
def test_every_game_has_a_card(name: str) -> None:
    game = game_of(name)
    shown = words(game._repr_html_())
    assert shown[0] == f"Game {game.name}"
    assert any(each.startswith(f"{game.n_actions:,}, of") for each in shown)
    assert (game.actions.shape[1] == 1) == ("<svg" in game._repr_html_())


def test_a_game_says_what_is_known_of_it() -> None:
    shore = game_of("shore")
    shown = words(replace(shore, types=None, reward_range=None, context=(0,))._repr_html_())
    assert {"any; known before the move: 0", "of unknown range", "1 output in [0, 1]"} <= set(shown)
    assert "3 outputs in [0, 1] each" in words(game_of("prices")._repr_html_())


@pytest.mark.parametrize("case", list(learners()), ids=str)
def test_every_learner_has_a_card_before_and_after_data(case: LearnerCase) -> None:
    learner = case.build()()
    for feedback in [None, *case.history()[:2]]:
        learner = learner if feedback is None else learner.observe(feedback)
        shown = words(learner._repr_html_())  # type: ignore[attr-defined]
        assert shown[0] == type(learner).__name__
        count = f"{len(learner.strategy):,}, effective number {effective_actions(learner.strategy):.1f}"
        assert count in shown
        assert any(each.endswith("%") for each in shown)
    started = process_time()
    learner._repr_html_()  # type: ignore[attr-defined]
    assert process_time() - started < 0.2


@pytest.mark.parametrize("name", STRATEGIES)
def test_every_strategy_has_a_card(name: str) -> None:
    weights = STRATEGIES[name].build(5, (0.0, 1.0), 10).update(np.array([0.0, 1.0, 0.5, 0.2, 0.1]))
    assert "action 1" in words(weights._repr_html_())  # type: ignore[attr-defined]


def test_a_belief_is_a_band_at_its_latest_type() -> None:
    game, kernel = game_of("shore"), GAMES["shore"].kernel
    assert game.types is not None
    for belief in (
        FiniteBelief.prior(kernel, 0.01, game.actions, game.types, 1),
        LargeBelief.prior(on_action(kernel) * on_type(kernel), 0.01, game.actions, game.types, 1),
        WithNoise(FiniteBelief.prior(kernel, 0.01, game.actions, game.types, 1), 0.1),
        FittedBelief.prior(game),
    ):
        np.testing.assert_array_equal(belief.latest_type, game.types[0])
        assert "0" in words(belief._repr_html_())
        after = belief.condition(3, game.types[2], np.array([0.4]))
        np.testing.assert_array_equal(after.latest_type, game.types[2])
        later = after.condition(1, game.types[4], np.array([0.1]))
        np.testing.assert_array_equal(later.latest_type, game.types[4])
        np.testing.assert_array_equal(after.latest_type, game.types[2])
        np.testing.assert_array_equal(belief.latest_type, game.types[0])
        assert number(game.types[2, 0]) in words(after._repr_html_())


def test_the_band_of_a_belief_is_its_mean_and_standard_deviation() -> None:
    game = game_of("shore")
    assert game.types is not None
    belief = FiniteBelief.prior(GAMES["shore"].kernel, 0.01, game.actions, game.types, 1)
    belief = belief.condition(0, game.types[0], np.array([0.9]))
    mean, std = belief.predict(game.types[0])
    ends = [number((mean[:, 0] + std).max()), number((mean[:, 0] - std).min())]
    assert set(ends) <= set(words(belief._repr_html_()))


def test_a_belief_without_any_type_says_so() -> None:
    game = game_of("routing")
    belief = FreshBelief.prior(GAMES["routing"].kernel, 1.0, game.actions, game.n_outputs)
    assert "none was observed yet" in words(belief._repr_html_())
    theta = some_types("routing")[1]
    assert "none was observed yet" not in words(belief.condition(0, theta, np.array([1.0]))._repr_html_())
    unfitted = FittedBelief.prior(replace(game_of("shore"), types=None))
    assert "none was observed yet" in words(unfitted._repr_html_())
    seen = unfitted.condition(0, np.array([1.0]), np.array([0.5]))
    assert "action: no values yet" in words(seen._repr_html_())  # infinite before the first fit


def test_runs_regret_and_comparisons_are_shown() -> None:
    game = game_of("shore")
    opponent = opponent_for("shore", game, "random")
    run = play_run(game, opponent, uniform(game.n_actions), 12, seed=0)
    shown = words(run._repr_html_())
    assert {"Run", "12", number(run.rewards.mean()), "mean reward up to round t", "action of round t"} <= set(shown)
    means = np.cumsum(run.rewards) / np.arange(1, 13)
    assert {number(means.min()), number(means.max())} <= set(shown)
    loss = regret(run, true_rewards(game, opponent.respond))
    assert {"Regret", number(loss.time_averaged[-1])} <= set(words(loss._repr_html_()))
    found = compare("shore", "random", ["uniform", "hedge"], rounds=5, seeds=2)
    assert {found.title, "learner", "uniform", "hedge"} <= set(words(found._repr_html_()))


def test_a_match_is_a_card_without_the_actions_of_pending_rounds(tmp_path: Path) -> None:
    match = Match.create(tmp_path / "m.db", "<b>bay</b>", {"menu": {"game": "shore"}, "horizon": 10})
    assert "action played in told round: no values yet" in words(match._repr_html_())
    decision = match.ask("monday")
    assert words(match._repr_html_())[-1] == "action played in told round: no values yet"
    assert {"Round monday", f"{decision.label} (action {decision.action})"} <= set(words(decision._repr_html_()))
    assert len(repr(decision)) < 200
    match.tell("monday", "3", 0.25)
    match.void(match.ask("tuesday").round_id, "rain")
    match.ask("wednesday")
    shown = words(match._repr_html_())
    assert {"Match <b>bay</b>", "3 asked: 1 told, 1 pending, 1 void", "open", "stackelucb"} <= set(shown)
    match.close()
    assert "closed" in words(match._repr_html_())
    with Match.open(tmp_path / "m.db", "<b>bay</b>", read_only=True) as reader:
        assert "read-only" in words(reader._repr_html_())
        assert reader._repr_html_().count("<circle") == 1  # the told round only


def test_feedback_that_a_learner_has_seen_is_counted() -> None:
    case = next(case for case in learners() if case.learner == "stackelucb")
    learner = case.build()().observe(Feedback(1, case.game.types[0], [0.2]))  # type: ignore[index, arg-type]
    assert "FiniteBelief(1 observation)" in words(learner._repr_html_())  # type: ignore[attr-defined]
