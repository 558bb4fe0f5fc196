"""Eq. (1) by hand: 3 actions, types 0, 1, 1, 0 with rewards (5, 2, 0) and (1, 4, 3), actions 2, 1, 0, 0 played.

t   type   rewards     totals        best         played   earned so far   R(t)
1    0     5 2 0       5  2  0       0, with 5       2           0           5
2    1     1 4 3       6  6  3       0, with 6       1           4           2
3    1     1 4 3       7 10  6       1, with 10      0           5           5
4    0     5 2 0      12 12  6       0, with 12      0          10           2
"""

import numpy as np
import pytest

from firstmover.core.arrays import Vector
from firstmover.core.contracts import Game
from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box, Run
from firstmover.games import increasing, shore_game
from firstmover.learners import best_in_hindsight, fixed_action, uniform
from firstmover.simulation import Cyclic, Opponent, opponent_for, true_rewards
from firstmover.simulation.hindsight import dynamic_regret, regret, reward_table
from firstmover.simulation.loop import play_run

TABLE = {0.0: np.array([5.0, 2.0, 0.0]), 1.0: np.array([1.0, 4.0, 3.0])}
TYPES = np.array([[0.0], [1.0], [1.0], [0.0]])
ACTIONS = np.array([2, 1, 0, 0])


def rewards_of(opponent_type: Vector) -> Vector:
    return TABLE[opponent_type[0]]


def run(noise: float = 0.0) -> Run:
    earned = np.array([rewards_of(t)[a] for t, a in zip(TYPES, ACTIONS, strict=True)])
    return Run(np.full((4, 3), 1 / 3), ACTIONS, TYPES, earned[:, None], earned[:, None] + noise, earned)


def test_the_table_by_hand() -> None:
    found = regret(run(), rewards_of)
    np.testing.assert_array_equal(found.cumulative, [5, 2, 5, 2])
    np.testing.assert_array_equal(found.time_averaged, [5, 1, 5 / 3, 0.5])
    np.testing.assert_array_equal(found.best_action, [0, 0, 1, 0])
    np.testing.assert_array_equal(found.best_reward, [5, 6, 7, 12])  # of action 0, the best at T


def test_each_distinct_type_is_asked_once() -> None:
    asked = []
    table = reward_table(lambda theta: asked.append(theta[0]) or rewards_of(theta), TYPES)
    np.testing.assert_array_equal(table, [TABLE[0.0], TABLE[1.0], TABLE[1.0], TABLE[0.0]])
    assert sorted(asked) == [0.0, 1.0]


def test_types_of_several_features_are_told_apart() -> None:
    types = np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    table = reward_table(lambda theta: np.array([theta[0], 10 * theta[1]]), types)
    np.testing.assert_array_equal(table, [[0, 10], [1, 0], [0, 10]])


def test_the_noise_of_the_responses_costs_nothing() -> None:
    np.testing.assert_array_equal(regret(run(noise=100.0), rewards_of).cumulative, [5, 2, 5, 2])


def test_a_game_with_noise_is_measured_without_it() -> None:
    """The only action earns 1 in every round, whatever noise the learner sees: no regret at all."""
    game = Game("sure", np.zeros((1, 1)), increasing(lambda _, y: y[:, 0]), Box([-np.inf], [np.inf]))
    opponent = Opponent(Cyclic(np.zeros((1, 1))), lambda x, _: x + 1, noise_std=3.0)
    played = play_run(game, opponent, uniform(1), 50, seed=2)
    assert np.abs(played.responses - 1).max() > 3
    np.testing.assert_array_equal(regret(played, true_rewards(game, opponent.respond)).cumulative, np.zeros(50))


@pytest.mark.parametrize("name", ["random", "cyclic"])
@pytest.mark.parametrize("seed", range(5))
def test_the_best_in_hindsight_has_no_regret_at_the_end(name: str, seed: int) -> None:
    game = shore_game()
    opponent = opponent_for("shore", game, name)
    rewards = true_rewards(game, opponent.respond)
    types = play_run(game, opponent, uniform(24), 60, seed).opponent_types
    found = regret(play_run(game, opponent, best_in_hindsight(rewards, types), 60, seed), rewards)
    assert abs(found.cumulative[-1]) < 1e-12 * 60
    assert np.all(found.cumulative > -1e-12 * 60)


@pytest.mark.parametrize("action", [0, 11, 23])
def test_a_fixed_action_is_never_better_than_the_best_fixed_one(action: int) -> None:
    game = shore_game()
    opponent = opponent_for("shore", game, "random")
    found = regret(play_run(game, opponent, fixed_action(action, 24), 60, 3), true_rewards(game, opponent.respond))
    assert np.all(found.cumulative > -1e-12 * 60)


def test_dynamic_regret_by_hand() -> None:
    """The best of each round earn 5, 4, 4, 5; played are 0, 4, 1, 5: short by 5, 0, 3, 0."""
    table = reward_table(rewards_of, TYPES)
    np.testing.assert_array_equal(dynamic_regret(run(), table), [5, 5, 8, 8])
    with pytest.raises(InvalidInput, match=r"rewards has shape \(3, 3\)"):
        dynamic_regret(run(), table[:3])
