"""Sums of b over rounds against dense algebra on all observations."""

import numpy as np
import pytest
from sklearn.gaussian_process.kernels import RBF, ConstantKernel

from firstmover.beliefs import information_gain, posterior
from firstmover.beliefs.fitted import FittedBelief
from firstmover.beliefs.functionals import Pairs, Regression
from firstmover.core.contracts import Game
from firstmover.core.errors import InvalidInput, PrecisionLost
from firstmover.core.records import Box, Feedback
from firstmover.games import increasing
from firstmover.kernels import DomainGram, bind, on_action, on_type, pairs
from tests.kernels.test_gram import Unread

N, Q, T, M = 4, 3, 20, 2
RNG = np.random.default_rng(5)
ACTIONS, TYPES = RNG.uniform(0, 1, (N, 2)), RNG.uniform(0, 1, (Q, 1))
CHOSEN, KINDS = RNG.integers(N, size=T), RNG.integers(Q - 1, size=T)  # the last type was never observed
RESPONSES, NOISE = RNG.standard_normal((T, M)), RNG.uniform(0.1, 0.4, T)
KERNEL = ConstantKernel(2.0) * on_action(RBF(0.6)) * on_type(RBF(0.5))
POINTS, DOMAIN = np.hstack([ACTIONS[CHOSEN], TYPES[KINDS]]), pairs(ACTIONS, TYPES)


def regression(noise: np.ndarray, kernel: object = KERNEL, **scale: float) -> Regression:
    return Regression(DomainGram(kernel, ACTIONS, TYPES), Pairs.of(CHOSEN, KINDS), RESPONSES, noise, **scale)


@pytest.mark.parametrize("kernel", [KERNEL, Unread()], ids=["readable", "unread"])
def test_sums_are_those_of_all_observations(kernel: object) -> None:
    """Weights of b over X × Θ as one row ℓ: mean ℓμ and variance ℓCℓ of each action's sum."""
    k, rng = bind(kernel, 2), np.random.default_rng(1)
    gain = k(DOMAIN, POINTS) @ np.linalg.inv(k(POINTS) + np.diag(NOISE))
    mean, covariance = gain @ RESPONSES, k(DOMAIN) - gain @ k(POINTS, DOMAIN)
    seen = Pairs.of(CHOSEN, KINDS)
    gained, given_up = rng.standard_normal((N, Q, M)), rng.standard_normal((N, len(seen.actions), M))
    found = regression(NOISE, kernel, centre=3.0, unit=2.0, factor=1.5).sums(gained, given_up)
    for x in range(N):
        for j in range(M):
            weights = np.zeros((Q, N))
            weights[:, x] += gained[x, :, j]
            np.subtract.at(weights, (seen.types, seen.actions), given_up[x, :, j])
            row = weights.ravel()
            assert found.mean[x, j] == pytest.approx(3.0 * row.sum() + 2.0 * row @ mean[:, j], rel=1e-9, abs=1e-9)
            assert found.variance[x, j] == pytest.approx((2.0 * 1.5) ** 2 * row @ covariance @ row, rel=1e-7)


def test_what_cancels_has_no_variance() -> None:
    """Σ b(x, θ) − Σ b(x, θ) over the same pairs is 0 for certain, but for rounding."""
    seen = Pairs.of(CHOSEN, KINDS)
    gained, given_up = np.zeros((N, Q, M)), np.zeros((N, len(seen.actions), M))
    for u, (x, kind) in enumerate(zip(seen.actions, seen.types, strict=True)):
        gained[x, kind] = given_up[x, u] = 7.0
    found = regression(NOISE).sums(gained, given_up)
    np.testing.assert_allclose(found.mean, 0.0, atol=1e-9)
    np.testing.assert_allclose(found.variance, 0.0, atol=1e-10)
    assert np.all(found.variance > 0), "a rounding error is counted, not hidden"


def test_predictions_are_those_of_the_plain_equations() -> None:
    expected = posterior(bind(KERNEL, 2), 0.3, POINTS, RESPONSES, DOMAIN)
    mean, variance = regression(np.full(T, 0.3)).predict(N)
    np.testing.assert_allclose(mean.transpose(1, 0, 2).reshape(-1, M), expected.mean, rtol=1e-9, atol=1e-12)
    for j in range(M):
        np.testing.assert_allclose(variance[:, :, j].T.ravel(), expected.std**2, rtol=1e-8)


