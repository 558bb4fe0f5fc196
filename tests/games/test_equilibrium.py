"""The best mixed strategy against known types, beside answers worked out by hand."""

import numpy as np
import pytest

from firstmover.core.errors import InvalidInput
from firstmover.core.records import Box
from firstmover.games import BimatrixGame, StackelbergGame, harbour, increasing, optimal_commitment, simplex_grid
from firstmover.games.stackelberg.commitment import best_on_simplex
from firstmover.games.stackelberg.harbour_game import CREWS, HARM, let_through, loads_landed
from firstmover.games.stackelberg.opponents import follower
from firstmover.learners import fixed_action
from firstmover.simulation import Opponent, Scripted, true_rewards
from firstmover.simulation.hindsight import regret
from firstmover.simulation.loop import play_run


def water_filling(load: np.ndarray) -> np.ndarray:
    """The best inspections against a mean load, by the conditions of Karush, Kuhn and Tucker.

    Σ_i a_i (1 − x_i)² is least where a_i (1 − x_i) = μ for x_i > 0, and a_i ≤ μ for x_i = 0, with a = harm · load; the
    sum of the shares then says μ, for the k quays of the largest a.
    """
    a = HARM * load
    order = np.argsort(-a)
    for k in range(3, 0, -1):
        x = np.zeros(3)
        level = (k - 1) / np.sum(1 / a[order[:k]])
        x[order[:k]] = 1 - level / a[order[:k]]
        if x.min() >= 0:
            return x
    raise AssertionError


@pytest.mark.parametrize("seed", range(20))
def test_the_harbours_optimum_in_hindsight_is_the_one_worked_out_by_hand(seed):
    types = CREWS[np.random.default_rng(seed).integers(3, size=1 + seed % 5)]
    best, x = best_on_simplex(harbour(), types), water_filling(types.mean(axis=0))
    np.testing.assert_allclose(best.action, x, atol=1e-5)
    exact = np.mean([let_through(x[None], loads_landed(x[None], kind)) for kind in types])
    assert best.value == pytest.approx(exact, abs=1e-9)


def test_the_strong_stackelberg_equilibria_of_the_harbour():
    values = [best_on_simplex(harbour(), crew[None]).value for crew in CREWS]
    np.testing.assert_allclose(values, [1 - 0.55 / 3, 0.8833333333, 0.8875], atol=1e-9)


def test_no_mixed_strategy_beats_the_reference_and_committing_to_it_has_no_regret():
    types = CREWS[[0, 1, 2, 2, 0]]
    best = best_on_simplex(harbour(), types)
    x = np.vstack([np.random.default_rng(1).dirichlet(np.ones(3), size=2000), simplex_grid(3, 0.01)])
    earned = np.mean([let_through(x, loads_landed(x, kind)) for kind in types], axis=0)
    assert earned.max() <= best.value + 1e-12
    game = harbour().on_menu(np.vstack([best.action, simplex_grid(3, 0.1)]))
    run = play_run(game, Opponent(Scripted(types), loads_landed), fixed_action(0, game.n_actions), 5, seed=0)
    assert abs(regret(run, true_rewards(game, loads_landed)).cumulative[-1]) < 1e-12
    assert run.rewards.mean() == pytest.approx(best.value, rel=1e-12)


@pytest.mark.parametrize("seed", range(8))
def test_committing_to_the_optimum_of_payoff_tables_has_no_regret(seed):
    tables = np.random.default_rng(seed).uniform(-1, 1, (3, 3, 3))
    game = BimatrixGame(tables[0], tables[1:])
    types = game.types[np.random.default_rng(seed).integers(2, size=9)]
    best = optimal_commitment(game, types.mean(axis=0))
    menu = game.stackelberg().on_menu(np.vstack([best.strategy, simplex_grid(3, 0.05)]))
    run = play_run(menu, Opponent(Scripted(types), game.best_response), fixed_action(0, menu.n_actions), 9, seed=0)
    assert abs(regret(run, true_rewards(menu, game.best_response)).cumulative[-1]) < 1e-8
    assert run.rewards.mean() == pytest.approx(best.value, abs=1e-9)


def test_a_numeric_follower_has_a_reference_too():
    """y = x₁ by the argmax, so the leader earns x₁ x₂, at most ¼."""
    game = StackelbergGame(
        2,
        increasing(lambda x, y: x[:, 1] * y[:, 0]),
        lambda x, y, _: -((y[:, 0] - x[:, 0]) ** 2),
        [[0.0]],
        Box([0.0], [1.0]),
    )
    best = best_on_simplex(game, game.types, radius=0.3)
    assert best.value == pytest.approx(0.25, abs=1e-3)
    assert follower(game)(best.action[None], game.types[0])[0, 0] == pytest.approx(best.action[0], abs=1e-7)


def test_one_leader_action_and_a_constant_reward_have_references():
    constant = StackelbergGame(
        3, increasing(lambda _, y: 0 * y[:, 0] + 2), lambda _, y, __: y[:, 0], [[0.0]], Box([0.0], [1.0])
    )
    assert best_on_simplex(constant, constant.types).value == 2
    single = StackelbergGame(1, increasing(lambda _, y: y[:, 0]), lambda _, y, __: y[:, 0], [[0.0]], Box([0.0], [1.0]))
    assert best_on_simplex(single, single.types).value == pytest.approx(1)


def test_hindsight_needs_a_round():
    with pytest.raises(InvalidInput, match="opponent_types has no rows: hindsight needs at least one round"):
        best_on_simplex(harbour(), np.zeros((0, 3)))


def test_types_of_another_width_are_refused():
    with pytest.raises(InvalidInput, match=r"opponent_types has 1 column\(s\): types of game 'harbour' have 3\."):
        best_on_simplex(harbour(), np.array([[0.5]]))


def test_types_are_as_wide_as_those_of_the_game_however_many_these_are():
    """Two types of three numbers."""
    two = StackelbergGame(
        2, increasing(lambda x, _: x[:, 0]), lambda _, y, __: y[:, 0], np.eye(3)[:2], Box([0.0], [1.0]), name="two"
    )
    assert best_on_simplex(two, np.ones((1, 3))).value == pytest.approx(1)
    with pytest.raises(InvalidInput, match=r"opponent_types has 2 column\(s\): types of game 'two' have 3\."):
        best_on_simplex(two, np.ones((1, 2)))
