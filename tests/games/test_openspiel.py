"""Games of OpenSpiel as payoff tables, and back."""

from typing import Any

import numpy as np
import pyspiel
import pytest

import firstmover as fm
from firstmover.core.errors import InvalidInput

MATRIX_GAMES = [name for name in pyspiel.registered_names() if name.startswith("matrix_")]


@pytest.mark.parametrize("name", MATRIX_GAMES)
def test_payoffs_of_a_matrix_game_are_exact_both_ways(name: str) -> None:
    game = pyspiel.load_game(name)
    tables = fm.from_openspiel(game)
    rows, columns = game.num_rows(), game.num_cols()
    own = [[game.player_utility(0, i, j) for j in range(columns)] for i in range(rows)]
    other = [[game.player_utility(1, i, j) for j in range(columns)] for i in range(rows)]
    assert tables.leader.tolist() == own
    assert tables.followers.tolist() == [other]
    assert tables.name == name
    again = fm.from_openspiel(fm.to_openspiel(tables))
    assert again.leader.tolist() == own
    assert again.followers.tolist() == [other]


def test_the_other_player_may_lead() -> None:
    tables = fm.from_openspiel("matrix_bos"), fm.from_openspiel("matrix_bos", leader=1)
    assert tables[1].leader.tolist() == tables[0].followers[0].T.tolist()
    assert tables[1].followers[0].tolist() == tables[0].leader.T.tolist()
    assert tables[1].leader.tolist() != tables[0].leader.tolist()


def test_each_type_of_follower_is_a_game_of_its_own() -> None:
    followers = np.random.default_rng(0).normal(size=(2, 3, 4))
    tables = fm.BimatrixGame(np.arange(12.0).reshape(3, 4), followers, "two")
    game = fm.to_openspiel(tables, opponent_type=1)
    assert game.col_utilities().tolist() == followers[1].tolist()
    assert game.row_utilities().tolist() == tables.leader.tolist()
    state = game.new_initial_state()
    state.apply_actions([2, 1])
    assert state.returns() == [9.0, followers[1, 2, 1]]


def test_commitment_pays_in_a_game_of_openspiel() -> None:
    """In matching pennies both commit to one half each, which earns 0."""
    found = fm.optimal_commitment(fm.from_openspiel("matrix_mp"))
    assert found.strategy == pytest.approx([0.5, 0.5])


def test_the_normal_form_of_kuhn_poker_has_its_value() -> None:
    """6 information states with 2 actions give 64 pure strategies each; the first player's value is −1/18 (Kuhn)."""
    tables = fm.from_openspiel("kuhn_poker")
    assert tables.leader.shape == (64, 64)
    assert tables.followers[0].tolist() == (-tables.leader).tolist()
    from scipy.optimize import linprog

    n = 64  # max v with pᵀ A ≥ v
    found = linprog(
        np.append(np.zeros(n), -1.0),
        A_ub=np.hstack([-tables.leader.T, np.ones((n, 1))]),
        b_ub=np.zeros(n),
        A_eq=np.append(np.ones(n), 0.0)[None],
        b_eq=[1.0],
        bounds=[(0, None)] * n + [(None, None)],
    )
    assert -found.fun == pytest.approx(-1 / 18, abs=1e-9)


def test_a_one_shot_game_of_simultaneous_moves_has_one_row_per_action() -> None:
    tables = fm.from_openspiel("blotto(players=2,coins=3,fields=2)")
    assert tables.leader.shape == (4, 4)
    assert tables.leader.tolist() == (-tables.leader.T).tolist()


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: fm.from_openspiel("nope"), "game is 'nope': give a game of OpenSpiel, or one of pyspiel.registered"),
        (lambda: fm.from_openspiel(3), "game is 3: give a game of OpenSpiel"),
        (lambda: fm.from_openspiel("matching_pennies_3p"), r"has 3 player\(s\): give one of two players"),
        (lambda: fm.from_openspiel("tic_tac_toe"), "more than 1,000,000 pairs of pure strategies: give a smaller one"),
        (lambda: fm.from_openspiel("markov_soccer"), "neither one-shot nor sequential with information states"),
        (lambda: fm.from_openspiel("matrix_pd", leader=2), "leader is 2: give an index from 0 to 1"),
        (lambda: fm.from_openspiel("blotto(players=2"), "cannot be loaded: .*; correct its parameters"),
        (lambda: fm.to_openspiel(fm.from_openspiel("matrix_pd"), 1), "opponent_type is 1: give an index from 0 to 0"),
    ],
)
def test_what_cannot_be_converted_is_one_sentence(call: Any, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        call()
