"""Lemma 4 on games whose b has a known RKHS norm: is b inside the box everywhere, in every round?"""

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF

from firstmover.beliefs import FiniteBelief, LemmaWidth
from firstmover.kernels import bind, on_action, on_type, pairs

NORM, ROUNDS, CHANCE = 2.0, 25, 0.1


def errors_and_gains(seed: int, regularization: float, noise_std: float) -> tuple[np.ndarray, np.ndarray]:
    """max |μ_t − b| / σ_t over all actions and types, and γ_t, in each round of a game with ‖b‖_k = NORM."""
    rng = np.random.default_rng(seed)
    actions, types = rng.uniform(size=(6, 1)), rng.uniform(size=(3, 1))
    kernel = on_action(RBF(0.3)) * on_type(RBF(0.5))
    belief = FiniteBelief.prior(kernel, regularization, actions, types, n_outputs=1)
    gram, coefficients = bind(kernel, 1)(pairs(actions, types)), rng.normal(size=18)
    respond = gram @ coefficients * NORM / np.sqrt(coefficients @ gram @ coefficients)
    errors, gains = [], []
    for _ in range(ROUNDS):
        said = [belief.predict(kind) for kind in types]
        mean, std = np.concatenate([s.mean[:, 0] for s in said]), np.concatenate([s.std for s in said])
        errors.append(np.max(np.abs(mean - respond) / std))
        gains.append(belief.information_gain)
        action, kind = int(rng.integers(6)), int(rng.integers(3))
        response = respond[6 * kind + action] + noise_std * rng.normal()
        belief = belief.condition(action, types[kind], np.array([response]))
    return np.array(errors), np.array(gains)


def share_covered(games: int, regularization: float, noise_std: float, formula: str = "tight") -> float:
    width = LemmaWidth(NORM, noise_std, regularization, CHANCE, formula=formula)
    played = (errors_and_gains(seed, regularization, noise_std) for seed in range(games))
    return float(np.mean([all(error <= width(gain) for error, gain in zip(*game, strict=True)) for game in played]))


def test_two_hundred_games():
    assert share_covered(200, regularization=1.0, noise_std=0.5) >= 1 - CHANCE


@pytest.mark.parametrize("noise_std", [0.05, 2.0])
@pytest.mark.parametrize("regularization", [0.25, 4.0])
def test_other_regularizations(regularization, noise_std):
    assert share_covered(40, regularization, noise_std) >= 1 - CHANCE


@pytest.mark.parametrize("noise_std", [0.05, 2.0])
def test_the_printed_width_is_too_narrow_above_one(noise_std):
    """Why the widths have σ / √λ and B: at λ = 4 the printed σ / λ and B / √λ is half of the sum, and b escapes."""
    assert share_covered(40, 4.0, noise_std, "printed") < 1 - CHANCE


def test_no_smaller_width_holds_without_noise_and_data():
    """b = B k(·, z) with k(z, z) = 1 has norm B and b(z) = B, at μ = 0 and σ_t = 1."""
    belief = FiniteBelief.prior(RBF(0.3), 4.0, np.array([[0.2], [0.7]]), np.zeros((1, 1)), n_outputs=1)
    before = belief.predict(np.zeros(1))
    assert LemmaWidth(NORM, 0.0, 4.0, CHANCE)(belief.information_gain) * before.std[0] == NORM


def test_the_bound_behind_the_width_worked_by_hand():
    """One action, k = 1, λ = 4, b = 2, y = 5 so ε = 3: μ = 5 / (1 + 4) = 1 and σ_t² = 4 / 5.

    (b − μ)² / σ_t² = 1.25. The ridge objective is J(f) = (5 − f)² + 4 f²; J(b) − J(μ) = 25 − 20 = 5 = λ · 1.25.
    """
    belief = FiniteBelief.prior(RBF(1.0), 4.0, np.zeros((1, 1)), np.zeros((1, 1)), n_outputs=1)
    after = belief.condition(0, np.zeros(1), np.array([5.0])).predict(np.zeros(1))
    assert (2 - after.mean[0, 0]) ** 2 / after.std[0] ** 2 == pytest.approx(5 / 4)
