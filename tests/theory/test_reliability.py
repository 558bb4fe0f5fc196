from statistics import NormalDist

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF

from firstmover import Box, Game, Opponent, StackelUCB, increasing, play_run, single
from firstmover.core.arrays import Matrix
from firstmover.games.opponent import Tabulated
from firstmover.kernels import pairs
from firstmover.theory import Replay, reliability_curve, standard_errors

ACTIONS, KIND, NOISE = np.linspace(0, 1, 15)[:, None], np.zeros((1, 1)), 0.4


def errors_of(seed: int, noise_std: float) -> Matrix:
    """Of 40 rounds against b drawn from the learner's own prior; the learner believes in noise of 0.4."""
    rng = np.random.default_rng(seed)
    values = rng.multivariate_normal(np.zeros(15), RBF(0.3)(pairs(ACTIONS, KIND)), method="eigh")
    respond = Tabulated(ACTIONS, KIND, values[None, :, None])
    game = Game("prior", ACTIONS, increasing(lambda _, y: y[:, 0]), Box([-9.0], [9.0]), types=KIND)
    learner = StackelUCB.start(game, RBF(0.3), NOISE**2, confidence_width=1.0)
    run = play_run(game, Opponent(single(KIND[0]), respond, noise_std), learner, 40, seed)
    return standard_errors(Replay.of(learner, run), run.responses, NOISE**2)


def test_predictions_of_the_true_model_are_honest() -> None:
    """2,000 responses: the share of each level has a standard error of at most 1.1 %; a Gaussian process is exact."""
    curve = reliability_curve(np.vstack([errors_of(seed, NOISE) for seed in range(50)]))
    assert np.max(np.abs(curve.observed - curve.levels)) < 0.035
    assert curve.shares[0].trials == 2000


@pytest.mark.parametrize(("noise_std", "sign"), [(1.2, -1), (0.1, 1)])
def test_noise_that_is_not_believed_in_shows(noise_std: float, sign: int) -> None:
    """Three times the noise: too sure, below the diagonal; a quarter: too careful, above it."""
    curve = reliability_curve(np.vstack([errors_of(seed, noise_std) for seed in range(5)]))
    middle = slice(3, 8)
    assert np.all(sign * (curve.observed - curve.levels)[middle] > 0.1)


def test_levels_are_tenths_and_two_near_one() -> None:
    """Errors that lie just between two levels: each level has one more inside than the one before."""
    between = np.array([0.05, 0.15, 0.25, 0.35, 0.45, 0.55, 0.65, 0.75, 0.85, 0.925, 0.97])
    errors = np.array([NormalDist().inv_cdf((1 + share) / 2) for share in between])
    signs = np.where(np.arange(11) % 2, -1.0, 1.0)
    assert reliability_curve((signs * errors)[:, None]).observed == pytest.approx(np.arange(1, 12) / 11)
