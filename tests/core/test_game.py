import re

import numpy as np
import pytest

from firstmover.core.contracts import Game
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box, Feedback
from firstmover.games.rewards import increasing

REWARD = increasing(lambda _, y: y[:, 0], n_outputs=2)


def game(**changed):
    fields = {
        "name": "toy",
        "actions": np.array([[0.0], [1.0], [2.0]]),
        "reward": REWARD,
        "response_domain": Box([0.0, 0.0], [1.0, np.inf]),
    }
    return Game(**{**fields, **changed})


def refused(sentence):
    return pytest.raises(InvalidInput, match=re.escape(sentence))


def test_sizes():
    assert (game().n_actions, game().n_outputs) == (3, 2)


def test_what_is_given_is_kept():
    known = game(types=[[0.0], [1.0]], reward_range=(0, 1))
    assert known.types.tolist() == [[0.0], [1.0]]
    assert known.reward_range == (0.0, 1.0)
    for array in (known.actions, known.types):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 9.0


def test_feedback_that_fits_is_handed_back():
    feedback = Feedback(2, [0.0], [0.5, 0.5])
    assert game().check(feedback) is feedback


@pytest.mark.parametrize("action", [-1, 3])
def test_feedback_with_an_action_that_is_not_on_the_menu(action):
    with refused(f"action is {action}: give an index from 0 to 2."):
        game().check(Feedback(action, [0.0], [0.5, 0.5]))


@pytest.mark.parametrize("length", [1, 3])
def test_feedback_with_a_response_of_another_length(length):
    with refused(f"response has {length} number(s): game 'toy' has 2."):
        game().check(Feedback(0, [0.0], np.zeros(length)))


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("actions", np.empty((0, 1)), "actions has shape (0, 1): a game needs an action and a feature."),
        ("actions", np.array([[np.nan]]), "actions has the value nan at position 0, 0: every number must be finite."),
        ("actions", np.zeros(3), "actions has shape (3,): give an array with 2 dimension(s)."),
        ("types", np.zeros(3), "types has shape (3,): give an array with 2 dimension(s)."),
        ("types", np.empty((0, 1)), "types has no rows: give at least one type, or None when any may come."),
        ("reward_range", (1.0, 0.0), "reward_range is (1.0, 0.0): give (smallest, largest), both finite."),
        ("reward_range", (0.0, np.inf), "reward_range is (0.0, inf): give (smallest, largest), both finite."),
        ("response_domain", Box([[0.0]], [[1.0]]), "response_domain has corners of shape (1, 1): give one box (m,)."),
    ],
)
def test_refuses(field, value, sentence):
    with refused(sentence):
        game(**{field: value})
