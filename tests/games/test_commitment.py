"""Optimal commitments against brute force, against OpenSpiel and against one mixed-integer program."""

import json
from fractions import Fraction
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import Bounds, LinearConstraint, milp

from firstmover.core.errors import InvalidInput
from firstmover.games import BimatrixGame, optimal_commitment, simplex_grid

GAMES = range(50)

OPENSPIEL = json.loads((Path(__file__).parent / "data" / "openspiel-commitments.json").read_text())
"""The same fifty games solved by `solve_stackelberg` of OpenSpiel 2.0.2 (cvxpy 1.9.3, Clarabel), to six decimals."""


def random_game(seed: int, types: int = 1) -> BimatrixGame:
    """2 or 3 leader actions, 2 to 5 follower actions."""
    tables = np.random.default_rng(seed).uniform(-1, 1, (1 + types, 2 + seed % 2, 2 + seed % 4))
    return BimatrixGame(tables[0], tables[1:])


def one_program(game: BimatrixGame, weights: np.ndarray) -> float:
    """DOBSS (Paruchuri et al. 2008): all types and follower actions in one mixed-integer program.

    Variables z[θ, i, j] = x_i when type θ answers with j and 0 otherwise, 0/1 choices c[θ, j], and values a[θ]:
    0 ≤ a_θ − Σ_i x_i B_θ[i, j] ≤ M (1 − c[θ, j]).
    """
    q, n, f = game.followers.shape
    size, big = q * n * f + q * f + q, 4.0
    rows, low, high = [], [], []

    def variables():
        flat = np.zeros(size)
        return flat, flat[: q * n * f].reshape(q, n, f), flat[q * n * f : -q].reshape(q, f), flat[-q:]

    def require(row, least, most):
        rows.append(row), low.append(least), high.append(most)

    for kind in range(q):
        row, z, c, a = variables()
        z[kind] = 1
        require(row, 1, 1)
        row, z, c, a = variables()
        c[kind] = 1
        require(row, 1, 1)
        for i in range(n):  # the strategy is the same against all types
            row, z, c, a = variables()
            z[kind, i] += 1
            z[0, i] -= 1
            require(row, 0, 0)
        for j in range(f):
            row, z, c, a = variables()
            z[kind, :, j], c[kind, j] = 1, -1
            require(row, -np.inf, 0)
            row, z, c, a = variables()
            a[kind], z[kind] = 1, -game.followers[kind][:, [j]]
            require(row, 0, np.inf)
            row = row.copy()
            row[q * n * f + kind * f + j] = big
            require(row, -np.inf, big)
    objective, z, c, a = variables()
    z[:] = -weights[:, None, None] * game.leader
    whole = np.zeros(size)
    whole[q * n * f : -q] = 1
    limits = Bounds(
        np.append(np.zeros(size - q), np.full(q, -np.inf)), np.append(np.ones(size - q), np.full(q, np.inf))
    )
    answer = milp(objective, constraints=LinearConstraint(np.array(rows), low, high), integrality=whole, bounds=limits)
    assert answer.success
    return -answer.fun


@pytest.mark.parametrize("seed", GAMES)
def test_brute_force_over_a_fine_grid_finds_the_same_within_its_resolution(seed):
    """No grid point earns more, and one earns as much, up to the resolution.

    Payoffs lie in [−1, 1], so a step of h in ‖·‖₁ changes what an action is worth by h at most, and the advantage of
    one follower action over another by 2 h: near the commitment its answer is within 2 h of the best, and pays as much
    up to h. Where it must be the best itself, 5 h is enough for these games, whose regions of one answer are not thin.
    """
    game, radius = random_game(seed), 2e-5 if seed % 2 == 0 else 2e-3
    best = optimal_commitment(game)
    grid = simplex_grid(len(game.leader), radius)
    utility, payoff = grid @ game.followers[0], grid @ game.leader
    earned = np.sum(payoff * game.best_response(grid, np.ones(1)), axis=1)
    assert earned.max() <= best.value + 1e-9
    nearly = utility >= utility.max(axis=1, keepdims=True) - 2 * radius
    assert np.where(nearly, payoff, -np.inf).max() >= best.value - radius
    assert earned.max() >= best.value - 5 * radius
    nearest = np.abs(grid - best.strategy).sum(axis=1).min()
    assert nearest <= radius + 1e-12