def test_gain_and_error_are_those_of_all_observations() -> None:
    """The error leaves out the spread about the means at equal pairs, which is the same for every λ."""
    gram, places = bind(KERNEL, 2)(POINTS), Pairs.of(CHOSEN, KINDS).place
    means = np.stack([np.bincount(places, column) / np.bincount(places) for column in RESPONSES.T], axis=1)
    spread = np.sum((RESPONSES - means[places]) ** 2, axis=0)
    for value in (0.05, 0.7):
        found = regression(np.full(T, value))
        assert found.information_gain == pytest.approx(information_gain(gram, value), rel=1e-10)
        solved = np.linalg.solve(gram + value * np.eye(T), RESPONSES)
        np.testing.assert_allclose(found.regularized_error + spread, value * np.sum(RESPONSES * solved, axis=0))


def test_a_menu_in_parts_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    weights = rng.standard_normal((N, Q, M)), rng.standard_normal((N, len(Pairs.of(CHOSEN, KINDS).actions), M))
    once, table = regression(NOISE).sums(*weights), regression(NOISE).predict(N)
    monkeypatch.setattr("firstmover.beliefs.functionals.MOST_NUMBERS", 1)
    for whole, part in ((once, regression(NOISE).sums(*weights)), (table, regression(NOISE).predict(N))):
        np.testing.assert_allclose(part.mean, whole.mean, atol=1e-12)
        np.testing.assert_allclose(part.variance, whole.variance, atol=1e-12)


def test_a_kernel_that_is_none_is_refused() -> None:
    class Negative(Unread):
        def __call__(self, X, Y=None, eval_gradient=False):  # noqa: ARG002
            return -1.0 + 2.0 * np.eye(len(X)) if Y is None or Y is X else -np.ones((len(X), len(Y)))

    with pytest.raises((InvalidInput, PrecisionLost)):
        regression(np.full(T, 1e-3), Negative()).predict(N)


def test_a_fitted_belief_predicts_what_its_regressions_do() -> None:
    """Also with actions off the menu, outliers of larger noise, and one regression per structure and output."""
    game = Game("line", ACTIONS, increasing(lambda _, y: y[:, 0], M), Box([-9.0] * M, [9.0] * M), types=TYPES)
    belief = FittedBelief.prior(game).reaching(np.array([[0.5, 0.5]]))
    rng = np.random.default_rng(3)
    for t in range(25):
        kind = TYPES[t % Q]
        response = np.array([np.sin(4 * ACTIONS[t % N, 0]) + kind[0], ACTIONS[t % N, 1]]) + 0.1 * rng.standard_normal(M)
        if t % 6 == 5:
            belief = belief.condition_at(np.array([0.5, 0.5]), kind, response)
        else:
            belief = belief.condition(t % N, kind, response + (8.0 if t == 9 else 0.0))
        if belief.fit_due:
            belief = belief.fitted(belief.fit())
    seen: tuple[Feedback, ...] = belief.seen
    order = [int(np.argmax((each.opponent_type == TYPES).all(axis=1))) for each in seen]
    found = belief.regressions(TYPES, Pairs.of(np.array([each.action for each in seen]), np.array(order)))
    assert sum(weight for weight, _ in found) == pytest.approx(1.0)
    tables = [(weight, [each.predict(N) for each in row]) for weight, row in found]
    mean = sum(weight * np.concatenate([each.mean for each in row], axis=2) for weight, row in tables)
    for kind in range(Q):
        said = belief.predict(TYPES[kind])
        np.testing.assert_allclose(mean[:, kind], said.mean, rtol=1e-6, atol=1e-8)
        variance = sum(
            weight
            * np.concatenate(
                [
                    each.variance[:, kind] + belief.calibration[j] ** 2 * (each.mean - mean[:, :, [j]])[:, kind] ** 2
                    for j, each in enumerate(row)
                ],
                axis=1,
            )
            for weight, row in tables
        )
        np.testing.assert_allclose(np.sqrt(variance), said.std, rtol=1e-5)


def test_before_a_fit_there_is_no_regression() -> None:
    game = Game("line", ACTIONS, increasing(lambda _, y: y[:, 0]), Box([-np.inf], [np.inf]), types=TYPES)
    assert FittedBelief.prior(game).regressions(TYPES, Pairs.of(np.array([0]), np.array([0]))) == []
