"""A learner in the caller's loop: equal to `observe` by hand, and refusals."""

from typing import Any

import numpy as np
import pytest

import firstmover as fm
from firstmover.core.errors import InvalidInput
from firstmover.core.numerics import sample_action
from firstmover.learners import fixed_action

REVENUE = fm.increasing(lambda price, sold: price[:, 0] * sold[:, 0])
PRICES, DOMAIN = np.arange(1.0, 6.0)[:, None], fm.Box([0.0], [20.0])
ONE_TYPE = fm.Game("kiosk", PRICES, REVENUE, DOMAIN, reward_range=(0, 100), types=[[2.0]])
KNOWN = fm.Game("kiosk", PRICES, REVENUE, DOMAIN, context=(1, 0))
PARTLY = fm.Game("kiosk", PRICES, REVENUE, DOMAIN, types=[[0.0, 1.0], [1.0, 1.0]], context=(0,))


def sold(action: int) -> list[float]:
    return [20.0 - 3 * action]


def test_it_plays_as_the_learner_that_observes_by_hand() -> None:
    loop, learner, rng = fm.AskTell(ONE_TYPE, fm.Exp3.start(ONE_TYPE, 30), seed=5), fm.Exp3.start(ONE_TYPE, 30), None
    rng = np.random.default_rng(5)
    for _ in range(30):
        action = loop.ask()
        assert action == sample_action(learner.strategy, rng.random())
        assert loop.strategy is not None
        assert loop.strategy.tolist() == learner.strategy.tolist()
        loop.tell(sold(action))
        learner = learner.observe(fm.Feedback(action, [2.0], sold(action)))
    assert loop.learner.strategy.tolist() == learner.strategy.tolist()


def test_actions_that_are_left_out_are_never_asked_for_and_the_learner_knows() -> None:
    loop = fm.AskTell(ONE_TYPE, seed=1)
    for _ in range(15):
        action = loop.ask(without=[0, 4])
        assert action in (1, 2, 3)
        loop.tell(sold(action))
    seen = loop.learner.asleep  # type: ignore[attr-defined]
    assert set((seen.astype(int) % 5).tolist()) == {0, 4}


def test_a_context_that_is_the_whole_type_need_not_be_told_again() -> None:
    loop = fm.AskTell(KNOWN, seed=0)
    loop.ask(context=[7.0, 3.0])
    loop.tell([4.0])
    assert loop.learner.belief.seen[-1].opponent_type.tolist() == [3.0, 7.0]  # type: ignore[attr-defined]


def test_an_action_played_instead_is_told_with_the_one_asked_for() -> None:
    loop = fm.AskTell(ONE_TYPE, fixed_action(1, 5))
    assert loop.ask() == 1
    told: list[fm.Feedback] = []

    class Noting:
        strategy = np.eye(5)[1]

        def observe(self, feedback: fm.Feedback) -> "Noting":
            told.append(feedback)
            return self

    loop.learner = Noting()
    for played in (4, 1, None):
        loop.ask()
        loop.tell([3.0], played=played)
    assert [(each.action, each.advised) for each in told] == [(4, 1), (1, None), (1, None)]


def test_asking_again_replaces_the_action() -> None:
    loop = fm.AskTell(ONE_TYPE, fixed_action(1, 5))
    loop.ask()
    assert loop.ask(without=[1]) != 1
    loop.tell([1.0])
    with pytest.raises(InvalidInput, match="no action was asked for since the last tell: call ask first"):
        loop.tell([1.0])


def test_a_menu_that_grows_is_the_present_one() -> None:
    game, growing = fm.GAMES["harbour"].build(), fm.LEARNERS["growing"]
    entry = fm.GAMES["harbour"]
    width = fm.ConstantWidth(entry.confidence_width)
    learner = growing.build(fm.Setup(game, entry.kernel, entry.regularization, width, horizon=20))
    loop = fm.AskTell(game, learner)
    for _ in range(3):
        assert loop.ask() < loop.game.n_actions
        loop.tell([1.0, 0.0, 0.0], [1.0, 0.0, 0.0] if game.types is None else game.types[0])


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: fm.AskTell(3), "game is 3: give a Game"),  # type: ignore[arg-type]
        (lambda: fm.AskTell(ONE_TYPE, seed=-1), "seed is -1: give 0 or more"),
        (lambda: fm.AskTell(ONE_TYPE).ask(context=[1.0]), "game 'kiosk' has no context, so leave it out"),
        (lambda: fm.AskTell(ONE_TYPE).ask(without=[5]), "without is 5: give an index from 0 to 4"),
        (lambda: fm.AskTell(ONE_TYPE).ask(without=range(5)), "allowed actions contains no action"),
    ],
)
def test_a_wrong_question_is_one_sentence(call: Any, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        call()


def test_a_type_with_another_context_than_asked_for_is_refused() -> None:
    loop = fm.AskTell(PARTLY)
    loop.ask(context=[1.0])
    with pytest.raises(
        InvalidInput, match=r"opponent_type is \[5.0, 1.0\]: its context was \[1.0\] when ask was called"
    ):
        loop.tell([1.0], [5.0, 1.0])


@pytest.mark.parametrize(("game", "context"), [(PARTLY, [1.0]), (PARTLY, None), (KNOWN, None)])
def test_a_type_that_the_context_does_not_tell_must_be_given(game: fm.Game, context: Any) -> None:
    loop = fm.AskTell(game)
    loop.ask(context=context)
    with pytest.raises(InvalidInput, match="opponent_type is not given, and the context does not tell it"):
        loop.tell([1.0])
    loop.tell([1.0], [1.0, 1.0])