@pytest.mark.parametrize("seed", GAMES)
def test_openspiel_finds_the_same(seed):
    best, theirs = optimal_commitment(random_game(seed)), OPENSPIEL[seed]
    assert best.value == pytest.approx(theirs["value"], abs=2e-6)
    np.testing.assert_allclose(best.strategy, theirs["strategy"], atol=2e-6)
    assert best.responses.tolist() == [theirs["response"]]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("types", [1, 2, 3])
def test_one_mixed_integer_program_finds_the_same_against_several_types(seed, types):
    game = random_game(seed, types)
    weights = np.random.default_rng(seed).dirichlet(np.ones(types))
    assert optimal_commitment(game, weights).value == pytest.approx(one_program(game, weights), abs=1e-6)


@pytest.mark.parametrize("seed", range(12))
def test_the_commitment_is_answered_as_it_says_and_earns_what_it_says(seed):
    game, weights = random_game(seed, 3), np.array([0.5, 0.3, 0.2])
    best = optimal_commitment(game, weights)
    answers = np.stack([game.best_response(best.strategy[None], kind)[0] for kind in game.types])
    assert np.argmax(answers, axis=1).tolist() == best.responses.tolist()
    assert best.value == pytest.approx(weights @ (answers @ (best.strategy @ game.leader)), abs=1e-9)


def test_by_hand():
    """Left only if x_1 ≥ 1/2, where up earns 2; right from x_1 ≤ 1/2 on: 4 x_1 + 3 (1 − x_1) = 3.5 at the tie."""
    game = BimatrixGame([[2.0, 4.0], [1.0, 3.0]], [[[1.0, 0.0], [0.0, 1.0]]])
    best = optimal_commitment(game)
    np.testing.assert_allclose(best.strategy, [0.5, 0.5], atol=1e-9)
    assert best.value == pytest.approx(3.5)
    assert best.responses.tolist() == [1]


def test_a_type_of_weight_zero_does_not_count_but_is_answered():
    game = random_game(7, 2)
    alone = optimal_commitment(BimatrixGame(game.leader, game.followers[:1]))
    both = optimal_commitment(game, [1.0, 0.0])
    assert both.value == pytest.approx(alone.value)
    assert both.responses[0] == alone.responses[0]
    assert both.responses[1] == np.argmax(game.best_response(both.strategy[None], np.array([0.0, 1.0])))


def test_without_weights_types_come_equally_often():
    game = random_game(4, 2)
    assert optimal_commitment(game).value == optimal_commitment(game, [0.5, 0.5]).value


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e9])
def test_the_unit_of_payoffs_does_not_matter(scale):
    game = random_game(3)
    best, scaled = (
        optimal_commitment(game),
        optimal_commitment(BimatrixGame(scale * game.leader, scale * game.followers)),
    )
    assert scaled.value == pytest.approx(scale * best.value, rel=1e-7)
    np.testing.assert_allclose(scaled.strategy, best.strategy, atol=1e-7)


def test_more_programs_than_anybody_waits_for_are_refused():
    game = BimatrixGame(np.zeros((2, 5)), np.zeros((6, 2, 5)))
    with pytest.raises(
        InvalidInput, match=r"6 types with 5 actions each need 1.56e\+04 linear programs, more than 10_000"
    ):
        optimal_commitment(game)
    assert optimal_commitment(game, [1, 0, 0, 0, 0, 0]).value == 0


def test_weights_that_are_no_distribution_are_refused():
    with pytest.raises(InvalidInput, match=r"weights sums to 1\.5"):
        optimal_commitment(random_game(0, 2), [1.0, 0.5])


