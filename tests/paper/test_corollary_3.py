"""Corollary 3 on the harbour: StackelUCB on the grid of Eq. (9), with Lemma 4's width, λ = 1 and a known norm.

Loads are linear in the inspections: as x sums to 1, b_i(x, θ) = Σ_j w_ij(θ) x_j with w_ij(θ) = θ_i (1 − 1{i = j}). In
the space of k = x·x' k_Θ(θ, θ') their norm is known: ‖b_i‖² = Σ_j w_ijᵀ K_Θ⁻¹ w_ij. It has 3 q dimensions, so γ_T is at
most 3q/2 · log(1 + T / (3 q λ)): a determinant of given trace is largest when all eigenvalues are equal.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF

from firstmover.beliefs import LemmaWidth
from firstmover.core.arrays import Matrix
from firstmover.core.records import Run
from firstmover.games.stackelberg.commitment import best_on_simplex
from firstmover.games.stackelberg.harbour_game import (
    CREWS,
    RESPONSE_LIPSCHITZ,
    REWARD_LIPSCHITZ,
    harbour,
    harbour_game,
    loads_landed,
)
from firstmover.games.stackelberg.opponents import follower
from firstmover.kernels import on_action, on_type, pairs, polynomial
from firstmover.learners import LEARNERS, Setup
from firstmover.simulation import Adversary, Opponent, single, true_rewards
from firstmover.simulation.loop import play_run
from firstmover.theory import Premises, corollary_3

HORIZONS = (100, 200, 400, 800, 1600)
OVER_TYPES = RBF(0.5)
KERNEL = on_action(polynomial(1, bias=0.0)) * on_type(OVER_TYPES)
NOISE, DELTA = 0.05, 0.1


def norm_bound(types: Matrix) -> float:
    """B, the largest norm of an output."""
    weights = (types[:, :, None] * (1 - np.eye(3))).reshape(len(types), 9)  # w_ij in column 3 i + j
    squared = np.sum(weights * np.linalg.solve(OVER_TYPES(types), weights), axis=0)
    return float(np.sqrt(squared.reshape(3, 3).sum(axis=1).max()))


def run_of(opponent: str, horizon: int, seed: int) -> Run:
    """StackelUCB on the grid for this horizon, against the first crew or against all of them, as they hurt most."""
    types = CREWS[:1] if opponent == "single" else CREWS
    game, respond = replace(harbour_game(horizon), types=types), follower(harbour())
    width = LemmaWidth(norm_bound(types), NOISE, regularization=1.0, failure_probability=DELTA, n_outputs=3)
    learner = LEARNERS["stackelucb"].build(Setup(game, KERNEL, 1.0, width, "fixed-rate", horizon))
    arrivals = single(types[0]) if opponent == "single" else Adversary(types, true_rewards(game, respond))
    return play_run(game, Opponent(arrivals, respond, NOISE), learner, horizon, seed)


@cache
def played(opponent: str, horizon: int, seed: int) -> tuple[float, float]:
    """R(T) / T against the best of all mixed strategies, and the average reward as a share of that one's."""
    run = run_of(opponent, horizon, seed)
    best, earned = best_on_simplex(harbour(), run.opponent_types).value, float(run.rewards.mean())
    return best - earned, earned / best


def slope(opponent: str, seeds: range) -> float:
    """Of log R(T) / T over log T, through the means over seeds."""
    means = [np.mean([played(opponent, horizon, seed)[0] for seed in seeds]) for horizon in HORIZONS]
    return float(np.polyfit(np.log(HORIZONS), np.log(means), 1)[0])


def bound(horizon: int) -> tuple[float, float]:
    """The right-hand side of Corollary 3 for three types, without its last term, and with it."""
    gain = 9 / 2 * np.log1p(horizon / 9)
    width = LemmaWidth(norm_bound(CREWS), NOISE, 1.0, DELTA, n_outputs=3)(gain)
    premises = Premises(DELTA, REWARD_LIPSCHITZ, regularization=1.0, n_outputs=3)
    right = corollary_3(premises, horizon, width, gain, n_leader_actions=3, response_lipschitz=RESPONSE_LIPSCHITZ)
    return float((right.total - right.learning)[0]), float(right.total[0])


def test_the_norm_is_that_of_the_response():
    """No interpolation of b at some points has a larger norm; one through enough points has the same."""
    rng = np.random.default_rng(0)
    squared = []
    for count in (1, 3, 40):
        x = rng.dirichlet(np.ones(3), size=count)
        z = np.concatenate([pairs(x, kind[None]) for kind in CREWS])
        y = np.concatenate([loads_landed(x, kind) for kind in CREWS])
        gram = (z[:, :3] @ z[:, :3].T) * OVER_TYPES(z[:, 3:])
        squared.append(np.einsum("ti,ti->i", y, np.linalg.pinv(gram, rcond=1e-10, hermitian=True) @ y).max())
    assert squared[0] < squared[1] <= norm_bound(CREWS) ** 2 * (1 + 1e-6)
    assert squared[2] == pytest.approx(norm_bound(CREWS) ** 2, rel=1e-6)


def test_grids_of_equation_9():
    assert [harbour_game(horizon).n_actions for horizon in HORIZONS] == [45, 78, 153, 276, 528]


@pytest.mark.parametrize("opponent", ["single", "adversary"])
def test_regret_is_sublinear(opponent):
    """The corollary promises a slope of −½, up to logarithms."""
    assert slope(opponent, range(1)) <= -0.35


def test_against_one_type_the_leader_earns_nearly_the_strong_stackelberg_value():
    assert played("single", 1600, 0)[1] >= 0.98


@pytest.mark.parametrize("horizon", HORIZONS)
def test_against_adversarial_types_regret_stays_below_the_bound(horizon):
    """Below it even without its last term, the price of not knowing the followers."""
    without, whole = bound(horizon)
    assert played("adversary", horizon, 0)[0] * horizon < without < whole


@pytest.mark.slow
def test_all_of_it_with_ten_seeds():
    seeds = range(10)
    for opponent in ("single", "adversary"):
        assert slope(opponent, seeds) <= -0.35
    assert min(played("single", 1600, seed)[1] for seed in seeds) >= 0.98
    for horizon in HORIZONS:
        assert max(played("adversary", horizon, seed)[0] for seed in seeds) * horizon < bound(horizon)[0]
