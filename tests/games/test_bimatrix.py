"""Payoff tables: from files, as games, and where there is little to choose."""

from pathlib import Path

import numpy as np
import pytest

from firstmover.beliefs import ConstantWidth
from firstmover.errors import InvalidInput
from firstmover.games import BimatrixGame, game_named, optimal_commitment
from firstmover.games.bimatrix import payoff_table
from firstmover.learners import LEARNERS, Setup
from firstmover.opponents import Cyclic, Opponent, true_rewards
from firstmover.play import play_run
from firstmover.regret import regret

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


def test_the_payoff_of_a_response_is_the_entry_of_the_table():
    game = BimatrixGame(LEADER, FOLLOWERS).stackelberg().on_grid(0.5)
    np.testing.assert_array_equal(game.actions, [[0, 1], [0.5, 0.5], [1, 0]])
    np.testing.assert_allclose(game.reward(game.actions, np.eye(3)), [1.0, 3.5, 0.0])
    assert game.reward_range == (0.0, 5.0)


@pytest.mark.parametrize("text", ["2,4,0\n1,3,5\n", "left,middle,right\n 2, 4, 0\n\n1,3,5\n", "\ufeff2,4,0\r\n1,3,5"])
def test_tables_from_csv(tmp_path, text):
    np.testing.assert_array_equal(payoff_table(written(tmp_path, "leader.csv", text)), LEADER)


def test_games_from_files_of_both_sorts(tmp_path):
    leader = written(tmp_path, "leader.csv", "2,4,0\n1,3,5\n")
    paths = []
    for number, table in enumerate(FOLLOWERS):
        paths.append(tmp_path / f"follower-{number}.npy")
        np.save(paths[-1], table)
    game = BimatrixGame.from_files(leader, *map(str, paths))
    np.testing.assert_array_equal(game.leader, LEADER)
    np.testing.assert_array_equal(game.followers, FOLLOWERS)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1,2\n3,\n", "misses the entry in row 2, column 2: give a finite number."),
        (",2\n3,4\n", "misses the entry in row 1, column 1: give a finite number."),
        ("1,2\n3\n", "has 1 entries in row 2, and 2 in row 1: give as many."),
        ("1,2\n3,nan\n", "has 'nan' in row 2, column 2: give a finite number."),
        ("1,2\n3,four\n", "has 'four' in row 2, column 2: give a finite number."),
        ("1,two\n3,4\n", "has 'two' in row 1, column 2: give a finite number."),
        ("left,right\n", "has no numbers: give a row for each leader action."),
        ("", "has no numbers: give a row for each leader action."),
    ],
)
def test_a_table_with_a_hole_is_refused_by_row_and_column(tmp_path, text, said):
    path = written(tmp_path, "leader.csv", text)
    with pytest.raises(InvalidInput) as refused:
        BimatrixGame.from_files(path, path)
    assert str(refused.value) == f"payoff table {str(path)!r} {said}"


def test_files_that_cannot_be_read_are_refused(tmp_path):
    with pytest.raises(InvalidInput, match=r"payoff table '.*none\.csv' cannot be read as CSV: .*No such file"):
        payoff_table(tmp_path / "none.csv")
    with pytest.raises(InvalidInput, match=r"payoff table '.*text\.npy' cannot be read as NumPy"):
        payoff_table(written(tmp_path, "text.npy", "1,2"))
    np.save(tmp_path / "objects.npy", np.array([[{}]]), allow_pickle=True)
    with pytest.raises(InvalidInput, match="cannot be read as NumPy: Object arrays cannot be loaded"):
        payoff_table(tmp_path / "objects.npy")
    np.save(tmp_path / "hole.npy", np.array([[1.0, np.nan]]))
    with pytest.raises(InvalidInput, match=r"has the value nan at position 0, 1: every number must be finite"):
        payoff_table(tmp_path / "hole.npy")


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
    with pytest.raises(InvalidInput, match="write bimatrix:LEADER,FOLLOWER, one file a follower type"):
        game_named(name)