def exact_value(leader: np.ndarray, followers: np.ndarray) -> float:
    """The best commitment of two leader actions in rational numbers, types equally often: only borders can be best."""
    a, tables = ([[*map(Fraction, row)] for row in t.tolist()] for t in (leader, np.concatenate(followers)))
    kinds = [tables[i : i + 2] for i in range(0, len(tables), 2)]
    borders = {Fraction(0), Fraction(1)}
    for up, down in kinds:
        for j, k in combinations(range(len(up)), 2):
            gains = up[j] - up[k], down[j] - down[k]  # p gain_up + (1 - p) gain_down = 0
            if gains[0] != gains[1] and 0 <= (p := gains[1] / (gains[1] - gains[0])) <= 1:
                borders.add(p)

    def earned(p: Fraction) -> Fraction:
        total = Fraction(0)
        for kind in kinds:
            worth, pays = ([p * u + (1 - p) * d for u, d in zip(*t, strict=True)] for t in (kind, a))
            total += max(pay for pay, w in zip(pays, worth, strict=True) if w == max(worth))
        return total / len(kinds)

    return float(max(map(earned, borders)))


@pytest.mark.parametrize(("powers", "seed"), [*((5, seed) for seed in range(40)), (6, 91)])
def test_rational_numbers_find_the_same_where_payoffs_differ_in_size_by_many_powers_of_ten(powers, seed):
    rng, q, f = np.random.default_rng(seed), 1 + seed % 2, 2 + seed % 3
    leader, signs = rng.uniform(-1, 1, (2, f)), rng.choice([-1, 1], (q, 2, f))
    followers = signs * 10 ** rng.uniform(-powers, powers, (q, 2, f))
    assert optimal_commitment(BimatrixGame(leader, followers)).value == pytest.approx(
        exact_value(leader, followers), abs=1e-6
    )


def test_a_type_that_does_not_come_has_no_say_however_large_its_payoffs():
    small = [[1.0, 0.0], [0.0, 1.0]]
    game = BimatrixGame([[2.0, 4.0], [1.0, 3.0]], [small, 1e9 * np.array(small)])
    assert optimal_commitment(game, [1.0, 0.0]).value == pytest.approx(3.5)
    np.testing.assert_allclose(optimal_commitment(game, [0.5, 0.5]).strategy, [0.5, 0.5])


def test_a_small_share_of_a_huge_payoff_is_kept():
    """Left needs −2 x₁ + x₂ ≥ −x₁ − 10⁸ x₂, so x₁ ≤ (1 + 10⁸) x₂: x₂ = 1 / (2 + 10⁸) and the leader earns 2 − 4 x₂."""
    game = BimatrixGame([[2.0, -1.0], [-2.0, 3.0]], [[[-2.0, -1.0], [1.0, -1e8]]])
    best = optimal_commitment(game)
    assert best.strategy[1] == pytest.approx(1 / (2 + 1e8), rel=1e-6)
    assert best.value == pytest.approx(2 - 4 / (2 + 1e8), abs=1e-12)
    np.testing.assert_array_equal(game.best_response(best.strategy[None], [1.0]), [[1, 0]])


@pytest.mark.parametrize("huge", [1e9, 1e12])
def test_an_answer_that_followers_would_not_give_is_refused(huge):
    """The solver takes a coefficient below 10⁻⁹ of the largest for none."""
    game = BimatrixGame([[2.0, -1.0], [-2.0, 3.0]], [[[-2.0, -1.0], [1.0, -huge]]])
    with pytest.raises(InvalidInput, match="payoffs of game 'bimatrix' differ too much in size for the linear program"):
        optimal_commitment(game)


@pytest.mark.parametrize("shift", [-1e6, 1e9])
def test_a_constant_added_to_a_players_payoffs_changes_no_strategy(shift):
    game = BimatrixGame([[2.0, 4.0], [1.0, 3.0]], [[[1.0, 0.0], [0.0, 1.0]]])
    moved = optimal_commitment(BimatrixGame(game.leader + shift, game.followers - shift))
    np.testing.assert_allclose(moved.strategy, [0.5, 0.5], atol=1e-9)
    assert moved.value == pytest.approx(3.5 + shift)
