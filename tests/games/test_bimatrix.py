"""Payoff tables: from files, as games, and where there is little to choose."""

from pathlib import Path

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF, Matern

from firstmover.beliefs import ConstantWidth
from firstmover.core.errors import InvalidInput
from firstmover.games import BimatrixGame, game_named, optimal_commitment
from firstmover.kernels import on_action, on_type
from firstmover.learners import LEARNERS, Setup
from firstmover.simulation import Cyclic, Opponent, true_rewards
from firstmover.simulation.hindsight import regret
from firstmover.simulation.loop import play_run

LEADER = np.array([[2.0, 4.0, 0.0], [1.0, 3.0, 5.0]])
FOLLOWERS = np.array([[[1.0, 0.0, 0.5], [0.0, 1.0, 0.5]], [[0.0, 0.0, 1.0], [0.0, 2.0, 1.0]]])


def written(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_responses_by_hand():
    """Utilities at (¾, ¼): (.75, .25, .5) and (0, .5, 1); at (¼, ¾): (.25, .75, .5) and (0, 1.5, 1)."""
    game, x = BimatrixGame(LEADER, FOLLOWERS), np.array([[0.75, 0.25], [0.25, 0.75]])
    np.testing.assert_array_equal(game.best_response(x, np.array([1.0, 0.0])), [[1, 0, 0], [0, 1, 0]])
    np.testing.assert_array_equal(game.best_response(x, np.array([0.0, 1.0])), [[0, 0, 1], [0, 1, 0]])
    np.testing.assert_allclose(game.utilities(x, np.array([0.0, 1.0])), [[0, 0.5, 1], [0, 1.5, 1]])


def test_ties_go_to_the_leaders_favour_and_then_to_the_first():
    """At (½, ½) the first type is indifferent among all; the leader earns 1.5, 3.5 and 2.5."""
    game, half = BimatrixGame(LEADER, FOLLOWERS), np.array([[0.5, 0.5]])
    np.testing.assert_array_equal(game.best_response(half, np.array([1.0, 0.0])), [[0, 1, 0]])
    equal = BimatrixGame([[7.0, 7.0]], [[[3.0, 3.0]]])
    np.testing.assert_array_equal(equal.best_response(np.ones((1, 1)), np.ones(1)), [[1, 0]])


def test_a_tie_survives_rounding():
    """0.1 + 0.2 is not 0.3, but the follower does not notice."""
    game = BimatrixGame([[0.0, 1.0], [0.0, 1.0], [0.0, 1.0]], [[[1.0, 0.3], [2.0, 0.3], [0.0, 0.3]]])
    np.testing.assert_array_equal(game.best_response(np.array([[0.1, 0.1, 0.8]]), np.ones(1)), [[0, 1]])


def test_ties_of_one_type_are_not_decided_by_the_payoffs_of_another():
    """The first type prefers the second action by 1, whatever the second type has at stake."""
    game = BimatrixGame([[5.0, 0.0]], [[[0.0, 1.0]], [[1e10, 0.0]]])
    np.testing.assert_array_equal(game.best_response([[1.0]], [1.0, 0.0]), [[0, 1]])


def test_ties_are_not_decided_by_payoffs_of_an_action_that_is_not_played_or_by_a_constant():
    game = BimatrixGame([[5.0, 0.0], [5.0, 0.0]], [[[1e10, 0.0], [0.0, 1.0]]])
    np.testing.assert_array_equal(game.best_response([[0.0, 1.0]], [1.0]), [[0, 1]])
    moved = BimatrixGame([[1e10, 1e10 + 1]], [[[1e10 + 2, 1e10 + 2]]])
    np.testing.assert_array_equal(moved.best_response([[1.0]], [1.0]), [[0, 1]])


def learned(shift: float) -> np.ndarray:
    """Rewards of 60 rounds against both types, with a constant added to the leader's payoffs."""
    tables = BimatrixGame(LEADER + shift, FOLLOWERS)
    game, kernel = tables.stackelberg().on_grid(0.2), on_action(Matern(0.3, nu=1.5)) * on_type(RBF(0.5))
    learner = LEARNERS["stackelucb"].build(Setup(game, kernel, 0.01, ConstantWidth(0.5), "fixed-rate", 60))
    return play_run(game, Opponent(Cyclic(game.types), tables.best_response), learner, 60, seed=0).rewards - shift


def test_a_constant_added_to_the_leaders_payoffs_changes_nothing_that_is_learned():
    np.testing.assert_allclose(learned(128.0), learned(0.0), atol=1e-9)


def test_the_payoff_of_a_response_is_the_entry_of_the_table():
    game = BimatrixGame(LEADER, FOLLOWERS).stackelberg().on_grid(0.5)
    np.testing.assert_array_equal(game.actions, [[0, 1], [0.5, 0.5], [1, 0]])
    np.testing.assert_allclose(game.reward(game.actions, np.eye(3)), [1.0, 3.5, 0.0])
    assert game.reward_range == (0.0, 5.0)


def test_a_constant_payoff_has_a_range_of_half_a_unit_on_both_sides():
    game = BimatrixGame(np.full((2, 3), 4.0), FOLLOWERS)
    assert game.stackelberg().reward_range == (3.5, 4.5)


def test_games_from_files_of_both_sorts(tmp_path):
    leader = written(tmp_path, "leader.csv", "2,4,0\n1,3,5\n")
    paths = []
    for number, table in enumerate(FOLLOWERS):
        paths.append(tmp_path / f"follower-{number}.npy")
        np.save(paths[-1], table)
    game = BimatrixGame.from_files(leader, *map(str, paths))
    np.testing.assert_array_equal(game.leader, LEADER)
    np.testing.assert_array_equal(game.followers, FOLLOWERS)


def test_payoffs_beyond_all_measure_are_refused():
    with pytest.raises(InvalidInput, match=r"payoff tables have a payoff of size 1e\+120: give at most 1e\+100, in a"):
        BimatrixGame([[1.0, -1e120]], [[[1e120, -1e120]]])


def test_lists_that_are_no_tables_are_refused():
    with pytest.raises(InvalidInput) as refused:
        BimatrixGame([[1.0, 2.0], [3.0]], [[[1.0, 2.0], [3.0, 4.0]]])
    assert str(refused.value) == ("leader must hold numbers: rows differ in length, so give each as many numbers.")


def test_tables_of_different_shapes_are_refused(tmp_path):
    leader, odd = written(tmp_path, "a.csv", "1,2\n3,4\n"), written(tmp_path, "b.csv", "1,2,3\n4,5,6\n")
    with pytest.raises(InvalidInput, match=r"payoff table '.*b\.csv' has shape \(2, 3\), that of the leader \(2, 2\)"):
        BimatrixGame.from_files(leader, leader, odd)
    with pytest.raises(InvalidInput, match=r"followers' tables have shape \(2, 3\), the leader's \(2, 2\)"):
        BimatrixGame(np.zeros((2, 2)), np.zeros((1, 2, 3)))
    with pytest.raises(InvalidInput, match="no file has payoffs of a follower"):
        BimatrixGame.from_files(leader)
    with pytest.raises(InvalidInput, match="payoff tables are empty"):
        BimatrixGame(np.zeros((0, 2)), np.zeros((1, 0, 2)))


@pytest.mark.parametrize(
    ("strategies", "said"),
    [
        ([[1.0]], "strategies has 1 column(s): give 2 probabilities."),
        ([1.0, 0.0], "strategies has shape (2,): give an array with 2 dimension(s)."),
        ([[np.nan, 1.0]], "strategies has the value nan at position 0, 0: every number must be finite."),
    ],
)
def test_what_is_no_mixed_strategy_is_refused(strategies, said):
    game = BimatrixGame(LEADER, FOLLOWERS)
    for answer in (game.best_response, game.utilities, game.ties):
        with pytest.raises(InvalidInput) as refused:
            answer(strategies, [1.0, 0.0])
        assert str(refused.value) == said


def test_a_type_that_is_none_of_the_game_is_refused():
    game = BimatrixGame(LEADER, FOLLOWERS)
    for strange in (np.array([0.5, 0.5]), np.ones(1), np.zeros(3)):
        with pytest.raises(InvalidInput, match="give a unit vector of 2"):
            game.best_response(np.array([[1.0, 0.0]]), strange)


DEGENERATE = {
    "one leader action": ([[1.0, 3.0]], [[[0.0, 1.0]]], 3.0),
    "one follower action": ([[1.0], [3.0]], [[[0.0], [1.0]]], 3.0),
    "one of each": ([[2.0]], [[[5.0]]], 2.0),
    "identical leader actions": ([[1.0, 2.0], [1.0, 2.0]], [[[0.0, 1.0], [0.0, 1.0]]], 2.0),
    "identical follower actions": ([[1.0, 1.0], [4.0, 4.0]], [[[1.0, 1.0], [0.0, 0.0]]], 4.0),
    "a constant payoff": ([[3.0, 3.0], [3.0, 3.0]], [[[1.0, 0.0], [0.0, 1.0]]], 3.0),
    "followers who do not care": ([[1.0, 2.0], [0.0, 5.0]], [[[0.0, 0.0], [0.0, 0.0]]], 5.0),
    "two types that are alike": ([[1.0, 3.0]], [[[0.0, 1.0]], [[0.0, 1.0]]], 3.0),
}


@pytest.mark.parametrize("name", DEGENERATE)
@pytest.mark.parametrize("learner", ["stackelucb", "hedge", "exp3"])
def test_games_with_little_to_choose_are_played_and_their_value_is_known(name, learner, tmp_path):
    leader, followers, value = DEGENERATE[name]
    tables = BimatrixGame(leader, followers)
    assert optimal_commitment(tables).value == pytest.approx(value)
    entry = game_named(named(tables, tmp_path))
    game = entry.build()
    rewards = true_rewards(game, tables.best_response)
    setup = Setup(game, entry.kernel, entry.regularization, ConstantWidth(0.5), "fixed-rate", 30, true_rewards=rewards)
    opponent = Opponent(Cyclic(game.types), tables.best_response)
    lost = regret(play_run(game, opponent, LEARNERS[learner].build(setup), 30, seed=0), rewards).cumulative
    assert lost[-1] >= -1e-9
    if game.n_actions == 1 or name in ("a constant payoff", "identical leader actions"):
        np.testing.assert_allclose(lost, 0, atol=1e-9)


def named(tables: BimatrixGame, folder: Path) -> str:
    paths = []
    for number, table in enumerate([tables.leader, *tables.followers]):
        paths.append(folder / f"{number}.csv")
        np.savetxt(paths[-1], table, delimiter=",")
    return "bimatrix:" + ",".join(map(str, paths))


def test_a_named_game_has_at_most_five_hundred_strategies(tmp_path):
    rng = np.random.default_rng(0)
    for n in (1, 2, 3, 6):
        tables = BimatrixGame(rng.uniform(size=(n, 2)), rng.uniform(size=(1, n, 2)))
        assert game_named(named(tables, tmp_path)).build().n_actions <= 500


@pytest.mark.parametrize("name", ["bimatrix", "bimatrix:", "bimatrix:a.csv", "bimatrix:a.csv,"])
def test_a_name_without_both_files_is_refused(name):
    with pytest.raises(InvalidInput, match="write bimatrix:LEADER,FOLLOWER, one file per follower type"):
        game_named(name)
