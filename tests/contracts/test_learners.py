import inspect
from types import ModuleType

import numpy as np
import pytest

from firstmover import learners
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Feedback
from firstmover.learners import LEARNERS
from tests.contracts.checks_learner import (
    check_copy,
    check_meets_the_same,
    check_observe_leaves_the_old,
    check_pure,
    check_refuses_bad_feedback,
    check_replay,
    check_simplex,
)
from tests.contracts.reach import forgotten
from tests.contracts.tables import LEARNER_CASES, ROUNDS, LearnerCase, game_of

every_learner = pytest.mark.parametrize("case", LEARNER_CASES, ids=str)


@every_learner
def test_strategies_lie_on_the_simplex_after_every_round(case: LearnerCase) -> None:
    check_simplex(case.build(), case.game, case.history())


@every_learner
def test_the_strategy_is_a_function_of_the_history_alone(case: LearnerCase) -> None:
    check_pure(case.build(), case.history())


@every_learner
def test_observing_leaves_the_old_learner_as_it_was(case: LearnerCase) -> None:
    check_observe_leaves_the_old(case.build(), case.history())


@every_learner
def test_a_copy_goes_on_as_the_original(case: LearnerCase) -> None:
    check_copy(case.build(), case.history())


@every_learner
def test_bad_feedback_is_refused(case: LearnerCase) -> None:
    check_refuses_bad_feedback(case.build(), case.game, case.history()[0])


@every_learner
def test_equal_seeds_replay_exactly(case: LearnerCase) -> None:
    check_replay(case.build(), case.game, case.oblivious()[-1], ROUNDS)


@every_learner
def test_two_learners_meet_the_same_types_and_noise(case: LearnerCase) -> None:
    uniform = LEARNERS["uniform"].build(case.setup(()))
    for opponent in case.oblivious():
        check_meets_the_same(case.build(), lambda: uniform, case.game, opponent, ROUNDS)


@pytest.mark.parametrize(
    ("response", "sentence"),
    [([np.nan], "response has the value nan at position 0"), ([[0.1]], "response has shape"), (["x"], "response has")],
)
def test_feedback_that_is_not_a_row_of_numbers_never_reaches_a_learner(response: object, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        Feedback(0, [0.5], response)


@pytest.mark.parametrize("action", [1.5, 2.0, "1", None, np.nan])
def test_an_action_that_is_not_a_whole_number_never_reaches_a_learner(action: object) -> None:
    with pytest.raises(InvalidInput, match="give a whole number"):
        Feedback(action, [0.5], [0.5])


def test_numpy_integers_are_actions() -> None:
    assert Feedback(np.int64(3), [0.5], [0.5]).action == 3


def test_the_menu_of_the_suite_is_the_table() -> None:
    assert {case.learner for case in LEARNER_CASES} == set(LEARNERS)
    assert all(entry.summary for entry in LEARNERS.values())


def is_learner(value: object) -> bool:
    return inspect.isclass(value) and hasattr(value, "observe")


def test_every_file_of_learners_is_in_the_table() -> None:
    assert forgotten(learners, [entry.builder for entry in LEARNERS.values()], is_learner) == {}


def test_a_learner_missing_from_the_table_is_noticed() -> None:
    fewer = [entry.builder for name, entry in LEARNERS.items() if name not in {"gp-ucb", "gp-mw"}]
    assert list(forgotten(learners, fewer, is_learner)) == ["reward_regression"]


def test_a_file_that_nobody_uses_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    stray = ModuleType("firstmover.learners.stray")
    monkeypatch.setattr("tests.contracts.reach.modules_of", lambda _: {"stray": stray})
    assert forgotten(learners, [], is_learner) == {"stray": "is used by nobody"}


def test_single_type_learners_refuse_many_types() -> None:
    for name in (n for n, entry in LEARNERS.items() if entry.single_type):
        with pytest.raises(InvalidInput, match="game 'shore' has 5 types: this learner needs exactly one known type"):
            LEARNERS[name].build(LearnerCase("uniform", "shore").setup(()))
    assert len(game_of("shore").types) == 5
