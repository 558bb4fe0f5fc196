"""Draws of whole functions: their means and covariances are those of the posterior."""

import numpy as np
import pytest

from firstmover.beliefs.fitted import FittedBelief
from firstmover.beliefs.joint import fitted_posterior
from firstmover.core.errors import InvalidInput
from tests.beliefs.test_fitted import game, learnt, seen

N = 4000


def functions(belief: FittedBelief, types: np.ndarray, seed: int) -> np.ndarray:
    """N draws of b at types and actions (N, q, n, m)."""
    return np.moveaxis(fitted_posterior(belief, types).functions(N, np.random.default_rng(seed)), 1, 2)


def fitted(count: int = 25) -> FittedBelief:
    g = game()
    return learnt(g, seen(g, count, noise=0.4))


def test_means_and_deviations_are_those_of_the_prediction() -> None:
    belief = fitted()
    types = np.array([[1.0, 20.0], [3.0, 10.0]])
    draws = functions(belief, types, 0)
    assert draws.shape == (N, 2, 7, 1)
    for place, kind in enumerate(types):
        mean, std = belief.predict(kind)
        found = draws[:, place]
        # the mean of N draws deviates by std / √N and their deviation by std / √(2N): five of each
        assert np.abs(found.mean(axis=0) - mean).max() < 5 * std.max() / np.sqrt(N)
        assert found.std(axis=0) == pytest.approx(std, rel=5 / np.sqrt(2 * N))


def test_draws_are_joint_over_actions_and_types() -> None:
    """With one structure alone, the covariance across types is that of the exact posterior."""
    belief = fitted()
    fit = belief.last
    assert fit is not None
    stored = fit.stored()
    stored["objective"] = [[0.0, 99.0, 99.0]]  # the first structure alone
    belief = belief.fitted(stored)
    fit = belief.last
    assert fit is not None
    types = np.array([[1.0, 20.0], [2.0, 35.0]])
    draws = functions(belief, types, 1)[..., 0].reshape(N, -1)
    structure, theta = belief._bank(fit.types)[0], fit.theta[0][0]
    past = belief._past(fit.types, fit.responses, 0)
    actions = np.vstack([past.actions, np.tile(belief._actions, (2, 1))])
    kinds = np.vstack([past.types, np.repeat(fit.types(types), 7, axis=0)])
    gram, t = structure.covariance(theta, actions, kinds), len(past.noise)
    inner = gram[:t, :t] + structure.noise_variance(theta) * np.diag(past.noise)
    exact = gram[t:, t:] - gram[t:, :t] @ np.linalg.solve(inner, gram[:t, t:])
    exact *= (belief.calibration[0] * fit.responses[0][1]) ** 2
    # an entry of the covariance of N draws deviates by at most √(2 / N) of the largest variance: five of them
    assert np.abs(np.cov(draws.T) - exact).max() < 5 * np.sqrt(2 / N) * exact.max()
    assert np.abs(exact[0, 7]) > 0.1 * exact[0, 0]  # the types do share something


def test_each_draw_is_one_of_the_structures_by_their_probability() -> None:
    belief = fitted()
    fit = belief.last
    assert fit is not None
    stored = fit.stored()
    stored["objective"] = [[0.0, 0.0, 99.0]]
    mixed = belief.fitted(stored)
    kinds = np.array([[1.0, 20.0]])
    mean, std = mixed.predict(kinds[0])
    draws = functions(mixed, kinds, 2)[:, 0]
    assert np.abs(draws.mean(axis=0) - mean).max() < 5 * std.max() / np.sqrt(N)
    assert draws.std(axis=0) == pytest.approx(std, rel=0.08)


def test_functions_of_a_belief_without_a_fit_are_refused() -> None:
    belief = FittedBelief.prior(game(lower=-np.inf, upper=np.inf))
    with pytest.raises(InvalidInput, match="no fit"):
        fitted_posterior(belief, np.array([[1.0, 20.0]]))


def test_a_held_belief_is_never_due_for_a_fit_and_predicts_the_same() -> None:
    belief = fitted(12)
    held = belief.held()
    more = seen(belief.game, 20, seed=5)
    for row in more:
        belief, held = belief.condition(*row), held.condition(*row)
        assert not held.fit_due
    assert belief.fit_due
    kind = belief.game.types[0]
    assert held.predict(kind).mean == pytest.approx(belief.predict(kind).mean, rel=1e-12)


def test_the_prediction_at_features_is_that_of_the_action() -> None:
    belief = fitted()
    kind = belief.game.types[1]
    mean, std = belief.predict(kind)
    at = belief.predict_at(belief.game.actions[3], kind)
    assert np.array_equal(at.mean, mean[3])
    assert np.array_equal(at.std, std[3])
    off = belief.reaching(np.array([[2.2]]))
    between = off.predict_at(np.array([2.2]), kind)
    assert mean[2] > between.mean > mean[3] or mean[2] < between.mean < mean[3]
