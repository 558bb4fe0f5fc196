from math import exp

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF

from firstmover.beliefs import ConstantWidth
from firstmover.core.contracts import Game
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box, Feedback
from firstmover.games import increasing
from firstmover.learners import LEARNERS, Fixed, Setup, best_in_hindsight, best_offline, fixed_action, max_min, uniform


def game(reward: object, lower: list[float], upper: list[float]) -> Game:
    actions = np.array([[0.0], [1.0], [3.0]])
    return Game("fixed", actions, increasing(reward, len(lower)), Box(lower, upper), types=np.array([[0.0]]))


def test_the_same_for_ever() -> None:
    for learner, p in [
        (fixed_action(1, 3), [0, 1, 0]),
        (uniform(4), [0.25] * 4),
        (Fixed(np.array([0.2, 0.8])), [0.2, 0.8]),
    ]:
        np.testing.assert_array_equal(learner.strategy, p)
        assert learner.observe(Feedback(0, [0.0], [1.0])) is learner


def test_nobody_can_write_into_a_fixed_strategy() -> None:
    given = np.array([0.2, 0.8])
    learner = Fixed(given)
    given[0] = 9.0
    assert learner.strategy[0] == 0.2
    with pytest.raises(ValueError, match="read-only"):
        learner.strategy[0] = 9.0


@pytest.mark.parametrize(
    ("strategy", "sentence"),
    [
        ([0.5, 0.6], "strategy sums to 1.1: probabilities must sum to 1"),
        ([1.5, -0.5], "strategy has the value -0.5 at position 1: probabilities are 0 or more"),
        ([np.nan, 1.0], "strategy has the value nan at position 0: every number must be finite"),
        ([[1.0]], "strategy has shape"),
    ],
)
def test_what_is_not_a_distribution_is_refused(strategy: list[float], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        Fixed(np.array(strategy))


@pytest.mark.parametrize("action", [-1, 3])
def test_an_action_out_of_range_is_refused(action: int) -> None:
    with pytest.raises(InvalidInput, match=f"action is {action}: give an index from 0 to 2"):
        fixed_action(action, 3)


def test_max_min_by_hand() -> None:
    """r = x − x²·|y₁ − y₂|/4 on [0, 2] × [0, 1] is at worst, for y = (2, 0), x − x²/2: 0, ½, −1½.

    The middle action wins, though x = 3 is the best of all where y₁ = y₂.
    """
    worst = max_min(game(lambda x, y: x[:, 0] - x[:, 0] ** 2 * np.abs(y[:, 0] - y[:, 1]) / 4, [0, 0], [2, 1]))
    np.testing.assert_array_equal(worst.strategy, [0, 1, 0])


def test_max_min_looks_at_the_ends_and_inside() -> None:
    inside = max_min(game(lambda x, y: 1 - x[:, 0] + 5 * (x[:, 0] == 0) * (y[:, 0] - 1) ** 2, [0], [2]), points=51)
    np.testing.assert_array_equal(inside.strategy, [1, 0, 0])  # worst 1 at y = 1; the others 0 and −2
    ends = max_min(game(lambda x, y: (x[:, 0] == 0) * (4 - 5 * (y[:, 0] == 2)) + 0.5 * (x[:, 0] == 3), [0], [2]))
    np.testing.assert_array_equal(ends.strategy, [0, 0, 1])  # −1, 0, ½


def test_max_min_needs_a_bounded_domain() -> None:
    with pytest.raises(InvalidInput, match="response_domain is unbounded: Max-Min needs a finite one"):
        max_min(game(lambda _, y: y[:, 0], [0], [np.inf]))


def test_best_offline_by_hand() -> None:
    """One response of 3 at x = 1, λ = 1: μ = 1.5·(e^−½, 1, e^−2), and r = y − x²/6 is 0.910, 1.333, −1.297."""
    setup = Setup(game(lambda x, y: y[:, 0] - x[:, 0] ** 2 / 6, [0], [9]), RBF(1.0), 1.0, ConstantWidth(0.5))
    assert 1.5 * exp(-0.5) < 1.5 - 1 / 6
    learner = best_offline(setup.game, setup.belief(), np.array([0.0]), [Feedback(1, [0.0], [3.0])])
    np.testing.assert_array_equal(learner.strategy, [0, 1, 0])
    learner = best_offline(setup.game, setup.belief(), np.array([0.0]), [Feedback(2, [0.0], [8.0])])
    np.testing.assert_array_equal(learner.strategy, [0, 0, 1])  # 4 − 1.5 at x = 3, 4e⁻² − 1/6 at x = 1


def test_best_offline_without_data_is_refused() -> None:
    setup = Setup(game(lambda _, y: y[:, 0], [0], [9]), RBF(1.0), 1.0, ConstantWidth(0.5))
    with pytest.raises(InvalidInput, match=r"^history has no rounds: best-offline needs at least one"):
        LEARNERS["best-offline"].build(setup)


def test_best_offline_cuts_what_it_expects_to_the_domain() -> None:
    setup = Setup(game(lambda x, y: x[:, 0] * (y[:, 0] - 0.5), [1], [9]), RBF(1.0), 1.0, ConstantWidth(0.5))
    learner = best_offline(setup.game, setup.belief(), np.array([0.0]), iter([Feedback(0, [0.0], [0.0])]))
    np.testing.assert_array_equal(learner.strategy, [0, 0, 1])  # μ = 0 is cut to 1: r = x/2, not −x/2


def test_best_offline_refuses_data_of_another_game() -> None:
    setup = Setup(game(lambda _, y: y[:, 0], [0], [9]), RBF(1.0), 1.0, ConstantWidth(0.5))
    with pytest.raises(InvalidInput, match="action is 3: give an index from 0 to 2"):
        best_offline(setup.game, setup.belief(), np.array([0.0]), [Feedback(3, [0.0], [3.0])])
    with pytest.raises(InvalidInput, match=r"response has 2 number\(s\): game 'fixed' has 1"):
        best_offline(setup.game, setup.belief(), np.array([0.0]), [Feedback(0, [0.0], [3.0, 1.0])])


def test_best_in_hindsight_by_hand() -> None:
    """Types 0, 0, 1 with rewards (3, 2, 0) and (0, 1, 4): totals 6, 5, 4, and with one more type 1: 6, 6, 8."""
    table = {0.0: np.array([3.0, 2.0, 0.0]), 1.0: np.array([0.0, 1.0, 4.0])}
    types = np.array([[0.0], [0.0], [1.0], [1.0]])
    np.testing.assert_array_equal(best_in_hindsight(lambda t: table[t[0]], types[:3]).strategy, [1, 0, 0])
    np.testing.assert_array_equal(best_in_hindsight(lambda t: table[t[0]], types).strategy, [0, 0, 1])
    with pytest.raises(InvalidInput, match="opponent_types has no rows: hindsight needs at least one round"):
        best_in_hindsight(lambda t: table[t[0]], types[:0])
