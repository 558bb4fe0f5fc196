"""Every belief against scikit-learn's Gaussian process with the same kernel and alpha = λ."""

import numpy as np
import pytest
from sklearn.gaussian_process import GaussianProcessRegressor

from firstmover.beliefs import posterior
from tests.problems import random_problem


@pytest.mark.parametrize("regularization", [0.01, 0.3, 1.0, 5.0])
@pytest.mark.parametrize("seed", range(12))
def test_agrees(seed, regularization):
    problem = random_problem(np.random.default_rng(seed), t=25, regularization=regularization)
    peer = GaussianProcessRegressor(problem.bound, alpha=regularization, optimizer=None)
    peer.fit(problem.points, problem.responses)
    for opponent_type in problem.types:
        queries = problem.queries(opponent_type)
        mean, std = peer.predict(queries, return_std=True)
        mean, std = mean.reshape(len(queries), -1), std.reshape(len(queries), -1)[:, 0]
        exact = posterior(problem.bound, regularization, problem.points, problem.responses, queries)
        for said in [exact, *(belief.predict(opponent_type) for belief in problem.beliefs())]:
            np.testing.assert_allclose(said.mean, mean, rtol=1e-9, atol=1e-9)
            np.testing.assert_allclose(said.std**2, std**2, rtol=1e-9, atol=1e-9)


def test_the_marginal_likelihood_contains_the_information_gain():
    """log p(y) = −½ yᵀ(K + λI)⁻¹y − γ − t/2 log(2πλ)."""
    problem = random_problem(np.random.default_rng(3), t=15, regularization=0.5)
    y = problem.responses[:, :1]
    peer = GaussianProcessRegressor(problem.bound, alpha=0.5, optimizer=None).fit(problem.points, y)
    fit = float((y.T @ np.linalg.solve(problem.bound(problem.points) + 0.5 * np.eye(15), y))[0, 0])
    gain = -peer.log_marginal_likelihood_value_ - 0.5 * fit - 7.5 * np.log(2 * np.pi * 0.5)
    for belief in problem.beliefs():
        assert belief.information_gain == pytest.approx(gain, abs=1e-9)
